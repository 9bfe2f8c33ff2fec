"""A term that fades: its weight at each call, and that gradients add up."""

import numpy as np
import pytest

from ordinate.features.annealing import AnnealedObjective


def test_the_passing_term_fades_with_the_square_of_what_is_left():
    def lasting(points):
        return 1.0, points.copy()

    def passing(points):
        return 10.0, np.ones_like(points)

    objective = AnnealedObjective(lasting, passing, weight=0.5, n_calls=4)
    points = np.full((2, 2), 7, dtype=np.float32)
    for weight in 0.5 * np.array([1, 9 / 16, 4 / 16, 1 / 16]):
        value, gradient = objective(points)
        assert value == pytest.approx(1 + 10 * weight)
        np.testing.assert_allclose(gradient, 7 + weight, rtol=1e-6)
