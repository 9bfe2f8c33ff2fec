"""Delimited text as a table: its encoding, delimiter, header, comments and line numbers."""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.labels import is_number
from ordinate.io.columns import DroppedRowsWarning, arrow_copy

if TYPE_CHECKING:
    import pyarrow as pa

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How text begins that a spreadsheet saved as "Unicode text"."""
_DELIMITERS = ",;\t|"
_NEWLINE = b"\n"
_QUOTED = rb'(?:\A|(?<=[\n%b]))"((?:[^"]++|"")*+")?'
"""A quoted entry; of one that is never closed the mark alone."""
MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None"]
"""How text says that there is no entry, as R, pandas, spreadsheets and databases write it."""


class TextTable:
    """Delimited text: what its columns are called, its entries, its line numbers."""

    def __init__(
        self, data: bytes, header: bool | None = None, encoding: str | None = None
    ) -> None:
        # what Excel is told in the first line, the delimiter, is seen from the lines below
        self._data = re.sub(rb"\Asep=.(?=[\r\n])", b"", as_utf8(data, encoding))
        first, before = self._first_line()
        if not first.strip():  # of control characters, too
            raise InputError("There is nothing in the file.")
        if "\t" not in first and len(first.split("::")) > max(2, first.count(",") + 1):
            # the double colons of MovieLens' files; readers of tables know single characters only
            self._data = self._data.replace(b"::", b"\t")
            first = first.replace("::", "\t")
        self._blank_further_headers(before)
        self.delimiter = self._find_delimiter(first)
        if self.delimiter == " ":
            self._data = _with_single_blanks(self._data)
        fields = _fields(first, self.delimiter)
        named = None
        if before and all(map(is_number, fields)):  # NumPy's savetxt writes a header as a comment
            comment = self._data[: 2**20].splitlines()[before - 1].decode().lstrip()
            above = _fields(comment.removeprefix("#"), self.delimiter)
            named = above if comment.startswith("#") and len(above) == len(fields) else None
        self._data, left_out = _without_comments(self._data, self.delimiter, len(fields), before)
        if left_out:
            warnings.warn(
                f"Line {left_out[0]} begins with # and was left out as a comment, though it has as"
                f" many entries as a row (lines like it: {len(left_out)}). If # begins a label,"
                " put the label in quotation marks.",
                DroppedRowsWarning,
                stacklevel=2,
            )
        self._lines_to_skip, self._is_compared = before, False
        self.n_lines: int | None = None  # where quoted entries go over several of them
        if named is not None and header is not False:
            self.names = named
            self._first_row = 0
        else:
            has_header = self._is_header(fields, before) if header is None else header
            fields[0] = fields[0].removeprefix("#") if has_header else fields[0]
            if has_header and fields.count("") > 1:  # names for columns that have none
                fields = [name or f"column {at}" for at, name in enumerate(fields, start=1)]
            self.names = fields if has_header else [str(i) for i in range(len(fields))]
            self._first_row = int(has_header)
        self._has_row_names = bool(self._first_row) and self._numbers_rows(before)
        if self._has_row_names:
            self.names = ["", *self.names]

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

    def _blank_further_headers(self, before: int) -> None:
        """Leave out what Qualtrics writes below the names of columns, as blank lines that count."""
        found = re.search(rb'(?m)^"?\{"{1,2}ImportId".*$', self._data[: 2**20])
        if found:
            start = 0
            for _ in range(before + 1):
                start = self._data.index(b"\n", start) + 1
            n_lines = self._data.count(b"\n", start, found.end())
            self._data = self._data[:start] + b"\n" * n_lines + self._data[found.end() :]

    def _is_header(self, fields: Sequence[str], before: int) -> bool:
        """Whether fields name columns: not if all are numbers, but for 0, 1, 2 above words."""
        if not all(map(is_number, fields)):
            return True
        if list(fields) != [str(at) for at in range(len(fields))]:
            return False
        head = self._data[: 2**20].decode(errors="replace").splitlines()[before + 1 :]
        rows = [
            row for row in csv.reader(head, delimiter=self.delimiter) if len(row) == len(fields)
        ]
        columns = [
            {entry.strip() for entry in column}.difference(MISSING)
            for column in zip(*rows, strict=True)
        ]
        entries = set[str]().union(*columns)
        if all(map(is_number, entries)):
            return False
        if entries.isdisjoint(fields) or any(
            column and not any(map(is_number, column)) for column in columns
        ):
            return True
        raise InputError(
            f"The first line, {', '.join(fields)}, may number the columns, or hold objects like the"
            f" lines below; say which with {argument('header', True)} or"
            f" {argument('header', False)}."
        )

    def _numbers_rows(self, before: int) -> bool:
        """Whether lines begin with a quoted number that the header has no name for, as R's do."""
        lines = self._data[: 2**20].splitlines()[before + 1 :]
        second = next(filter(bytes.strip, lines), b"").decode(errors="replace")
        is_longer = len(_fields(second, self.delimiter)) == len(self.names) + 1
        return is_longer and re.match(r'"\d+"', second) is not None

    def _find_delimiter(self, first: str) -> str:
        found = max(_DELIMITERS, key=lambda mark: len(_fields(first, mark)))
        if len(_fields(first, found)) > 1 or len(first.split()) == 1:
            return found
        second = self._data[: 2**16].splitlines()[:2][-1].decode()
        more = len(_fields(second, " ")) - len(_fields(first, " "))
        return " " if more in (0, 1) else found  # one more where rows have names

    def read(self, labels: Sequence[str], others: Sequence[str] = ()) -> pa.Table:
        """Read columns in one pass over the text."""
        import pyarrow as pa

        label = pa.dictionary(pa.int32(), pa.string())
        table = self._read_csv([*labels, *others], dict.fromkeys(labels, label))
        self._compare_with_lines(table.num_rows)
        if self._has_row_names:
            self._check_row_names()
        columns = dict(zip(table.column_names, table.columns, strict=True))
        numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_null)
        texts = [n for n in others if not any(is_(columns[n].type) for is_ in numeric)]
        if texts:  # what looks like dates or truth values stays as it is written
            again = self._read_csv(texts, dict.fromkeys(texts, label))
            columns |= {name: again.column(name) for name in texts}
        return pa.table(
            {n: _cleaned(c) if pa.types.is_dictionary(c.type) else c for n, c in columns.items()}
        )

    def _read_csv(self, names: Sequence[str], types: Mapping[str, pa.DataType]) -> pa.Table:
        import pyarrow as pa
        import pyarrow.csv

        quoted, skipped = b'"' in self._data, self._lines_to_skip + self._first_row
        number = rb"(^|;)[ ]*-?\d+,\d+[ ]*(;|\r?$)"
        commas = self.delimiter == ";" and re.search(number, self._data[: 2**20], re.M)
        try:
            return pa.csv.read_csv(
                arrow_copy(self._data),
                pa.csv.ReadOptions(column_names=self.names, skip_rows=skipped),
                pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=quoted),
                pa.csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(names),
                    null_values=MISSING,
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                    decimal_point="," if commas else ".",
                    check_utf8=False,
                ),
            )
        except pa.ArrowInvalid as error:
            self._refuse_stray_marks()
            self.refuse_ragged()
            raise InputError(f"It cannot be read as delimited text: {error}.") from None

    def _compare_with_lines(self, n_rows: int) -> None:
        """Refuse text with fewer rows than lines, unless quoted entries go over several lines."""
        if b'"' not in self._data or self._is_compared:  # without a mark every line is a row
            return
        self._is_compared = True
        text = _with_plain_ends(self._data).rstrip()
        n_lines = text.count(b"\n") + 1
        if n_rows + self._first_row < n_lines:  # to look for empty lines takes ten times as long
            n_lines -= sum(1 for _ in re.finditer(rb"(?m)^[ \t]*$", text))
        if n_rows + self._first_row >= n_lines:
            return
        self.n_lines = n_lines
        if not self._refuse_stray_marks():
            raise InputError(
                f"It has {n_lines} lines, but {n_rows} rows were read; save it again as CSV."
            )

    def _refuse_stray_marks(self) -> bool:
        """Refuse stray quotation marks; return whether quoted entries go over several lines."""
        text = _with_plain_ends(self._data)
        entries = re.finditer(_QUOTED % re.escape(self.delimiter.encode()), text)
        several = [quoted for quoted in entries if _NEWLINE in quoted[0] or not quoted[1]]
        for quoted in several:
            self._refuse_swallowed(text, quoted)
        return bool(several)

    def _check_row_names(self) -> None:
        """Refuse a first column without a name if it does not number the rows."""
        import pyarrow as pa

        column = self._read_csv([""], {"": pa.string()}).column("").to_pylist()
        numbers = [int(name) if name and name.isdecimal() else -1 for name in column]
        if any(later <= one for one, later in pairwise(numbers)):
            self._refuse_short_header(self._first_row + 1, len(self.names))

    def _refuse_short_header(self, line: int, n_entries: int) -> None:
        raise InputError(
            f"Line {line} has {n_entries} entries, but the first line has {n_entries - 1} names. If"
            " each line begins with the name of its row, give that column a name or write the table"
            " without it (row.names = FALSE in R, no index in pandas)."
        )

    def _refuse_swallowed(self, text: bytes, quoted: re.Match[bytes]) -> None:
        """Refuse a quoted entry of several lines if its quotation marks may be stray."""
        start, end = text.rfind(b"\n", 0, quoted.start()) + 1, quoted.end()
        after = text[end : end + 1]
        line_end = text.find(b"\n", end) if quoted[1] else -1
        lines = text[start : line_end if line_end >= 0 else len(text)].split(b"\n")
        delimiter = self.delimiter.encode()
        # an entry that ends where it should, in lines that are no rows by themselves, is meant so
        ends = bool(quoted[1]) and after in (b"", b"\n", delimiter)
        if ends and any(line.count(delimiter) + 1 != len(self.names) for line in lines):
            return
        first = text.count(b"\n", 0, start) + 1
        lost = "never closed: the rows after it would be lost"
        if quoted[1]:
            last = first + quoted[0].count(_NEWLINE)
            lost = f"closed in line {last}: the rows between would be lost"
        raise InputError(
            f"Line {first} has an entry that begins with a quotation mark, which is {lost}. Remove"
            " the mark, or write it twice in a quoted entry."
        )

    def place(self, row: int) -> str:
        """Line of the file on which a row ends, counted from 1; all lines count."""
        wanted = row + self._first_row
        return f"Line {next(line for at, (line, _) in enumerate(self._lines()) if at == wanted)}"

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        text = io.TextIOWrapper(io.BytesIO(self._data), encoding="utf-8", newline="")
        reader = csv.reader(text, delimiter=self.delimiter)
        try:
            for fields in reader:
                if fields:
                    yield reader.line_num, fields
        except csv.Error as error:
            raise InputError(f"Line {reader.line_num} cannot be read: {error}.") from None

    def refuse_ragged(self) -> None:
        """Name the first line that has more or fewer entries than the first, if there is one."""
        for at, (line, fields) in enumerate(self._lines()):
            if at == 0 and self._has_row_names:
                continue
            if at == self._first_row == 1 and len(fields) == len(self.names) + 1 and fields[-1]:
                self._refuse_short_header(line, len(fields))
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
            f" {argument('encoding', 'cp1252')}, or save it again as UTF-8 (in Excel: the file"
            " type 'CSV UTF-8')."
        ) from None
    except LookupError:
        raise InputError(
            f"There is no encoding {encoding!r}; common ones are utf-8, cp1252 and latin-1."
        ) from None
    if encoding is None:
        return data.removeprefix(b"\xef\xbb\xbf")
    return text.removeprefix("\ufeff").encode()


def _cleaned(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Trim the entries of a dictionary column; whole numbers as one writes them become such.

    Quotation marks around nothing, or around blanks, are no entry.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return column
    words = pc.utf8_trim_whitespace(chunks[0].dictionary)
    indices = [chunk.indices for chunk in chunks]
    has_letters = pc.binary_length(words).cast(pa.bool_())  # for "", PyArrow would import pandas
    blank = pc.indices_nonzero(pc.invert(has_letters))
    if len(blank):
        none = pa.scalar(None, indices[0].type)
        blank = blank.cast(indices[0].type)
        indices = [pc.if_else(pc.is_in(each, blank), none, each) for each in indices]
    try:
        numbers = words.cast(pa.int64())
        words = numbers if numbers.cast(pa.string()).equals(words) else words
    except pa.ArrowInvalid:
        pass
    return pa.chunked_array([pa.DictionaryArray.from_arrays(each, words) for each in indices])


def _with_plain_ends(data: bytes) -> bytes:
    return re.sub(rb"\r\n?", b"\n", data) if b"\r" in data else data


def _is_comment(line: bytes) -> bool:
    """Whether a line begins with #, alone or before a blank: colours such as #ff0000 do not."""
    start = line.lstrip()
    return start.startswith(b"#") and not re.match(rb"#[0-9A-Za-z]", start)


def _without_comments(
    data: bytes, delimiter: str, n_columns: int, before: int
) -> tuple[bytes, list[int]]:
    """Empty the lines that are comments, so that all other lines keep their numbers.

    Those after the first `before` lines that have as many entries as a row are counted: they may
    be rows whose first label begins with #.
    """
    like_rows: list[int] = []
    if b"#" not in data:
        return data, like_rows

    def emptied(match: re.Match[bytes]) -> bytes:
        line = match.group()
        odd = len(_fields(line.decode(), delimiter)) != n_columns
        if not odd and not _is_comment(line):
            return line
        if not odd and n_columns > 1:
            line_number = data.count(b"\n", 0, match.start()) + 1
            like_rows.extend([line_number] if line_number > before + 1 else [])
        return b""

    return re.sub(rb"(?m)^[ \t]*#[^\r\n]*", emptied, data), like_rows


def _with_single_blanks(data: bytes) -> bytes:
    data = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", data)
    if b'"' not in data:
        return re.sub(rb"[ \t]+", b" ", data)
    kept = rb'(?m)((?:^|(?<=[ \t]))"(?:[^"\n]|"")*"(?=[ \t]|\r?$))|[ \t]+'  # as R writes text
    return re.sub(kept, lambda match: match[1] or b" ", data)


def _fields(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        line = _with_single_blanks(line.encode()).decode()
    return [field.strip() for field in next(csv.reader([line], delimiter=delimiter), [])]
