import numpy as np
import pytest
from matplotlib.figure import Figure

import ordinate as od
from ordinate.plots import plot_map, plot_map_over_truth, save_figure
from ordinate.plots._colors import MOST_CLASSES
from ordinate.plots._layout import lay_out

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


def test_classes_are_distinguished_and_listed():
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


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match=r"names must have one entry per object, shape \(12,\)"):
        plot_map(POINTS, names=["a"])
    with pytest.raises(od.InputError, match="embedding must be a 2-D array"):
        plot_map([1, 2, 3])
    with pytest.raises(od.InputError, match=r"one shape .*got \(12, 2\) and \(11, 2\)"):
        plot_map_over_truth(POINTS, POINTS[1:])
    with pytest.raises(od.InputError, match="pass ax made with projection='3d'"):
        plot_map(np.zeros((4, 3)), ax=Figure().add_subplot())


def uncertain(points):
    """A record of a map whose objects move more, the higher their number."""
    rng = np.random.default_rng(0)
    points = points - points.mean(axis=0)
    sizes = np.linspace(0.01, 3, len(points))[:, None]
    draws = points + sizes * rng.standard_normal((50, *points.shape))
    return od.uncertainty.MapUncertainty(
        embedding_=points,
        draws_=draws.astype(np.float32),
        names_=None,
        method="bootstrap",
        by=None,
        level=0.9,
        n_neighbors=3,
        n_answers_=np.full(len(points), 9),
        contradicted_=np.zeros(len(points)),
    )


def test_regions_hold_nine_draws_in_ten_and_uncertain_objects_are_faint():
    sure = uncertain(POINTS)
    ax = plot_map(POINTS, uncertainty=sure)
    (regions,) = (c for c in ax.collections if c.get_label() == "_regions")
    shift = POINTS.mean(axis=0)
    inside = [
        path.contains_points(sure.draws_[:, number] + shift).mean()
        for number, path in enumerate(regions.get_paths())
    ]
    np.testing.assert_allclose(inside, 0.9, atol=0.05)
    (points,) = (c for c in ax.collections if c.get_label() == "recovered")
    alpha = points.get_facecolors()[:, 3]
    assert alpha[0] > 0.9
    assert alpha[-1] == pytest.approx(0.4)


@pytest.mark.parametrize(("dimension", "shape"), [(1, (8, 2, 2)), (3, (24, 2, 3)), (5, (8, 33, 2))])
def test_regions_in_other_dimensions(dimension, shape):
    points = np.random.default_rng(1).standard_normal((8, dimension))
    sure = uncertain(points)
    assert lay_out(points, uncertainty=sure).regions.shape == shape
    ax = plot_map(points, uncertainty=sure)
    ax.figure.canvas.draw()
    assert "_regions" in [c.get_label() for c in ax.collections]


def test_classes_of_an_uncertain_map_are_listed():
    labels = np.array(["cat", "dog"])[np.arange(12) % 2]
    ax = plot_map(POINTS, labels=labels, uncertainty=uncertain(POINTS))
    assert legend_texts(ax) == ["cat", "dog"]
    plot_map(POINTS, labels=np.linspace(0, 1, 12), uncertainty=uncertain(POINTS))


def test_the_uncertainty_of_another_map_is_refused():
    with pytest.raises(od.InputError, match="uncertainty belongs to another map"):
        plot_map(POINTS, uncertainty=uncertain(POINTS[::-1]))


def test_a_model_is_a_map():
    model = od.STE(2, random_state=0).fit(od.datasets.load_cities().comparisons[:300])
    np.testing.assert_array_equal(drawn(plot_map(model), "recovered"), model.embedding_)


def test_three_dimensions_from_three_sides_have_one_scale_and_one_key():
    points = np.random.default_rng(0).normal(size=(30, 3)) * [3, 2, 0.5]
    views = od.plots.plot_map_sides(points, labels=["a", "b", "c"] * 10)
    assert [(ax.get_xlabel()[-1], ax.get_ylabel()[-1]) for ax in views] == [
        ("1", "2"),
        ("1", "3"),
        ("2", "3"),
    ]
    spans = [np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1) for ax in views]
    np.testing.assert_allclose(spans, np.broadcast_to(spans[0], (3, 2)))
    assert [ax.get_legend() is not None for ax in views] == [False, False, True]
    drawn = np.concatenate([points.get_offsets() for points in views[1].collections])
    shown = np.sort(drawn, axis=0)
    np.testing.assert_allclose(shown, np.sort((points - points.mean(axis=0))[:, [0, 2]], axis=0))


def test_numbers_have_one_scale_of_colours_over_three_sides():
    points = np.random.default_rng(0).normal(size=(30, 3))
    ax = od.plots.plot_map_sides(points, labels=np.linspace(0, 1, 30))[0]
    assert len(ax.figure.axes) == 4


def test_two_dimensions_have_no_three_sides():
    with pytest.raises(od.InputError, match="this one 2; use plot_map"):
        od.plots.plot_map_sides(np.zeros((4, 2)))


@pytest.mark.parametrize("dimensions", [(0, 0), (0, 3), (0,), (-1, 1)])
def test_the_dimensions_to_look_at_are_checked(dimensions):
    with pytest.raises(od.InputError, match="two different columns of the embedding, counted from"):
        od.plots.plot_map(np.eye(3), dimensions=dimensions)


def test_a_fitted_estimator_brings_its_labels():
    model = od.SOE(2, random_state=0).fit([["tea", "milk", "wine"], ["milk", "tea", "wine"]])
    model.embedding_ = np.eye(3, 2)  # names far apart, so that each is written
    ax = od.plots.plot_map(model)
    assert {text.get_text() for text in ax.texts} >= {"tea", "milk", "wine"}
