"""File formats of comparisons: which there are, what is in a file, how to read and write each."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons
from ordinate.io.coordinates import table_writer
from ordinate.io.frames import Parts, parts_of_table
from ordinate.io.layout import ANSWER, WEIGHT, Layout
from ordinate.io.text import TextTable

if TYPE_CHECKING:
    import pyarrow as pa

_KEY = b"ordinate"
_GROUP = "group:"

_CONTENTS = {
    b"PAR1": "Parquet data",
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "a zip archive",
    b"\x1f\x8b": "gzip data",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
"""First bytes of files that people pass, and what those are."""


class Known(NamedTuple):
    """What the caller knows about a file beyond its path."""

    layout: Layout
    names: Sequence[object] | None
    n_objects: int | None
    header: bool | None


class Format(NamedTuple):
    """One kind of file."""

    content: str
    read: Callable[[Path, Known], Parts]
    write: Callable[[Comparisons, Path], None]


def format_of(path: Path) -> Format:
    """Find the format by the file's ending."""
    if path.is_dir():
        raise InputError("It is a folder; expected a file.")
    ending = path.suffix.lower()
    if ending == ".gz" and FORMATS.get(Path(path.stem).suffix.lower()) is _TEXT:
        return _GZIP
    if ending not in FORMATS:
        raise InputError(
            f"The ending {ending!r} is not that of a known format; expected one of"
            f" .csv.gz, .tsv.gz, {', '.join(FORMATS)}."
        )
    return FORMATS[ending]


def check_content(path: Path, expected: Format) -> None:
    """Refuse a file that is not there or holds something else than its ending says."""
    if not path.is_file():
        raise InputError("There is no such file.")
    if not os.access(path, os.R_OK):
        raise InputError("There is no permission to read it.")
    with path.open("rb") as file:
        head = file.read(4096)
    found = next((what for start, what in _CONTENTS.items() if head.startswith(start)), "text")
    if found == "text" and b"\0" in head:
        found = "binary data"
    if found != expected.content:
        raise InputError(
            f"It holds {found}, but its ending promises {expected.content}; rename it, or save it"
            " again as CSV in UTF-8."
        )


def refuse_options(**options: object) -> None:
    """Refuse an option that would do nothing for this kind of source."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} does not apply to this kind of source; leave it out.")


def _read_text(path: Path, known: Known) -> Parts:
    text = TextTable(path, known.header)
    return parts_of_table(
        text.read(),
        known.layout,
        names=known.names,
        n_objects=known.n_objects,
        place=lambda row: f"Line {text.line(row)}",
    )


def _write_text(comparisons: Comparisons, path: Path) -> None:
    write = table_writer(path)
    with path.open("wb") as file:
        write(_columns(comparisons), file)


def _read_parquet(path: Path, known: Known) -> Parts:
    import pyarrow as pa
    import pyarrow.parquet

    refuse_options(header=known.header)
    try:
        table = pa.parquet.read_table(path, partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"It cannot be read as Parquet: {error}.") from None
    stored = stored_facts(table.schema)
    layout = known.layout
    if layout.groups is None and "groups" in stored:
        layout = layout._replace(groups=stored["groups"])
    return parts_of_table(
        table,
        layout,
        names=stored.get("names") if known.names is None else known.names,
        n_objects=stored.get("n_objects") if known.n_objects is None else known.n_objects,
    )


def stored_facts(schema: pa.Schema) -> dict[str, Any]:
    """Return what Ordinate wrote into a Parquet file beside the columns, if it wrote the file."""
    facts: dict[str, Any] = json.loads((schema.metadata or {}).get(_KEY, b"{}"))
    return facts


def _write_parquet(comparisons: Comparisons, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    stored = {
        "n_objects": comparisons.n_objects,
        "names": comparisons.names,
        "groups": list(comparisons.groups),
    }
    table = pa.table(_columns(comparisons))
    table = table.replace_schema_metadata({_KEY: json.dumps(stored).encode()})
    pa.parquet.write_table(table, path)


def _read_npz(path: Path, known: Known) -> Parts:
    refuse_options(header=known.header, **known.layout._asdict())
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = dict(stored)
    except (ValueError, OSError, zipfile.BadZipFile, EOFError) as error:
        raise InputError(f"It cannot be read as NPZ without pickles: {error}.") from None
    if "rows" not in arrays:
        raise InputError(f"It has no array 'rows'; there are {', '.join(map(repr, arrays))}.")
    names, n_objects = known.names, known.n_objects
    if names is None and "names" in arrays:
        names = arrays["names"].tolist()
    if n_objects is None and "n_objects" in arrays:
        n_objects = int(arrays["n_objects"])
    groups = {
        key.removeprefix(_GROUP): labels for key, labels in arrays.items() if key.startswith(_GROUP)
    }
    answers, weights = arrays.get("answers"), arrays.get("weights")
    return Parts(arrays["rows"], answers, weights, groups, names, n_objects)


def _write_npz(comparisons: Comparisons, path: Path) -> None:
    arrays = {"rows": comparisons.rows, "n_objects": np.array(comparisons.n_objects)}
    if comparisons.weights is not None:
        arrays["weights"] = comparisons.weights
    if comparisons.names is not None:
        arrays["names"] = np.array(comparisons.names, dtype=np.str_)
    arrays |= {_GROUP + name: labels for name, labels in comparisons.groups.items()}
    # NumPy's stub takes every keyword for its own `allow_pickle`
    np.savez(path, **arrays)  # type: ignore[arg-type]


def _columns(comparisons: Comparisons) -> dict[str, Any]:
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


_HEADERS = {"triplet": ("anchor", "near", "far"), "quadruplet": ("i", "j", "k", "l")}

_TEXT = Format("text", _read_text, _write_text)
_GZIP = Format("gzip data", _read_text, _write_text)
FORMATS = {
    ".csv": _TEXT,
    ".tsv": _TEXT,
    ".parquet": Format("Parquet data", _read_parquet, _write_parquet),
    ".npz": Format("a zip archive", _read_npz, _write_npz),
}
"""Formats by the ending of the file's name."""


def read_table(path: Path) -> pa.Table:
    """Read a text or Parquet file into a table of whole numbers and text, or of its own types."""
    import pyarrow as pa
    import pyarrow.parquet

    found = format_of(path)
    check_content(path, found)
    if found is format_of(Path("_.npz")):
        raise InputError("Such tables are read from text or Parquet files, not from NPZ.")
    if found is not format_of(Path("_.parquet")):
        return TextTable(path).read()
    try:
        return pa.parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"It cannot be read as Parquet: {error}.") from None
