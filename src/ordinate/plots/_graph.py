"""Draw a graph: objects where a map puts them, neighbours joined by lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_objects, check_points
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.plots._colors import QUIET
from ordinate.plots._layout import CROWDED_FROM, lay_out
from ordinate.plots._map import draw_layout
from ordinate.plots._thumbnails import Image, load_thumbnails

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Edges: TypeAlias = ArrayLike | NeighborGraph

_LINE_WIDTH = 0.6
"""Width of an edge, in points."""
_INK = 0.12
"""Share of the drawing that opaque edges would cover."""
_MOST_OPAQUE = 0.7


def plot_graph(
    embedding: ArrayLike,
    edges: Edges,
    names: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    images: Sequence[Image | None] | None = None,
) -> Axes:
    """Draw objects where an embedding puts them, and the edges between them.

    Parameters
    ----------
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates, drawn as by `plot_map`.
    edges : NeighborGraph or array-like of int, shape (n_edges, 2)
        Pairs of objects to join; the direction of an edge is not drawn.
    names : array-like of str, shape (n_objects,), optional
        Written beside the points where there is room.
    labels : array-like, shape (n_objects,), optional
        Classes or numbers that colour the objects.
    ax : matplotlib Axes, optional
        Where to draw, with ``projection="3d"`` for three dimensions; by default a new figure.
    images : sequence of path, array or None, shape (n_objects,), optional
        Pictures of the objects.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    plot_map : A map without edges.
    ordinate.LOE : Makes maps of graphs.

    Examples
    --------
    >>> import ordinate as od
    >>> graph = od.NeighborGraph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]])
    >>> ax = od.plots.plot_graph(od.LOE(random_state=0).fit(graph).embedding_, graph)
    """
    from matplotlib.collections import LineCollection

    points = check_points("embedding", embedding)
    pairs = check_edges(edges, len(points))
    layout = lay_out(points, labels=labels)
    thumbnails = None if images is None else load_thumbnails(images, len(points))
    degrees = np.bincount(pairs.ravel(), minlength=len(points))
    ax = draw_layout(layout, names, ax, thumbnails, importance=degrees)
    lines = layout.positions[pairs]
    look: dict[str, Any] = {
        "colors": QUIET,
        "linewidths": _LINE_WIDTH,
        "alpha": _opacity(lines, layout.positions),
        "zorder": 0.5,
    }
    if layout.spatial:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection  # type: ignore[import-untyped]

        ax.add_collection(Line3DCollection(lines, **look))
    else:
        crowded = len(lines) >= CROWDED_FROM
        ax.add_collection(LineCollection(list(lines), rasterized=crowded, **look), autolim=False)
    return ax


def _opacity(lines: NDArray[np.float64], positions: NDArray[np.float64]) -> float:
    """Return how opaque an edge is: the more of the drawing edges cover, the fainter each."""
    if len(lines) == 0:
        return _MOST_OPAQUE
    wide, high = np.maximum(np.ptp(positions[:, :2], axis=0), np.finfo(float).tiny)
    length = float(np.linalg.norm(lines[:, 0] - lines[:, 1], axis=1).sum())
    covered = length * (_LINE_WIDTH / 72) / 8 * max(wide, high) / (wide * high)  # 8 inches wide
    return float(np.clip(_INK / max(covered, 1e-9), 0.06, _MOST_OPAQUE))


def check_edges(edges: Edges, n_objects: int) -> NDArray[np.intp]:
    """Return pairs of objects, each pair once and no object joined to itself."""
    if isinstance(edges, NeighborGraph):
        edges = np.column_stack(edges.adjacency.nonzero())
    pairs = np.asarray(edges)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(
            f"edges must have two columns, an object in each; got shape {pairs.shape}."
        )
    if len(pairs) == 0:
        return np.empty((0, 2), dtype=np.intp)
    pairs = np.sort(check_objects("edges", pairs, n_objects), axis=1).astype(np.intp)
    distinct: NDArray[np.intp] = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return distinct
