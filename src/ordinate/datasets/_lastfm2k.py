"""Last.fm-2k: how often people listened to artists."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ordinate.datasets._files import DataHome, Files, Remote, check_published, load_published
from ordinate.datasets._readers import read_member
from ordinate.datasets._record import About, Dataset
from ordinate.ratings.record import Ratings

ABOUT = About(
    name="lastfm2k",
    title="HetRec 2011 Last.fm-2k",
    size="1,892 users, 17,632 artists, 92,834 counts",
    description=(
        "How many times users of Last.fm listened to each of the up to 50 artists they heard most."
    ),
    citation=(
        "I. Cantador, P. Brusilovsky, T. Kuflik. Second Workshop on Information Heterogeneity and"
        " Fusion in Recommender Systems (HetRec 2011). RecSys 2011. Data by Last.fm."
    ),
    terms="Non-commercial use; cite Last.fm; for commercial use ask Last.fm.",
)

FILES = Files(
    folder="hetrec2011_lastfm2k",
    prepared=("user_artists.dat", "artists.dat"),
    published=(
        Remote(
            "hetrec2011-lastfm-2k.zip",
            ("https://files.grouplens.org/datasets/hetrec2011/hetrec2011-lastfm-2k.zip",),
            "sha256:6738f48195667ff03caaab4d32ca9a3133d8cc026b7c3cdaf6ce1010e913c59c",
        ),
    ),
)

PUBLISHED = {"counts": 92_834, "users": 1_892, "artists": 17_632}


def load_lastfm2k(data_home: DataHome = None) -> Dataset:
    """Load the listening counts of Last.fm-2k.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder; files that are not in it are downloaded into it. By default the one
        that the environment variable ``ORDINATE_DATA`` names, or else a cache.

    Returns
    -------
    Dataset
        With `ratings`, whose values are numbers of plays, and the artists' `names`.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_lastfm2k().ratings  # doctest: +SKIP
    Ratings(92,834 values, 1,892 users, 17,632 items)
    """
    return load_published(FILES, data_home, _parse)


def _parse(folder: Path) -> Dataset:
    plays = read_member(folder, "user_artists.dat").decode().splitlines()
    user, artist, weight = np.loadtxt(plays, dtype=np.int64, skiprows=1).T
    user_ids, users = np.unique(user, return_inverse=True)
    artist_ids, items = np.unique(artist, return_inverse=True)
    # only line feeds end a line here: some names hold other characters that Python splits at
    lines = read_member(folder, "artists.dat").decode().split("\n")[1:]
    name = {int(row[0]): row[1] for row in (line.split("\t") for line in lines if line)}
    found = {"counts": len(weight), "users": len(user_ids), "artists": len(name)}
    check_published(folder, found, PUBLISHED)
    names = tuple(name[number] for number in artist_ids.tolist())
    return Dataset(
        **vars(ABOUT),
        ratings=Ratings(
            users,
            items,
            weight,
            user_names=tuple(str(number) for number in user_ids.tolist()),
            item_names=names,
        ),
        names=names,
    )
