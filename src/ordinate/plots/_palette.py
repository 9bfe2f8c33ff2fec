"""Colours and markers that colour-blind people can tell apart."""

from __future__ import annotations

from typing import NamedTuple

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#8C6D31")
"""Okabe and Ito's palette without black and yellow, which vanish on lines and on white."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x")
"""The same shapes as matplotlib and as plotly call them."""

SCALE = "cividis"
"""Colours of numbers, from low to high; made for colour-blind people, and known to both."""

INK, QUIET, FAINT = "#222222", "#777777", "#DDDDDD"
"""Text, things in the second row, and things in the background."""


class Style(NamedTuple):
    """How the objects of one class look."""

    color: str
    marker: str
    symbol: str


def class_style(number: int) -> Style:
    """Choose the look of a class; 49 looks differ in colour or marker before they repeat.

    Parameters
    ----------
    number : int
        The class, counted from 0.

    Returns
    -------
    Style
        Colour, and marker for matplotlib and for plotly.
    """
    color, shape = number % len(COLORS), number // len(COLORS) % len(MARKERS)
    return Style(COLORS[color], MARKERS[shape], SYMBOLS[shape])
