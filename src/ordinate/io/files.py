"""Read and write comparisons: CSV, TSV, Parquet and NPZ files, frames and arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError, as_rows, check_choice
from ordinate.comparisons.record import Comparisons
from ordinate.io.atomic import atomic_path
from ordinate.io.formats import Known, check_content, format_of, refuse_options
from ordinate.io.frames import Parts, parts_of_table
from ordinate.io.layout import Column, Layout

if TYPE_CHECKING:
    import pyarrow as pa


def read_comparisons(
    source: Any,
    *,
    columns: Sequence[Column] | None = None,
    answer: Column | None = None,
    weight: Column | None = None,
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
    header: bool | None = None,
    on_invalid: str = "raise",
) -> Comparisons:
    """Read comparisons from a file, a frame or an array.

    Parameters
    ----------
    source : path, frame or array-like
        A file ending in .csv, .tsv, .csv.gz or .tsv.gz (with comma, semicolon or tab between
        entries), .parquet or .npz; a pandas, polars or PyArrow table, or a mapping of column
        names to arrays; or an array with 3 or 4 columns.
    columns : sequence of str or int, optional
        Three columns (anchor, near, far) or four (i, j, k, l), by name or position. By default
        they are found by their usual names, or are all there are when those have no names.
    answer : str or int, optional
        Column that says whether each row holds as written: true/false, 1/0 or 1/-1. By default
        the column ``answer`` if there is one.
    weight : str or int, optional
        Column with the weights; by default ``weight`` if there is one.
    groups : str, int, sequence of those, or mapping of str to those, optional
        Columns with labels of groups; a mapping gives them other names. By default those
        called participant, subject, worker, session, block, trial or group.
    names : sequence of str, optional
        Names of the objects in the order of their numbers. Without it, objects that come as
        text are numbered in sorted order.
    n_objects : int, optional
        How many objects there are, if not all of them occur.
    header : bool, optional
        Whether the first line of a text file names the columns; by default it does unless it
        holds numbers only.
    on_invalid : {"raise", "drop"}
        What to do with rows that say nothing because an object occurs twice or an entry is
        missing; dropping them gives a `DroppedRowsWarning` with their number.

    Returns
    -------
    Comparisons
        Rows in the order of the source.

    Examples
    --------
    >>> import ordinate as od
    >>> frame = {"anchor": ["cat", "dog"], "near": ["dog", "cat"], "far": ["car", "car"]}
    >>> answers = od.read_comparisons(frame)
    >>> answers.names
    ('car', 'cat', 'dog')
    >>> answers.rows
    array([[1, 2, 0],
           [2, 1, 0]], dtype=int32)
    """
    check_choice("on_invalid", on_invalid, ("raise", "drop"))
    known = Known(Layout(columns, answer, weight, groups), names, n_objects, header)
    if not isinstance(source, (str, os.PathLike)):
        return _parts_of_frame(source, known).build(on_invalid)
    path = Path(source)
    with _errors_naming(path):
        file_format = format_of(path)
        check_content(path, file_format)
        return file_format.read(path, known).build(on_invalid)


def write_comparisons(comparisons: Comparisons, path: str | os.PathLike[str]) -> None:
    """Write comparisons to a file; if that fails, what was there before stays.

    Parameters
    ----------
    comparisons : Comparisons
        What to write.
    path : str or path-like
        File ending in .parquet or .npz, which keep everything; or in .csv, .tsv, .csv.gz or
        .tsv.gz, which keep rows, names, weights and groups. Text does not hold how many objects
        there are beyond those that occur, nor the order of names or blanks around them: pass
        `n_objects` and `names` again when you read it, and `groups` that have unusual names.

    Examples
    --------
    >>> import tempfile
    >>> import ordinate as od
    >>> path = tempfile.mkdtemp() + "/answers.npz"
    >>> od.write_comparisons(od.Comparisons([[0, 1, 2]], n_objects=9), path)
    >>> od.read_comparisons(path)
    Comparisons(1 triplet, 9 objects)
    """
    target = Path(path)
    with _errors_naming(target):
        write = format_of(target).write
    with atomic_path(target) as temporary:
        write(comparisons, temporary)


def _parts_of_frame(source: Any, known: Known) -> Parts:
    refuse_options(header=known.header)
    table = as_table(source)
    return parts_of_table(table, known.layout, names=known.names, n_objects=known.n_objects)


def as_table(source: Any) -> pa.Table:
    """Return a frame, a mapping of columns or an array with 3 or 4 columns as an Arrow table."""
    import pyarrow as pa

    is_frame = any(hasattr(source, name) for name in ("__arrow_c_stream__", "__dataframe__"))
    if not is_frame and not isinstance(source, Mapping):
        source = {str(number): column for number, column in enumerate(as_rows(source).T)}
    try:
        return pa.table(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"The source is not a table of numbers or text: {error}.") from None


@contextmanager
def _errors_naming(path: Path) -> Iterator[None]:
    """Begin the message of a mistake in a file with the file's name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
