"""`Result`: what every verb returns, and how it is printed, drawn and saved."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ordinate._checks import InputError, as_frame
from ordinate._notebooks import aligned
from ordinate.io.atomic import atomic_path
from ordinate.io.coordinates import Columns, write_table
from ordinate.plots._figures import save_figure
from ordinate.results.finding import Finding
from ordinate.results.provenance import Provenance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PICTURES = (".png", ".svg", ".pdf", ".html")


class Result:
    """What a verb found; a class of results says what, and this one shows it.

    `findings` are made where the figures are computed. Printed text, JSON, notebooks and pages
    are made of them here, so that they say the same everywhere.
    """

    provenance: Provenance = Provenance()
    heading: ClassVar[str] = "Result of"
    """What the page is called, before the name of what was read."""
    captions: ClassVar[Mapping[str, str]] = {}
    """What is said below figures, by their names."""
    n_main: ClassVar[int] = 1
    """How many tables a command prints."""
    places: ClassVar[Mapping[str, str]] = {}
    """Sections of the page that figures stand in, by their names; by default on top."""

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"{self.heading} {self.provenance.name}"

    def findings(self) -> Iterable[Finding]:
        """Yield what was found, the most important first."""
        raise NotImplementedError

    def tables(self) -> Mapping[str, Columns]:
        """Return tables by name; the first is the main one."""
        raise NotImplementedError

    def figures(self) -> Mapping[str, Callable[[], Axes]]:
        """Return what draws each figure, by name; the first is the main one."""
        raise NotImplementedError

    def frames(self) -> Mapping[str, Callable[[], Any]]:
        """Return what makes pages to explore, by name; the report shows them in frames."""
        return {}

    def listings(self) -> Mapping[str, list[list[str]]]:
        """Return tables as a person reads them, a header first; names are those of `tables`."""
        return {}

    def printed(self) -> Iterable[str]:
        """Name the tables that are printed below the sentences."""
        return self.listings()

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON.

        Returns
        -------
        dict
            What ``--json`` prints, without the tables.
        """
        found: dict[str, Any] = {}
        for finding in self.findings():
            found |= finding.to_dict()
        return {key: as_plain(value) for key, value in found.items()}

    def to_frame(self) -> Any:
        """Return the main table as a data frame.

        Returns
        -------
        pandas.DataFrame
            One row per object, indexed by its label. Without pandas, a PyArrow table.
        """
        columns = next(iter(self.tables().values()))
        return as_frame(columns, [next(iter(columns))])

    def plot(self, which: str | None = None) -> Axes:
        """Draw a figure.

        Parameters
        ----------
        which : str, optional
            Name of the figure; by default the main one.

        Returns
        -------
        matplotlib.axes.Axes
            The figure.
        """
        figures = self.figures()
        if which is not None and which not in figures:
            raise InputError(f"There is no figure {which!r}; there are {', '.join(figures)}.")
        if not figures:
            raise InputError("There is nothing to draw.")
        return figures[which or next(iter(figures))]()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the main table, or draw the main figure, as the file's name asks for.

        Parameters
        ----------
        path : str or path
            .csv, .tsv, .parquet or .npz for the table, .png, .svg or .pdf for the figure; maps
            also .html, a page to explore. A name without an ending is a folder for all tables.
        """
        if Path(path).suffix.lower() in _PICTURES:
            self.draw(path)
        else:
            self.write_tables(path)

    def write_tables(self, path: str | os.PathLike[str]) -> list[Path]:
        """Write the main table, or all tables and the figures into a folder; return the files."""
        path, tables = Path(path), self.tables()
        if path.suffix:
            write_table(path, next(iter(tables.values())))
            return [path]
        path.mkdir(parents=True, exist_ok=True)
        for name, columns in tables.items():
            write_table(path / f"{name}.csv", columns)
        with atomic_path(path / "result.json") as temporary:
            temporary.write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")
        return [*(path / f"{name}.csv" for name in tables), path / "result.json"]

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw the main figure into a file."""
        save_figure(self.plot(), path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page with everything that was found, which needs no other file.

        Parameters
        ----------
        path : str or path
            A file ending in .html.
        """
        from ordinate.results.page import save_page

        save_page(path, self)

    def __str__(self) -> str:
        lines = []
        for finding in self.findings():
            if finding.text and finding.section != "methods":
                mark = "" if finding.kind == "fact" else "→ "
                lines.append(f"{mark}{finding.text}")
        listings = {name: self.listings()[name] for name in self.printed()}
        for name, cells in listings.items():
            lines += [f"{name[0].upper()}{name[1:]}:"] * (len(listings) > 1)
            lines += aligned(cells)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ordinate.results.page import as_html

        return as_html(self)


def as_plain(value: Any) -> Any:
    """Return a value as JSON holds it, which knows no number that is none."""
    if isinstance(value, np.ndarray | np.generic):
        return as_plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: as_plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(one) for one in value]
    return value
