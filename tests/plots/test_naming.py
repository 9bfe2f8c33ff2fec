import numpy as np
import pytest
from matplotlib.figure import Figure

from ordinate.plots._naming import draw_names


@pytest.fixture
def ax():
    ax = Figure(figsize=(4, 3)).add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 10), ylim=(0, 10))
    return ax


def test_names_are_written_beside_their_points(ax):
    positions = np.array([[2.0, 2.0], [8.0, 8.0]])
    assert draw_names(ax, np.array(["one", "two"]), positions) == ["one", "two"]
    assert [text.get_text() for text in ax.texts] == ["one", "two"]
    np.testing.assert_array_equal([text.xy for text in ax.texts], positions)


def test_the_estimated_boxes_hold_what_is_drawn(ax):
    positions = np.random.default_rng(0).uniform(1, 9, size=(40, 2))
    draw_names(ax, np.array([f"Ågy {number}" for number in range(40)]), positions)
    drawn = [text.get_window_extent() for text in ax.texts]
    assert len(drawn) > 15
    for number, box in enumerate(drawn):
        assert not box.padded(-1).count_overlaps([b.padded(-1) for b in drawn[:number]])


def test_the_second_place_and_the_line_to_it_stay_visible(ax):
    start, end = np.array([5.0, 5.0]), np.array([7.0, 5.0])
    draw_names(ax, np.array(["a long name"]), start[None], joined=end[None])
    box = ax.texts[0].get_window_extent()
    for t in np.linspace(0, 1, 50):
        assert not box.contains(*ax.transData.transform(start + t * (end - start)))


def test_dollars_are_no_mathematics(ax):
    draw_names(ax, np.array(["$a_1$"]), np.array([[5.0, 5.0]]))
    assert not ax.texts[0].get_parse_math()


def test_names_keep_to_axes_whose_place_the_figure_decides_late():
    figure = Figure(figsize=(4, 3), layout="constrained")
    ax = figure.add_subplot()
    ax.set(xlim=(0, 10), ylim=(0, 10), xlabel="x", ylabel="y")
    positions = np.random.default_rng(0).uniform(0, 10, size=(40, 2))
    draw_names(ax, np.array([f"name {number}" for number in range(40)]), positions)
    figure.draw_without_rendering()
    axes = ax.get_window_extent().padded(1)
    for text in ax.texts:
        box = text.get_window_extent()
        assert axes.contains(box.x0, box.y0)
        assert axes.contains(box.x1, box.y1)
