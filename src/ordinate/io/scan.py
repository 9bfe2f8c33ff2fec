"""Comparisons in many Parquet files, which stay where they are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ordinate._checks import InputError
from ordinate.comparisons.dask_tasks import compute, import_dask, task
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.io.layout import Column, Columns, Layout
from ordinate.io.layout_table import FoundLayout, find_stated
from ordinate.io.partition_reader import validate_partitions
from ordinate.io.record_files import are_positions, stored_facts
from ordinate.io.tables import errors_naming

if TYPE_CHECKING:
    import pyarrow as pa

_PIECE_ROWS = 2**20
"""Rows read at a time, or one row group if that is larger."""
_PARTITION_ROWS = 2**23
_FEWEST_PARTITIONS = 16
"""So many at least, where there are as many pieces: work for several cores."""
_MOST_PARTITIONS = 512
"""Each is a task in every iteration, and Dask needs about a millisecond for a task."""


def scan_parquet(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Sequence[Column] | None = None,
    answer: Columns | None = None,
    weight: Column | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
    on_invalid: str = "raise",
) -> PartitionedComparisons:
    """Go through Parquet files and return a record of comparisons that stay in them.

    Every row is read and checked once, on the workers of the Dask client if there is one. Use it
    where there are more comparisons than fit in memory, or workers to share them; otherwise
    `read_comparisons` is simpler. Columns of groups are not read.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, patterns such as ``"answers/*.parquet"`` or folders. Addresses such as
        ``s3://bucket/answers/*.parquet`` are read with fsspec.
    columns : sequence of str or int, optional
        Three columns (anchor, near, far) or four (i, j, k, l); by default found by their names.
    answer : str, int or empty list, optional
        Column that says whether each row holds as written: true/false, 1/0 or 1/-1; an empty list
        for none. By default one with a usual name beside i, j, k, unless it holds 0.
    weight : str or int, optional
        Column with the weights; by default ``weight``.
    names : sequence of str, optional
        Labels of all objects in their order, also of those that occur in no row. By default the
        objects are the labels that occur in any file, in natural order.
    n_objects : int, optional
        How many objects there are, for positions of which not all occur: files that Ordinate
        wrote from a record without labels, and Dask arrays.
    on_invalid : {"raise", "drop"}, default="raise"
        What to do with rows that say nothing because an object occurs twice or an entry is
        missing; dropping them gives a `DroppedRowsWarning` with their number.

    Returns
    -------
    PartitionedComparisons
        Rows in the order of the files' names.

    See Also
    --------
    from_dask : From Dask arrays and data frames.
    read_comparisons : Into memory.

    Examples
    --------
    >>> import tempfile
    >>> import ordinate as od
    >>> folder = tempfile.mkdtemp()
    >>> for number, answers in enumerate([[[0, 1, 2]], [[1, 0, 2], [2, 1, 0]]]):
    ...     od.write_comparisons(od.Comparisons(answers), f"{folder}/{number}.parquet")
    >>> od.scan_parquet(f"{folder}/*.parquet")
    PartitionedComparisons(3 triplets in 2 partitions, 3 objects)
    """
    files = _list_files([paths] if isinstance(paths, (str, os.PathLike)) else paths)
    footers = compute([task(_read_footer, file) for file in files])
    options = Layout(
        columns=columns, answer=answer, weight=weight, groups=(), on_invalid=on_invalid
    )
    found = _common_layout(files, footers, options)
    stored = [footer.stored for footer in footers]
    if names is None and all(facts.get("names") == stored[0].get("names") for facts in stored):
        names = stored[0].get("names")
    positions = all(map(are_positions, stored))
    if positions and n_objects is None and names is None:
        n_objects = max(facts["n_objects"] for facts in stored)
    pieces = [p for file, footer in zip(files, footers, strict=True) for p in _cut(file, footer)]
    return validate_partitions(
        _balanced(pieces),
        found,
        replace(options, names=names, n_objects=n_objects),
        positions=positions,
    )


class File(NamedTuple):
    """A file, wherever it is, and a key that changes with it."""

    path: str
    system: Any
    key: str


class Footer(NamedTuple):
    """What the end of a Parquet file says about it."""

    columns: list[str]
    group_rows: list[int]
    stored: dict[str, Any]


@dataclass(frozen=True)
class FilePiece:
    """Neighbouring row groups of a Parquet file."""

    file: File
    row_groups: range
    first_row: int
    n_rows: int

    @property
    def name(self) -> str:
        """The file's name, and how many rows come before this piece."""
        after = f", after its first {self.first_row} rows" if self.first_row else ""
        return f"{self.file.path}{after}"

    def table(self, columns: Sequence[str]) -> pa.Table:
        """Read the columns; text comes as a dictionary, which spares most of the decoding."""
        import pyarrow.parquet as pq

        if self.file.system.ukey(self.file.path) != self.file.key:
            raise InputError(f"{self.file.path} has changed since it was scanned; scan it again.")
        with pq.ParquetFile(
            self.file.path, filesystem=self.file.system, read_dictionary=list(columns)
        ) as parquet:
            return parquet.read_row_groups(list(self.row_groups), list(columns), use_threads=False)


def _list_files(paths: Sequence[str | os.PathLike[str]]) -> list[File]:
    fsspec = import_dask("fsspec")
    files = []
    for path in paths:
        system, root = fsspec.url_to_fs(os.fspath(path))
        pattern = f"{root}/**/*.parquet" if system.isdir(root) else root
        matching = sorted(system.glob(pattern))
        if not matching:
            raise InputError(f"{path}: There is no such Parquet file.")
        files += [File(match, system, system.ukey(match)) for match in matching]
    return files


def _read_footer(file: File) -> Footer:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with errors_naming(file.path):
        try:
            with pq.ParquetFile(file.path, filesystem=file.system) as parquet:
                schema, metadata = parquet.schema_arrow, parquet.metadata
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"It cannot be read as Parquet: {error}.") from None
        stored = stored_facts(schema)
    group_rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    return Footer(schema.names, group_rows, stored)


def _common_layout(
    files: Sequence[File], footers: Sequence[Footer], options: Layout
) -> FoundLayout:
    """Find the columns that matter, which must be the same in every file."""
    found: list[FoundLayout] = []
    for file, footer in zip(files, footers, strict=True):
        with errors_naming(file.path):
            found.append(find_stated(footer.columns, options))
        if found[-1] != found[0]:
            raise InputError(
                f"{file.path}: The columns {', '.join(map(repr, found[-1].used))} would be read"
                f" here, but {', '.join(map(repr, found[0].used))} in {files[0].path}; name them"
                " alike."
            )
    return found[0]


def _cut(file: File, footer: Footer) -> list[FilePiece]:
    """Cut a file into pieces of some row groups each."""
    pieces = []
    start, first_row, rows = 0, 0, 0
    for group, group_rows in enumerate(footer.group_rows):
        rows += group_rows
        last = group + 1 == len(footer.group_rows)
        if last or rows + footer.group_rows[group + 1] > _PIECE_ROWS:
            pieces.append(FilePiece(file, range(start, group + 1), first_row, rows))
            start, first_row, rows = group + 1, first_row + rows, 0
    return pieces


def _balanced(pieces: Sequence[FilePiece]) -> list[list[FilePiece]]:
    """Group neighbouring pieces into partitions of about equal size.

    Their number is a power of two, so that usual numbers of workers get equal shares, and does
    not depend on the workers, so that the order in which results are added up does not either.
    """
    rows = np.array([piece.n_rows for piece in pieces])
    wanted = np.clip(rows.sum() / _PARTITION_ROWS, _FEWEST_PARTITIONS, _MOST_PARTITIONS)
    n_partitions = min(2 ** int(np.ceil(np.log2(wanted))), len(pieces))
    middle = np.cumsum(rows) - rows / 2
    number = np.minimum(middle * n_partitions // max(rows.sum(), 1), n_partitions - 1)
    partitions = [
        [piece for piece, n in zip(pieces, number, strict=True) if n == partition]
        for partition in range(n_partitions)
    ]
    return [partition for partition in partitions if partition]
