"""The engine is chosen by the comparisons and the device."""

import numpy as np

import ordinate as od
from ordinate.engine import cpu
from ordinate.engine.choose import make_objective


def test_comparisons_in_memory_are_summed_on_the_cpu():
    objective = make_objective(od.Comparisons([[0, 1, 2]]), od.losses.soe, [1.0], n_threads=2)
    assert isinstance(objective, cpu.Objective)
    assert objective(np.array([[0.0], [1.0], [1.5]]))[0] == 0.25
