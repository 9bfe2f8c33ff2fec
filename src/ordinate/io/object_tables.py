"""Tables about objects: their names, and columns in the order of names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.io.columns import encode_column
from ordinate.io.delimited_text import as_utf8
from ordinate.io.layout_table import find_label_column
from ordinate.io.tables import Table, as_table, errors_naming, open_table

if TYPE_CHECKING:
    import pyarrow as pa


def read_names(source: Any) -> list[str]:
    """Read names of objects: a list (.txt) with one per line, or a table with a column of them."""
    if not isinstance(source, str | os.PathLike):
        return [str(name) for name in source]
    with errors_naming(os.fspath(source)):
        table, key = _open(Path(source), "object")
        words, codes = encode_column(key, table.read([key]).column(key))
    return [words[code] for code in codes]


def columns_for(
    path: str | os.PathLike[str], names: Sequence[str], what: str = "object"
) -> dict[str, NDArray[Any]]:
    """Read a table about objects (or others) and put its rows in the order of the names."""
    with errors_naming(os.fspath(path)):
        table, key = _open(Path(path), what)
        others = [name for name in table.names if name != key]
        columns = table.read([key], others)
        words, codes = encode_column(key, columns.column(key))
        row_of = {words[code]: row for row, code in enumerate(codes)}
        missing = [name for name in names if name not in row_of]
        if missing:
            more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
            raise InputError(f"Column {key!r} does not name the {what} {missing[0]!r}{more}.")
    rows = np.array([row_of[name] for name in names])
    return {name: _entries(columns.column(name))[rows] for name in others}


def _open(path: Path, what: str) -> tuple[Table, str]:
    """Open a table, and say which column has the names; a list of names has no header."""
    if path.suffix.lower() == ".txt":  # of a list, a name may hold blanks and commas
        lines = as_utf8(path.read_bytes(), None).decode("utf-8-sig").splitlines()
        header = re.split(r"[,;\t]", lines[0]) if lines else []
        if len(header) < 2 or find_label_column(header) is None:
            return as_table({what: [line.strip() for line in lines if line.strip()]}), what
    table = open_table(path)
    found = find_label_column(table.names) if what == "object" else None
    if found is None and len(table.names) == 1 and table.names[0] != what:
        table = open_table(path, header=False)
    return table, found or (what if what in table.names else table.names[0])


def _entries(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return numbers if all entries are, and else text, empty where it is missing."""
    texts = np.array(["" if value is None else str(value) for value in column.to_pylist()])
    for kind in (np.int64, np.float64):
        try:
            return texts.astype(kind)
        except ValueError:
            continue
    return texts
