"""Music artists (aset400): the one of two that is more like a third."""

from __future__ import annotations

import csv
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import degenerate_rows
from ordinate.comparisons.record import Comparisons
from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import find_member, import_extra, read_mat, read_member
from ordinate.datasets._record import Dataset

FILES = files_of("music400")

GENRES = ("rock", "metal", "pop", "dance", "hiphop", "jazz", "country", "reggae", "other")

GENRE_OF_TAG = np.array(
    [
        *(5, 1, 1, 1, 1, 1, 1, 1, 5, 3, 3, 3, 3, 2, 1, 1, 4, 4, 4, 1, 4, 7, 7, 4, 1, 2, 2, 1, 5),
        *(6, 6, 6, 8, 1, 3, 4, 4, 1, 3, 1, 2, 2, 1, 7, 7, 1, 1, 1, 1, 1, 4, 5, 2, 3, 6, 2, 2, 5),
    ]
)
"""Which genre each of the 58 tags belongs to, counted from 1, as the toolbox assigns them."""


def load_music400(data_home: DataHome = None) -> Dataset:
    """Load the triplets about music artists.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `comparisons`, `labels` (the genre) and the attribute ``tags``, joined by ``|``. The
        published files do not say the artists' names; `names` are there if the folder has a
        table ``derived_artists.csv`` that infers them.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_music400().comparisons  # doctest: +SKIP
    Comparisons(9090 triplets, 400 objects)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    all_rows = read_mat(read_member(folder, "music_triplets.mat"))["triplets"]
    compared, numbers = np.unique(all_rows, return_inverse=True)
    rows = numbers.reshape(all_rows.shape).astype(np.int32)
    repeats = degenerate_rows(rows)
    tagged, tags = _read_tags(read_member(folder, "music_labels.mat"))
    tagged = tagged[compared - 1]
    found = {
        "rows": len(rows),
        "rows that repeat an artist": int(repeats.sum()),
        "artists": len(compared),
        "tags": len(tags),
    }
    FILES.check(folder, found)
    names = _inferred_names(folder, compared)
    return {
        "comparisons": Comparisons(rows[~repeats], n_objects=len(compared), names=names),
        "names": names,
        "labels": _first_genre(tagged),
        "label_names": GENRES,
        "attributes": {"tags": np.array(["|".join(tags[row]) for row in tagged])},
    }


def _read_tags(content: bytes) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which of the tags each artist has, shape (n_artists, n_tags), and the tags."""
    with import_extra("h5py").File(BytesIO(content)) as file:
        tagged = file["label_matrix"][()].T == 1
        letters = [file[reference][()].ravel() for reference in file["lablist"][()].ravel()]
    return tagged, np.array([unescape("".join(map(chr, codes))) for codes in letters])


def _first_genre(tagged: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Take the first genre of GENRES that a tag speaks for, else the last, "other"."""
    has = np.ones((len(tagged), len(GENRES)), dtype=bool)
    for number in range(len(GENRES) - 1):
        has[:, number] = tagged[:, number + 1 == GENRE_OF_TAG].any(axis=1)
    first: NDArray[np.int64] = has.argmax(axis=1)
    return first


def _inferred_names(folder: Path, artists: NDArray[Any]) -> tuple[str, ...] | None:
    content = find_member(folder, "derived_artists.csv")
    if content is None:
        return None
    table = csv.DictReader(content.decode().splitlines())
    name = {int(row["id_1based"]): row["name_inferred"] for row in table}
    return tuple(name[artist] for artist in artists.tolist())
