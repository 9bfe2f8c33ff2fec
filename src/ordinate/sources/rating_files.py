"""Read ratings from files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ordinate._checks import InputError
from ordinate.sources.formats import check_content, format_of
from ordinate.sources.ratings import Ratings
from ordinate.sources.text import TextTable

if TYPE_CHECKING:
    import pyarrow as pa


def read_ratings(
    path: str | os.PathLike[str],
    *,
    user: str = "user",
    item: str = "item",
    value: str = "rating",
    normalize: str = "zscore",
) -> Ratings:
    """Read ratings or counts from a file with one row per rating.

    Parameters
    ----------
    path : str or path-like
        A file ending in .csv, .tsv, .csv.gz or .tsv.gz (with comma, semicolon or tab between
        entries) or .parquet.
    user, item, value : str
        Names of the columns; without a header they are called "0", "1", ….
    normalize : {"zscore", "share", "none"}
        As for `Ratings`.

    Returns
    -------
    Ratings
        Users and items are called what the file calls them.

    Examples
    --------
    >>> import ordinate as od
    >>> od.read_ratings("ratings.csv", user="who", item="film", value="stars")  # doctest: +SKIP
    Ratings(99,543 values, 943 users, 1,413 items, zscore)
    """
    try:
        table = read_table(Path(path))
        return Ratings.from_frame(table, user=user, item=item, value=value, normalize=normalize)
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: {error}") from None


def read_table(path: Path) -> pa.Table:
    """Read a text or Parquet file into a table of whole numbers and text, or of its own types."""
    import pyarrow as pa
    import pyarrow.parquet

    found = format_of(path)
    check_content(path, found)
    if found is format_of(Path("_.npz")):
        raise InputError("Such tables are read from text or Parquet files, not from NPZ.")
    if found is not format_of(Path("_.parquet")):
        return TextTable(path).read()
    try:
        return pa.parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"It cannot be read as Parquet: {error}.") from None
