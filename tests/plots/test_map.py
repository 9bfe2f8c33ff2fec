import numpy as np
import pytest
from matplotlib.figure import Figure

import ordinate as od
from ordinate.plots import plot_map, plot_map_over_truth, save_figure
from ordinate.plots._colors import MOST_CLASSES

POINTS = np.random.default_rng(0).normal(size=(12, 2)) * [3, 1]
NAMES = [f"object {number}" for number in range(12)]


def drawn(ax, label):
    (found,) = (c for c in ax.collections if c.get_label() == label)
    return np.asarray(found.get_offsets())


def legend_texts(ax):
    legend = ax.get_legend()
    return None if legend is None else [text.get_text() for text in legend.get_texts()]


def test_objects_are_drawn_where_they_are():
    ax = plot_map(POINTS)
    np.testing.assert_array_equal(drawn(ax, "recovered"), POINTS)
    assert legend_texts(ax) is None
    assert len(ax.texts) == 0


def test_names_are_written():
    ax = plot_map(POINTS, names=NAMES)
    written = {text.get_text(): text.xy for text in ax.texts}
    assert len(written) >= 10
    for name, xy in written.items():
        np.testing.assert_array_equal(xy, POINTS[NAMES.index(name)])


def test_classes_are_told_apart_and_listed():
    labels = np.array(["cat", "dog"])[np.arange(12) % 2]
    ax = plot_map(POINTS, labels=labels)
    np.testing.assert_array_equal(drawn(ax, "dog"), POINTS[1::2])
    assert legend_texts(ax) == ["cat", "dog"]
    colors = {tuple(c.get_facecolor()[0]) for c in ax.collections}
    assert len(colors) == 2


def test_very_many_classes_are_not_listed():
    n = MOST_CLASSES + 1
    labels = [f"class {number}" for number in range(n)]
    assert legend_texts(plot_map(np.zeros((n, 2)), labels=labels)) is None


def test_many_numbers_are_a_scale_of_colours():
    values = np.arange(MOST_CLASSES + 1.0)
    ax = plot_map(np.random.default_rng(0).normal(size=(len(values), 2)), labels=values)
    np.testing.assert_array_equal(ax.collections[0].get_array(), values)
    assert len(ax.figure.axes) == 2


def test_a_turned_and_mirrored_map_lies_on_the_truth():
    turned = 0.1 * POINTS[:, ::-1] + 5
    ax = plot_map_over_truth(turned, POINTS, names=NAMES)
    np.testing.assert_array_equal(drawn(ax, "true"), POINTS)
    np.testing.assert_allclose(drawn(ax, "recovered"), POINTS, atol=1e-12)
    assert legend_texts(ax) == ["true", "recovered"]


def test_each_object_is_joined_to_its_true_place():
    moved = POINTS + np.random.default_rng(1).normal(size=POINTS.shape)
    ax = plot_map_over_truth(moved, POINTS)
    (lines,) = (c for c in ax.collections if hasattr(c, "get_segments"))
    segments = np.array(lines.get_segments())
    np.testing.assert_allclose(segments[:, 0], POINTS)
    np.testing.assert_allclose(segments[:, 1], drawn(ax, "recovered"))


def test_names_do_not_lie_on_true_places():
    moved = POINTS + 0.3 * np.random.default_rng(1).normal(size=POINTS.shape)
    ax = plot_map_over_truth(moved, POINTS, names=NAMES)
    true = ax.transData.transform(POINTS)
    for text in ax.texts:
        box = text.get_window_extent()
        assert not any(box.contains(*place) for place in true)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
@pytest.mark.parametrize("over_truth", [False, True])
def test_every_dimension_gives_a_picture(tmp_path, d, over_truth):
    truth = np.random.default_rng(d).normal(size=(12, d))
    map_ = truth + 0.1
    if over_truth:
        ax = plot_map_over_truth(map_, truth, NAMES, labels=np.arange(12) % 3)
    else:
        ax = plot_map(map_, NAMES, labels=np.arange(12) % 3)
    save_figure(ax, tmp_path / "map.png")
    assert len(ax.texts) >= 8


@pytest.mark.parametrize("n", [1, 2, 100_000])
def test_any_number_of_objects_gives_a_picture(tmp_path, n):
    rng = np.random.default_rng(0)
    ax = plot_map(rng.normal(size=(n, 2)), names=np.arange(n))
    save_figure(ax, tmp_path / "map.pdf")
    assert 1 <= len(ax.texts) <= 500
    assert (tmp_path / "map.pdf").stat().st_size < 2_000_000


def test_all_objects_in_one_place(tmp_path):
    ax = plot_map(np.zeros((5, 2)), names=list("abcde"))
    save_figure(ax, tmp_path / "map.png")
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), np.zeros((5, 2)))
    assert np.ptp(ax.get_xlim()) > 0
    assert np.ptp(ax.get_ylim()) > 0


def test_given_axes_are_used():
    ax = Figure().add_subplot()
    assert plot_map(POINTS, ax=ax) is ax
    assert plot_map_over_truth(POINTS, POINTS, ax=ax) is ax


def test_inputs_stay_as_they_were():
    points = POINTS.copy()
    plot_map_over_truth(points, POINTS + 1)
    np.testing.assert_array_equal(points, POINTS)


def test_refuses():
    with pytest.raises(od.InputError, match=r"names must have one entry per object, shape \(12,\)"):
        plot_map(POINTS, names=["a"])
    with pytest.raises(od.InputError, match="embedding must be a 2-D array"):
        plot_map([1, 2, 3])
    with pytest.raises(od.InputError, match=r"one shape .*got \(12, 2\) and \(11, 2\)"):
        plot_map_over_truth(POINTS, POINTS[1:])
    with pytest.raises(od.InputError, match="pass ax made with projection='3d'"):
        plot_map(np.zeros((4, 3)), ax=Figure().add_subplot())
