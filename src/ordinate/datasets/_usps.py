"""USPS: handwritten digits from envelopes."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import find_member, import_extra, read_member
from ordinate.datasets._record import Dataset

FILES = files_of("usps")

Part: TypeAlias = tuple[NDArray[Any], NDArray[Any]]


def load_usps(data_home: DataHome = None) -> Dataset:
    """Load the USPS digits.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `points` (pixels, float32 from 0 to 1), `labels` (the digit) and the attribute
        ``split``, ``"train"`` or ``"test"``.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_usps()  # doctest: +SKIP
    Dataset(usps: 9,298 objects, 256 features, 10 labels)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    hdf5 = find_member(folder, "usps.h5")
    (train, train_labels), (test, test_labels) = (
        _read_svmlight(folder) if hdf5 is None else _read_hdf5(hdf5)
    )
    found = {"training images": len(train), "test images": len(test), "pixels": train.shape[1]}
    FILES.check(folder, found)
    return {
        "points": np.concatenate([train, test]).astype(np.float32),
        "labels": np.concatenate([train_labels, test_labels]).astype(np.int64),
        "label_names": tuple("0123456789"),
        "image_shape": (16, 16),
        "attributes": {"split": np.repeat(["train", "test"], [len(train), len(test)])},
    }


def _read_hdf5(content: bytes) -> tuple[Part, Part]:
    with import_extra("h5py").File(BytesIO(content)) as file:
        train, test = (
            (file[part]["data"][()], file[part]["target"][()]) for part in ("train", "test")
        )
    return train, test


def _read_svmlight(folder: Path) -> tuple[Part, Part]:
    """Read the publisher's files: pixels from -1 to 1, and 1 to 10 for the digits 0 to 9."""
    from sklearn.datasets import load_svmlight_files

    contents = [BytesIO(read_member(folder, name)) for name in ("usps", "usps.t")]
    train, train_labels, test, test_labels = load_svmlight_files(contents)
    return (
        ((train.toarray() + 1) / 2, train_labels - 1),
        ((test.toarray() + 1) / 2, test_labels - 1),
    )
