"""Delimited text as a table: its encoding, delimiter, header, comments and line numbers."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ordinate._checks import InputError
from ordinate.comparisons.labels import is_number

if TYPE_CHECKING:
    import pyarrow as pa

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How text begins that a spreadsheet saved as "Unicode text"."""
_DELIMITERS = ",;\t"
_MISSING = ["", "NA", "NaN", "nan", "null"]


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
        self._data = as_utf8(data, encoding)
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
                if line.strip() and not _is_comment(line):
                    if line is lines[-1] and head < len(self._data):
                        break  # perhaps only a part of the line
                    return line.decode(), before
            if head >= len(self._data):
                # nothing but lines that begin with #: colours, say, or comments alone
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
            Blank lines, comments and the header count too.
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


def as_utf8(data: bytes, encoding: str | None) -> bytes:
    """Return text in UTF-8 without a byte order mark, or say in which encoding it is not."""
    if encoding is None and data.isascii():  # told at a glance, where decoding copies all of it
        return data
    if encoding is None and data.startswith(UTF16_MARKS):
        encoding = "utf-16"
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


def _is_comment(line: bytes) -> bool:
    """Whether a line begins with #, alone or before a blank: colours such as #ff0000 do not."""
    start = line.lstrip()
    return start.startswith(b"#") and not re.match(rb"#[0-9A-Za-z]", start)


def _commented_header(
    data: bytes, before: int, delimiter: str, fields: Sequence[str]
) -> list[str] | None:
    """Return the names in a comment right above numbers, as NumPy's savetxt writes a header."""
    if before == 0 or not all(map(is_number, fields)):
        return None
    comment = data[: 2**20].splitlines()[before - 1].decode().lstrip()
    names = _fields(comment.removeprefix("#"), delimiter)
    return names if comment.startswith("#") and len(names) == len(fields) else None


def _without_comments(data: bytes, delimiter: str, n_columns: int) -> bytes:
    """Empty the lines that are comments, so that all other lines keep their numbers."""
    if b"#" not in data:
        return data

    def emptied(match: re.Match[bytes]) -> bytes:
        line = match.group()
        odd = len(_fields(line.decode(), delimiter)) != n_columns
        return b"" if odd or _is_comment(line) else line

    return re.sub(rb"(?m)^[ \t]*#[^\r\n]*", emptied, data)


def _with_single_blanks(data: bytes) -> bytes:
    data = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", data)
    return re.sub(rb"[ \t]+", b" ", data)


def _fields(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    return [field.strip() for field in next(csv.reader([line], delimiter=delimiter), [])]
