"""Arrays on disk: recalled as they were, and never in the way."""

import os

import numpy as np
import pytest

from ordinate import _cache
from ordinate._cache import Cache, cache_folder, caching, current_cache, fingerprint


def recall(cache, *made_from):
    """What was recalled or, where nothing was, computed."""
    (found,) = cache.recall(*made_from, compute=lambda: [np.arange(4) / 3])
    return found


def test_arrays_come_back_bit_by_bit(tmp_path):
    cache = Cache(tmp_path / "not" / "there yet")
    made = [np.float64(0.1), np.array([True, False]), np.array([np.nan, -0.0, 1e-300])]
    cache.recall("SOE", 2, compute=lambda: made)
    found = Cache(cache.folder).recall("SOE", 2, compute=lambda: pytest.fail("it was kept"))
    assert [array.dtype.str for array in found] == ["<f8", "|b1", "<f8"]
    assert [array.tobytes() for array in found] == [array.tobytes() for array in made]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((np.array([1, 2]),), (np.array([2, 1]),)),
        ((np.array([[1, 2]]),), (np.array([[1], [2]]),)),
        ((np.array(["a", "bc"], dtype=object),), (np.array(["ab", "c"], dtype=object),)),
        (("ab", "c"), ("a", "bc")),
        ((np.arange(5000),), (np.where(np.arange(5000) == 2500, 0, np.arange(5000)),)),
        ((None,), ("None",)),
        ((1,), (1.0,)),
    ],
)
def test_other_content_has_another_fingerprint(one, other):
    assert fingerprint(*one) == fingerprint(*one)
    assert fingerprint(*one) != fingerprint(*other)


@pytest.mark.parametrize(
    "damage", [lambda whole: whole[:-3], lambda whole: b"", lambda whole: b"x" * 99]
)
def test_a_damaged_file_is_computed_and_written_again(tmp_path, damage):
    recall(Cache(tmp_path), "SOE")
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    cache = Cache(tmp_path)
    np.testing.assert_array_equal(recall(cache, "SOE"), np.arange(4) / 3)
    assert (cache.n_recalled, cache.n_computed) == (0, 1)
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_tolerated(tmp_path):
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file")
    np.testing.assert_array_equal(recall(cache, "SOE"), np.arange(4) / 3)
    assert cache.files() == []
    cache.shrink(0)


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    def fail(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    np.testing.assert_array_equal(recall(Cache(tmp_path), "SOE"), np.arange(4) / 3)
    assert list(tmp_path.iterdir()) == []


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    (tmp_path / "notes.txt").write_text("somebody else's")
    cache = Cache(tmp_path)
    for number, method in enumerate(["SOE", "STE", "CKL"]):
        before = set(tmp_path.iterdir())
        recall(cache, method)
        (new,) = set(tmp_path.iterdir()) - before
        os.utime(new, (number, number))
    recall(cache, "SOE")
    (_, size), *_ = [(path, status.st_size) for path, status in cache.files()]
    cache.shrink(2 * size)
    again = Cache(tmp_path)
    for method in ("SOE", "CKL", "STE"):
        recall(again, method)
    assert (again.n_recalled, again.n_computed) == (2, 1)
    cache.shrink(0)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_another_version_computes_again(tmp_path, monkeypatch):
    recall(Cache(tmp_path), "SOE")
    monkeypatch.setattr(_cache, "version", lambda package: f"{package} of tomorrow")
    cache = Cache(tmp_path)
    recall(cache, "SOE")
    assert (cache.n_recalled, cache.n_computed) == (0, 1)


def test_only_a_block_that_asks_for_it_has_a_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ORDINATE_CACHE", str(tmp_path))
    assert current_cache() is None
    with caching() as cache:
        assert current_cache() is cache
        assert cache.folder == tmp_path
    assert current_cache() is None


def test_the_folder_is_the_users_unless_another_is_named(monkeypatch):
    monkeypatch.delenv("ORDINATE_CACHE")
    folder = cache_folder()
    assert (folder.parent.name, folder.name) == ("ordinate", "fits")
