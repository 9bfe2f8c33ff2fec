import hashlib
import os
from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.datasets import DownloadError
from ordinate.datasets import _files as files_module
from ordinate.datasets._files import Files, Remote
from ordinate.datasets._synthetic import SPHERE

CONTENT = b"1 2 3\n" * 1000
CHECKSUM = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"


def parse(folder):
    return {"rows": 1000, "more": 3}, {"points": np.loadtxt(folder / "numbers.txt")}


def files(*urls, checksum=CHECKSUM):
    return Files(SPHERE, "numbers", ("prepared.txt",), (Remote("numbers.txt", urls, checksum),))


@pytest.fixture
def published(server):
    server.files["numbers.txt"] = CONTENT
    return files(f"{server.url}/numbers.txt")


def test_downloads_once(published, server, tmp_path):
    assert published.load(tmp_path, parse).points.shape == (1000, 3)
    assert (tmp_path / "numbers" / "numbers.txt").read_bytes() == CONTENT
    published.load(tmp_path, parse)
    assert server.requests == ["/numbers.txt"]


def test_md5_and_unknown_checksums(published, server, tmp_path):
    md5 = f"md5:{hashlib.md5(CONTENT).hexdigest()}"
    for home, checksum in (("a", md5), ("b", None)):
        remote = replace(published.published[0], checksum=checksum)
        replace(published, published=(remote,)).load(tmp_path / home, parse)
    assert len(server.requests) == 2


def test_another_checksum_is_refused_and_nothing_kept(published, server, tmp_path):
    server.files["numbers.txt"] = CONTENT + b"4 5 6\n"
    with pytest.raises(DownloadError, match=r"hash of downloaded file .* does not match"):
        published.load(tmp_path, parse)
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_mirrors_are_tried_in_turn(server, tmp_path):
    server.files["numbers.txt"] = CONTENT
    mirrored = files(f"{server.url}/absent.txt", f"{server.url}/numbers.txt")
    assert mirrored.load(tmp_path, parse).points.shape == (1000, 3)
    assert server.requests == ["/absent.txt", "/numbers.txt"]


def test_a_missing_network_is_explained(tmp_path):
    # nobody listens on port 1
    unreachable = files("http://127.0.0.1:1/numbers.txt")
    with pytest.raises(DownloadError) as caught:
        unreachable.load(tmp_path, parse)
    message = str(caught.value)
    assert "Could not download numbers.txt (http://127.0.0.1:1/numbers.txt: " in message
    assert f"Put the file into {tmp_path / 'numbers'}" in message
    assert "data_home= or the environment variable ORDINATE_DATA" in message


def test_interrupted_download_leaves_nothing(server, tmp_path):
    server.files["numbers.txt"] = CONTENT
    with pytest.raises(DownloadError, match=r"Could not download numbers\.txt"):
        files(f"{server.url}/cut/numbers.txt").load(tmp_path, parse)
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_unknown_address_at_the_publisher(server, tmp_path):
    with pytest.raises(DownloadError, match="404"):
        files(f"{server.url}/absent.txt").load(tmp_path, parse)


def test_server_that_falls_silent(server, tmp_path, monkeypatch):
    waited = []
    monkeypatch.setattr("requests.get", lambda *_, timeout, **__: waited.append(timeout) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        files(f"{server.url}/numbers.txt").load(tmp_path, parse)
    assert waited == [files_module.TIMEOUT]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_folder_that_cannot_be_written(published, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(DownloadError, match="Could not download"):
        published.load(tmp_path, parse)


def test_data_home_comes_before_environment_before_cache(monkeypatch, tmp_path):
    pooch = pytest.importorskip("pooch")
    some = files()
    monkeypatch.setenv("ORDINATE_DATA", str(tmp_path / "environment"))
    assert some.place(tmp_path / "given") == tmp_path / "given" / "numbers"
    assert some.place(None) == tmp_path / "environment" / "numbers"
    monkeypatch.setenv("ORDINATE_DATA", "")
    assert some.place(None) == pooch.os_cache("ordinate") / "numbers"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert some.place("~/data") == tmp_path / "data" / "numbers"


@pytest.mark.parametrize("name", ["prepared.txt", "prepared.txt.gz", "deep/prepared.txt"])
def test_prepared_files_are_found(tmp_path, name):
    some = replace(files(), folder=tmp_path.name)
    assert not some.are_present(tmp_path.parent)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    assert some.are_present(tmp_path.parent)


def test_prepared_files_need_no_download(tmp_path):
    (tmp_path / "numbers").mkdir()
    (tmp_path / "numbers" / "prepared.txt").touch()
    (tmp_path / "numbers" / "numbers.txt").write_bytes(CONTENT)
    unreachable = files("http://127.0.0.1:1/numbers.txt")
    assert unreachable.load(tmp_path, parse).points.shape == (1000, 3)


def test_wrong_count_is_refused(published, tmp_path):
    replace(published, counts={"rows": 1000}).load(tmp_path, parse)
    with pytest.raises(od.InputError, match=r"Expected 1,001 rows as published; .* have 1,000\."):
        replace(published, counts={"rows": 1001}).load(tmp_path, parse)


def test_unreadable_content_is_refused(published, tmp_path):
    (tmp_path / "numbers").mkdir()
    (tmp_path / "numbers" / "numbers.txt").write_text("<html>Not found</html>")
    with pytest.raises(od.InputError, match=r"not as published \(ValueError: .* remove"):
        published.load(tmp_path, parse)
