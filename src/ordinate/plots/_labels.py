"""Write names beside points: none covers another, and what does not fit is left out."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate.plots._colors import INK, QUIET
from ordinate.plots._figures import figure_of, glyphs_may_miss

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FREE, BLOCKED = -2, -1
"""Pixels where any name may stand, and where none may."""

HALO = 2
"""Pixels by which names keep further away from the points of others than from their own."""

MOST_NAMES = 1000
"""More names than this are not tried: those in the emptiest surroundings have the best chance."""

SIDES = (
    *((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1)),
    *((1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5), (0.5, 1), (-0.5, 1), (0.5, -1), (-0.5, -1)),
)
"""Where a name may stand, best first: right (1) or left (-1), above (1) or below (-1)."""

FONT_SIZE = 7.0

LONGEST = 28
"""Longer names are shortened in the middle."""

_FILE = re.compile(
    r"^(?:.*[/\\])?([^/\\]+?)(?:\.(?:png|jpe?g|gif|webp|svg|bmp|tiff?|wav|mp3|ogg|mp4|webm))$", re.I
)
"""The name within the name of a picture, a sound or a film."""

_ALSO_SANS = ("CJK", "Noto Sans", "WenQuanYi", "Hei", "Gothic", "Unifont", "Arial Unicode")
"""Parts of the names of fonts that have many letters; others are asked after these."""


class Placement(NamedTuple):
    """Where a name stands, in pixels: how it is aligned at x, and the bottom of its box."""

    number: int
    x: float
    bottom: float
    align: Literal["left", "center", "right"]


def select_labels_to_try(
    anchors: NDArray[np.float64], importance: NDArray[Any] | None = None, cell: float = 32
) -> NDArray[np.intp]:
    """Choose the objects whose names are tried, in the order in which they are."""
    if len(anchors) <= MOST_NAMES:
        return np.arange(len(anchors))
    if importance is not None:
        return np.argsort(-importance, kind="stable")[:MOST_NAMES]
    squares = np.floor(anchors / cell)
    _, square, crowd = np.unique(squares, axis=0, return_inverse=True, return_counts=True)
    return np.argsort(crowd[square], kind="stable")[:MOST_NAMES]


def prepare_canvas(
    shape: tuple[int, int],
    dots: NDArray[np.float64],
    owners: NDArray[np.intp],
    strokes: NDArray[np.float64],
    gap: int,
) -> NDArray[np.int32]:
    """Mark where names must not stand."""
    from scipy.ndimage import maximum_filter, minimum_filter

    def paint(points: NDArray[np.float64], value: Any, blank: int) -> NDArray[np.int32]:
        pixels = np.full(shape, blank, dtype=np.int32)
        column, row = np.floor(points).astype(np.intp).T
        inside = (column >= 0) & (column < shape[1]) & (row >= 0) & (row < shape[0])
        pixels[row[inside], column[inside]] = np.broadcast_to(value, len(points))[inside]
        return pixels

    halo, core = 2 * (gap + HALO) + 1, 2 * gap - 1
    nobody = np.iinfo(np.int32).max
    highest = maximum_filter(paint(dots, owners, FREE), halo, mode="constant", cval=FREE)
    lowest = minimum_filter(paint(dots, owners, nobody), halo, mode="constant", cval=nobody)
    canvas = np.where((highest == lowest) | (lowest == nobody), highest, BLOCKED)
    canvas[maximum_filter(paint(dots, 1, 0), core, mode="constant") > 0] = BLOCKED
    canvas[maximum_filter(paint(strokes, 1, 0), 3, mode="constant") > 0] = BLOCKED
    return canvas.astype(np.int32)


def place_names(
    anchors: NDArray[np.float64],
    sizes: NDArray[np.float64],
    canvas: NDArray[np.int32],
    gap: int,
    importance: NDArray[Any] | None = None,
) -> list[Placement]:
    """Find a place beside each point, as far as there is one; the most important choose first."""
    canvas = canvas.copy()

    def fits(number: int, box: _Box) -> bool:
        pixels = canvas[box.pixels]
        return bool(((pixels == FREE) | (pixels == number)).all())

    beside = zip(anchors, sizes, strict=True)
    boxes = [list(_boxes_inside(anchor, size, canvas.shape, gap)) for anchor, size in beside]
    choice = [sum(fits(number, box) for box in around) for number, around in enumerate(boxes)]
    placed = []
    # those with the least choice first: the others have somewhere else to go
    first = np.zeros(len(choice)) if importance is None else -1.0 * importance
    for number in np.lexsort((np.array(choice), first)).tolist():
        for box in boxes[number]:
            if fits(number, box):
                canvas[box.pixels] = BLOCKED
                placed.append(Placement(number, box.x, box.bottom, box.align))
                break
    return placed


class _Box(NamedTuple):
    x: float
    bottom: float
    align: Literal["left", "center", "right"]
    pixels: tuple[slice, slice]


def _boxes_inside(
    anchor: NDArray[np.float64], size: NDArray[np.float64], canvas: tuple[int, ...], gap: int
) -> Iterator[_Box]:
    """Give the boxes a name may stand in, best first, without those that cross the edge."""
    (x, y), (wide, high), (height, width) = anchor.tolist(), size.tolist(), canvas
    for right, above in SIDES:
        beside = abs(right) == 1
        left = x - wide / 2 + right * (wide / 2 + (gap if beside else 0))
        bottom = y - high / 2 + above * (high / 2 + (0 if beside else gap))
        if left >= 0 and bottom >= 0 and left + wide <= width and bottom + high <= height:
            rows = slice(floor(bottom), ceil(bottom + high))
            pixels = rows, slice(floor(left), ceil(left + wide))
            # the side towards the point is exact, whatever the width a name turns out to have
            if right == 1:
                yield _Box(left, bottom, "left", pixels)
            elif right == -1:
                yield _Box(left + wide, bottom, "right", pixels)
            else:
                yield _Box(left + wide / 2, bottom, "center", pixels)


def draw_names(
    ax: Axes,
    names: NDArray[Any],
    positions: NDArray[np.float64],
    joined: NDArray[np.float64] | None = None,
    gap: float = 3.5,
    importance: NDArray[Any] | None = None,
) -> list[str]:
    """Write names beside their points, as many as fit, and say how many do if not all do."""
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
    tried = select_labels_to_try(anchors, importance)
    owner = np.full(len(names), BLOCKED)
    owner[tried] = np.arange(len(tried))
    canvas = prepare_canvas(
        (int(box.height), int(box.width)),
        dots=np.concatenate([anchors, ends]),
        owners=np.concatenate([owner, owner[: len(ends)]]),
        strokes=np.concatenate([ends + share * way for share in np.linspace(0, 1, 33)]),
        gap=room,
    )
    texts = shorten_names([str(name) for name in names])
    texts = [texts[number] for number in tried]
    families = families_for("".join(texts))
    sizes = _text_sizes(texts, families) * pixel
    ranks = None if importance is None else importance[tried]
    placements = place_names(anchors[tried], sizes, canvas, room, ranks)
    for number, x, bottom, align in placements:
        point = tried[number]
        ax.annotate(
            texts[number],
            positions[point],
            (np.array([x, bottom]) - anchors[point]) / pixel,
            textcoords="offset points",
            fontsize=FONT_SIZE,
            fontfamily=families,
            color=INK,
            ha=align,
            va="bottom",
            parse_math=False,
            gid=f"name-{point}",
        )
    if len(placements) < len(names):
        ax.annotate(
            f"{len(placements):,} of {len(names):,} names fit",
            (1, 0),
            (0, -3),
            "axes fraction",
            "offset points",
            fontsize=FONT_SIZE,
            color=QUIET,
            ha="right",
            va="top",
            gid="names-left-out",
        )
    return [texts[placement.number] for placement in placements]


def shorten_names(names: Sequence[str]) -> list[str]:
    """Make names fit to stand on a map: files without folder and ending, long ones cut.

    Where there are long ones, words that begin or end all names are left out first.
    """
    files = [_FILE.match(name) for name in names]
    plain = [file.group(1) if file else name for file, name in zip(files, names, strict=True)]
    if len(set(plain)) > 1 and max(map(len, plain)) > LONGEST:
        plain = _what_differs(plain)
    short = [
        name if len(name) <= LONGEST else f"{name[: LONGEST // 2]}…{name[-LONGEST // 2 + 1 :]}"
        for name in plain
    ]
    return short if len(set(short)) == len(set(names)) else list(names)


def _what_differs(names: Sequence[str]) -> list[str]:
    """Leave out whole words with which all names begin or end."""
    begin = _shared_words(names)
    rest = [name[begin:] for name in names]
    end = _shared_words([name[::-1] for name in rest])
    kept = [name[: len(name) - end] for name in rest]
    if not all(kept):
        return list(names)
    return [f"…{name}" if begin else f"{name}…" if end else name for name in kept]


def _shared_words(names: Sequence[str]) -> int:
    """Count the letters of the whole words with which all names begin."""
    first, last = min(names), max(names)  # what these two share, all share
    shared = 0
    for at, (one, other) in enumerate(zip(first, last, strict=False), start=1):
        if one != other:
            break
        if not one.isalnum():
            shared = at
    return shared


def families_for(text: str) -> list[str]:
    """Choose fonts that have the letters of a text: the usual one, and one for what it lacks."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties, findfont

    usual = list(rcParams["font.family"])
    missing = _missing(text, findfont(FontProperties(family=usual)))
    if not missing:
        return usual
    found = _font_with(missing)
    if found is None:
        warnings.warn(
            f"No font of this computer has the letters {''.join(sorted(missing))[:10]!r}; names are"
            " drawn with boxes in their place. Install one such as Noto Sans CJK, or save the map"
            " as a page (.html), which the browser writes.",
            stacklevel=2,
        )
        return usual
    return [*usual, found]


def _missing(text: str, path: str) -> frozenset[str]:
    from matplotlib.ft2font import FT2Font

    known = FT2Font(path).get_charmap()
    return frozenset(
        letter for letter in set(text) if ord(letter) not in known and not letter.isspace()
    )


@cache
def _font_with(letters: frozenset[str]) -> str | None:
    """Find an installed font that has these letters, those known to have many first."""
    from matplotlib.font_manager import fontManager

    fonts = {font.name: font.fname for font in fontManager.ttflist if font.style == "normal"}
    fonts = {name: path for name, path in fonts.items() if "Last Resort" not in name}  # all boxes
    likely = sorted(fonts, key=lambda name: not any(part in name for part in _ALSO_SANS))
    for name in likely:
        try:
            if not _missing("".join(letters), fonts[name]):
                return name
        except (OSError, RuntimeError):  # gone since the list was made, or damaged
            continue
    return None


def _text_sizes(texts: Sequence[str], families: list[str]) -> NDArray[np.float64]:
    """Width and height in points (1/72 inch), with room for rounding to pixels and full lines."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=families, size=FONT_SIZE)
    with glyphs_may_miss():
        width = [text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts]
    return np.column_stack([np.multiply(width, 1.03), np.full(len(texts), 1.15 * FONT_SIZE)])
