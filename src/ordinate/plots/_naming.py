"""Write names beside points, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate.plots._figures import figure_of
from ordinate.plots._palette import INK
from ordinate.plots._placement import BLOCKED, place_names, prepare_canvas, worth_trying

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT_SIZE = 7.0


def draw_names(
    ax: Axes,
    names: NDArray[Any],
    positions: NDArray[np.float64],
    joined: NDArray[np.float64] | None = None,
    gap: float = 3.5,
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
    joined : ndarray of float, shape (n_objects, 2), optional
        A second place of each object, with a line from it to the first.
    gap : float
        Points (1/72 inch) from the middle of an object to its name.

    Returns
    -------
    list of str
        The names that were written.
    """
    figure = figure_of(ax)
    if engine := figure.get_layout_engine():
        engine.execute(figure)
    ax.apply_aspect()
    pixel = figure.dpi / 72
    box = ax.get_window_extent()
    room = round(gap * pixel)
    anchors = ax.transData.transform(positions) - (box.x0, box.y0)
    ends = anchors[:0] if joined is None else ax.transData.transform(joined) - (box.x0, box.y0)
    way = anchors[: len(ends)] - ends
    tried = worth_trying(anchors)
    owner = np.full(len(names), BLOCKED)
    owner[tried] = np.arange(len(tried))
    canvas = prepare_canvas(
        (int(box.height), int(box.width)),
        dots=np.concatenate([anchors, ends]),
        owners=np.concatenate([owner, owner[: len(ends)]]),
        strokes=np.concatenate([ends + share * way for share in np.linspace(0, 1, 33)]),
        gap=room,
    )
    texts = [str(name) for name in names[tried]]
    placements = place_names(anchors[tried], _text_sizes(texts) * pixel, canvas, room)
    for number, x, bottom, align in placements:
        point = tried[number]
        ax.annotate(
            texts[number],
            positions[point],
            (np.array([x, bottom]) - anchors[point]) / pixel,
            textcoords="offset points",
            fontsize=FONT_SIZE,
            color=INK,
            ha=align,
            va="bottom",
            parse_math=False,
        )
    return [texts[placement.number] for placement in placements]


def _text_sizes(texts: Sequence[str]) -> NDArray[np.float64]:
    """Width and height in points (1/72 inch), with room for rounding to pixels and full lines."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=FONT_SIZE)
    width = [text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts]
    return np.column_stack([np.multiply(width, 1.03), np.full(len(texts), 1.15 * FONT_SIZE)])
