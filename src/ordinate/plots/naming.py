"""Write names beside points so that none covers another; a name that does not fit is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate.plots.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMES = 2000
"""More names than this are not tried: those in the emptiest surroundings have the best chance."""

SIDES = ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1))
"""Where a name may stand, best first: right (1) or left (-1), above (1) or below (-1)."""


class Placement(NamedTuple):
    """Where a name stands: the lower left corner of its box, in pixels."""

    number: int
    left: float
    bottom: float


def place_names(
    anchors: NDArray[np.float64],
    sizes: NDArray[np.float64],
    canvas: tuple[int, int],
    obstacles: NDArray[np.float64],
    gap: int,
) -> list[Placement]:
    """Find a free place beside each point, one point after the other.

    Parameters
    ----------
    anchors : ndarray of float, shape (n_names, 2)
        The points to name, in pixels from the lower left corner of the canvas.
    sizes : ndarray of float, shape (n_names, 2)
        Width and height of each name in pixels.
    canvas : tuple of int
        Width and height of the canvas; names stay inside.
    obstacles : ndarray of float, shape (n_obstacles, 2)
        What no name may cover, normally all points drawn.
    gap : int
        Pixels to keep between a point and its name, and around each obstacle.

    Returns
    -------
    list of Placement
        One per name that fits.
    """
    width, height = canvas
    taken = _stamp(obstacles, canvas, gap)
    placed = []
    for number, ((x, y), (wide, high)) in enumerate(zip(anchors, sizes, strict=True)):
        for right, above in SIDES:
            # beside the point, or centred over it for the two sides straight above and below
            left = x - wide / 2 + right * (wide / 2 + gap + 1)
            bottom = y - high / 2 + above * (high / 2 + (0 if right else gap + 1))
            box = (
                slice(int(np.floor(bottom)), int(np.ceil(bottom + high))),
                slice(int(np.floor(left)), int(np.ceil(left + wide))),
            )
            inside = left >= 0 and bottom >= 0 and left + wide <= width and bottom + high <= height
            if inside and not taken[box].any():
                taken[box] = True
                placed.append(Placement(number, float(left), float(bottom)))
                break
    return placed


def _stamp(points: NDArray[np.float64], canvas: tuple[int, int], radius: int) -> NDArray[np.bool_]:
    """Mark the pixels of a small square around each point."""
    width, height = canvas
    taken = np.zeros((height, width), dtype=bool)
    column, row = np.floor(points).astype(np.intp).T
    for up in range(-radius, radius + 1):
        for across in range(-radius, radius + 1):
            x, y = column + across, row + up
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            taken[y[inside], x[inside]] = True
    return taken


def draw_names(
    ax: Axes,
    names: NDArray[Any],
    positions: NDArray[np.float64],
    obstacles: NDArray[np.float64],
    *,
    size: float = 7.0,
) -> list[str]:
    """Write names beside their points, as many as fit.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes whose limits are final.
    names : ndarray, shape (n_objects,)
        One name per point.
    positions : ndarray of float, shape (n_objects, 2)
        The points, in data coordinates.
    obstacles : ndarray of float, shape (n_obstacles, 2)
        What no name may cover, in data coordinates.
    size : float
        Font size.

    Returns
    -------
    list of str
        The names that were written.
    """
    ax.apply_aspect()
    figure = ax.get_figure(root=True)
    assert figure is not None
    box = ax.get_window_extent()
    corner = np.array([box.x0, box.y0])
    anchors = ax.transData.transform(positions) - corner
    tried = worth_trying(anchors)
    anchors = anchors[tried]
    placements = place_names(
        anchors,
        _text_sizes([str(name) for name in names[tried]], size) * figure.dpi / 72,
        (int(box.width), int(box.height)),
        ax.transData.transform(obstacles) - corner,
        gap=round(3 * figure.dpi / 72),
    )
    for number, left, bottom in placements:
        ax.annotate(
            str(names[tried[number]]),
            positions[tried[number]],
            (np.array([left, bottom]) - anchors[number]) * 72 / figure.dpi,
            textcoords="offset points",
            fontsize=size,
            color=INK,
            va="bottom",
            parse_math=False,
        )
    return [str(names[tried[number]]) for number, _, _ in placements]


def worth_trying(anchors: NDArray[np.float64], cell: float = 32) -> NDArray[np.intp]:
    """Choose the objects whose names are tried, in the order in which they are.

    Parameters
    ----------
    anchors : ndarray of float, shape (n_objects, 2)
        The points in pixels.
    cell : float
        Side in pixels of the squares by which crowds are told.

    Returns
    -------
    ndarray of int
        All objects in their order or, of very many, those with fewest others in their square.
    """
    if len(anchors) <= MOST_NAMES:
        return np.arange(len(anchors))
    squares = np.floor(anchors / cell)
    _, square, crowd = np.unique(squares, axis=0, return_inverse=True, return_counts=True)
    return np.argsort(crowd[square], kind="stable")[:MOST_NAMES]


def _text_sizes(texts: Sequence[str], size: float) -> NDArray[np.float64]:
    """Width and height in points (1/72 inch), all with the height of a full line."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    width = [text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts]
    return np.column_stack([width, np.full(len(texts), 1.15 * size)])
