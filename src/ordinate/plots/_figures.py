"""Start and save figures without touching matplotlib's global state."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from ordinate._checks import InputError
from ordinate._notebooks import in_notebook
from ordinate.io.atomic import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 200
"""Dots per inch of saved pixels: sharp in print and on dense screens."""

NO_DATES = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""The formats a figure can have, and the metadata to leave out: same figure, same bytes."""

_DARK_INKS = {
    "#000000": "#e8eaec",
    "#222222": "#e8eaec",
    "#777777": "#a8aeb5",
    "#ffffff": "#14171b",
}
"""Ink, quiet ink and paper where the page is dark."""

_LIGHTER = 0.3
"""How far other colours move towards white there, as on the interactive map."""

_PAGE_STYLE = """<style>
text {{ fill: var(--c000000);
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif !important }}
svg {{ {light} }}
@media screen and (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}
</style>"""


def new_axes(width: float, height: float, *, spatial: bool = False) -> Axes:
    """Start a figure and return its one pair of axes.

    Notebooks and interactive sessions of pyplot know the figure, and so show it; elsewhere it
    belongs to nobody, and no global state is left behind.
    """
    figure = _new_figure(width, height)
    return figure.add_axes((0.02, 0.02, 0.96, 0.96), projection="3d" if spatial else None)


def new_row_of_axes(n_axes: int, width: float, height: float) -> list[Axes]:
    """Start a figure with several pairs of axes in a row."""
    figure = _new_figure(n_axes * width, height)
    return list(figure.subplots(1, n_axes, gridspec_kw={"wspace": 0.15}, squeeze=False)[0])


def _new_figure(width: float, height: float) -> Figure:
    import matplotlib
    from matplotlib.figure import Figure

    drawing = "matplotlib.pyplot" in sys.modules and matplotlib.is_interactive()
    if drawing or in_notebook():
        from matplotlib import pyplot

        return pyplot.figure(figsize=(width, height))
    return Figure(figsize=(width, height))


def start_chart(ax: Axes | None, width: float = 6, height: float = 4) -> Axes:
    """Return axes for a chart: those given or new ones, with a frame on two sides only."""
    chart = new_axes(width, height) if ax is None else ax
    chart.spines[["top", "right"]].set_visible(False)
    return chart


def figure_of(axes: Axes) -> Figure:
    """Return the whole figure that axes belong to."""
    if axes.figure is None:
        raise InputError("These axes were removed from their figure; draw on others.")
    # the figure of a part of a figure is the whole, and the whole is its own
    return axes.figure.figure


def check_figure_path(path: str | os.PathLike[str], also: Sequence[str] = ()) -> str:
    """Return the extension of a figure's file, or say which ones there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in NO_DATES:
        raise InputError(
            f"Cannot save a figure as {os.fspath(path)!r}: its name must end in"
            f" {', '.join([*NO_DATES, *also])}."
        )
    return suffix


def save_figure(figure: Figure | Axes, path: str | os.PathLike[str]) -> None:
    """Save a figure whole or not at all; the same figure gives the same bytes.

    Parameters
    ----------
    figure : matplotlib Figure or Axes
        What a plot function returned.
    path : str or path-like
        A file ending in ``.png``, ``.svg`` or ``.pdf``.

    See Also
    --------
    save_map : A map, which may also be a page to look around in.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ordinate as od
    >>> path = Path(tempfile.mkdtemp()) / "map.png"
    >>> od.plots.save_figure(od.plots.plot_map([[0, 0], [1, 2], [3, 1]]), path)
    >>> path.exists()
    True
    """
    suffix = check_figure_path(path)
    with atomic_path(path) as temporary:
        temporary.write_bytes(render_figure(figure, suffix))


@contextmanager
def glyphs_may_miss() -> Iterator[None]:
    """Silence matplotlib's warning of each letter that no font has: one was given for all."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from", UserWarning)
        yield


def render_figure(figure: Figure | Axes, suffix: str, *, on_page: bool = False) -> bytes:
    """Return what the file of a figure holds, or a part of a page with the page's typeface."""
    import matplotlib
    from matplotlib.figure import Figure

    whole = figure if isinstance(figure, Figure) else figure_of(figure)
    file = BytesIO()
    letters = "none" if on_page else "path"
    settings = matplotlib.rc_context({"svg.hashsalt": "ordinate", "svg.fonttype": letters})
    with settings, glyphs_may_miss():
        whole.savefig(
            file,
            format=suffix[1:],
            dpi=DPI,
            bbox_inches="tight",
            pad_inches=0.15,
            metadata=NO_DATES[suffix],
            transparent=on_page,
        )
    return file.getvalue()


def render_for_page(figure: Figure | Axes) -> bytes:
    """Return a figure as SVG that looks like the page it stands on, in the light and in the dark.

    Its letters are text in the page's typeface, its paper is the page's own, and its colours change
    where a reader prefers a dark screen. A page shows it with ``<img>``.
    """
    drawn = render_figure(figure, ".svg", on_page=True).decode()
    styles = re.findall(r'style="[^"]*"', drawn)
    colors = sorted({"#000000", *re.findall(r"#[0-9a-f]{6}\b", " ".join(styles))})
    for style in set(styles):
        drawn = drawn.replace(style, re.sub(r"#([0-9a-f]{6})\b", r"var(--c\1)", style))
    style = _PAGE_STYLE.format(
        light="; ".join(f"--c{color[1:]}: {color}" for color in colors),
        dark="; ".join(f"--c{color[1:]}: {_on_dark(color)}" for color in colors),
    )
    return drawn.replace("<defs>", f"{style}<defs>", 1).encode()


def _on_dark(color: str) -> str:
    """Return what a colour becomes on a dark page: ink and paper change places, others lighten."""
    if color in _DARK_INKS:
        return _DARK_INKS[color]
    channels = [int(color[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(one + _LIGHTER * (255 - one)):02x}" for one in channels)
