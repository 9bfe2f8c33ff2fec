import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from ordinate.plots import naming
from ordinate.plots.naming import draw_names, place_names, worth_trying

CANVAS = (300, 200)
GAP = 3


def boxes(placements, sizes):
    corners = np.array([(p.left, p.bottom) for p in placements]).reshape(-1, 2)
    return corners, corners + sizes[[p.number for p in placements]]


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 60))
def test_names_cover_neither_each_other_nor_points_nor_the_edge(seed, n):
    rng = np.random.default_rng(seed)
    anchors = rng.uniform((0, 0), CANVAS, size=(n, 2))
    sizes = rng.uniform((10, 8), (70, 14), size=(n, 2))
    placements = place_names(anchors, sizes, CANVAS, anchors, GAP)
    low, high = boxes(placements, sizes)
    assert (low >= 0).all()
    assert (high <= CANVAS).all()
    covered = (low[:, None] < anchors) & (anchors < high[:, None])
    assert not covered.all(axis=2).any()
    overlap = (low[:, None] < high) & (low < high[:, None])
    np.testing.assert_array_equal(overlap.all(axis=2), np.eye(len(placements), dtype=bool))


def test_a_lone_point_is_named_on_its_right():
    point = np.array([[100.0, 100.0]])
    (placed,) = place_names(point, np.array([[40.0, 10.0]]), CANVAS, point, GAP)
    assert placed.number == 0
    assert 100 + GAP < placed.left < 100 + 2 * GAP
    assert placed.bottom == 95


def test_at_the_right_edge_the_name_goes_left():
    point = np.array([[290.0, 100.0]])
    (placed,) = place_names(point, np.array([[40.0, 10.0]]), CANVAS, point, GAP)
    assert placed.left + 40 < 290


def test_a_name_wider_than_the_canvas_is_left_out():
    point = np.array([[150.0, 100.0]])
    assert place_names(point, np.array([[400.0, 10.0]]), CANVAS, point, GAP) == []


def test_of_names_in_one_place_only_some_are_written():
    points = np.full((30, 2), 100.0)
    placements = place_names(points, np.full((30, 2), [40.0, 10.0]), CANVAS, points, GAP)
    assert 2 <= len(placements) <= len(naming.SIDES)
    assert placements[0].number == 0


def test_few_objects_are_tried_in_their_order():
    np.testing.assert_array_equal(worth_trying(np.zeros((5, 2))), np.arange(5))


def test_of_many_objects_the_lonely_are_tried(monkeypatch):
    monkeypatch.setattr(naming, "MOST_NAMES", 2)
    anchors = np.array([[5.0, 5], [6, 6], [7, 7], [200, 100], [5, 8], [10, 150]])
    np.testing.assert_array_equal(worth_trying(anchors), [3, 5])


@pytest.fixture
def ax():
    ax = Figure(figsize=(4, 3)).add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 10), ylim=(0, 10))
    return ax


def test_names_are_written_beside_their_points(ax):
    positions = np.array([[2.0, 2.0], [8.0, 8.0]])
    assert draw_names(ax, np.array(["one", "two"]), positions, positions) == ["one", "two"]
    assert [text.get_text() for text in ax.texts] == ["one", "two"]
    np.testing.assert_array_equal([text.xy for text in ax.texts], positions)


def test_the_estimated_boxes_hold_what_is_drawn(ax):
    positions = np.random.default_rng(0).uniform(1, 9, size=(40, 2))
    names = np.array([f"Ågy {number}" for number in range(40)])
    draw_names(ax, names, positions, positions)
    drawn = [text.get_window_extent() for text in ax.texts]
    assert len(drawn) > 20
    for number, box in enumerate(drawn):
        assert not box.padded(-1).count_overlaps([b.padded(-1) for b in drawn[:number]])


def test_dollars_are_no_mathematics(ax):
    position = np.array([[5.0, 5.0]])
    draw_names(ax, np.array(["$a_1$"]), position, position)
    assert not ax.texts[0].get_parse_math()
