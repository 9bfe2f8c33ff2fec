"""Files that hold a record: text, and Parquet and NPZ, which keep all of it and are read back."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ordinate._checks import InputError, check_index_rows, degenerate_rows, is_text
from ordinate.comparisons.labels import one_spelling
from ordinate.comparisons.pairs import Pairs
from ordinate.comparisons.record import Comparisons
from ordinate.io.atomic import atomic_path
from ordinate.io.columns import valid_rows
from ordinate.io.coordinates import from_npz_arrays, npz_arrays, table_writer
from ordinate.io.headings import GROUP, GROUPS, WEIGHT
from ordinate.io.layout import Layout
from ordinate.io.tables import check_content, refuse_options

if TYPE_CHECKING:
    import pyarrow as pa

_KEY = b"ordinate"
"""Where Parquet files keep what Ordinate knows about them."""
HEADERS = {"triplet": ("anchor", "near", "far"), "quadruplet": ("i", "j", "k", "l")}
"""Columns of files that Ordinate writes: whatever their labels are, these are objects."""


def comparison_columns(comparisons: Comparisons) -> dict[str, Any]:
    """Return the columns of a table of comparisons: labels, weights and groups."""
    import pyarrow as pa

    columns: dict[str, Any] = dict(zip(HEADERS[comparisons.kind], comparisons.rows.T, strict=True))
    if comparisons.names is not None:
        names = pa.array(comparisons.names, pa.string())
        columns = {key: names.take(pa.array(column)) for key, column in columns.items()}
    if comparisons.weights is not None:
        columns[WEIGHT] = comparisons.weights
    return columns | {
        name if name in GROUPS else GROUP + name: labels
        for name, labels in comparisons.groups.items()
    }


def pair_columns(pairs: Pairs) -> dict[str, Any]:
    """Return the columns of a table of pairs, which `read_pairs` reads: items, answer, groups."""
    names = np.array([str(pairs.name_of(item)) for item in range(pairs.n_objects)], dtype=object)
    left, right = names[pairs.rows.T]
    answer = np.where(pairs.outcomes == 0, "tie", np.where(pairs.outcomes > 0, left, right))
    columns: dict[str, Any] = {"left": left, "right": right, "answer": answer}
    if pairs.weights is not None:
        columns[WEIGHT] = pairs.weights
    return columns | dict(pairs.groups)


def _write_text(parts: Iterable[Comparisons], path: Path) -> None:
    """Write rows, labels, weights and groups as CSV or TSV."""
    write = table_writer(path)
    with path.open("wb") as file:
        for number, part in enumerate(parts):
            _refuse_what_text_changes(part)
            write(comparison_columns(part), file, header=number == 0)


def _refuse_what_text_changes(comparisons: Comparisons) -> None:
    """Refuse labels that would be read back as others, as blanks around them are left out."""
    groups = comparisons.groups
    texts: dict[str, Sequence[str]] = {"object": comparisons.names or ()}
    texts |= {f"{name!r}": np.unique(of).tolist() for name, of in groups.items() if is_text(of)}
    reasons = [
        f"Text cannot distinguish the objects {label!r} and {name!r}"
        for label, name in one_spelling(comparisons.names or ()).items()
    ]
    for what, labels in texts.items():
        blanks = [label for label in labels if label != label.strip()]
        reasons += [f"Text cannot hold an empty label, as of the {what} ''"] * ("" in labels)
        reasons += [
            f"Text does not keep blanks around labels, as in the {what} {b!r}" for b in blanks
        ]
    reasons += [
        f"The header of a text file cannot hold the group {name!r}"
        for name in groups
        if name != name.strip() or len(name.splitlines()) > 1
    ]
    if reasons:
        raise InputError(f"{reasons[0]}; write a .parquet or .npz file, or rename it.")


def _write_parquet(parts: Iterable[Comparisons], path: Path) -> None:
    """Write a table, and beside it which objects there are."""
    import pyarrow as pa
    import pyarrow.parquet

    writer = None
    try:
        for part in parts:
            table = pa.table(comparison_columns(part))
            if writer is None:
                stored = {"n_objects": part.n_objects, "names": part.names}
                facts = {_KEY: json.dumps(stored).encode()}
                writer = pa.parquet.ParquetWriter(path, table.schema.with_metadata(facts))
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def stored_facts(schema: pa.Schema) -> dict[str, Any]:
    """Return what Ordinate wrote into a Parquet file beside the columns, if it wrote the file."""
    try:
        facts: dict[str, Any] = json.loads((schema.metadata or {}).get(_KEY, b"{}"))
    except ValueError as error:
        raise InputError(
            f"It cannot be read as Parquet: its metadata are damaged, {error}."
        ) from None
    return facts


def are_positions(stored: Mapping[str, Any]) -> bool:
    """Whether Ordinate wrote the file, from a record of objects that have no labels."""
    return "n_objects" in stored and stored.get("names") is None


def _write_npz(parts: Iterable[Comparisons], path: Path) -> None:
    """Write the arrays of a record."""
    comparisons = Comparisons.concatenate(list(parts))
    arrays: dict[str, Any] = {"rows": comparisons.rows, "n_objects": comparisons.n_objects}
    if comparisons.weights is not None:
        arrays["weights"] = comparisons.weights
    if comparisons.names is not None:
        arrays["names"] = comparisons.names
    arrays |= {GROUP + name: labels for name, labels in comparisons.groups.items()}
    # NumPy's stub takes every keyword for its own `allow_pickle`
    np.savez(path, **npz_arrays(arrays))  # type: ignore[arg-type]


def read_npz(path: Path, layout: Layout) -> Comparisons:
    """Read what `write_comparisons` wrote, or arrays of the same names."""
    for_tables = ("columns", "answer", "weight", "groups", "where", "exclude", "header", "encoding")
    refuse_options(**{name: getattr(layout, name) for name in for_tables})
    check_content(path, "a zip archive")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = from_npz_arrays(stored)
    # RuntimeError: a bit that says the archive is encrypted, or packed in an unknown way
    except (ValueError, TypeError, OSError, zipfile.BadZipFile, EOFError, RuntimeError,
            zlib.error) as error:  # fmt: skip
        raise InputError(f"It cannot be read as NPZ without pickles: {error}.") from None
    if "rows" not in arrays:
        raise InputError(f"It has no array 'rows'; there are {', '.join(map(repr, arrays))}.")
    names, n_objects = layout.names, layout.n_objects
    names = arrays["names"].tolist() if names is None and "names" in arrays else names
    n_objects = (
        int(arrays["n_objects"]) if n_objects is None and "n_objects" in arrays else n_objects
    )
    of_rows = {n: a for n, a in arrays.items() if n not in ("names", "n_objects")}
    if layout.on_invalid == "drop":
        rows = check_index_rows(arrays["rows"], n_objects)
        keep = valid_rows({}, degenerate_rows(rows), "drop", "Row {}".format, lambda row: ())
        of_rows = {name: array[keep] for name, array in of_rows.items()}
    return Comparisons(
        of_rows["rows"],
        of_rows.get("answers"),
        n_objects=n_objects,
        weights=of_rows.get("weights"),
        groups={n.removeprefix(GROUP): a for n, a in of_rows.items() if n.startswith(GROUP)},
        names=names,
    )


def write_comparisons(
    comparisons: Comparisons | Iterable[Comparisons], path: str | os.PathLike[str]
) -> None:
    """Write comparisons to a file; if that fails, what was there before stays.

    Parameters
    ----------
    comparisons : Comparisons or iterable of Comparisons
        What to write; or its parts, all with the same labels and groups, which are written one
        after another so that they need not fit in memory together (except for .npz).
    path : str or path-like
        File ending in .parquet or .npz, which keep everything; or in .csv, .tsv, .csv.gz or
        .tsv.gz, which keep rows, labels, weights and groups. Text does not hold objects that
        occur in no row, nor another order of the labels than the natural one: pass `names` again
        when you read it. Groups with other names than participant, session, block, trial, group and
        pool are columns that begin with ``group:``, in Parquet too.

    See Also
    --------
    read_comparisons : The way back.

    Examples
    --------
    >>> import tempfile
    >>> import ordinate as od
    >>> path = tempfile.mkdtemp() + "/answers.npz"
    >>> od.write_comparisons(od.Comparisons([[0, 1, 2]], n_objects=9), path)
    >>> od.read_comparisons(path)
    Comparisons(1 triplet, 9 objects)
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(
            f"path must be the name of a file; got {type(path).__name__}. Pass the comparisons"
            " first and the path second."
        )
    target = Path(path)
    write = _WRITERS.get(target.suffix.lower(), _write_text)
    if write is _write_text:
        table_writer(target)  # refuses an unknown ending before a file is made
    with atomic_path(target) as temporary:
        write([comparisons] if isinstance(comparisons, Comparisons) else comparisons, temporary)


_WRITERS = {".parquet": _write_parquet, ".npz": _write_npz}
"""How files are written that keep everything; all others are text."""
