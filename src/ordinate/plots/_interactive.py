"""A map as a web page: hover, search, colour and turn, in one file that opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_integer, check_labels, check_points
from ordinate.engine.distances import nearest_others
from ordinate.plots._colors import COLORS, N_LOOKS, SCALE_STOPS, Coloring, class_style, color_by
from ordinate.plots._graph import Edges, check_edges
from ordinate.plots._labels import shorten_names
from ordinate.plots._layout import lay_out
from ordinate.plots._page import Page
from ordinate.plots._thumbnails import Image, as_data_uri, load_thumbnails

if TYPE_CHECKING:
    from ordinate.uncertainty import MapUncertainty

MOST_EDGES = 50_000
"""More edges than this are a blot and are left out of the page."""

_DOUBTS = ("stability", "answers", "contradicted")
"""Columns of `MapUncertainty.to_columns` that say something about one object."""

_DIGITS = 5
"""Significant digits of coordinates on the page: finer than a pixel at any useful zoom."""


@dataclass(frozen=True)
class InteractiveMap(Page):
    """A map for the browser; in a notebook it shows itself.

    Attributes
    ----------
    contents : dict
        What the page draws, as plain Python values.

    Examples
    --------
    >>> import ordinate as od
    >>> page = od.plots.plot_interactive_map([[0, 0], [1, 2], [3, 1]], ["tea", "beer", "milk"])
    >>> page.contents["neighbors"][0]
    [1, 2]
    """

    _template = "map.html"
    _styles = ("base.css", "map.css")
    _scripts = ("search.js", "view.js", "svg.js", "paint.js", "map.js")


def plot_interactive_map(
    embedding: ArrayLike,
    names: ArrayLike | None = None,
    columns: Mapping[str, ArrayLike] | None = None,
    *,
    color: str | None = None,
    images: Sequence[Image | None] | None = None,
    edges: Edges | None = None,
    n_neighbors: int = 5,
    title: str | None = None,
    uncertainty: MapUncertainty | None = None,
    spokes: Mapping[int, tuple[ArrayLike, ArrayLike]] | None = None,
) -> InteractiveMap:
    """Make a page on which objects can be searched, coloured, selected and looked at.

    Objects are named where there is room; of more than 1,000, the classes of the chosen column are,
    until one zooms in. Pointing at an object shows its name, picture, columns and nearest objects;
    clicking keeps it. The page saves the map as PNG or SVG, and all objects, or those that one
    draws around, as CSV. It works with mouse, fingers and keys, holds up to a million objects, and
    needs no network.

    Parameters
    ----------
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates; drawn as by `plot_map`, and three dimensions so that they can be turned.
    names : array-like of str, shape (n_objects,), optional
        By default the objects' numbers.
    columns : mapping of str to array-like, shape (n_objects,), optional
        Classes or numbers to colour the objects by.
    color : str, optional
        The column that colours them at first; by default none does.
    images : sequence of path, array or None, shape (n_objects,), optional
        Pictures of the objects.
    edges : NeighborGraph or array-like of int, shape (n_edges, 2), optional
        Pairs of objects to join by lines; none are drawn if there are more than 50 000.
    n_neighbors : int, default=5
        How many of the nearest objects are listed.
    title : str, optional
        Stands at the top.
    uncertainty : MapUncertainty, optional
        From `ordinate.map_uncertainty` for this map: regions that hold each object's draws, which
        can be hidden; how stable each object is, and its answers, become columns.
    spokes : mapping of int to pair of array-like of int, optional
        From an object, by its number, to others: joined by full lines to the first ones and by
        dotted lines to the second ones, as from a user to items liked and not.

    Returns
    -------
    InteractiveMap
        ``save`` writes the page; in a notebook it shows itself.

    See Also
    --------
    plot_map : For paper.
    save_map : Either, by the ending of the file's name.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> page = od.plots.plot_interactive_map(cities.points, cities.names, {"region": cities.labels})
    >>> page.save(Path(tempfile.mkdtemp()) / "map.html")
    """
    points = check_points("embedding", embedding)
    layout = lay_out(points, uncertainty=uncertainty)
    n_objects = len(points)
    check_integer("n_neighbors", n_neighbors, minimum=0)
    written = np.arange(n_objects) if names is None else check_labels("names", names, n_objects)
    if uncertainty is not None:
        found = uncertainty.to_columns()
        columns = {name: found[name] for name in _DOUBTS} | dict(columns or {})
    colorings = _colorings(columns or {}, color, n_objects)
    joined = np.empty((0, 2)) if edges is None else check_edges(edges, n_objects)
    if len(joined) > MOST_EDGES:
        joined = joined[:0]
    pictures = [None] * n_objects if images is None else load_thumbnails(images, n_objects)
    names_in_full = [str(name) for name in written]
    short = shorten_names(names_in_full)
    looks = [class_style(number) for number in range(N_LOOKS)]
    return InteractiveMap(
        {
            "title": f"Map of {n_objects:,} objects" if title is None else title,
            "positions": _rounded(layout.positions).T.tolist(),
            "names": names_in_full,
            "labels": None if short == names_in_full else short,
            "numbered": all(name.isdecimal() for name in names_in_full),
            "columns": [_column(name, coloring) for name, coloring in colorings.items()],
            "shown": -1 if color is None else list(colorings).index(color),
            "neighbors": nearest_others(points, min(n_neighbors, n_objects - 1)).tolist(),
            "images": [as_data_uri(picture) for picture in pictures],
            "edges": joined.tolist(),
            "spokes": _spokes(spokes or {}, n_objects),
            "regions": [] if layout.regions is None else _rounded(layout.regions).tolist(),
            "regions_name": "" if uncertainty is None else f"{uncertainty.level:.0%} regions",
            "axis_names": layout.axis_names,
            "coordinates": _coordinate_names(points.shape[1]),
            "ordered": layout.ordered,
            "size": round(max(3, 1.5 * float(np.sqrt(layout.marker_size))), 1),
            "opacity": 0.6 if layout.crowded else 0.95,
            "looks": [{"color": look.color, "symbol": look.symbol} for look in looks],
            "scale": SCALE_STOPS,
        }
    )


def _colorings(
    columns: Mapping[str, ArrayLike], color: str | None, n_objects: int
) -> dict[str, Coloring]:
    """Return what each column colours the objects by; the one that is shown must be among them."""
    colorings = {
        name: color_by(column, n_objects, f"Column {name!r}") for name, column in columns.items()
    }
    if color is not None and color not in colorings:
        known = ", ".join(map(repr, colorings)) or "none"
        raise InputError(f"There is no column {color!r} to colour by; the columns are: {known}.")
    return colorings


def _column(name: str, coloring: Coloring) -> dict[str, Any]:
    if coloring.values is not None:
        return {"name": name, "values": coloring.values.tolist()}
    return {"name": name, "classes": coloring.classes, "codes": coloring.codes.tolist()}


def _spokes(
    spokes: Mapping[int, tuple[ArrayLike, ArrayLike]], n_objects: int
) -> list[dict[str, Any]]:
    """Give the lines from each object a colour of their own."""
    found = []
    for number, (start, ends) in enumerate(spokes.items(), start=1):
        full, dotted = (np.asarray(some, dtype=np.intp) for some in ends)
        numbers = np.concatenate([[start], full, dotted])
        if numbers.min() < 0 or numbers.max() >= n_objects:
            raise InputError(
                f"spokes must join objects from 0 to {n_objects - 1}; got {numbers.tolist()}."
            )
        found.append(
            {
                "from": int(start),
                "full": full.tolist(),
                "dotted": dotted.tolist(),
                "color": COLORS[number % len(COLORS)],
            }
        )
    return found


def _coordinate_names(n_components: int) -> list[str]:
    """Name the coordinates of the page's tables; of more than three, those that are drawn."""
    if n_components > 3:
        return ["principal_1", "principal_2"]
    return [f"x{axis}" for axis in range(1, n_components + 1)]


def _rounded(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    extent = float(np.ptp(positions, axis=0).max()) or 1.0
    return np.round(positions, _DIGITS - int(np.floor(np.log10(extent))) - 1)
