import bz2
import sys

import numpy as np
import pytest

import ordinate as od

FILES = {
    "usps.bz2": bz2.compress(b"7 1:-1 2:-0.5 4:1\n1 1:0.5 2:1 3:1 4:1\n"),
    "usps.t.bz2": bz2.compress(b"10 1:1 2:1 3:1 4:-1\n"),
}
COUNTS = {"training_images": 2, "test_images": 1, "pixels": 4}


def test_files_as_published_are_read(publish):
    dataset = od.datasets.load_usps(publish("usps", FILES, **COUNTS))
    expected = [[0, 0.25, 0.5, 1], [0.75, 1, 1, 1], [1, 1, 1, 0]]
    np.testing.assert_array_equal(dataset.points, expected)
    assert dataset.labels.tolist() == [6, 0, 9]
    assert dataset.attributes["split"].tolist() == ["train", "train", "test"]


def test_without_h5py_the_message_says_how_to_install_it(tmp_path, monkeypatch):
    (tmp_path / "usps").mkdir()
    (tmp_path / "usps" / "usps.h5").touch()
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r'pip install "ordinate\[data\]"'):
        od.datasets.load_usps(tmp_path)
