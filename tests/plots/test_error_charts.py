import numpy as np
import pytest
from matplotlib.figure import Figure

import ordinate as od
from ordinate.plots import plot_dimensions, plot_learning_curve, plot_map, plot_methods
from ordinate.plots._error_charts import draw_errors
from ordinate.selection import LearningCurve, LearningPoint
from ordinate.solvers.intervals import HeldOutAnswers


def test_errors_are_per_cent_with_their_intervals():
    ax = Figure().add_subplot()
    points = [LearningPoint(10, 0.3, 0.2, 0.35), LearningPoint(20, 0.1, 0.0, 0.15)]
    assert draw_errors(ax, [10, 20], points) == [30, 10]
    (bars,) = (c for c in ax.collections if hasattr(c, "get_segments"))
    np.testing.assert_allclose(np.array(bars.get_segments())[:, :, 1], [[20, 35], [0, 15]])


def test_the_axis_shows_differences_and_says_where_it_begins():
    ax = Figure().add_subplot()
    draw_errors(
        ax, [1, 2], [LearningPoint(1, 0.25, 0.24, 0.26), LearningPoint(2, 0.24, 0.23, 0.25)]
    )
    assert ax.get_ylim() == (22, 27)
    assert ax.get_ylabel() == "held-out error, % (axis from 22; guessing: 50)"
    draw_errors(ax, [3], [LearningPoint(3, 0.05, 0.04, 0.06)])
    assert ax.get_ylim() == (0, 28)
    assert ax.get_ylabel() == "held-out error, % (guessing: 50)"


def test_axes_hold_all_that_is_drawn_one_after_another():
    ax = Figure().add_subplot()
    for high in (0.1, 0.6):
        draw_errors(ax, [1], [LearningPoint(1, high, 0, high)])
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 60


@pytest.fixture(scope="module")
def table():
    answers = od.datasets.load_cities(2000, random_state=0).comparisons
    return od.compare(answers, ["SOE", "STE"], [1, 2], folds=3, random_state=0)


def test_one_line_per_method_and_a_ring(table):
    ax = plot_methods(table)
    lines = [line for line in ax.lines if line.get_marker() in "os" and line.get_markersize() < 10]
    assert [len(line.get_xdata()) for line in lines] == [2, 2]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["SOE", "STE"]
    (ring,) = (line for line in ax.lines if line.get_markersize() == 15)
    assert ring.get_ydata()[0] == pytest.approx(100 * table.choice.error)
    assert str(table.choice) in ax.get_title()


@pytest.fixture(scope="module")
def estimate():
    points = np.random.default_rng(0).normal(size=(20, 2))
    answers = od.sources.random_triplets(points, 1000, random_state=0)
    return od.estimate_dimension(answers, [1, 2, 3], "SOE", folds=4, random_state=0)


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
    assert ax.get_title().startswith(f"{estimate.dimension} dimensions")


def test_tests_between_successive_dimensions_are_written(estimate):
    assert [text.get_text()[0] for text in plot_dimensions(estimate).texts] == ["p", "p"]


def test_given_axes_are_used(estimate):
    ax = plot_map([[0.0, 0.0], [1.0, 1.0]])
    assert plot_dimensions(estimate, ax) is ax


def test_errors_against_numbers_of_answers():
    points = tuple(
        LearningPoint(size, error, error - 0.01, error + 0.01)
        for size, error in ((100, 0.3), (200, 0.2), (400, 0.15))
    )
    wrong = np.array([np.arange(1000) < 1000 * point.error for point in points])
    held_out = HeldOutAnswers(wrong.astype(np.float32), np.arange(1000), None)
    ax = plot_learning_curve(LearningCurve(points, held_out, 2, "SOE", 2))
    assert ax.lines[0].get_xdata().tolist() == [100, 200, 400]
    assert ax.lines[0].get_ydata().tolist() == pytest.approx([30, 20, 15])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["100", "200", "400"]
    assert ax.get_title() == "More answers would help"
