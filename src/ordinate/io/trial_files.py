"""Read odd-one-out trials, kept whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.trials import Trials
from ordinate.io.read import read_comparisons

_PLAIN_TEXT = (".txt", ".dat", ".data")
"""Files in which trials of THINGS and STUFF are published: numbers and blanks, no header."""


def read_trials(source: Any, *, names: Sequence[object] | None = None, **options: Any) -> Trials:
    """Read odd-one-out trials, from the text files of THINGS and STUFF or from a study's log.

    Parameters
    ----------
    source : path, frame or array-like
        A text file (.txt, .dat or .data) without a header, as trials of THINGS are published: in
        each row the positions, from 0, of the two objects kept together, of the odd one and, if
        there is a fourth column, of the participant. A .npy file or an array with the same
        columns. Otherwise a log of an odd-one-out study, as `read_comparisons` reads it.
    names : sequence of str, optional
        Labels of all objects in their order.
    **options
        For logs, further parameters of `read_comparisons`, such as `answer` and `groups`.

    Returns
    -------
    Trials
        In the order of the source.

    See Also
    --------
    read_comparisons : For all other questions.

    Examples
    --------
    >>> import ordinate as od
    >>> log = {"a": ["cat"], "b": ["car"], "c": ["dog"], "odd_one": ["car"]}
    >>> trials = od.read_trials(log, columns=["a", "b", "c"], answer="odd_one")
    >>> [trials.names[number] for number in trials.rows[0]]
    ['cat', 'dog', 'car']
    """
    rows = None if options else _published_rows(source)
    if rows is None:
        read = read_comparisons(source, question="odd_one_out", names=names, **options)
        return Trials.from_comparisons(read)
    if rows.ndim != 2 or rows.shape[1] not in (3, 4):
        raise InputError(
            "Trials without a header have 3 columns (two objects kept together, the odd one) or 4"
            f" (and the participant); got shape {rows.shape}. Name the columns of a log with"
            f" {argument('columns', ...)} and {argument('answer')}."
        )
    groups = {"participant": rows[:, 3].astype(np.intp)} if rows.shape[1] == 4 else None
    return Trials(rows[:, :3], groups=groups, names=names)


def is_published(path: Path) -> bool:
    """Whether a file holds numbers alone, as trials are published, and not a study's log."""
    return path.suffix in (".npy", *_PLAIN_TEXT) and _published_rows(path) is not None


def _published_rows(source: Any) -> NDArray[Any] | None:
    """Return the numbers of a file without a header or of an array; None for anything else."""
    if isinstance(source, (np.ndarray, list, tuple)):
        return np.asarray(source)
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = Path(source)
    if path.suffix == ".npy":
        return np.asarray(np.load(path, allow_pickle=False))
    if path.suffix not in _PLAIN_TEXT:
        return None
    try:
        return np.loadtxt(path, ndmin=2)
    except ValueError:  # words: a header or labels, which the reader of logs knows
        return None
