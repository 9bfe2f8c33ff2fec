"""Write tables, above all coordinates, as CSV, TSV, Parquet or NPZ."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, as_text_or_numbers, check_names, check_points, text_array
from ordinate.io.atomic import atomic_path

if TYPE_CHECKING:
    import pyarrow as pa

Columns: TypeAlias = Mapping[str, NDArray[np.generic]]
BinaryFile: TypeAlias = IO[bytes] | gzip.GzipFile
Writer: TypeAlias = Callable[..., None]
"""Takes columns and an open file; for text also whether to write the header."""


def write_coordinates(
    embedding: ArrayLike, path: str | os.PathLike[str], names: Sequence[object] | None = None
) -> None:
    """Write the coordinates of objects to a file, whole or not at all.

    Parameters
    ----------
    embedding : array-like of shape (n_objects, n_components)
        The coordinates, such as a model's ``embedding_``.
    path : str or path-like
        A file ending in .csv, .tsv, .csv.gz, .tsv.gz or .parquet.
    names : sequence of str, optional
        One name per object, such as a model's ``names_``; by default their numbers.

    See Also
    --------
    write_comparisons : Writes answers.
    ordinate.plots.save_map : Draws the map.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ordinate as od
    >>> path = Path(tempfile.mkdtemp()) / "map.csv"
    >>> od.write_coordinates([[0.0, 1.0], [2.0, 3.0]], path, ["tea", "milk"])
    >>> print(path.read_text().strip())
    "object","x1","x2"
    "tea",0,1
    "milk",2,3
    """
    write_table(path, coordinate_columns(embedding, names))


def read_coordinates(source: Any) -> tuple[list[str], NDArray[np.float64]]:
    """Read a table of coordinates: names, and the columns x1, x2, …."""
    from ordinate.io.columns import as_floats, as_labels
    from ordinate.io.layout_table import find_label_column
    from ordinate.io.tables import table_of

    with table_of(source) as table:
        axes: list[str] = []
        while f"x{len(axes) + 1}" in table.names:
            axes.append(f"x{len(axes) + 1}")
        key = find_label_column(table.names)
        if not axes or key is None:
            raise InputError("A map has a column 'object' and columns of coordinates x1, x2, ….")
        columns = table.read([key], axes)
        numbers = [as_floats(columns.column(name)) for name in axes]
        for name, column in zip(axes, numbers, strict=True):
            if column is None or not np.isfinite(column).all():
                raise InputError(f"Column {name!r} must hold numbers.")
        names = check_names(list(as_labels(key, columns.column(key))))
        points = np.column_stack([column for column in numbers if column is not None])
        with np.errstate(over="ignore"):
            extent = float(points.var(axis=0).sum())
        if not 0 < extent < np.inf:
            raise InputError(
                "The objects of the map must lie in more than one place, at coordinates whose"
                f" squares are numbers; their variance is {extent:g}."
            )
        return list(names), points


def write_table(path: str | os.PathLike[str], columns: Columns) -> None:
    """Write a table in the format that its name asks for, whole or not at all."""
    write = table_writer(path)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        write(columns, file)


def coordinate_columns(
    embedding: ArrayLike, names: Sequence[object] | None = None
) -> dict[str, NDArray[np.generic]]:
    """Return the columns ``object``, ``x1``, ``x2``, … of a table of coordinates."""
    points = check_points("embedding", embedding)
    objects = object_column(len(points), names)
    if len(objects) != len(points):
        raise InputError(f"names has {len(objects)} entries; embedding has {len(points)} rows.")
    return {"object": objects} | {f"x{i}": column for i, column in enumerate(points.T, start=1)}


def object_column(n_objects: int, names: Sequence[object] | None) -> NDArray[Any]:
    """Return the labels of objects, or their numbers."""
    if names is None:
        return np.arange(n_objects)
    # as Python text: an array of text gives every name the room of the longest
    return np.array(check_names(names), dtype=object)


def table_writer(path: str | os.PathLike[str]) -> Writer:
    """Choose how to write a table by the file's extension."""
    name = Path(path).name.lower()
    for suffix, writer in _WRITERS.items():
        if name.endswith(suffix):
            return writer
    raise InputError(
        f"Cannot tell the format of {os.fspath(path)!r}: a table's name ends in"
        f" {', '.join(_WRITERS)}."
    )


def write_csv(
    columns: Columns, file: BinaryFile, delimiter: str = ",", *, header: bool = True
) -> None:
    """Write a table as text with a header line."""
    import pyarrow as pa
    from pyarrow import csv

    table = pa.table(dict(columns))
    if _without_formulas.get():
        table = escape_formulas(table)
    csv.write_csv(table, file, csv.WriteOptions(include_header=header, delimiter=delimiter))


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


def escape_formula(entry: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    if not entry.startswith(FORMULA):
        return entry
    try:
        float(entry)
    except ValueError:
        return "'" + entry
    return entry


def escape_formulas(table: pa.Table) -> pa.Table:
    """Put an apostrophe before every name and entry that a spreadsheet would compute."""
    import pyarrow as pa

    def column(values: pa.ChunkedArray) -> pa.ChunkedArray:
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            return values
        return pa.array(
            [entry and escape_formula(entry) for entry in values.to_pylist()], values.type
        )

    names = [escape_formula(name) for name in table.column_names]
    return pa.table([column(values) for values in table.columns], names=names)


def _gzipped(write: Writer) -> Writer:
    def write_gzipped(columns: Columns, file: BinaryFile, **options: bool) -> None:
        # no time stamp: the same table gives the same bytes; level 9 takes six times as long
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            write(columns, packed, **options)

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
    """Return arrays that can be stored without pickles, text in no more room than it needs."""
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


_write_tsv = partial(write_csv, delimiter="\t")
_WRITERS: dict[str, Writer] = {
    ".csv": write_csv,
    ".tsv": _write_tsv,
    ".csv.gz": _gzipped(write_csv),
    ".tsv.gz": _gzipped(_write_tsv),
    ".parquet": _write_parquet,
    ".npz": _write_npz,
}
