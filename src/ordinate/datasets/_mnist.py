"""MNIST: handwritten digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ordinate.datasets._files import DataHome, Files, Remote, check_published, load_published
from ordinate.datasets._readers import read_member
from ordinate.datasets._record import About, Dataset

ABOUT = About(
    name="mnist",
    title="MNIST handwritten digits",
    size="70,000 images of 28 x 28 pixels",
    description="Handwritten digits, 60,000 for training and then 10,000 for testing.",
    citation=(
        "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner. Gradient-based learning applied to document"
        " recognition. Proceedings of the IEEE 86(11), 1998."
    ),
    terms="None stated.",
)

CHECKSUMS = {
    "train-images-idx3-ubyte": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1-ubyte": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3-ubyte": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1-ubyte": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}

ADDRESSES = (
    "http://yann.lecun.com/exdb/mnist",
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
)

FILES = Files(
    folder="mnist",
    prepared=tuple(CHECKSUMS),
    published=tuple(
        Remote(
            f"{name}.gz",
            tuple(f"{address}/{name}.gz" for address in ADDRESSES),
            f"sha256:{checksum}",
        )
        for name, checksum in CHECKSUMS.items()
    ),
)

PUBLISHED = {"training images": 60_000, "test images": 10_000, "pixels": 784}


def load_mnist(data_home: DataHome = None) -> Dataset:
    """Load the MNIST digits.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder; files that are not in it are downloaded into it. By default the one
        that the environment variable ``ORDINATE_DATA`` names, or else a cache.

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
    return load_published(FILES, data_home, _parse)


def _parse(folder: Path) -> Dataset:
    train, train_labels, test, test_labels = (
        _read_idx(read_member(folder, name)) for name in CHECKSUMS
    )
    points = np.concatenate([train, test])
    height, width = points.shape[1:]
    found = {
        "training images": len(train),
        "test images": len(test),
        "pixels": height * width,
    }
    check_published(folder, found, PUBLISHED)
    return Dataset(
        **vars(ABOUT),
        points=points.reshape(len(points), -1),
        labels=np.concatenate([train_labels, test_labels]).astype(np.int64),
        label_names=tuple("0123456789"),
        image_shape=(height, width),
        attributes={"split": np.repeat(["train", "test"], [len(train_labels), len(test_labels)])},
    )


def _read_idx(content: bytes) -> NDArray[np.uint8]:
    """Decode LeCun's IDX format: two zeros, type, number of axes, their lengths, the bytes."""
    if content[:3] != b"\0\0\x08":
        raise ValueError("not an IDX file of unsigned bytes")
    n_axes = content[3]
    shape = np.frombuffer(content, dtype=">u4", count=n_axes, offset=4)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * n_axes).reshape(shape)
