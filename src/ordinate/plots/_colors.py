"""Colours of classes and numbers on maps, distinct for colour-blind people too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import check_labels
from ordinate.comparisons.labels import in_natural_order

COLORS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#8C6D31"),
    *("#870F69", "#005A00", "#1E4B69", "#8778F0", "#961E00", "#A54BA5", "#87A500"),
    *("#5A3CA5", "#C33C5A", "#4B6969", "#7887A5", "#96A587", "#1E870F"),
)
"""Okabe and Ito's palette without black and yellow, which vanish on lines and on white.

The colours after these seven are each the farthest from all before, in Oklab as most people see
them and as people without green cones do (Machado, Oliveira & Fernandes 2009).
"""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x")
"""The same shapes as matplotlib and as the interactive map call them."""
COLORS_PER_MARKER = 7
"""So many classes share a marker: further colours alone are hard to distinguish."""

SCALE = "cividis"
"""Colours of numbers, from low to high; made for colour-blind people."""
SCALE_STOPS = (
    *("#00224e", "#1a386f", "#434e6c", "#61656f", "#7d7c78"),
    *("#9b9476", "#bcae6c", "#dec958", "#fee838"),
)
"""The same colours at equal steps, for pages that know nothing of matplotlib."""

N_LOOKS = 100
"""So many classes differ in colour or marker before a look repeats."""

INK, QUIET = "#222222", "#777777"
"""Text, and things in the second row."""

MOST_CLASSES = 20
"""A legend of more classes than this helps nobody; they are distinguished by their looks alone."""


class Style(NamedTuple):
    """How the objects of one class look."""

    color: str
    marker: str
    symbol: str


def class_style(number: int) -> Style:
    """Choose the look of a class; the first `N_LOOKS` differ."""
    color, shape = number % len(COLORS), number // COLORS_PER_MARKER % len(MARKERS)
    return Style(COLORS[color], MARKERS[shape], SYMBOLS[shape])


@dataclass(frozen=True)
class Coloring:
    """What colours the objects: classes, or numbers on a scale."""

    classes: tuple[str, ...]
    codes: NDArray[np.intp]
    values: NDArray[np.float64] | None = None

    @property
    def listed(self) -> bool:
        """Whether a legend of the classes helps."""
        return 1 < len(self.classes) <= MOST_CLASSES


def color_by(labels: ArrayLike | None, n_objects: int, name: str = "labels") -> Coloring:
    """Take numbers of which there are many for a scale, and everything else for classes."""
    alike = np.zeros(n_objects, dtype=np.intp)
    if labels is None:
        return Coloring(("",), alike)
    checked = check_labels(name, labels, n_objects)
    found, codes = np.unique(checked, return_inverse=True)
    if checked.dtype.kind in "iuf" and len(found) > MOST_CLASSES:
        return Coloring(("",), alike, checked.astype(np.float64))
    classes = tuple(str(label) for label in found)
    if checked.dtype.kind in "iuf":
        return Coloring(classes, codes)
    ordered = tuple(in_natural_order(classes))  # 2 before 10, even if they are text
    number = {label: at for at, label in enumerate(ordered)}
    return Coloring(ordered, np.array([number[label] for label in classes])[codes])
