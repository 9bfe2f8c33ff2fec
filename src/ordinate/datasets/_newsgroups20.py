"""20 Newsgroups, sorted by date."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import numpy as np

from ordinate.datasets._files import DataHome, Files, Remote, check_published, load_published
from ordinate.datasets._readers import read_members
from ordinate.datasets._record import About, Dataset

ABOUT = About(
    name="newsgroups20",
    title="20 Newsgroups (by date)",
    size="18,846 texts in 20 groups",
    description=(
        "Messages posted to 20 Usenet groups, split by date into 11,314 for training and 7,532"
        " for testing, without duplicates and without the headers that name the group."
    ),
    citation=(
        "K. Lang. NewsWeeder: learning to filter netnews. ICML 1995. Version by date: J. Rennie."
    ),
    terms="None stated; the texts hold names and e-mail addresses of their authors.",
)

FILES = Files(
    folder="newsgroups20",
    prepared=("20news-bydate*",),
    published=(
        Remote(
            "20news-bydate.tar.gz",
            (
                "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",
                "https://ndownloader.figshare.com/files/5975967",
            ),
            "sha256:8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
        ),
    ),
)

PUBLISHED = {"training texts": 11_314, "test texts": 7_532, "groups": 20}


def load_newsgroups20(data_home: DataHome = None) -> Dataset:
    """Load the texts of 20 Newsgroups.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder; files that are not in it are downloaded into it. By default the one
        that the environment variable ``ORDINATE_DATA`` names, or else a cache.

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
    return load_published(FILES, data_home, _parse)


def _parse(folder: Path) -> Dataset:
    members = sorted(read_members(folder, "20news-bydate-t*/*/*"))
    places = [PurePosixPath(name).parts[-3:] for name, _ in members]
    split = np.array([place[0].removeprefix("20news-bydate-") for place in places])
    groups, labels = np.unique([place[1] for place in places], return_inverse=True)
    found = {
        "training texts": int((split == "train").sum()),
        "test texts": int((split == "test").sum()),
        "groups": len(groups),
    }
    check_published(folder, found, PUBLISHED)
    return Dataset(
        **vars(ABOUT),
        texts=tuple(content.decode("latin-1") for _, content in members),
        names=tuple(
            f"{part}/{group}/{number}"
            for part, (_, group, number) in zip(split, places, strict=True)
        ),
        labels=labels,
        label_names=tuple(groups.tolist()),
        attributes={"split": split},
    )
