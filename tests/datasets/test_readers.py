import bz2
import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import ordinate as od
from ordinate.datasets._readers import import_extra, read_mat, read_member, read_members, upright


def test_returns_the_library():
    assert import_extra("json") is json


def test_a_missing_library_gives_the_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r'h5py, .* pip install "ordinate\[data\]"'):
        import_extra("h5py")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("u.data", b"abc"),
        ("u.data.gz", gzip.compress(b"abc", mtime=0)),
        ("u.data.bz2", bz2.compress(b"abc")),
    ],
)
def test_loose_files_are_decompressed(tmp_path, name, content):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / name).write_bytes(content)
    assert read_member(tmp_path, "u.data") == b"abc"


def test_unix_compress_is_decompressed(tmp_path):
    # five images of 2 x 2 pixels in a MATLAB file, compressed by ncompress
    content = (Path(__file__).parents[1] / "data" / "face_data.mat.Z").read_bytes()
    (tmp_path / "face_data.mat.Z").write_bytes(content)
    assert read_member(tmp_path, "face_data.mat").startswith(b"MATLAB 5.0")


def test_archives_are_searched(tmp_path, zipped, tarred):
    (tmp_path / "a.zip").write_bytes(
        zipped({"set/": b"", "set/u": b"zip", "__MACOSX/set/u": b"shadow"})
    )
    (tmp_path / "b.tar.gz").write_bytes(tarred({"set/v": b"tar", "set/w": b"more"}))
    assert read_member(tmp_path, "set/u") == b"zip"
    assert read_member(tmp_path, "v") == b"tar"
    assert dict(read_members(tmp_path, "set/*")) == {"set/u": b"zip"}
    (tmp_path / "a.zip").unlink()
    assert dict(read_members(tmp_path, "set/*")) == {"set/v": b"tar", "set/w": b"more"}


def test_loose_files_come_before_archives(tmp_path, zipped):
    (tmp_path / "a.zip").write_bytes(zipped({"u": b"zip", "v": b"zip"}))
    (tmp_path / "u").write_bytes(b"loose")
    assert list(read_members(tmp_path, "*")) == [("u", b"loose")]
    assert read_member(tmp_path, "v") == b"zip"


def test_a_missing_file_is_explained(tmp_path):
    with pytest.raises(od.InputError, match=r"There is no file u\.data in .*, nor in an archive"):
        read_member(tmp_path, "u.data")


@pytest.mark.parametrize("name", ["u.zip", "u.tar.gz", "u.gz"])
@pytest.mark.parametrize(
    "content", [b"no archive at all", gzip.compress(b"abc" * 99, mtime=0)[:-9]], ids=["none", "cut"]
)
def test_a_damaged_file_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(od.InputError, match=r"cannot be read .*; remove it to download it again"):
        read_member(tmp_path, "u")


def test_variables_come_by_name():
    file = io.BytesIO()
    savemat(file, {"x": np.arange(6).reshape(2, 3)})
    np.testing.assert_array_equal(read_mat(file.getvalue())["x"], [[0, 1, 2], [3, 4, 5]])


def test_columns_become_columns_again():
    images = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    written = np.array([image.flatten(order="F") for image in images])
    np.testing.assert_array_equal(upright(written), images)
