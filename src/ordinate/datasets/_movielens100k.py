"""MovieLens 100K: what people thought of films."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import read_member
from ordinate.datasets._record import Dataset
from ordinate.ratings.record import Ratings

FILES = files_of("movielens100k")


def load_movielens100k(data_home: DataHome = None) -> Dataset:
    """Load the ratings of MovieLens 100K.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `ratings`, and for each film its title in `names` and its ``genres``, joined by
        ``|``. Films listed twice under one title carry their number, as in ``"Title [268]"``.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_movielens100k().ratings  # doctest: +SKIP
    Ratings(100,000 values, 943 users, 1,682 items)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    data = read_member(folder, "u.data").decode().splitlines()
    users, items, values = np.loadtxt(data, dtype=np.int32, usecols=(0, 1, 2)).T
    films = [
        line.split("|") for line in read_member(folder, "u.item").decode("latin-1").splitlines()
    ]
    found = {"ratings": len(values), "users": len(np.unique(users)), "films": len(films)}
    FILES.check(folder, found)
    genre_lines = read_member(folder, "u.genre").decode().split()
    genres = np.array([line.split("|")[0] for line in genre_lines])
    flags = np.array([film[-len(genres) :] for film in films]) == "1"
    times = Counter(film[1] for film in films)
    titles = tuple(film[1] if times[film[1]] == 1 else f"{film[1]} [{film[0]}]" for film in films)
    return {
        "ratings": Ratings(
            users - 1,
            items - 1,
            values,
            user_names=tuple(str(number + 1) for number in range(users.max())),
            item_names=titles,
        ),
        "names": titles,
        "attributes": {"genres": np.array(["|".join(genres[row]) for row in flags])},
    }
