"""Writes any result as one page: its sentences, figures and tables, and how to get it again."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import date
from html import escape
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ordinate._checks import InputError
from ordinate._notebooks import report_as_html
from ordinate._pages import fill_page
from ordinate._versions import versions
from ordinate.io.atomic import atomic_path
from ordinate.io.coordinates import Columns, write_csv
from ordinate.plots._figures import render_for_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.results.finding import Finding
    from ordinate.results.result import Result

MOST_LISTED = 30
"""Rows of a table that a reader goes through; the file has all of them."""
SECTIONS = {
    "data": "The data",
    "choice": "Method and dimension",
    "trust": "How far to trust it",
    "people": "Participants",
    "more": "Would more answers help?",
    "methods": "Text for a paper",
}
"""The sections of a page in order, with their headings, below what was found."""


MAPS = ("map", "users and items")
"""Figures that are as wide as the screen, because they hold many names."""
HEADINGS = {
    "semi_axis1": "region: longer half-axis",
    "semi_axis2": "shorter half-axis",
    "angle": "its angle (°)",
    "stability": "nearest kept",
    "contradicted": "answers contradicted",
}
"""What columns are called on a page, where a file has a word for programs."""


def check_page_path(path: str | os.PathLike[str]) -> None:
    """Refuse a file that is no page, before anything is computed for it."""
    if not os.fspath(path).lower().endswith(".html"):
        raise InputError(
            f"Cannot write a report as {os.fspath(path)!r}: its name must end in .html."
        )


def save_page(path: str | os.PathLike[str], result: Result) -> None:
    """Write the page, whole or not at all."""
    check_page_path(path)
    page = write_page(result)
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def write_page(result: Result) -> str:
    """Fill in the page."""
    said = [finding for finding in result.findings() if finding.text]
    headline, *others = [finding for finding in said if finding.section == "result"]
    return fill_page(
        "ordinate.results",
        "result.html",
        style=page_style(),
        title=result.title,
        today=date.today().isoformat(),
        headline=headline.text,
        key=others,
        sections=list(_sections(result, said)),
        as_html=report_as_html,
        figures=_figures(result, None),
        maps=[result.captions.get(name, name) for name in MAPS],
        frames=[make()._repr_html_() for make in result.frames().values()],
        tables=dict(_tables(result)),
        provenance=result.provenance,
        checksums=result.provenance.checksums(),
        versions={name: text for name, text in versions().items() if text},
    )


def page_style() -> str:
    """Return the style sheet of all pages."""
    return (files("ordinate.results") / "page" / "result.css").read_text(encoding="utf-8")


def as_uri(axes: Axes) -> str:
    """Return a figure as an address that holds it."""
    return "data:image/svg+xml;base64," + b64encode(render_for_page(axes)).decode()


def as_html(result: Result) -> str:
    """Return what a notebook shows: the sentences and the first rows of the main table."""
    said = [finding for finding in result.findings() if finding.section != "methods"]
    lines = "".join(report_as_html(finding.text) for finding in said if finding.text)
    name, columns = next(iter(result.tables().items()))
    header, *rows = result.listings().get(name) or _cells(columns)
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<div>{lines}<table><tr>{head}</tr>{body}</table></div>"


def _sections(result: Result, said: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    """Yield each section that has something to say: its sentences, then its figures."""
    for section, heading in SECTIONS.items():
        found = [finding for finding in said if finding.section == section]
        if found:
            yield {"heading": heading, "found": found, "figures": _figures(result, section)}


def _figures(result: Result, section: str | None) -> dict[str, str]:
    """Draw the figures of a section, by their captions."""
    return {
        result.captions.get(name, name): as_uri(draw())
        for name, draw in result.figures().items()
        if result.places.get(name) == section
    }


def _tables(result: Result) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is read of each table, how many rows there are, and all of them as a file."""
    listings, tables = result.listings(), result.tables()
    for name, cells in listings.items():
        if name not in tables and cells:
            yield name, {"cells": cells[: MOST_LISTED + 1], "n_rows": 0, "address": ""}
    for name, columns in tables.items():
        yield name, _table(columns, listings.get(name))


def _table(columns: Columns, cells: list[list[str]] | None) -> dict[str, Any]:
    whole = BytesIO()
    write_csv(columns, whole)
    n_rows = len(next(iter(columns.values()), ()))
    address = "data:text/csv;base64," + b64encode(whole.getvalue()).decode()
    shown = _cells(columns) if cells is None else cells[: MOST_LISTED + 1]
    return {"cells": shown, "n_rows": n_rows, "address": address}


def _cells(columns: Columns) -> list[list[str]]:
    """Return a header and the first rows of a table, limits in brackets behind their column."""
    said = {
        name: [_in_words(entry) for entry in column[:MOST_LISTED]]
        for name, column in columns.items()
    }
    for name in columns:
        low, high = said.get(f"{name}_low"), said.get(f"{name}_high")
        if low and high:
            triples = zip(said[name], low, high, strict=True)
            said[name] = [f"{entry} ({start} to {end})" for entry, start, end in triples]
            del said[f"{name}_low"], said[f"{name}_high"]
    head = [HEADINGS.get(name, name.replace("_", " ")) for name in said]
    return [head, *map(list, zip(*said.values(), strict=True))]


def _in_words(entry: Any) -> str:
    if isinstance(entry, float | np.floating):
        return "" if np.isnan(entry) else f"{entry:.3g}"
    return str(entry)
