import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_dimensions, plot_map


@pytest.fixture(scope="module")
def estimate():
    points = np.random.default_rng(0).normal(size=(20, 2))
    answers = od.sources.random_triplets(points, 1000, random_state=0)
    return od.estimate_dimension(answers, [1, 2, 3], folds=4)


def test_errors_are_drawn_in_percent_with_their_intervals(estimate):
    ax = plot_dimensions(estimate)
    curve = ax.lines[0]
    assert list(curve.get_xdata()) == [1, 2, 3]
    errors = [100 * row.error for row in estimate.table.rows]
    np.testing.assert_allclose(curve.get_ydata(orig=False), errors)
    bars = ax.collections[0].get_segments()
    assert len(bars) == 3
    for (low, high), row in zip(
        ([b[0][1], b[1][1]] for b in bars), estimate.table.rows, strict=True
    ):
        np.testing.assert_allclose([low, high], [100 * row.low, 100 * row.high])


def test_the_chosen_dimension_is_ringed_and_named(estimate):
    ax = plot_dimensions(estimate)
    (ring,) = (line for line in ax.lines if line.get_markersize() == 14)
    assert list(ring.get_xdata()) == [estimate.dimension]
    assert ax.get_title().startswith("2 is the smallest dimension")


def test_tests_between_successive_dimensions_are_written(estimate):
    assert [text.get_text()[0] for text in plot_dimensions(estimate).texts] == ["p", "p"]


def test_given_axes_are_used(estimate):
    ax = plot_map([[0.0, 0.0], [1.0, 1.0]])
    assert plot_dimensions(estimate, ax) is ax
