"""20 Newsgroups, sorted by date."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import numpy as np

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import read_members
from ordinate.datasets._record import Dataset

FILES = files_of("newsgroups20")


def load_newsgroups20(data_home: DataHome = None) -> Dataset:
    """Load the texts of 20 Newsgroups.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `texts`, `names` (split, group and number of the message), `labels` (the group) and
        the attribute ``split``, ``"train"`` or ``"test"``.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_newsgroups20()  # doctest: +SKIP
    Dataset(newsgroups20: 18,846 texts, 20 labels)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    members = sorted(read_members(folder, "20news-bydate-t*/*/*"))
    places = [PurePosixPath(name).parts[-3:] for name, _ in members]
    split = np.array([place[0].removeprefix("20news-bydate-") for place in places])
    groups, labels = np.unique([place[1] for place in places], return_inverse=True)
    found = {
        "training texts": int((split == "train").sum()),
        "test texts": int((split == "test").sum()),
        "groups": len(groups),
    }
    FILES.check(folder, found)
    return {
        "texts": tuple(content.decode("latin-1") for _, content in members),
        "names": tuple(
            f"{part}/{group}/{number}"
            for part, (_, group, number) in zip(split, places, strict=True)
        ),
        "labels": labels,
        "label_names": tuple(groups.tolist()),
        "attributes": {"split": split},
    }
