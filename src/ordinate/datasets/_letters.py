"""Letters: printed capitals, described by sixteen numbers each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import read_member
from ordinate.datasets._record import Dataset

FILES = files_of("letters")

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def load_letters(data_home: DataHome = None) -> Dataset:
    """Load the letters of Frey and Slate.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `points` (16 whole numbers from 0 to 15, uint8) and `labels`, 0 for A to 25 for Z.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_letters()  # doctest: +SKIP
    Dataset(letters: 20,000 objects, 16 features, 26 labels)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    text = read_member(folder, "letter-recognition.data").decode("ascii")
    rows = [line.split(",") for line in text.split()]
    labels = np.array([ALPHABET.index(letter) for letter, *_ in rows])
    points = np.array([features for _, *features in rows], dtype=np.uint8)
    counts = np.bincount(labels, minlength=len(ALPHABET)).tolist()
    found = {f"letters {letter}": n for letter, n in zip(ALPHABET, counts, strict=True)}
    FILES.check(folder, {"features": points.shape[1], **found})
    return {"points": points, "labels": labels, "label_names": tuple(ALPHABET)}
