"""Last.fm-2k: how often people listened to artists."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import read_member
from ordinate.datasets._record import Dataset
from ordinate.ratings.record import Ratings

FILES = files_of("lastfm2k")


def load_lastfm2k(data_home: DataHome = None) -> Dataset:
    """Load the listening counts of Last.fm-2k.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

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
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    plays = read_member(folder, "user_artists.dat").decode().splitlines()
    user, artist, weight = np.loadtxt(plays, dtype=np.int64, skiprows=1).T
    user_ids, users = np.unique(user, return_inverse=True)
    artist_ids, items = np.unique(artist, return_inverse=True)
    # only line feeds end a line here: some names hold other characters that Python splits at
    lines = read_member(folder, "artists.dat").decode().split("\n")[1:]
    name = {int(row[0]): row[1] for row in (line.split("\t") for line in lines if line)}
    found = {"counts": len(weight), "users": len(user_ids), "artists": len(name)}
    FILES.check(folder, found)
    names = tuple(name[number] for number in artist_ids.tolist())
    return {
        "ratings": Ratings(
            users,
            items,
            weight,
            user_names=tuple(str(number) for number in user_ids.tolist()),
            item_names=names,
        ),
        "names": names,
    }
