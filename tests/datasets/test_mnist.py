import gzip
import struct

import numpy as np
import pytest

import ordinate as od


def idx(array):
    header = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    return gzip.compress(header + array.tobytes())


TRAIN = np.arange(18, dtype=np.uint8).reshape(3, 2, 3)
TEST = np.arange(6, dtype=np.uint8).reshape(1, 2, 3) + 100
FILES = {
    "train-images-idx3-ubyte.gz": idx(TRAIN),
    "train-labels-idx1-ubyte.gz": idx(np.array([5, 0, 4], dtype=np.uint8)),
    "t10k-images-idx3-ubyte.gz": idx(TEST),
    "t10k-labels-idx1-ubyte.gz": idx(np.array([7], dtype=np.uint8)),
}
COUNTS = {"training_images": 3, "test_images": 1, "pixels": 6}


def test_files_as_published_are_read(publish):
    dataset = od.datasets.load_mnist(publish("mnist", FILES, **COUNTS))
    np.testing.assert_array_equal(dataset.points, np.concatenate([TRAIN, TEST]).reshape(4, 6))
    assert dataset.points.dtype == np.uint8
    assert dataset.image_shape == (2, 3)
    assert dataset.labels.tolist() == [5, 0, 4, 7]
    assert dataset.attributes["split"].tolist() == ["train", "train", "train", "test"]


@pytest.mark.parametrize("content", [b"", b"<html>", struct.pack(">HBBI", 0, 8, 1, 5)])
def test_another_file_is_refused(publish, content):
    files = FILES | {"t10k-labels-idx1-ubyte.gz": gzip.compress(content)}
    with pytest.raises(od.InputError, match="not as published"):
        od.datasets.load_mnist(publish("mnist", files, **COUNTS))
