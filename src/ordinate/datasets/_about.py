"""What is known of each data set before it is loaded: the table ``about.toml``."""

from __future__ import annotations

import functools
import tomllib
from importlib.resources import files
from typing import Any

from ordinate.datasets._files import Files, Remote
from ordinate.datasets._record import About


def about(name: str) -> About:
    """Return what a data set is."""
    row = row_of(name)
    texts = {key: row[key] for key in ("title", "size", "description", "citation", "terms")}
    return About(name=name, **texts)


def files_of(name: str) -> Files:
    """Return which files a data set is read from, and where its publisher has them."""
    row = row_of(name)
    published = [
        Remote(remote["name"], tuple(remote["urls"]), remote.get("checksum"))
        for remote in row["published"]
    ]
    folder, prepared = row["folder"], tuple(row["prepared"])
    return Files(about(name), folder, prepared, tuple(published), row["counts"])


def names_of(*, from_files: bool) -> list[str]:
    """Return the names of the data sets that are read from published files, or of the others."""
    return [name for name, row in _table().items() if ("folder" in row) == from_files]


def row_of(name: str) -> dict[str, Any]:
    """Return all that the table says of a data set."""
    row: dict[str, Any] = _table()[name]
    return row


@functools.cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("ordinate.datasets") / "about.toml").read_text("utf-8"))
