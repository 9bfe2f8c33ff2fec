"""Read delimited text into a table of strings, and say on which line something is wrong."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ordinate._checks import InputError
from ordinate.io.labels import is_number

if TYPE_CHECKING:
    import pyarrow as pa

_DELIMITERS = ",;\t"

_MISSING = ["", "NA", "NaN", "nan", "null"]


class TextTable:
    """A delimited text file: what its columns are called, its entries, its line numbers.

    Parameters
    ----------
    path : Path
        The file, perhaps compressed with gzip.
    header : bool, optional
        Whether the first line names the columns; by default it does unless every entry of it
        is a number. Without a header the columns are called "0", "1", ...
    """

    def __init__(self, path: Path, header: bool | None = None) -> None:
        self.path = path
        with self._open() as file:
            before, first = next(
                ((before, line) for before, line in enumerate(file) if line.strip()), (0, "")
            )
        if not first:
            raise InputError("There is nothing in the file.")
        self.delimiter = max(_DELIMITERS, key=lambda mark: len(_fields(first, mark)))
        # NumPy's savetxt writes a header as a comment
        fields = [field.strip() for field in _fields(first.removeprefix("#"), self.delimiter)]
        self.has_header = not all(map(is_number, fields)) if header is None else header
        self._lines_to_skip = before + 1 if self.has_header else 0
        self.names = fields if self.has_header else [str(i) for i in range(len(fields))]

    def read(self) -> pa.Table:
        """Return all entries without surrounding blanks, null where missing.

        Returns
        -------
        pyarrow.Table
            One column per name: int64 where all entries are whole numbers as one writes them,
            otherwise text.
        """
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.csv

        try:
            table = pa.csv.read_csv(
                pa.input_stream(self.path, compression="gzip" if self._zipped else None),
                pa.csv.ReadOptions(column_names=self.names, skip_rows=self._lines_to_skip),
                pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                pa.csv.ConvertOptions(
                    column_types=dict.fromkeys(self.names, pa.string()),
                    null_values=_MISSING,
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except (pa.ArrowInvalid, OSError) as error:
            self._refuse_ragged()
            raise InputError(f"It cannot be read as delimited text: {error}.") from None
        trimmed = [pa.compute.utf8_trim_whitespace(column) for column in table.columns]
        return pa.table([_as_integers(column) for column in trimmed], self.names)

    def line(self, row: int) -> int:
        """Line of the file on which a row ends, counted from 1.

        Parameters
        ----------
        row : int
            Number of a row of entries, counted from 0.

        Returns
        -------
        int
            Blank lines and the header count too.
        """
        wanted = row + self.has_header
        return next(line for at, (line, _) in enumerate(self._lines()) if at == wanted)

    @property
    def _zipped(self) -> bool:
        return self.path.suffix.lower() == ".gz"

    @contextmanager
    def _open(self) -> Iterator[TextIO]:
        opener = gzip.open if self._zipped else open
        try:
            with opener(self.path, "rt", encoding="utf-8-sig", newline="") as file:
                yield file
        except UnicodeDecodeError:
            raise InputError(
                "It is not UTF-8 text; save it again with the encoding UTF-8 (in Excel: the file"
                " type 'CSV UTF-8')."
            ) from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"It cannot be read as gzip: {error}.") from None

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        with self._open() as file:
            reader = csv.reader(file, delimiter=self.delimiter)
            for fields in reader:
                if fields:
                    yield reader.line_num, fields

    def _refuse_ragged(self) -> None:
        for line, fields in self._lines():
            if len(fields) != len(self.names):
                raise InputError(
                    f"Line {line} has {len(fields)} entries, the first line has {len(self.names)};"
                    " all lines need the same number, and a header must be the first line."
                )


def _as_integers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of integers if it reads the same when written back, as "007" does not."""
    import pyarrow as pa

    try:
        integers = column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
    return integers if integers.cast(pa.string()).equals(column) else column


def _fields(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter))
