"""Loops of a reduction: who is drawn, and what one triplet worked out by hand costs."""

import numpy as np
import pytest

from ordinate.features.kernels import add_gradient, draw_outliers


def test_shared_outliers_do_not_depend_on_the_anchor():
    neighbors = np.zeros((5, 1), dtype=np.uint32)
    outliers = np.empty((5, 4), dtype=np.uint32)
    draw_outliers(neighbors, 50, np.uint64(7), 50, True, 0, 5, outliers)
    assert (outliers == outliers[0]).all()
    assert outliers.max() < 50
    assert outliers.min() > 0


@pytest.mark.parametrize(
    ("temperatures", "loss", "pull", "push"),
    [(None, 2 / 7, 5 / 49, 2 / 49), ((2.0, 2.0), 2 / 7, 5 / 49, 2 / 49)],
    ids=["fast", "general"],
)
def test_one_triplet_on_a_line(temperatures, loss, pull, push):
    # squared distances 1 and 4 cost 2 / 7; slopes on them are 5 / 49 and -2 / 49
    points = np.array([[0], [1], [-2]], dtype=np.float32)
    one = np.ones((1, 1), dtype=np.float32)
    gradient = np.zeros((3, 1), dtype=np.float32)
    found = add_gradient(
        points, np.array([[1]], dtype=np.uint32), np.array([[2]], dtype=np.uint32), one, one,
        np.float32(0), temperatures, 0, 0, 1, (0,), gradient,
    )  # fmt: skip
    assert found == pytest.approx(loss, rel=1e-6)
    np.testing.assert_allclose(
        gradient.ravel(), [-2 * pull - 4 * push, 2 * pull, 4 * push], rtol=1e-5
    )
