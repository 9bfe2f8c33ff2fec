"""Compiled functions work where compiled code cannot be kept on disk, or is damaged there."""

import errno
import re
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile
from numba.core.event import install_recorder

from ordinate import _compiler
from ordinate.ratings.triples import _fill_alias
from ordinate.solvers.batch_lbfgs import _shortest, _turn

pytestmark = pytest.mark.compiled


def test_all_that_is_compiled_comes_through_here():
    root = Path(_compiler.__file__).parent
    past = [
        path.name
        for path in root.rglob("*.py")
        if re.search(r"numba import .*jit", path.read_text("utf-8"))
    ]
    assert past == []


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (_turn, [(1, 2), (1, 2), (1, 1, 2), (1, 1, 2), (1, 1, 1), 1]),
        (_fill_alias, [2, 2, 2]),
        (_shortest, [(2, 2), 2]),
    ],
)
def test_no_text_of_an_error_is_compiled(function, shapes):
    """An array assigned to a slice would: Numba's error names both shapes, 2 s of compiling."""
    with install_recorder("numba:compile") as recorder:
        numba.njit(function.py_func)(*map(np.ones, shapes))
    compiled = {event.data["dispatcher"].py_func.__module__ for _, event in recorder.buffer}
    assert function.py_func.__module__ in compiled
    assert "numba.cpython.unicode" not in compiled


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where compiled code is kept."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_compiler, "_has_warned", False)
    return tmp_path


def compiled():
    """Return a function that is not compiled yet in this process, but may be on disk."""

    def double(number):
        return 2 * number

    return _compiler.njit(cache=True)(double)


def files(folder, ending):
    return list(folder.rglob(f"*.{ending}"))


def test_code_is_kept(folder):
    assert compiled()(2) == 4
    (code,) = files(folder, "nbc")
    written = code.stat().st_mtime_ns
    again = compiled()
    assert again(3) == 6
    assert sum(again.stats.cache_hits.values()) == 1
    assert code.stat().st_mtime_ns == written


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"garbled", b"\x80\x05"])
def test_damaged_files_are_written_again(folder, ending, content):
    compiled()(2)
    (file,) = files(folder, ending)
    file.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled()(3) == 6
    again = compiled()
    assert again(3) == 6
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_full_disk_is_warned_of_once(folder, monkeypatch):
    def full(self, path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", full)
    with pytest.warns(RuntimeWarning, match=r"No space left on device.*NUMBA_CACHE_DIR"):
        assert compiled()(2) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled()(3) == 6


def test_without_any_folder(folder, monkeypatch):
    def nowhere(self, function):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(_compiler.FunctionCache, "__init__", nowhere)
    with pytest.warns(RuntimeWarning, match="no folder that can be written"):
        assert compiled()(2) == 4
