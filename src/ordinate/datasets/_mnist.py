"""MNIST: handwritten digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import read_member
from ordinate.datasets._record import Dataset

FILES = files_of("mnist")


def load_mnist(data_home: DataHome = None) -> Dataset:
    """Load the MNIST digits.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `points` (pixels, uint8 from 0 to 255), `labels` (the digit) and the attribute
        ``split``, ``"train"`` or ``"test"``.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_mnist()  # doctest: +SKIP
    Dataset(mnist: 70,000 objects, 784 features, 10 labels)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    train, train_labels, test, test_labels = (
        _read_idx(read_member(folder, name)) for name in FILES.prepared
    )
    points = np.concatenate([train, test])
    height, width = points.shape[1:]
    found = {"training images": len(train), "test images": len(test), "pixels": height * width}
    FILES.check(folder, found)
    return {
        "points": points.reshape(len(points), -1),
        "labels": np.concatenate([train_labels, test_labels]).astype(np.int64),
        "label_names": tuple("0123456789"),
        "image_shape": (height, width),
        "attributes": {
            "split": np.repeat(["train", "test"], [len(train_labels), len(test_labels)])
        },
    }


def _read_idx(content: bytes) -> NDArray[np.uint8]:
    """Decode LeCun's IDX format: two zeros, type, number of axes, their lengths, the bytes."""
    if content[:3] != b"\0\0\x08":
        raise ValueError("not an IDX file of unsigned bytes")
    n_axes = content[3]
    shape = np.frombuffer(content, dtype=">u4", count=n_axes, offset=4)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * n_axes).reshape(shape)
