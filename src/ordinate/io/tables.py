"""The one reader of tables: text, JSON, Parquet, zipped or not, and data frames."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ordinate._checks import InputError, as_rows
from ordinate.comparisons.labels import is_number
from ordinate.io.atomic import file_exists

if TYPE_CHECKING:
    import pyarrow as pa

STDIN = "-"
"""In place of a path: standard input."""

_DELIMITERS = ",;\t"
_MISSING = ["", "NA", "NaN", "nan", "null"]

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
    """A table that is in memory, with columns of any type.

    Parameters
    ----------
    table : pyarrow.Table
        The columns.
    place : callable, optional
        From the number of a row to words for where it stands.
    positions : bool
        Whether whole numbers are positions of objects, as in arrays, and not labels.
    """

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


class TextTable:
    """Delimited text: what its columns are called, its entries, its line numbers.

    Parameters
    ----------
    data : bytes
        The whole text. Lines that begin with # and blank lines are no rows.
    header : bool, optional
        Whether the first line names the columns; by default it does unless every entry of it
        is a number. Without a header the columns are called "0", "1", ...
    encoding : str
        How letters are written.
    """

    def __init__(
        self, data: bytes, header: bool | None = None, encoding: str | None = None
    ) -> None:
        self._data = _as_utf8(data, encoding)
        first, before = self._first_line()
        if not first.strip():  # of control characters, too
            raise InputError("There is nothing in the file.")
        self.delimiter = self._find_delimiter(first)
        if self.delimiter == " ":
            self._data = _with_single_blanks(self._data)
        fields = _fields(first, self.delimiter)
        named = _commented_header(self._data, before, self.delimiter, fields)
        self._data = _without_comments(self._data, self.delimiter, len(fields))
        self._lines_to_skip = before
        if named is not None and header is not False:
            self.names = named
            self._first_row = 0
        else:
            has_header = not all(map(is_number, fields)) if header is None else header
            fields[0] = fields[0].removeprefix("#") if has_header else fields[0]
            self.names = fields if has_header else [str(i) for i in range(len(fields))]
            self._first_row = int(has_header)

    def without_header(self) -> TextTable:
        """Return the same text with its first line taken as a row."""
        return TextTable(self._data, header=False)

    def _first_line(self) -> tuple[str, int]:
        """Return the first line that is neither blank nor a comment, and how many come before."""
        head = 2**16
        while True:
            lines = self._data[:head].splitlines()
            for before, line in enumerate(lines):
                if line.strip() and not _is_remark(line):
                    if line is lines[-1] and head < len(self._data):
                        break  # perhaps only a part of the line
                    return line.decode(), before
            if head >= len(self._data):
                # nothing but lines that begin with #: colours, say, or remarks alone
                lines = [line for line in lines if line.strip()]
                return (lines[0].decode(), 0) if lines else ("", 0)
            head *= 16

    def _find_delimiter(self, first: str) -> str:
        found = max(_DELIMITERS, key=lambda mark: len(_fields(first, mark)))
        if len(_fields(first, found)) > 1 or len(first.split()) == 1:
            return found
        second = self._data[: 2**16].splitlines()[:2][-1].decode()
        return " " if len(second.split()) == len(first.split()) else found

    def read(self, labels: Sequence[str], others: Sequence[str] = ()) -> pa.Table:
        """Read columns in one pass over the text.

        Parameters
        ----------
        labels : sequence of str
            Columns that come as dictionaries of text without blanks around it, or of whole
            numbers where all entries are written as such ("007" is not).
        others : sequence of str
            Columns that come as whole numbers, as floating-point numbers or else as text.

        Returns
        -------
        pyarrow.Table
            The columns; null where an entry is missing.
        """
        import pyarrow as pa

        label = pa.dictionary(pa.int32(), pa.string())
        table = self._read_csv([*labels, *others], dict.fromkeys(labels, label))
        numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_null)
        types = {name: table.schema.field(name).type for name in others}
        texts = [name for name, type_ in types.items() if not any(is_(type_) for is_ in numeric)]
        if texts:  # what looks like dates or truth values stays as it is written
            again = self._read_csv(texts, dict.fromkeys(texts, label))
            for name in texts:
                at = table.column_names.index(name)
                table = table.set_column(at, name, again.column(name))
        columns = {
            name: _cleaned(column) if pa.types.is_dictionary(column.type) else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
        return pa.table(columns)

    def _read_csv(self, names: Sequence[str], types: Mapping[str, pa.DataType]) -> pa.Table:
        import pyarrow as pa
        import pyarrow.csv

        try:
            return pa.csv.read_csv(
                pa.py_buffer(self._data),
                pa.csv.ReadOptions(
                    column_names=self.names, skip_rows=self._lines_to_skip + self._first_row
                ),
                pa.csv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=b'"' in self._data
                ),
                pa.csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(names),
                    null_values=_MISSING,
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                    decimal_point="," if self._has_decimal_commas else ".",
                    check_utf8=False,
                ),
            )
        except pa.ArrowInvalid as error:
            self.refuse_ragged()
            raise InputError(f"It cannot be read as delimited text: {error}.") from None

    @property
    def _has_decimal_commas(self) -> bool:
        number = rb"(^|;)[ ]*-?\d+,\d+[ ]*(;|\r?$)"
        return self.delimiter == ";" and re.search(number, self._data[: 2**20], re.M) is not None

    def place(self, row: int) -> str:
        """Line of the file on which a row ends, counted from 1; all lines count."""
        return f"Line {self.line(row)}"

    def line(self, row: int) -> int:
        """Line of the file on which a row ends, counted from 1.

        Parameters
        ----------
        row : int
            Number of a row of entries, counted from 0.

        Returns
        -------
        int
            Blank lines, remarks and the header count too.
        """
        wanted = row + self._first_row
        return next(line for at, (line, _) in enumerate(self._lines()) if at == wanted)

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        text = io.TextIOWrapper(io.BytesIO(self._data), encoding="utf-8", newline="")
        reader = csv.reader(text, delimiter=self.delimiter)
        for fields in reader:
            if fields:
                yield reader.line_num, fields

    def refuse_ragged(self) -> None:
        """Name the first line that has more or fewer entries than the first, if there is one."""
        for line, fields in self._lines():
            if len(fields) != len(self.names):
                raise InputError(
                    f"Line {line} has {len(fields)} entries, the first line has {len(self.names)};"
                    " all lines need the same number, and a header must be the first line."
                )


class ParquetTable:
    """A Parquet file, of which only the columns that matter are read.

    Parameters
    ----------
    source : Path or bytes
        The file.
    """

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
                pa.BufferReader(source) if isinstance(source, bytes) else source, **options
            ) as file:
                yield file
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise InputError(f"It cannot be read as Parquet: {error}.") from None


class TextOptions(NamedTuple):
    """How text is to be read."""

    header: bool | None = None
    encoding: str | None = None


class Format(NamedTuple):
    """One kind of table: what its bytes are, and how they become a table."""

    content: str
    open: Callable[[bytes, TextOptions], Table]


def _open_text(data: bytes, reading: TextOptions) -> Table:
    return TextTable(data, reading.header, reading.encoding)


def _open_parquet(data: bytes, reading: TextOptions) -> Table:
    refuse_options(**reading._asdict())
    return ParquetTable(data)


def _open_json(data: bytes, reading: TextOptions) -> Table:
    refuse_options(header=reading.header)
    try:
        return _table_of_records(json.loads(_as_utf8(data, reading.encoding)), "Entry {}".format)
    except json.JSONDecodeError as error:
        raise InputError(f"It cannot be read as JSON: {error}.") from None


def _open_json_lines(data: bytes, reading: TextOptions) -> Table:
    refuse_options(header=reading.header)
    lines, records = [], []
    for number, line in enumerate(_as_utf8(data, reading.encoding).splitlines(), start=1):
        if line.strip():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise InputError(f"Line {number} cannot be read as JSON: {error}.") from None
            lines.append(number)
    return _table_of_records(records, lambda row: f"Line {lines[row]}")


TABLES = {
    ".csv": Format("text", _open_text),
    ".tsv": Format("text", _open_text),
    ".txt": Format("text", _open_text),
    ".dat": Format("text", _open_text),
    ".json": Format("text", _open_json),
    ".jsonl": Format("text", _open_json_lines),
    ".parquet": Format("Parquet data", _open_parquet),
}
"""Tables by the ending of the file's name; text and JSON may be in gzip, all may be in a zip."""


def open_table(
    path: str | os.PathLike[str], *, header: bool | None = None, encoding: str | None = None
) -> Table:
    """Open a file, or standard input, as a table.

    Parameters
    ----------
    path : str or path-like
        A file with an ending of `TABLES`, perhaps with .gz after it, or a .zip with one such
        file in it; or "-" for standard input.
    header : bool, optional
        Whether the first line of text names the columns; by default unless it holds numbers.
    encoding : str, optional
        Encoding of text; by default UTF-8.

    Returns
    -------
    Table
        Only its header has been looked at so far.
    """
    reading = TextOptions(header, encoding)
    if os.fspath(path) == STDIN:
        data = sys.stdin.buffer.read()
        return TABLES[_ending_by_content(data)].open(data, reading)
    file = Path(path)
    if file.is_dir():
        raise InputError("It is a folder; expected a file.")
    packed, ending = split_ending(file)
    contents = {".gz": "gzip data", ".zip": "a zip archive"}
    expected = contents[packed] if packed else TABLES[ending].content
    check_content(file, expected, any_text=encoding is not None)
    if packed == ".zip":
        data, ending = _unzipped(file)
    elif packed == ".gz":
        data = _gunzipped(file)
    elif ending == ".parquet":
        refuse_options(**reading._asdict())
        return ParquetTable(file)
    else:
        data = file.read_bytes()
    return TABLES[ending].open(data, reading)


def as_table(source: Any) -> ArrowTable:
    """Return a frame, a mapping of columns or an array with 3 or 4 columns as a table."""
    import pyarrow as pa

    is_frame = any(hasattr(source, name) for name in ("__arrow_c_stream__", "__dataframe__"))
    is_array = not is_frame and not isinstance(source, Mapping)
    if is_array:
        source = {str(number): column for number, column in enumerate(as_rows(source).T)}
    try:
        return ArrowTable(pa.table(source), positions=is_array)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"The source is not a table of numbers or text: {error}.") from None


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
    """Refuse a file that is not there or holds something else than its ending says.

    Parameters
    ----------
    path : Path
        The file.
    expected : str
        What its ending promises.
    any_text : bool
        Whether text may have any encoding, as the caller knows which.
    """
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
    if found == "text" and b"\0" in head:
        found = "binary data"
    if found != expected:
        raise InputError(
            f"It holds {found}, but its ending promises {expected}; rename it, or save it"
            " again as CSV in UTF-8."
        )


def refuse_options(**options: object) -> None:
    """Refuse an option that would do nothing for this kind of source."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} does not apply to this kind of source; leave it out.")


@contextmanager
def errors_naming(source: object) -> Iterator[None]:
    """Begin the message of a mistake in a file, or a part of one, with its name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    except OSError as error:  # such as a name that is too long, or a disk that fails
        raise InputError(f"{source}: It cannot be read: {error.strerror or error}.") from None


def _ending_by_content(data: bytes) -> str:
    if data.startswith(b"PAR1"):
        return ".parquet"
    if data.lstrip()[:1] not in (b"[", b"{"):
        return ".csv"
    try:
        json.loads(data)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return ".jsonl"
    return ".json"


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
            return archive.read(names[0]), PurePath(names[0]).suffix.lower()
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"It cannot be read as a zip archive: {error}.") from None


def _gunzipped(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
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
    names = dict.fromkeys(str(name) for entry in content for name in entry)
    texts = {name: [_as_text(entry.get(name)) for entry in content] for name in names}
    columns = {name: pa.array(entries, pa.string()) for name, entries in texts.items()}
    return ArrowTable(pa.table(columns), place)


def _as_text(value: Any) -> str | None:
    if value is None or value == "" or isinstance(value, str):
        return value or None
    return json.dumps(value, ensure_ascii=False)


def _as_utf8(data: bytes, encoding: str | None) -> bytes:
    if encoding is None and data.isascii():  # told at a glance, where decoding copies all of it
        return data
    try:
        text = data.decode(encoding or "utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            f"It is not {(encoding or 'UTF-8').upper()} text; pass its encoding, such as"
            " encoding='latin-1', or save it again as UTF-8 (in Excel: the file type 'CSV UTF-8')."
        ) from None
    except LookupError:
        raise InputError(
            f"There is no encoding {encoding!r}; common ones are utf-8, latin-1 and cp1252."
        ) from None
    if encoding is None:
        return data.removeprefix(b"\xef\xbb\xbf")
    return text.removeprefix("\ufeff").encode()


def _cleaned(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Trim the entries of a dictionary column; whole numbers as one writes them become such."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return column
    words = pc.utf8_trim_whitespace(chunks[0].dictionary)
    try:
        numbers = words.cast(pa.int64())
        words = numbers if numbers.cast(pa.string()).equals(words) else words
    except pa.ArrowInvalid:
        pass
    chunks = [pa.DictionaryArray.from_arrays(chunk.indices, words) for chunk in chunks]
    return pa.chunked_array(chunks)


def _is_remark(line: bytes) -> bool:
    """Whether a line begins with #, alone or before a blank: colours such as #ff0000 do not."""
    start = line.lstrip()
    return start.startswith(b"#") and not re.match(rb"#[0-9A-Za-z]", start)


def _commented_header(
    data: bytes, before: int, delimiter: str, fields: Sequence[str]
) -> list[str] | None:
    """Return the names in a remark right above numbers, as NumPy's savetxt writes a header."""
    if before == 0 or not all(map(is_number, fields)):
        return None
    remark = data[: 2**20].splitlines()[before - 1].decode().lstrip()
    names = _fields(remark.removeprefix("#"), delimiter)
    return names if remark.startswith("#") and len(names) == len(fields) else None


def _without_comments(data: bytes, delimiter: str, n_columns: int) -> bytes:
    """Empty the lines that are remarks, so that all other lines keep their numbers."""
    if b"#" not in data:
        return data

    def emptied(match: re.Match[bytes]) -> bytes:
        line = match.group()
        odd = len(_fields(line.decode(), delimiter)) != n_columns
        return b"" if odd or _is_remark(line) else line

    return re.sub(rb"(?m)^[ \t]*#[^\r\n]*", emptied, data)


def _with_single_blanks(data: bytes) -> bytes:
    data = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", data)
    return re.sub(rb"[ \t]+", b" ", data)


def _fields(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    return [field.strip() for field in next(csv.reader([line], delimiter=delimiter), [])]
