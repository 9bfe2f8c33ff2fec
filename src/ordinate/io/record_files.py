"""Files that hold a record: text, and Parquet and NPZ, which keep all of it and are read back."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons
from ordinate.io.columns import Parts
from ordinate.io.coordinates import from_npz_arrays, npz_arrays, table_writer
from ordinate.io.layouts import ANSWER, WEIGHT
from ordinate.io.tables import check_content

if TYPE_CHECKING:
    import pyarrow as pa

_KEY = b"ordinate"
"""Where Parquet files keep what Ordinate knows about them."""
_GROUP = "group:"
"""How arrays of groups are called in NPZ files."""

_HEADERS = {"triplet": ("anchor", "near", "far"), "quadruplet": ("i", "j", "k", "l")}


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


def write_text(comparisons: Comparisons, path: Path) -> None:
    """Write rows, labels, weights and groups as CSV or TSV."""
    write = table_writer(path)
    with path.open("wb") as file:
        write(comparison_columns(comparisons), file)


def write_parquet(comparisons: Comparisons, path: Path) -> None:
    """Write a table, and beside it which objects and groups there are."""
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


def write_npz(comparisons: Comparisons, path: Path) -> None:
    """Write the arrays of a record."""
    arrays: dict[str, Any] = {"rows": comparisons.rows, "n_objects": comparisons.n_objects}
    if comparisons.weights is not None:
        arrays["weights"] = comparisons.weights
    if comparisons.names is not None:
        arrays["names"] = comparisons.names
    arrays |= {_GROUP + name: labels for name, labels in comparisons.groups.items()}
    # NumPy's stub takes every keyword for its own `allow_pickle`
    np.savez(path, **npz_arrays(arrays))  # type: ignore[arg-type]


def read_npz(path: Path, names: Sequence[object] | None, n_objects: int | None) -> Parts:
    """Read what `write_npz` wrote, or arrays of the same names."""
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
    if names is None and "names" in arrays:
        names = arrays["names"].tolist()
    if n_objects is None and "n_objects" in arrays:
        n_objects = int(arrays["n_objects"])
    groups = {
        key.removeprefix(_GROUP): labels for key, labels in arrays.items() if key.startswith(_GROUP)
    }
    answers, weights = arrays.get("answers"), arrays.get("weights")
    return Parts(arrays["rows"], answers, weights, groups, names, n_objects)
