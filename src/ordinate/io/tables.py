"""The one reader of tables: text, JSON, Parquet, zipped or not, and data frames."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ordinate._checks import InputError, as_rows
from ordinate.io.atomic import file_exists
from ordinate.io.columns import arrow_copy
from ordinate.io.delimited_text import UTF16_MARKS, TextTable, as_utf8

if TYPE_CHECKING:
    import pyarrow as pa

STDIN = "-"
"""In place of a path: standard input."""

_MOST_DIGITS = 640
"""Python's int takes this many at least, whatever limit is set."""

_MOST_UNPACKED = 2**27
_MOST_TIMES = 100
"""Bytes that an archive may hold in any case, and how many times its own size."""

_CONTENTS = {
    b"PAR1": "Parquet data",
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "a zip archive",
    b"\x1f\x8b": "gzip data",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
}
"""First bytes of files that people pass, and what those are."""
_HELD = dict.fromkeys((".zip", ".xlsx"), "a zip archive") | {
    ".gz": "gzip data",
    ".parquet": "Parquet data",
}
"""What a file holds by its ending, if not text."""


class Table(Protocol):
    """A table whose columns are read when it is known which of them matter."""

    @property
    def names(self) -> list[str]:
        """Names of all columns; "0", "1", … where they have none."""

    def read(self, labels: Sequence[str], others: Sequence[str] = ()) -> pa.Table:
        """Read columns of labels exactly as they are written, and others as numbers or text."""

    def place(self, row: int) -> str:
        """Words for where a row stands, such as "Line 3"."""


class ArrowTable:
    """A table that is in memory, with columns of any type."""

    def __init__(
        self,
        table: pa.Table,
        place: Callable[[int], str] = "Row {}".format,
        positions: bool = False,
    ) -> None:
        self.table = table
        self.place = place
        self.positions = positions

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        names: list[str] = self.table.column_names
        return names

    def read(self, labels: Sequence[str], others: Sequence[str] = ()) -> pa.Table:
        """Return the columns as they are."""
        return self.table.select([*labels, *others])


class JoinedTable:
    """A table in which several columns name an object together, such as type+level."""

    def __init__(self, table: Table, joined: Sequence[str]) -> None:
        self._table = table
        self._joined = joined
        self.names = [*table.names, *joined]
        self.place = table.place
        self.n_lines = getattr(table, "n_lines", None)

    def read(self, labels: Sequence[str], others: Sequence[str] = ()) -> pa.Table:
        """Read the columns, those of joined names with a blank between their entries."""
        import pyarrow as pa
        import pyarrow.compute as pc

        wanted = dict.fromkeys(
            part
            for name in (*labels, *others)
            for part in (name.split("+") if name in self._joined else [name])
        )
        read = self._table.read([n for n in wanted if n not in others], others)
        for name in set(self._joined).intersection(labels):
            parts = [read.column(part).cast(pa.large_string()) for part in name.split("+")]
            read = read.append_column(
                name, pc.binary_join_element_wise(*parts, pa.scalar(" ", pa.large_string()))
            )
        return read.select([*labels, *others])


def with_joined_columns(table: Table, columns: Sequence[object]) -> Table:
    """Return the table with a column for each name such as type+level of columns that it has."""
    names = set(table.names)
    joined = [
        name
        for name in map(str, columns)
        if "+" in name and name not in names and names.issuperset(name.split("+"))
    ]
    return JoinedTable(table, joined) if joined else table


class ParquetTable:
    """A Parquet file, of which only the columns that matter are read."""

    def __init__(self, source: Path | bytes) -> None:
        self._source = source
        with self._open() as file:
            self.schema = file.schema_arrow

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        names: list[str] = self.schema.names
        return names

    def read(self, labels: Sequence[str], others: Sequence[str] = ()) -> pa.Table:
        """Read the columns; text of labels comes as a dictionary, which spares most decoding."""
        import pyarrow as pa

        flat = [name for name in labels if not pa.types.is_nested(self.schema.field(name).type)]
        with self._open(read_dictionary=flat) as file:
            return file.read([*labels, *others])

    def place(self, row: int) -> str:
        """Return the number of a row, counted from 0."""
        return f"Row {row}"

    @contextmanager
    def _open(self, **options: Any) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        source = self._source
        try:
            with pq.ParquetFile(
                pa.BufferReader(arrow_copy(source)) if isinstance(source, bytes) else source,
                **options,
            ) as file:
                yield file
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise InputError(f"It cannot be read as Parquet: {error}.") from None


def _open_text(data: bytes, header: bool | None, encoding: str | None) -> Table:
    if data.lstrip()[:1] in (b"[", b"{"):  # the results of JATOS are such lines
        with suppress(InputError):
            return _open_json_lines(data, header, encoding)
    return TextTable(data, header, encoding)


def _open_parquet(data: bytes | Path, header: bool | None, encoding: str | None) -> Table:
    refuse_options(header=header, encoding=encoding)
    return ParquetTable(data)


def _open_json(data: bytes, header: bool | None, encoding: str | None) -> Table:
    refuse_options(header=header)
    return _table_of_records(parse_json(as_utf8(data, encoding), "It"), "Entry {}".format)


def _open_json_lines(data: bytes, header: bool | None, encoding: str | None) -> Table:
    refuse_options(header=header)
    lines: list[int] = []
    records: list[Any] = []
    for number, line in enumerate(as_utf8(data, encoding).splitlines(), start=1):
        if line.strip():
            found = parse_json(line, f"Line {number}")
            records += found if isinstance(found, list) else [found]
            lines += [number] * (len(records) - len(lines))
    return _table_of_records(records, lambda row: f"Line {lines[row]}")


def _open_excel(data: bytes, header: bool | None, encoding: str | None) -> Table:
    """Take the one sheet of a workbook as the text that saving it as CSV would give."""
    refuse_options(encoding=encoding)
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise InputError(
            'Excel files need the library openpyxl: pip install "ordinate[excel]", or save the'
            " sheet as CSV."
        ) from None
    try:
        sheets = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets
        filled = {sheet.title: rows for sheet in sheets if (rows := list(sheet.values))}
    except Exception as error:  # openpyxl raises whatever a damaged archive makes it raise
        raise InputError(f"It cannot be read as an Excel file: {error}.") from None
    if len(filled) != 1:
        named = ", ".join(map(repr, filled)) or "none"
        raise InputError(
            f"Expected a workbook with one sheet of rows; got {named}. Save the sheet you mean as"
            " CSV."
        )
    (rows,) = filled.values()
    text = io.StringIO()
    csv.writer(text).writerows(row for row in rows if any(entry is not None for entry in row))
    return TextTable(text.getvalue().encode(), header, None)


TABLES: dict[str, Callable[..., Table]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".dat", ".data"), _open_text),
    ".json": _open_json,
    ".jsonl": _open_json_lines,
    ".parquet": _open_parquet,
    ".xlsx": _open_excel,
}
"""Tables by the ending of the file's name; text and JSON may be in gzip, all may be in a zip."""


def open_table(
    path: str | os.PathLike[str], *, header: bool | None = None, encoding: str | None = None
) -> Table:
    """Open a file, or standard input, as a table."""
    if os.fspath(path) == STDIN:
        data = sys.stdin.buffer.read()
        return TABLES[_ending_by_content(data)](data, header, encoding)
    file = Path(path)
    if file.is_dir():
        raise InputError("It is a folder; expected a file.")
    packed, ending = split_ending(file)
    check_content(file, _HELD.get(packed or ending, "text"), any_text=encoding is not None)
    if packed == ".zip":
        data, ending = _unzipped(file)
    elif ending == ".parquet":  # of which only some columns are read
        return _open_parquet(file, header, encoding)
    else:
        data = _gunzipped(file) if packed else file.read_bytes()
    return TABLES[ending](data, header, encoding)


def is_frame(source: Any) -> bool:
    """Tell whether something is a data frame or a mapping of columns."""
    return isinstance(source, Mapping) or any(
        hasattr(source, name) for name in ("__arrow_c_stream__", "__dataframe__")
    )


def as_table(source: Any) -> ArrowTable:
    """Return a frame, a mapping of columns or an array with 3 or 4 columns as a table."""
    import pyarrow as pa

    is_array = not is_frame(source)
    if is_array and np.ma.is_masked(source):  # what is masked is missing
        columns = np.ma.asarray(source).T
        source = {str(number): pa.array(column) for number, column in enumerate(columns)}
    elif is_array:
        source = {str(number): column for number, column in enumerate(as_rows(source).T)}
    try:
        return ArrowTable(_with_index_first(pa.table(source)), positions=is_array)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"The source is not a table of numbers or text: {error}.") from None


_INDEX = "__index_level_0__"
"""What Arrow calls an index of pandas that has no name, behind the columns."""


def _with_index_first(table: pa.Table) -> pa.Table:
    """Put an index without a name before the columns, where `to_csv` writes it."""
    names = table.column_names
    if _INDEX not in names or "" in names:
        return table
    table = table.select([_INDEX, *(name for name in names if name != _INDEX)])
    return table.rename_columns(["", *table.column_names[1:]])


def split_ending(path: PurePath) -> tuple[str, str]:
    """Return how a file is packed, .gz or .zip or not at all, and the ending that says its kind."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    ending = suffixes[-1] if suffixes else ""
    if ending == ".zip":
        return ".zip", ""
    if ending == ".gz" and len(suffixes) == 2 and suffixes[0] in TABLES:
        return ".gz", suffixes[0]
    if ending not in TABLES:
        raise InputError(
            f"The ending {ending!r} is not that of a known format; expected one of"
            f" {', '.join(TABLES)}, .csv.gz, .zip."
        )
    return "", ending


def check_content(path: Path, expected: str, *, any_text: bool = False) -> None:
    """Refuse a file that is not there or holds something else than its ending says."""
    if not file_exists(path):
        raise InputError("There is no such file.")
    if not os.access(path, os.R_OK):
        raise InputError("There is no permission to read it.")
    if not path.is_file():  # a pipe can be read only once
        return
    if any_text and expected == "text":
        return
    with path.open("rb") as file:
        head = file.read(4096)
    found = next((what for start, what in _CONTENTS.items() if head.startswith(start)), "text")
    if found == "text" and b"\0" in head and not head.startswith(UTF16_MARKS):
        found = "binary data"
    if found != expected:
        raise InputError(
            f"It holds {found}, but its ending says {expected}; rename it, or save it"
            " again as CSV in UTF-8."
        )


def matching_files(source: Any) -> list[Any]:
    """Return the files that match a pattern, in sorted order; anything else as it is."""
    if not isinstance(source, str | os.PathLike):
        return [source]
    path = Path(source)
    if not set("*?[") & set(path.name) or path.exists():
        return [source]
    found = sorted(path.parent.glob(path.name))
    if not found:
        raise InputError(f"{path}: No file matches this pattern.")
    return list(found)


def refuse_options(**options: object) -> None:
    """Refuse an option that would do nothing for this kind of source."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} does not apply to this kind of source; leave it out.")


@contextmanager
def table_of(
    source: Any, header: bool | None = None, encoding: str | None = None, *, arrays: bool = False
) -> Iterator[Table]:
    """Take a frame or array, or open a file, whose name begins the message of a mistake in it."""
    if isinstance(source, str | os.PathLike):
        with errors_naming(os.fspath(source)):
            yield open_table(source, header=header, encoding=encoding)
    elif arrays or is_frame(source):
        refuse_options(header=header, encoding=encoding)
        yield as_table(source)
    else:
        raise InputError(f"Expected a path or a data frame; got {type(source).__name__}.")


def name_of(source: object, otherwise: str) -> str:
    """Return what messages call a source: its file, or what it is."""
    return os.fspath(source) if isinstance(source, str | os.PathLike) else otherwise


@contextmanager
def errors_naming(source: object) -> Iterator[None]:
    """Begin the message of a mistake in a file, or a part of one, with its name."""
    try:
        yield
    except InputError as error:
        error.args = (f"{source}: {error}",)  # it may carry more than its message
        raise error from None
    except OSError as error:  # such as a name that is too long, or a disk that fails
        raise InputError(f"{source}: It cannot be read: {error.strerror or error}.") from None


def _ending_by_content(data: bytes) -> str:
    if data.startswith(b"PAR1"):
        return ".parquet"
    if data.lstrip()[:1] not in (b"[", b"{"):
        return ".csv"
    try:
        parse_json(data, "It")
    except InputError:
        return ".jsonl"
    return ".json"


def parse_json(text: str | bytes, what: str) -> Any:
    """Return what JSON holds, or say that `what` cannot be read."""
    try:
        return json.loads(text, parse_int=_whole_number)
    except RecursionError:
        raise InputError(f"{what} cannot be read as JSON: its brackets nest too deeply.") from None
    except ValueError as error:  # also of letters
        raise InputError(f"{what} cannot be read as JSON: {error}.") from None


def _whole_number(digits: str) -> int | str:
    """Return a whole number, as text where Python's int does not take so many digits."""
    return int(digits) if len(digits) < _MOST_DIGITS else digits


def _unzipped(path: Path) -> tuple[bytes, str]:
    """Return the one table of a zip archive, and its ending."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [
                name
                for name in archive.namelist()
                if PurePath(name).suffix.lower() in TABLES and not name.startswith("__MACOSX")
            ]
            if len(names) != 1:
                raise InputError(
                    f"It must hold one table; found {', '.join(map(repr, names)) or 'none'}."
                )
            _refuse_bomb(archive.getinfo(names[0]).file_size, path)
            return archive.read(names[0]), PurePath(names[0]).suffix.lower()
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"It cannot be read as a zip archive: {error}.") from None


def _refuse_bomb(n_bytes: int, path: Path) -> None:
    """Refuse an archive that holds far more than tables of answers do in so few bytes."""
    packed = path.stat().st_size
    if n_bytes > max(_MOST_UNPACKED, _MOST_TIMES * packed):
        raise InputError(
            f"It holds over {_MOST_UNPACKED // 2**20} MB in {packed / 2**20:.1f} MB, more than"
            " answers do; unpack it first if that is right."
        )


def _gunzipped(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            data = file.read(max(_MOST_UNPACKED, _MOST_TIMES * path.stat().st_size) + 1)
        _refuse_bomb(len(data), path)
        return data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"It cannot be read as gzip: {error}.") from None


def _table_of_records(content: Any, place: Callable[[int], str]) -> ArrowTable:
    """Return a list of objects, or an object of columns, as a table of text."""
    import pyarrow as pa

    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        if len(lists) == 1 and all(isinstance(entry, dict) for entry in lists[0]):
            content = lists[0]  # {"trials": [...]}
        elif lists and len(lists) == len(content) and len({len(column) for column in lists}) == 1:
            content = [dict(zip(content, row, strict=True)) for row in zip(*lists, strict=True)]
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise InputError("It must hold a list of objects, one per answer: [{...}, {...}].")
    content = [_without_targets(entry) for entry in content]
    names = dict.fromkeys(str(name) for entry in content for name in entry)
    texts = {name: [json_text(entry.get(name)) for entry in content] for name in names}
    columns = {name: pa.array(entries, pa.string()) for name, entries in texts.items()}
    return ArrowTable(pa.table(columns), place)


def _without_targets(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of NEXT with its targets under center, left and right, by their names."""
    targets = entry.get("target_indices")
    if not isinstance(targets, list) or not all(isinstance(one, dict) for one in targets):
        return entry
    found = {name: value for name, value in entry.items() if name != "target_indices"}
    for one in targets:
        of = one.get("target") if isinstance(one.get("target"), dict) else one
        named = of.get("primary_description", one.get("primary_description", one.get("index")))
        found[str(one.get("label"))] = named
        if "target_winner" in found and found["target_winner"] == one.get("index", named):
            found["winner"] = named
    return found


def json_text(value: Any) -> str | None:
    """Return what stands in JSON as an entry; None where it says that there is none."""
    if value is None or value == "" or isinstance(value, str):
        return value or None
    if isinstance(value, float) and math.isnan(value):  # as Python and pandas write a gap
        return None
    return json.dumps(value, ensure_ascii=False)
