"""Read and write comparisons: files of any kind, frames and arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ordinate.comparisons.record import Comparisons
from ordinate.io.atomic import atomic_path
from ordinate.io.conditions import Conditions
from ordinate.io.coordinates import table_writer
from ordinate.io.layouts import Column, Columns, Wanted
from ordinate.io.logs import read_log
from ordinate.io.record_files import write_npz, write_parquet, write_text


def read_comparisons(
    source: Any,
    *,
    question: str = "auto",
    columns: Sequence[Column] | None = None,
    answer: Columns | None = None,
    coding: str = "auto",
    weight: Column | None = None,
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None,
    where: Conditions = None,
    exclude: Conditions = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    on_invalid: str = "raise",
) -> Comparisons:
    """Read comparisons from a file, a frame or an array.

    Parameters
    ----------
    source : path, frame or array-like
        A file ending in .csv, .tsv, .txt or .dat (with comma, semicolon, tab or blanks between
        entries), .json, .jsonl, any of these with .gz, .parquet, .npz, or a .zip with one of them
        in it, or "-" for standard input; a pandas, polars or PyArrow table, or a mapping of
        column names to arrays; or an array with 3 or 4 columns. What stands in a file or a
        column of a frame is a label, kept as it is written, even if it is a number; whole numbers
        in arrays are positions.
    question : str, default="auto"
        What people were asked: "triplet", "odd-one-out", "most-central", "choose", "pairs" or
        "ranking"; by default it is seen from the names of the columns.
    columns : sequence of str or int, optional
        Columns of objects, by name or position: three (anchor, near, far) or four (i, j, k, l);
        for another question the objects shown, after the anchor where there is one. By default
        they are found by their usual names, or are all there are when those have no names.
    answer : str, int or sequence of those, optional
        Column that says what was chosen; for (anchor, near, far) whether each row holds as
        written: true/false, 1/0 or 1/-1. By default the column ``answer``, ``response`` or another
        usual name. Several columns for choices of several objects.
    coding : {"auto", "name", "column", "from-0", "from-1", "holds"}, default="auto"
        Whether the answer names the object chosen or its column (or side), counts the objects from
        0 or from 1, or says whether the first of two was chosen. By default what fits all rows; an
        answer that can be read in two ways is refused.
    weight : str or int, optional
        Column with the weights; by default ``weight`` if there is one.
    groups : str, int, sequence of those, or mapping of str to those, optional
        Columns with labels of groups; a mapping gives them other names. By default those with a
        usual name become participant (also subject_id, rater, worker_id, puid, …), session, block,
        trial or group.
    where, exclude : str, sequence of str, or mapping, optional
        Only rows with these entries, or without them: ``"phase=test"``, ``{"phase": "test"}`` or
        a list of such; ``"participant=@file"`` takes one entry per line of a file.
    names : sequence of str, optional
        Labels of all objects in their order, also of those that occur in no row; for arrays, the
        name of each position. By default the objects are the labels that occur, in natural order:
        numbers by value, item2 before item10.
    n_objects : int, optional
        How many objects there are, for arrays of positions of which not all occur.
    header : bool, optional
        Whether the first line of a text file names the columns; by default it does unless it
        holds numbers only.
    encoding : str, optional
        Encoding of a text file, such as "latin-1"; by default UTF-8, or UTF-16 if it begins with
        that one's mark.
    on_invalid : {"raise", "drop"}, default="raise"
        What to do with rows that say nothing because an object occurs twice or an entry is
        missing; dropping them gives a `DroppedRowsWarning` with their number.

    Returns
    -------
    Comparisons
        Rows in the order of the source.

    See Also
    --------
    write_comparisons : The way back.
    scan_parquet : For more than fits in memory.
    ordinate.sources.from_odd_one_out : From arrays of trials.

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
    wanted = Wanted(columns, answer, weight, groups, question)
    return read_log(
        source,
        wanted,
        coding=coding,
        where=where,
        exclude=exclude,
        names=names,
        n_objects=n_objects,
        header=header,
        encoding=encoding,
        on_invalid=on_invalid,
    )[0]


def write_comparisons(comparisons: Comparisons, path: str | os.PathLike[str]) -> None:
    """Write comparisons to a file; if that fails, what was there before stays.

    Parameters
    ----------
    comparisons : Comparisons
        What to write.
    path : str or path-like
        File ending in .parquet or .npz, which keep everything; or in .csv, .tsv, .csv.gz or
        .tsv.gz, which keep rows, labels, weights and groups. Text does not hold objects that
        occur in no row, nor another order of the labels than the natural one: pass `names` again
        when you read it, and `groups` that have unusual names.

    See Also
    --------
    read_comparisons : The way back.

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
    write = _WRITERS.get(target.suffix.lower(), write_text)
    if write is write_text:
        table_writer(target)  # refuses an unknown ending before a file is made
    with atomic_path(target) as temporary:
        write(comparisons, temporary)


_WRITERS = {".parquet": write_parquet, ".npz": write_npz}
"""How files are written that keep everything; all others are text."""
