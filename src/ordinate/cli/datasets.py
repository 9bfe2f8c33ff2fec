"""`ordinate datasets`: which data sets there are, and which of them are on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordinate.cli._options import Json
from ordinate.cli._results import print_json

if TYPE_CHECKING:
    from rich.table import Table

    from ordinate.datasets import CatalogueEntry


def datasets(
    data_home: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to look. Default: ORDINATE_DATA, or the cache."),
    ] = None,
    json: Json = False,
) -> None:
    """List the data sets with size and terms, and whether they are here.

    Example: ordinate datasets --data-home ~/data
    """
    from ordinate.datasets import catalogue

    entries = catalogue(data_home)
    if json:
        print_json({"datasets": [asdict(entry) for entry in entries]})
    else:
        from rich import print as rich_print

        rich_print(_table(entries))
        print("Load one in Python with ordinate.datasets.load_… or make_…; what is not here is")
        print("downloaded from its publisher on first use, or read from the folder ORDINATE_DATA.")


def _table(entries: Sequence[CatalogueEntry]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table("here", "load with", "what", "terms", box=SIMPLE_HEAD, pad_edge=False)
    for entry in entries:
        here = "[green]yes[/]" if entry.present else "no"
        table.add_row(here, entry.loader, f"{entry.title}: {entry.size}", entry.terms)
    return table
