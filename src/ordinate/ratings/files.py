"""Read ratings from files."""

from __future__ import annotations

import os

from ordinate.io.tables import errors_naming, open_table
from ordinate.ratings.record import Ratings


def read_ratings(
    path: str | os.PathLike[str],
    *,
    user: str = "user",
    item: str = "item",
    value: str = "rating",
    on_duplicate: str = "refuse",
) -> Ratings:
    """Read ratings or counts from a file with one row per rating.

    Parameters
    ----------
    path : str or path-like
        A file ending in .csv, .tsv, .csv.gz or .tsv.gz (with comma, semicolon or tab between
        entries) or .parquet.
    user, item, value : str, default="user", "item" and "rating"
        Names of the columns; without a header they are called "0", "1", ….
    on_duplicate : {"refuse", "mean", "last"}, default="refuse"
        What to do where a user has different values for one item: refuse them, take their mean,
        or the one in the last row.

    Returns
    -------
    Ratings
        Users and items are called what the file calls them.

    Examples
    --------
    >>> import ordinate as od
    >>> od.read_ratings("ratings.csv", user="who", item="film", value="stars")  # doctest: +SKIP
    Ratings(99,543 values, 943 users, 1,413 items)
    """
    with errors_naming(os.fspath(path)):
        return Ratings._from_table(open_table(path), user, item, value, on_duplicate)
