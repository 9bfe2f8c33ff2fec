"""60 cars: the most central of three."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ordinate.comparisons.record import Comparisons
from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import read_member
from ordinate.datasets._record import Dataset
from ordinate.sources._statements import from_most_central

FILES = files_of("cars60")

CARELESS_ROUNDS = (13, 16, 19, 20, 23, 26, 60)
"""Rounds of ``survey_data.csv`` that are not in ``T_ALL.csv``."""

CLASSES = {
    "ordinary": (
        *(2, 6, 7, 8, 9, 10, 11, 12, 16, 17, 25, 32, 35, 36, 37, 38, 39, 41, 44, 45, 46, 55),
        *(58, 60),
    ),
    "sports": (15, 19, 20, 28, 40, 42, 47, 48, 49, 50, 51, 52, 54, 56, 59),
    "off-road": (1, 3, 4, 5, 13, 14, 18, 22, 24, 26, 27, 29, 31, 33, 34, 43, 57),
    "outlier": (21, 23, 30, 53),
}
"""The authors' classes; cars count from 1."""


def load_cars60(data_home: DataHome = None) -> Dataset:
    """Load the statements about 60 cars as triplets.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder; files that are not in it are downloaded into it. By default the one
        that the environment variable ``ORDINATE_DATA`` names, or else a cache.

    Returns
    -------
    Dataset
        With `comparisons`, two per statement, grouped by ``round`` (one sitting of a person) and
        ``trial`` (one statement), and `labels`, the kind of car.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_cars60().comparisons  # doctest: +SKIP
    Comparisons(13514 triplets, 60 objects, grouped by round and trial)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    lines = read_member(folder, "survey_data.csv").decode().splitlines()
    survey = np.loadtxt(lines, delimiter=",", skiprows=1, usecols=range(5), dtype=np.int64)
    careful = survey[~np.isin(survey[:, 0], CARELESS_ROUNDS)]
    answers = from_most_central(careful[:, 2:] - 1, careful[:, 1] - 1)
    trial = answers.groups["trial"]
    comparisons = Comparisons(answers.rows, groups={"round": careful[trial, 0], "trial": trial})
    found = {
        "statements": len(survey),
        "rounds": len(np.unique(survey[:, 0])),
        "cars": comparisons.n_objects,
        "triplets": len(comparisons),
        "distinct triplets": len(comparisons.merge_repeats()),
    }
    FILES.check(folder, found)
    labels = np.empty(comparisons.n_objects, dtype=np.int64)
    for number, members in enumerate(CLASSES.values()):
        labels[np.array(members) - 1] = number
    return {"comparisons": comparisons, "labels": labels, "label_names": tuple(CLASSES)}
