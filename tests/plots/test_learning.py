import pytest

from ordinate.plots import plot_learning_curve
from ordinate.selection import LearningCurve, LearningPoint


def test_errors_against_numbers_of_answers():
    points = tuple(
        LearningPoint(size, error, error - 0.01, error + 0.01, (error, error + 0.001))
        for size, error in ((100, 0.3), (200, 0.2), (400, 0.15))
    )
    ax = plot_learning_curve(LearningCurve(points, 2, "SOE", 2))
    assert ax.lines[0].get_xdata().tolist() == [100, 200, 400]
    assert ax.lines[0].get_ydata().tolist() == pytest.approx([30, 20, 15])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["100", "200", "400"]
    assert ax.get_title() == "More answers are likely to help"
