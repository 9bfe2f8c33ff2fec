"""Write tables, above all coordinates, as CSV, TSV, Parquet or NPZ."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import (
    InputError,
    as_text_or_numbers,
    check_names,
    check_points,
    text_array,
)
from ordinate.io.atomic import atomic_path

if TYPE_CHECKING:
    import pyarrow as pa

Columns: TypeAlias = Mapping[str, NDArray[np.generic]]
BinaryFile: TypeAlias = IO[bytes] | gzip.GzipFile
Writer: TypeAlias = Callable[[Columns, BinaryFile], None]


def write_coordinates(
    path: str | os.PathLike[str], embedding: ArrayLike, names: Sequence[object] | None = None
) -> None:
    """Write one row per object: its name (or number) and its coordinates x1, x2, ….

    Parameters
    ----------
    path : str or path-like
        A file ending in ``.csv``, ``.tsv`` (either may end in ``.gz``), ``.parquet`` or ``.npz``.
        It is written whole or not at all.
    embedding : array-like of float, shape (n_objects, n_components)
        The coordinates.
    names : sequence of str, shape (n_objects,), optional
        The objects' names; by default their numbers, from 0.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "map.csv"
    >>> write_coordinates(path, [[0.0, 1.5], [2.0, 0.25]], names=["Oslo", "Rome"])
    >>> print(path.read_text())
    "object","x1","x2"
    "Oslo",0,1.5
    "Rome",2,0.25
    """
    write_table(path, coordinate_columns(embedding, names))


def write_table(path: str | os.PathLike[str], columns: Columns) -> None:
    """Write a table in the format that its name asks for, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        The file.
    columns : mapping of str to ndarray
        The columns, all of one length.
    """
    write = table_writer(path)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        write(columns, file)


def coordinate_columns(
    embedding: ArrayLike, names: Sequence[object] | None = None
) -> dict[str, NDArray[np.generic]]:
    """Return the columns ``object``, ``x1``, ``x2``, … of a table of coordinates.

    Parameters
    ----------
    embedding : array-like of float, shape (n_objects, n_components)
        The coordinates.
    names : sequence of str, shape (n_objects,), optional
        The objects' names; by default their numbers, from 0.

    Returns
    -------
    dict of str to ndarray, shape (n_objects,)
        One array per column.
    """
    points = check_points("embedding", embedding)
    # as Python text: an array of text gives every name the room of the longest
    objects: NDArray[Any] = (
        np.arange(len(points)) if names is None else np.array(check_names(names), dtype=object)
    )
    if len(objects) != len(points):
        raise InputError(f"names has {len(objects)} entries; embedding has {len(points)} rows.")
    return {"object": objects} | {f"x{i}": column for i, column in enumerate(points.T, start=1)}


def table_writer(path: str | os.PathLike[str]) -> Writer:
    """Choose how to write a table by the file's extension.

    Parameters
    ----------
    path : str or path-like
        Where the table is to go; nothing is written yet.

    Returns
    -------
    callable
        Takes the columns and an open binary file.
    """
    name = Path(path).name.lower()
    for suffix, writer in _WRITERS.items():
        if name.endswith(suffix):
            return writer
    raise InputError(
        f"Cannot tell the format of {os.fspath(path)!r}: a table's name ends in"
        f" {', '.join(_WRITERS)}."
    )


def write_csv(columns: Columns, file: BinaryFile, delimiter: str = ",") -> None:
    """Write a table as text with a header line.

    Parameters
    ----------
    columns : mapping of str to ndarray
        The columns, all of one length.
    file : binary file
        Open for writing.
    delimiter : str
        What stands between two values.
    """
    import pyarrow as pa
    from pyarrow import csv

    table = pa.table(dict(columns))
    if _without_formulas.get():
        table = _as_harmless(table)
    csv.write_csv(table, file, csv.WriteOptions(delimiter=delimiter))


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What begins text that a spreadsheet computes."""

_without_formulas: ContextVar[bool] = ContextVar("without_formulas", default=False)


@contextmanager
def without_formulas() -> Iterator[None]:
    """Write text such that spreadsheets compute nothing, wherever CSV or TSV is written meanwhile.

    Labels change by it, so that it is not the default: they should be read back as they were.
    """
    token = _without_formulas.set(True)
    try:
        yield
    finally:
        _without_formulas.reset(token)


def harmless(entry: str) -> str:
    """Return text that no spreadsheet takes for a formula.

    Parameters
    ----------
    entry : str
        An entry of a table.

    Returns
    -------
    str
        With an apostrophe in front where it begins with ``=``, ``+``, ``-``, ``@``, a tab or a
        carriage return and is no number.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-0.5"), harmless("milk")
    ("'=1+1", '-0.5', 'milk')
    """
    if not entry.startswith(FORMULA):
        return entry
    try:
        float(entry)
    except ValueError:
        return "'" + entry
    return entry


def _as_harmless(table: pa.Table) -> pa.Table:
    """Put an apostrophe before every name and entry that a spreadsheet would compute."""
    import pyarrow as pa

    def column(values: pa.ChunkedArray) -> pa.ChunkedArray:
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            return values
        return pa.array([entry and harmless(entry) for entry in values.to_pylist()], values.type)

    names = [harmless(name) for name in table.column_names]
    return pa.table([column(values) for values in table.columns], names=names)


def _write_tsv(columns: Columns, file: BinaryFile) -> None:
    write_csv(columns, file, delimiter="\t")


def _gzipped(write: Writer) -> Writer:
    def write_gzipped(columns: Columns, file: BinaryFile) -> None:
        # no time stamp: the same table gives the same bytes; level 9 takes six times as long
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            write(columns, packed)

    return write_gzipped


def _write_parquet(columns: Columns, file: BinaryFile) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table(dict(columns)), file)


def _write_npz(columns: Columns, file: BinaryFile) -> None:
    # NumPy's stub takes every keyword for its own `allow_pickle`
    np.savez_compressed(file, **npz_arrays(columns))  # type: ignore[arg-type]


JSON = "json:"
"""Begins the names of arrays in NPZ files that hold text as the bytes of a JSON list."""


def npz_arrays(columns: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return arrays that can be stored without pickles, text in no more room than it needs.

    Parameters
    ----------
    columns : mapping of str to array-like
        Numbers or text.

    Returns
    -------
    dict of str to ndarray
        As they are; text of which one entry is much longer than the others as bytes of JSON, its
        name with `JSON` before it.
    """
    arrays = {}
    for name, column in columns.items():
        array = as_text_or_numbers(column)
        if array.dtype.kind == "O":
            array = np.frombuffer(json.dumps(array.tolist()).encode(), dtype=np.uint8)
            name = JSON + name
        arrays[name] = array
    return arrays


def from_npz_arrays(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Undo `npz_arrays`."""
    return {
        name.removeprefix(JSON): text_array(json.loads(array.tobytes()))
        if name.startswith(JSON)
        else array
        for name, array in arrays.items()
    }


_WRITERS = {
    ".csv": write_csv,
    ".tsv": _write_tsv,
    ".csv.gz": _gzipped(write_csv),
    ".tsv.gz": _gzipped(_write_tsv),
    ".parquet": _write_parquet,
    ".npz": _write_npz,
}
