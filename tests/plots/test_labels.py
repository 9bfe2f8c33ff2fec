import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from ordinate.plots import _labels as placement
from ordinate.plots import plot_map, save_figure
from ordinate.plots._labels import (
    BLOCKED,
    FREE,
    draw_names,
    families_for,
    place_names,
    prepare_canvas,
    select_labels_to_try,
    shorten_names,
)

SHAPE = (200, 300)
GAP = 4
NOTHING = np.empty((0, 2))


def canvas_of(dots, owners=None, strokes=NOTHING):
    owners = np.arange(len(dots)) if owners is None else np.asarray(owners)
    return prepare_canvas(SHAPE, dots, owners, strokes, GAP)


def placed_beside(anchors, sizes):
    return place_names(anchors, sizes, canvas_of(anchors), GAP)


def boxes(placements, sizes):
    size = sizes[[p.number for p in placements]]
    before = np.array([{"left": 0, "center": 0.5, "right": 1}[p.align] for p in placements])
    corners = np.array([(p.x, p.bottom) for p in placements]).reshape(-1, 2)
    corners[:, 0] -= before * size[:, 0]
    return corners, corners + size


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 60))
def test_names_cover_neither_each_other_nor_points_nor_the_edge(seed, n):
    rng = np.random.default_rng(seed)
    anchors = rng.uniform((0, 0), SHAPE[::-1], size=(n, 2))
    sizes = rng.uniform((10, 8), (70, 14), size=(n, 2))
    placements = placed_beside(anchors, sizes)
    low, high = boxes(placements, sizes)
    assert (low >= -1e-9).all()
    assert (high <= np.array(SHAPE[::-1]) + 1e-9).all()
    covered = (low[:, None] < anchors) & (anchors < high[:, None])
    assert not covered.all(axis=2).any()
    overlap = (low[:, None] < high - 1e-9) & (low < high[:, None] - 1e-9)
    np.testing.assert_array_equal(overlap.all(axis=2), np.eye(len(placements), dtype=bool))


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 60))
def test_a_name_is_nearest_to_its_own_point(seed, n):
    rng = np.random.default_rng(seed)
    anchors = rng.uniform((0, 0), SHAPE[::-1], size=(n, 2))
    sizes = rng.uniform((10, 8), (70, 14), size=(n, 2))
    placements = placed_beside(anchors, sizes)
    low, high = boxes(placements, sizes)
    outside = np.maximum(low[:, None] - anchors, anchors - high[:, None]).clip(min=0)
    distance = outside.max(axis=2)
    own = distance[np.arange(len(placements)), [p.number for p in placements]]
    assert (own < distance.min(axis=1, initial=np.inf) + 1).all()


def test_a_lone_point_is_named_on_its_right():
    (placed,) = placed_beside(np.array([[100.0, 100.0]]), np.array([[40.0, 10.0]]))
    assert placed == (0, 100 + GAP, 95, "left")


def test_at_the_right_edge_the_name_goes_left():
    (placed,) = placed_beside(np.array([[290.0, 100.0]]), np.array([[40.0, 10.0]]))
    assert placed == (0, 290 - GAP, 95, "right")


def test_a_name_wider_than_the_canvas_is_left_out():
    assert placed_beside(np.array([[150.0, 100.0]]), np.array([[400.0, 10.0]])) == []


def test_of_points_in_one_place_at_most_one_is_named():
    points = np.full((30, 2), 100.0)
    assert len(placed_beside(points, np.full((30, 2), [40.0, 10.0]))) <= 1


def test_the_point_with_the_least_choice_is_named_first():
    middle_and_corner = np.array([[150.0, 100.0], [2.0, 2.0]])
    placements = placed_beside(middle_and_corner, np.full((2, 2), [40.0, 10.0]))
    assert [placed.number for placed in placements] == [1, 0]


def test_the_canvas_is_left_as_it_was():
    point = np.array([[100.0, 100.0]])
    canvas = canvas_of(point)
    before = canvas.copy()
    place_names(point, np.array([[40.0, 10.0]]), canvas, GAP)
    np.testing.assert_array_equal(canvas, before)


def test_canvas_around_a_dot():
    canvas = canvas_of(np.array([[100.5, 50.5]]), owners=[7])
    reach = GAP + placement.HALO
    assert canvas[50, 100] == canvas[50, 100 + GAP - 1] == BLOCKED
    assert canvas[50, 100 + GAP] == canvas[50 + reach, 100 - reach] == 7
    assert canvas[50, 100 + reach + 1] == FREE


def test_where_two_dots_are_near_no_name_may_stand():
    canvas = canvas_of(np.array([[100.5, 50.5], [102.5, 50.5]]))
    assert canvas[50 + GAP, 101] == BLOCKED


def test_two_dots_of_one_object_share_their_surroundings():
    canvas = canvas_of(np.array([[100.5, 50.5], [102.5, 50.5]]), owners=[3, 3])
    assert canvas[50 + GAP, 101] == 3


def test_a_dot_without_a_name_keeps_names_away():
    canvas = canvas_of(np.array([[100.5, 50.5]]), owners=[BLOCKED])
    assert canvas[50, 100 + GAP] == BLOCKED


def test_strokes_are_blocked_and_what_is_outside_is_ignored():
    canvas = canvas_of(NOTHING, strokes=np.array([[10.5, 20.5], [-5.0, 3.0], [900.0, 900.0]]))
    assert set(zip(*np.nonzero(canvas == BLOCKED), strict=True)) == {
        (row, column) for row in (19, 20, 21) for column in (9, 10, 11)
    }


def test_few_objects_are_tried_in_their_order():
    np.testing.assert_array_equal(select_labels_to_try(np.zeros((5, 2))), np.arange(5))


def test_of_many_objects_the_lonely_are_tried(monkeypatch):
    monkeypatch.setattr(placement, "MOST_NAMES", 2)
    anchors = np.array([[5.0, 5], [6, 6], [7, 7], [200, 100], [5, 8], [10, 150]])
    np.testing.assert_array_equal(select_labels_to_try(anchors), [3, 5])


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


def test_dollars_are_not_mathematics(ax):
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
    *written, note = ax.texts
    for text in written:
        box = text.get_window_extent()
        assert axes.contains(box.x0, box.y0)
        assert axes.contains(box.x1, box.y1)
    assert note.get_text() == f"{len(written)} of 40 names fit"


@pytest.mark.parametrize("most", [0, 1])
def test_the_most_important_objects_are_named_first(most):
    canvas = np.full((24, 60), FREE, dtype=np.int32)  # room for one name
    anchors, sizes = np.array([[8.0, 12.0], [9.0, 12.0]]), np.full((2, 2), (40.0, 20.0))
    placed = place_names(anchors, sizes, canvas, 2, np.arange(2) == most)
    assert [each.number for each in placed] == [most]


def test_names_of_files_and_long_names_are_shortened():
    assert shorten_names(["a/b/tea.PNG", "a/b/beer.jpg"]) == ["tea", "beer"]
    assert shorten_names(["version 1.2"]) == ["version 1.2"]
    (long,) = shorten_names(["an object whose name goes on and on and on"])
    assert (len(long), long[:9], long[-6:]) == (28, "an object", "and on")
    series = [f"set-07/of_pictures_of_an_experiment_{number:03}_final.png" for number in range(12)]
    assert shorten_names(series)[3:5] == ["…003", "…004"], "what all have in common goes"
    assert shorten_names([*series, "tea"])[-1] == "tea"
    alike = ["a/tea.png", "b/tea.png"]
    assert shorten_names(alike) == alike, "names stay different"


def test_letters_that_the_usual_font_lacks_come_from_another(monkeypatch):
    usual = families_for("Málaga Łódź Ωμέγα")
    assert len(usual) == 1
    monkeypatch.setattr(placement, "_font_with", lambda letters: "Some Han")
    assert families_for("東京") == [*usual, "Some Han"]


def test_one_warning_where_no_font_has_them(monkeypatch, tmp_path):
    monkeypatch.setattr(placement, "_font_with", lambda letters: None)
    points = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.warns(UserWarning, match="No font of this computer") as caught:
        save_figure(plot_map(points, ["東京", "大阪", "京都", "札幌"]), tmp_path / "map.png")
    assert len(caught) == 1
