import numpy as np
from matplotlib.figure import Figure

from ordinate.plots._errors import draw_errors
from ordinate.selection import LearningPoint


def test_errors_are_per_cent_with_their_intervals():
    ax = Figure().add_subplot()
    points = [LearningPoint(10, 0.3, 0.2, 0.35, ()), LearningPoint(20, 0.1, 0.0, 0.15, ())]
    assert draw_errors(ax, [10, 20], points) == [30, 10]
    (bars,) = (c for c in ax.collections if hasattr(c, "get_segments"))
    np.testing.assert_allclose(np.array(bars.get_segments())[:, :, 1], [[20, 35], [0, 15]])


def test_axes_hold_all_that_is_drawn_one_after_another():
    ax = Figure().add_subplot()
    for high in (0.1, 0.6):
        draw_errors(ax, [1], [LearningPoint(1, high, 0, high, ())])
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 60
