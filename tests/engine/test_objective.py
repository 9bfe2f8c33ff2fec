"""The engine is chosen by the comparisons and the device."""

import numpy as np
import pytest

import ordinate as od
from ordinate.engine import cpu
from ordinate.engine.objective import make_objective


def test_comparisons_in_memory_are_summed_on_the_cpu():
    objective = make_objective(od.Comparisons([[0, 1, 2]]), od.losses.soe, [1.0], n_threads=2)
    assert isinstance(objective, cpu.CPUObjective)
    assert objective(np.array([[0.0], [1.0], [1.5]]))[0] == 0.25


def test_a_gpu_is_asked_for_by_name(monkeypatch):
    pytest.importorskip("torch")
    from ordinate.engine.torch_objective import TorchObjective

    monkeypatch.setattr("ordinate.engine.objective.resolve_device", {"cuda:1": "mps"}.get)
    made = []
    monkeypatch.setattr(TorchObjective, "__init__", lambda self, *_, device: made.append(device))
    make_objective(od.Comparisons([[0, 1, 2]]), od.losses.ste, device="cuda:1")
    assert made == ["mps"]


def test_an_unknown_device_is_refused():
    with pytest.raises(od.InputError, match='device must be "cpu"'):
        make_objective(od.Comparisons([[0, 1, 2]]), od.losses.ste, device="tpu")
