"""Save a map as a picture or as a page, as the file's name asks for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ordinate.plots._figures import check_figure_path, figure_of, save_figure
from ordinate.plots._graph import Edges, plot_graph
from ordinate.plots._interactive import plot_interactive_map
from ordinate.plots._map import plot_map, plot_map_sides
from ordinate.plots._thumbnails import Image

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.uncertainty import MapUncertainty

PAGE = ".html"


def check_map_path(path: str | os.PathLike[str]) -> str:
    """Return the extension of a map's file, or say which ones there are."""
    if Path(path).suffix.lower() == PAGE:
        return PAGE
    return check_figure_path(path, also=(PAGE,))


def save_map(
    path: str | os.PathLike[str],
    embedding: ArrayLike,
    names: ArrayLike | None = None,
    columns: Mapping[str, ArrayLike] | None = None,
    *,
    color: str | None = None,
    images: Sequence[Image | None] | None = None,
    edges: Edges | None = None,
    uncertainty: MapUncertainty | None = None,
    caption: str = "",
) -> None:
    """Save a map: ``.png``, ``.svg`` and ``.pdf`` are pictures, ``.html`` is a page to explore.

    A picture shows three dimensions from three sides; on a page the map can be turned.

    Parameters
    ----------
    path : str or path-like
        The file.
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates.
    names : array-like of str, shape (n_objects,), optional
        Names of the objects.
    columns : mapping of str to array-like, shape (n_objects,), optional
        Classes or numbers; a page shows all of them and lets one choose.
    color : str, optional
        The column that colours the map, on a page at first.
    images : sequence of path, array or None, shape (n_objects,), optional
        Pictures of the objects.
    edges : NeighborGraph or array-like of int, shape (n_edges, 2), optional
        Pairs of objects to join by lines.
    uncertainty : MapUncertainty, optional
        The uncertainty of the map; its regions are drawn, and can be switched off on a page.
    caption : str, optional
        A sentence below a picture.

    See Also
    --------
    save_figure : Any other picture.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> path = Path(tempfile.mkdtemp()) / "map.html"
    >>> od.plots.save_map(path, cities.points, cities.names, {"part": cities.labels}, color="part")
    """
    shown: dict[str, Any] = {"color": color, "images": images, "edges": edges}
    shown["uncertainty"] = uncertainty
    if check_map_path(path) == PAGE:
        plot_interactive_map(embedding, names, columns, **shown).save(path)
        return
    save_figure(draw_map(embedding, names, columns, caption=caption, **shown), path)


def draw_map(
    embedding: ArrayLike,
    names: ArrayLike | None,
    columns: Mapping[str, ArrayLike] | None = None,
    *,
    color: str | None = None,
    images: Sequence[Image | None] | None = None,
    edges: Edges | None = None,
    uncertainty: MapUncertainty | None = None,
    caption: str = "",
) -> Axes:
    """Draw a map as `save_map` does; depth cannot be seen on paper, so three sides are drawn."""
    labels = None if color is None else dict(columns or {})[color]
    if edges is not None:
        ax = plot_graph(embedding, edges, names, labels, images=images)
    elif np.shape(embedding)[1:] == (3,):
        ax = plot_map_sides(embedding, names, labels, images=images, uncertainty=uncertainty)[0]
    else:
        ax = plot_map(embedding, names, labels, images=images, uncertainty=uncertainty)
    if caption:
        figure_of(ax).supxlabel(caption, fontsize=8)
    return ax
