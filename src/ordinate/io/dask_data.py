"""Comparisons in a Dask array or data frame, which stays where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.comparisons.dask_tasks import task
from ordinate.comparisons.partitions import PartitionedComparisons

if TYPE_CHECKING:
    import pyarrow as pa

    from ordinate.io.layout import Column, Columns


def from_dask(
    data: Any,
    *,
    columns: Sequence[Column] | None = None,
    answer: Columns | None = None,
    weight: Column | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
    on_invalid: str = "raise",
) -> PartitionedComparisons:
    """Return a record of the comparisons in a Dask array or data frame.

    Every row is computed and checked once, where it is. Estimators take the array or frame
    itself, too; this is for options, and spares the checks when it is used more than once.

    Parameters
    ----------
    data : dask.array.Array of shape (n_comparisons, 3 or 4), or dask.dataframe.DataFrame
        Each chunk or partition becomes a partition of the record.
    columns, answer, weight, names, n_objects, on_invalid
        As for `scan_parquet`.

    Returns
    -------
    PartitionedComparisons
        Rows in the order of the chunks or partitions.

    See Also
    --------
    scan_parquet : From many files.

    Examples
    --------
    >>> import dask.array, ordinate as od
    >>> rows = dask.array.from_array([[0, 1, 2], [2, 1, 0], [1, 0, 2]], chunks=(2, 3))
    >>> od.from_dask(rows)
    PartitionedComparisons(3 triplets in 2 partitions, 3 objects)
    """
    # estimators import this module, and only few of them ever meet Dask
    from ordinate.io.layout import Layout
    from ordinate.io.layout_table import find_stated
    from ordinate.io.partition_reader import validate_partitions

    is_array = hasattr(type(data), "chunks")
    if is_array:
        if data.ndim != 2:
            raise InputError(
                "Comparisons need a 2-D array, one row per answer, with 3 columns (anchor, near,"
                f" far) or 4 (i, j, k, l); got {data.ndim} dimension(s)."
            )
        names_there = [str(number) for number in range(data.shape[1])]
        chunks = data.rechunk({1: -1}).to_delayed().ravel()
    elif not hasattr(type(data), "dtypes"):
        raise InputError(f"Expected a Dask array or data frame; got {type(data).__name__}.")
    else:
        names_there = [str(name) for name in data.columns]
        chunks = data.to_delayed()
    options = Layout(
        columns=columns,
        answer=answer,
        weight=weight,
        groups=(),
        names=names,
        n_objects=n_objects,
        on_invalid=on_invalid,
    )
    return validate_partitions(
        [[task(FramePiece, number, chunk)] for number, chunk in enumerate(chunks)],
        find_stated(names_there, options),
        options,
        positions=is_array and data.dtype.kind in "iuf",
    )


@dataclass(frozen=True)
class FramePiece:
    """One partition of a Dask data frame or chunk of a Dask array."""

    number: int
    content: Any

    @property
    def name(self) -> str:
        """The number of the partition, counted from 0."""
        return f"Partition {self.number}"

    def table(self, columns: Sequence[str]) -> pa.Table:
        """Return the columns."""
        from ordinate.io.tables import as_table

        return as_table(self.content).read(columns)
