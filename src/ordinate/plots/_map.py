"""Draw a map of objects, alone or over the true one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_labels, check_points
from ordinate.metrics._procrustes import procrustes_align
from ordinate.plots._colors import QUIET, SCALE, class_style
from ordinate.plots._figures import figure_of, new_axes, new_row_of_axes
from ordinate.plots._labels import FONT_SIZE, draw_names
from ordinate.plots._layout import MapLayout, lay_out
from ordinate.plots._thumbnails import INCHES, Image, Thumbnails, draw_thumbnails, load_thumbnails

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.uncertainty import MapUncertainty


SIDES = ((0, 1), (0, 2), (1, 2))
"""The two dimensions that each side of a map in space shows."""


def plot_map(
    embedding: ArrayLike,
    names: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    images: Sequence[Image | None] | None = None,
    uncertainty: MapUncertainty | None = None,
    dimensions: tuple[int, int] | None = None,
) -> Axes:
    """Draw objects where an embedding puts them.

    Parameters
    ----------
    embedding : array-like of float, shape (n_objects, n_components), or estimator
        Coordinates, or a fitted estimator that has them. One dimension is drawn as a list in
        order, two and three as they are, and more along the two directions in which the map is
        widest.
    names : array-like of str, shape (n_objects,), optional
        Written beside the points where there is room; by default the labels of the estimator.
    labels : array-like, shape (n_objects,), optional
        Classes, distinguished by colour and marker; or numbers of which there are many, shown by a
        scale of colours.
    ax : matplotlib Axes, optional
        Where to draw, with ``projection="3d"`` for three dimensions; by default a new figure.
    images : sequence of path, array or None, shape (n_objects,), optional
        Pictures of the objects, drawn small in their places as far as they do not overlap.
    uncertainty : MapUncertainty, optional
        From `ordinate.map_uncertainty` for this map: regions that hold each object's draws are
        drawn as ellipses (as lines in one and three dimensions), and objects the fainter the
        less surely they are placed.
    dimensions : tuple of two ints, optional
        Columns of the embedding to look at, such as ``(0, 2)``, instead of all of them.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    plot_map_sides : A map of three dimensions from three sides.
    plot_interactive_map : A map to search, zoom and turn.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> ax = od.plots.plot_map(cities.points, names=cities.names)
    """
    points = check_points("embedding", getattr(embedding, "embedding_", embedding))
    names = _names_of(embedding) if names is None else names
    thumbnails = None if images is None else load_thumbnails(images, len(points))
    layout = lay_out(points, labels=labels, uncertainty=uncertainty, dimensions=dimensions)
    return draw_layout(layout, names, ax, thumbnails)


def plot_map_sides(
    embedding: ArrayLike,
    names: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    *,
    images: Sequence[Image | None] | None = None,
    uncertainty: MapUncertainty | None = None,
) -> tuple[Axes, Axes, Axes]:
    """Draw a map of three dimensions from three sides, side by side.

    On paper one cannot turn a map in space, and depth is a guess; of three flat views each shows
    two dimensions as they are, with the regions of uncertain objects as ellipses.

    Parameters
    ----------
    embedding : array-like of float, shape (n_objects, 3), or estimator
        Coordinates, or a fitted estimator that has them.
    names : array-like of str, shape (n_objects,), optional
        Written beside the points where there is room; by default the labels of the estimator.
    labels : array-like, shape (n_objects,), optional
        Classes or numbers, as in `plot_map`.
    images : sequence of path, array or None, shape (n_objects,), optional
        Pictures of the objects.
    uncertainty : MapUncertainty, optional
        From `ordinate.map_uncertainty` for this map.

    Returns
    -------
    tuple of three matplotlib.axes.Axes
        The views without the third, the second and the first dimension, in one figure.

    See Also
    --------
    plot_map : One view of a map.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> views = od.plots.plot_map_sides(np.random.default_rng(0).normal(size=(20, 3)))
    >>> [ax.get_xlabel() for ax in views]
    ['dimension 1', 'dimension 1', 'dimension 2']
    """
    points = check_points("embedding", getattr(embedding, "embedding_", embedding))
    if points.shape[1] != 3:
        raise InputError(
            f"A map from three sides has three dimensions, this one {points.shape[1]};"
            " use plot_map."
        )
    names = _names_of(embedding) if names is None else names
    thumbnails = None if images is None else load_thumbnails(images, len(points))
    layouts = [lay_out(points, None, labels, uncertainty, side) for side in SIDES]
    corners = np.array([_corners(layout) for layout in layouts])
    # one scale for all views, so that a narrow dimension looks narrow
    wide, high = half = 0.56 * np.max(corners[:, 1] - corners[:, 0], axis=0)
    first, second, third = new_row_of_axes(3, 5, 5 * float(np.clip(high / wide, 0.5, 1.2)))
    for ax, layout, middle in zip(
        (first, second, third), layouts, corners.mean(axis=1), strict=True
    ):
        across, up = np.stack([middle - half, middle + half], axis=1)
        ax.set(xlim=across, ylim=up)
        draw_layout(layout, names, ax, thumbnails, key=ax is third)
    return first, second, third


def _names_of(embedding: object) -> list[str] | None:
    """Return the labels of a fitted estimator's objects."""
    names = getattr(embedding, "names_", None)
    return None if names is None else [str(name) for name in names]


def _corners(layout: MapLayout) -> NDArray[np.float64]:
    """Return the lowest and the highest coordinates of the objects."""
    return np.stack([layout.positions.min(axis=0), layout.positions.max(axis=0)])


def plot_map_over_truth(
    embedding: ArrayLike,
    truth: ArrayLike,
    names: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw an embedding laid over the true positions, each pair joined by a thin line.

    Parameters
    ----------
    embedding : array-like of float, shape (n_objects, n_components)
        Recovered coordinates; moved, scaled, turned and if need be mirrored to meet `truth`.
    truth : array-like of float, shape (n_objects, n_components)
        True coordinates, which keep their place, size and direction.
    names : array-like of str, shape (n_objects,), optional
        Written beside the recovered points where there is room.
    labels : array-like, shape (n_objects,), optional
        Classes, distinguished by colour and marker; or numbers of which there are many, shown by a
        scale of colours.
    ax : matplotlib Axes, optional
        Where to draw, with ``projection="3d"`` for three dimensions; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    plot_map : A map alone.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> mirrored = cities.points * [-1, 1]
    >>> ax = od.plots.plot_map_over_truth(mirrored, cities.points, names=cities.names)
    """
    target = check_points("truth", truth)
    return draw_layout(lay_out(procrustes_align(embedding, target), target, labels), names, ax)


def draw_layout(
    layout: MapLayout,
    names: ArrayLike | None,
    ax: Axes | None,
    thumbnails: Thumbnails | None = None,
    *,
    key: bool = True,
    importance: NDArray[Any] | None = None,
) -> Axes:
    """Draw all there is; without its `key`, colours are explained on other axes.

    Where not all names fit, those of the most important objects are written.
    """
    written = None if names is None else check_labels("names", names, len(layout.positions))
    if ax is None:
        ax = new_axes(8, _height(layout), spatial=layout.spatial)
    elif layout.spatial and ax.name != "3d":
        raise InputError(
            "A map of three dimensions needs such axes: pass ax made with projection='3d', or none."
        )
    if layout.truth is not None:
        _draw_truth(ax, layout, layout.truth)
    if layout.regions is not None:
        _draw_regions(ax, layout, layout.regions)
    _draw_points(ax, layout, key)
    _draw_frame(ax, layout, key)
    gap = 3.5
    if thumbnails is not None:
        draw_thumbnails(ax, thumbnails, on_screen(ax, layout.positions))
        gap += 36 * INCHES
    if written is not None:
        true = None if layout.truth is None else on_screen(ax, layout.truth)
        draw_names(ax, written, on_screen(ax, layout.positions), true, gap, importance)
    return ax


def _height(layout: MapLayout, width: float = 8) -> float:
    """Choose a new figure's height in inches, by the shape of the map."""
    wide, high = np.ptp(layout.positions, axis=0)[:2]
    if layout.spatial or layout.ordered or wide == 0:
        return width * 0.75
    return width * float(np.clip(high / wide, 0.5, 1.2))


def _draw_truth(ax: Axes, layout: MapLayout, truth: NDArray[np.float64]) -> None:
    if layout.spatial:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection as Lines  # type: ignore[import-untyped]
    else:
        from matplotlib.collections import LineCollection as Lines
    paths = np.stack([truth, layout.positions], axis=1)
    ax.add_collection(Lines(paths, colors=QUIET, linewidths=0.6, rasterized=layout.crowded))
    look = {"facecolors": "white", "edgecolors": QUIET, "linewidths": 0.8, "label": "true"}
    _scatter(ax, layout, truth, look)


def _draw_regions(ax: Axes, layout: MapLayout, regions: NDArray[np.float64]) -> None:
    if layout.spatial:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection as Lines
    else:
        from matplotlib.collections import LineCollection as Lines
    from matplotlib.collections import PolyCollection

    shared: dict[str, Any] = {"rasterized": layout.crowded, "label": "_regions"}
    if layout.spatial or layout.ordered:
        ax.add_collection(Lines(regions, colors=QUIET, linewidths=0.8, alpha=0.4, **shared))
    else:
        shared |= {"facecolors": QUIET, "alpha": _shade(regions), "linewidths": 0}
        # what is uncertain may reach beyond the frame, or it would make the map small
        ax.add_collection(PolyCollection(list(regions), **shared), autolim=False)


def _shade(regions: NDArray[np.float64]) -> float:
    """Return how opaque a region is: fainter if many overlap, or they would add up to black."""
    x, y = np.moveaxis(regions, 2, 0)
    twice = np.abs((x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1))
    depth = twice.sum() / 2 / max(float(np.ptp(x) * np.ptp(y)), np.finfo(float).tiny)
    return float(np.clip(0.2 / max(depth, 1e-9), 0.03, 0.18))


def _draw_points(ax: Axes, layout: MapLayout, key: bool) -> None:
    from matplotlib.colors import to_rgba_array

    coloring = layout.coloring
    opacity = layout.opacity
    shared: dict[str, Any] = {"linewidths": 0}
    if opacity is None:
        shared["alpha"] = 0.5 if layout.crowded else 1
    if coloring.values is not None:
        look = {
            "c": coloring.values,
            "cmap": SCALE,
            "label": "recovered",
            "alpha": opacity,
        } | shared
        shown = _scatter(ax, layout, layout.positions, look)
        if not key:
            return
        bar = figure_of(ax).colorbar(shown, ax=ax, shrink=0.5, pad=0.02, aspect=30)
        bar.solids.set(alpha=1)  # type: ignore[union-attr]
        bar.outline.set_visible(False)
        return
    for number, name in enumerate(coloring.classes):
        style = class_style(number)
        its = coloring.codes == number
        look = shared | {"color": style.color, "marker": style.marker, "label": name or "recovered"}
        if opacity is not None:  # within the colour: a legend has to set one for all
            look["color"] = to_rgba_array(style.color, opacity[its])
        _scatter(ax, layout, layout.positions[its], look)


def _scatter(
    ax: Any, layout: MapLayout, positions: NDArray[np.float64], look: dict[str, Any]
) -> Any:
    return ax.scatter(*positions.T, s=layout.marker_size, rasterized=layout.crowded, **look)


def _draw_frame(ax: Axes, layout: MapLayout, key: bool) -> None:
    """Take away what means nothing: the place, size and direction of a map are arbitrary."""
    ax.margins(0.06 if layout.regions is None else 0.12)
    if layout.level is not None and key and not layout.spatial:
        said = f"{'lines' if layout.ordered else 'shaded'}: {layout.level:.0%} regions"
        ax.text(0, 0, said, transform=ax.transAxes, fontsize=FONT_SIZE, color=QUIET)
    if layout.spatial:
        for side in "xyz":
            ax.tick_params(axis=side, color="none", labelcolor="none")  # type: ignore[arg-type]
    else:
        ax.set_frame_on(False)
        ax.set_yticks([])
    if not (layout.spatial or layout.ordered):
        ax.set_xticks([])
        ax.set_aspect("equal", adjustable="datalim" if ax.get_autoscale_on() else "box")
    if layout.axis_names:
        ax.set_xlabel(layout.axis_names[0])
        ax.set_ylabel(layout.axis_names[1])
    ax.autoscale_view()
    listed = layout.coloring.listed
    if key and (listed or (layout.truth is not None and len(layout.coloring.classes) == 1)):
        legend = ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        for handle in filter(None, legend.legend_handles):
            handle.set(sizes=[24], alpha=1)


def on_screen(ax: Axes, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project three dimensions as the axes do; two stay."""
    if positions.shape[1] == 2:
        return positions
    from mpl_toolkits.mplot3d import proj3d  # type: ignore[import-untyped]

    seen = proj3d.proj_transform(*positions.T, ax.get_proj())  # type: ignore[attr-defined]
    return np.column_stack(seen[:2])
