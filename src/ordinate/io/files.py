"""Read and write comparisons: files of any kind, frames and arrays."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ordinate._checks import InputError, check_choice
from ordinate.comparisons.record import Comparisons
from ordinate.io.atomic import atomic_path
from ordinate.io.columns import (
    Parts,
    as_answers,
    as_labels,
    as_numbers,
    as_objects,
    as_positions,
)
from ordinate.io.coordinates import table_writer
from ordinate.io.layouts import ANSWER, WEIGHT, Column, Layout, find_layout
from ordinate.io.tables import (
    ArrowTable,
    ParquetTable,
    Table,
    TextTable,
    as_table,
    check_content,
    errors_naming,
    open_table,
    refuse_options,
)

if TYPE_CHECKING:
    import pyarrow as pa

_KEY = b"ordinate"
_GROUP = "group:"
_HEADERS = {"triplet": ("anchor", "near", "far"), "quadruplet": ("i", "j", "k", "l")}


def read_comparisons(
    source: Any,
    *,
    columns: Sequence[Column] | None = None,
    answer: Column | None = None,
    weight: Column | None = None,
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    on_invalid: str = "raise",
) -> Comparisons:
    """Read comparisons from a file, a frame or an array.

    Parameters
    ----------
    source : path, frame or array-like
        A file ending in .csv, .tsv, .txt or .dat (with comma, semicolon, tab or blanks between
        entries), .json, .jsonl, any of these with .gz, .parquet, .npz, or a .zip with one of them
        in it, or "-" for standard input; a pandas, polars or PyArrow table, or a mapping of
        column names to arrays; or an array with 3 or 4 columns. What stands in a file or a
        column of a frame is a label, kept as it is written, even if it is a number; whole numbers
        in arrays are positions.
    columns : sequence of str or int, optional
        Three columns (anchor, near, far) or four (i, j, k, l), by name or position. By default
        they are found by their usual names, or are all there are when those have no names.
    answer : str or int, optional
        Column that says whether each row holds as written: true/false, 1/0 or 1/-1. By default
        the column ``answer`` if there is one.
    weight : str or int, optional
        Column with the weights; by default ``weight`` if there is one.
    groups : str, int, sequence of those, or mapping of str to those, optional
        Columns with labels of groups; a mapping gives them other names. By default those
        called participant, subject, worker, session, block, trial or group.
    names : sequence of str, optional
        Labels of all objects in their order, also of those that occur in no row; for arrays, the
        name of each position. By default the objects are the labels that occur, in natural order:
        numbers by value, item2 before item10.
    n_objects : int, optional
        How many objects there are, for arrays of positions of which not all occur.
    header : bool, optional
        Whether the first line of a text file names the columns; by default it does unless it
        holds numbers only.
    encoding : str, optional
        Encoding of a text file, such as "latin-1"; by default UTF-8.
    on_invalid : {"raise", "drop"}
        What to do with rows that say nothing because an object occurs twice or an entry is
        missing; dropping them gives a `DroppedRowsWarning` with their number.

    Returns
    -------
    Comparisons
        Rows in the order of the source.

    Examples
    --------
    >>> import ordinate as od
    >>> frame = {"anchor": ["cat", "dog"], "near": ["dog", "cat"], "far": ["car", "car"]}
    >>> answers = od.read_comparisons(frame)
    >>> answers.names
    ('car', 'cat', 'dog')
    >>> answers.rows
    array([[1, 2, 0],
           [2, 1, 0]], dtype=int32)
    """
    check_choice("on_invalid", on_invalid, ("raise", "drop"))
    wanted = Layout(columns, answer, weight, groups)
    if not isinstance(source, (str, os.PathLike)):
        refuse_options(header=header, encoding=encoding)
        return _parts_of_table(as_table(source), wanted, names, n_objects).build(on_invalid)
    with errors_naming(os.fspath(source)):
        if Path(source).suffix.lower() == ".npz":
            refuse_options(header=header, encoding=encoding, **wanted._asdict())
            return _parts_of_npz(Path(source), names, n_objects).build(on_invalid)
        table = open_table(source, header=header, encoding=encoding)
        return _parts_of_table(table, wanted, names, n_objects).build(on_invalid)


def write_comparisons(comparisons: Comparisons, path: str | os.PathLike[str]) -> None:
    """Write comparisons to a file; if that fails, what was there before stays.

    Parameters
    ----------
    comparisons : Comparisons
        What to write.
    path : str or path-like
        File ending in .parquet or .npz, which keep everything; or in .csv, .tsv, .csv.gz or
        .tsv.gz, which keep rows, labels, weights and groups. Text does not hold objects that
        occur in no row, nor another order of the labels than the natural one: pass `names` again
        when you read it, and `groups` that have unusual names.

    Examples
    --------
    >>> import tempfile
    >>> import ordinate as od
    >>> path = tempfile.mkdtemp() + "/answers.npz"
    >>> od.write_comparisons(od.Comparisons([[0, 1, 2]], n_objects=9), path)
    >>> od.read_comparisons(path)
    Comparisons(1 triplet, 9 objects)
    """
    target = Path(path)
    write = _WRITERS.get(target.suffix.lower(), _write_text)
    if write is _write_text:
        table_writer(target)
    with atomic_path(target) as temporary:
        write(comparisons, temporary)


def _parts_of_table(
    table: Table, wanted: Layout, names: Sequence[object] | None, n_objects: int | None
) -> Parts:
    """Take the columns that matter out of a table."""
    stored = stored_facts(table.schema) if isinstance(table, ParquetTable) else {}
    if wanted.groups is None and "groups" in stored:
        wanted = wanted._replace(groups=stored["groups"])
    try:
        found = find_layout(table.names, wanted)
    except InputError:
        if isinstance(table, TextTable):
            table.refuse_ragged()  # a title above the header explains more than its columns
        raise
    used = [name for name in found.used if name != found.weight]
    columns = table.read(used, [found.weight] if found.weight else [])
    for name in found.used:
        if 0 < len(columns) == columns.column(name).null_count:
            raise InputError(f"Column {name!r} has no entries at all.")
    parts = _parts_of_objects(
        {name: columns.column(name) for name in found.objects},
        names,
        n_objects,
        table.place,
        are_positions(stored) or (isinstance(table, ArrowTable) and table.positions),
        stored,
    )
    parts.missing = {
        name: columns.column(name).is_null().to_numpy()
        for name in found.used
        if columns.column(name).null_count
    }
    if found.answer is not None:
        parts.answers = as_answers(found.answer, columns.column(found.answer))
    if found.weight is not None:
        parts.weights = as_numbers(found.weight, columns.column(found.weight), "weights")
    parts.groups = {
        group: as_labels(name, columns.column(name)) for group, name in found.groups.items()
    }
    return parts


def _parts_of_objects(
    columns: Mapping[str, pa.ChunkedArray],
    names: Sequence[object] | None,
    n_objects: int | None,
    place: Any,
    may_be_positions: bool,
    stored: Mapping[str, Any],
) -> Parts:
    """Return the objects as numbers: by their position in arrays, else by their label."""
    positions = as_positions(columns) if may_be_positions else None
    if positions is not None:
        n_objects = stored.get("n_objects") if names is None and n_objects is None else n_objects
        return Parts(positions, names=names, n_objects=n_objects, place=place)
    if n_objects is not None:
        raise InputError(
            "n_objects counts the positions of an array, but these objects have labels; name those"
            " that occur in no row with names=[...]."
        )
    names = stored.get("names") if names is None else names
    rows, labels = as_objects(columns, names, place)
    return Parts(rows, names=labels, place=place, positions=False, found_names=names is None)


def stored_facts(schema: pa.Schema) -> dict[str, Any]:
    """Return what Ordinate wrote into a Parquet file beside the columns, if it wrote the file."""
    facts: dict[str, Any] = json.loads((schema.metadata or {}).get(_KEY, b"{}"))
    return facts


def are_positions(stored: Mapping[str, Any]) -> bool:
    """Whether Ordinate wrote the file, from a record of objects that have no labels."""
    return "n_objects" in stored and stored.get("names") is None


def _parts_of_npz(path: Path, names: Sequence[object] | None, n_objects: int | None) -> Parts:
    check_content(path, "a zip archive")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = dict(stored)
    except (ValueError, OSError, zipfile.BadZipFile, EOFError) as error:
        raise InputError(f"It cannot be read as NPZ without pickles: {error}.") from None
    if "rows" not in arrays:
        raise InputError(f"It has no array 'rows'; there are {', '.join(map(repr, arrays))}.")
    if names is None and "names" in arrays:
        names = arrays["names"].tolist()
    if n_objects is None and "n_objects" in arrays:
        n_objects = int(arrays["n_objects"])
    groups = {
        key.removeprefix(_GROUP): labels for key, labels in arrays.items() if key.startswith(_GROUP)
    }
    answers, weights = arrays.get("answers"), arrays.get("weights")
    return Parts(arrays["rows"], answers, weights, groups, names, n_objects)


def _write_text(comparisons: Comparisons, path: Path) -> None:
    write = table_writer(path)
    with path.open("wb") as file:
        write(comparison_columns(comparisons), file)


def _write_parquet(comparisons: Comparisons, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    stored = {
        "n_objects": comparisons.n_objects,
        "names": comparisons.names,
        "groups": list(comparisons.groups),
    }
    table = pa.table(comparison_columns(comparisons))
    table = table.replace_schema_metadata({_KEY: json.dumps(stored).encode()})
    pa.parquet.write_table(table, path)


def _write_npz(comparisons: Comparisons, path: Path) -> None:
    arrays = {"rows": comparisons.rows, "n_objects": np.array(comparisons.n_objects)}
    if comparisons.weights is not None:
        arrays["weights"] = comparisons.weights
    if comparisons.names is not None:
        arrays["names"] = np.array(comparisons.names, dtype=np.str_)
    arrays |= {_GROUP + name: labels for name, labels in comparisons.groups.items()}
    # NumPy's stub takes every keyword for its own `allow_pickle`
    np.savez(path, **arrays)  # type: ignore[arg-type]


_WRITERS = {".parquet": _write_parquet, ".npz": _write_npz}
"""How files are written that keep everything; all others are text."""


def comparison_columns(comparisons: Comparisons) -> dict[str, Any]:
    """Return the columns of a table of comparisons: labels, weights and groups."""
    import pyarrow as pa

    header = _HEADERS[comparisons.kind]
    taken = {*header, ANSWER, WEIGHT} & set(comparisons.groups)
    if taken:
        raise InputError(
            f"A group called {taken.pop()!r} would be mistaken for another column; rename it or"
            " write an .npz file."
        )
    columns: dict[str, Any] = dict(zip(header, comparisons.rows.T, strict=True))
    if comparisons.names is not None:
        names = pa.array(comparisons.names, pa.string())
        columns = {key: names.take(pa.array(column)) for key, column in columns.items()}
    if comparisons.weights is not None:
        columns[WEIGHT] = comparisons.weights
    return columns | dict(comparisons.groups)
