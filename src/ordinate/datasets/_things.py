"""THINGS: which of three objects is the odd one."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from ordinate.comparisons.trials import Trials
from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import read_member
from ordinate.datasets._record import Dataset

FILES = files_of("things")


def load_things(data_home: DataHome = None) -> Dataset:
    """Load the published odd-one-out trials about the objects of THINGS.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `trials` and `names`, such as ``bat1`` where a word has two meanings.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_things().trials  # doctest: +SKIP
    Trials(146012 odd-one-out trials, 1854 objects)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    table = read_member(folder, "items1854names.tsv").decode("utf-8-sig").splitlines()
    _, *objects = csv.reader(table, dialect="excel-tab")
    names = tuple(columns[5] for columns in objects)
    lines = read_member(folder, "data1854_batch5_test10.txt").decode("ascii").splitlines()
    rows = np.loadtxt(lines, ndmin=2).astype(np.int64)
    FILES.check(folder, {"trials": len(rows), "objects": len(names)})
    return {"trials": Trials(rows, n_objects=len(names), names=names), "names": names}
