import numpy as np

from ordinate.solvers.result import Result


def test_iterations_are_counted_without_the_start():
    result = Result(np.zeros((2, 1)), 1.0, np.array([3.0, 2.0, 1.0]), True)
    assert result.n_iter == 2
