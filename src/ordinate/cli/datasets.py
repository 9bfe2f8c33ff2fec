"""`ordinate datasets`: which data sets there are, and which of them are on this machine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ordinate.cli._options import Json
from ordinate.cli._output import print_json


def datasets(
    data_home: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to look. Default: ORDINATE_DATA, or the cache."),
    ] = None,
    json: Json = False,
) -> None:
    """List the data sets with their size and terms, and whether they are here.

    Example: ordinate datasets --json
    """
    from ordinate.datasets import catalogue

    entries = catalogue(data_home)
    if json:
        print_json({"datasets": [asdict(entry) for entry in entries]})
        return
