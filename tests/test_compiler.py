"""Compiled code on disk: found again, never stale; functions work where it cannot be kept."""

import errno
import os
import re
import subprocess
import sys
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


def in_fresh_process(code, folder, *arguments):
    """Return what a new process prints, with its compiled code kept in a folder."""
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",  # a change within one second would go unseen
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
    }
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


ENGINE_AND_NUMPY = """
import sys, numpy as np, ordinate as od
from ordinate import losses
from ordinate.engine.cpu import CPUObjective, compiled_kernel
losses._TINY = float(sys.argv[1])
points = np.array([[0.0], [0.1], [0.2]])
_, gradient = CPUObjective(od.Comparisons([[0, 1, 2]]), losses.soe)(points)
_, on_near, _ = losses.soe(0.1**2, 0.2**2)
hits = compiled_kernel(losses.soe, 0, 3).stats.cache_hits
print(-gradient[1, 0], 2 * on_near * -0.1, sum(hits.values()))
"""


def test_a_loop_follows_a_constant_of_a_loss(tmp_path):
    found_on_disk = []
    for smallest in ["1e-150", "0.5", "1e-150", "0.5"]:
        engine, numpy, hits = in_fresh_process(ENGINE_AND_NUMPY, tmp_path, smallest)
        assert float(engine) == pytest.approx(float(numpy))
        found_on_disk.append(int(hits))
    assert found_on_disk == [0, 0, 1, 1]


def test_code_follows_what_it_calls_in_other_modules(tmp_path):
    (tmp_path / "caller.py").write_text(
        "import callee\nfrom ordinate._compiler import njit\n"
        "@njit(cache=True)\ndef call(x):\n    return callee.add(x)\n"
    )
    text = "import numba\nSTEP = {}\n@numba.njit\ndef add(x):\n    return x {} STEP\n"
    for step, sign, result in [(1, "+", "11"), (2, "+", "12"), (2, "-", "8")]:
        (tmp_path / "callee.py").write_text(text.format(step, sign))
        assert in_fresh_process("import caller; print(caller.call(10))", tmp_path) == [result]


def digest(body, **names):
    """Return the digest of a function `f` with this body, and of what it calls."""
    space = {"np": np, "njit": numba.njit, **names}
    exec(body, space)
    return _compiler.digest_dependencies(space["f"])


CASES = {
    "constant": ("def f(x): return x + A", {"A": 1}, {"A": 2}),
    "type of a constant": ("def f(x): return x + A", {"A": 1}, {"A": 1.0}),
    "array": ("def f(x): return x + A[0]", {"A": np.zeros(3)}, {"A": np.ones(3)}),
    "tuple": ("def f(x): return x + A[0][1]", {"A": ((0, 1),)}, {"A": ((0, 2),)}),
    "code": ("def f(x): return x + {}", {"": 1}, {"": 2}),
    "default": ("def f(x, y={}): return x + y", {"": 1}, {"": 2}),
    "closure": ("def g(y):\n def f(x): return x + y\n return f\nf = g({})", {"": 1}, {"": 2}),
    "inner function": ("def f(x): return [i + A for i in x]", {"A": 1}, {"A": 2}),
    "callee's constant": (
        "@njit\ndef h(x): return x + A\n@njit\ndef g(x): return h(x)\ndef f(x): return g(x)",
        {"A": 1},
        {"A": 2},
    ),
    "callee's options": (
        "@njit(fastmath={})\ndef g(x): return x\ndef f(x): return g(x)",
        {"": True},
        {"": False},
    ),
    "callee calls its caller": (
        "def f(x): return g(x)\ndef g(x): return f(x - A) if x > 0 else 0",
        {"A": 1},
        {"A": 2},
    ),
    "later definition": ("def f(x): return x + A\nA = {}", {"": 1}, {"": 2}),
}


@pytest.mark.parametrize(("body", "before", "after"), CASES.values(), ids=CASES)
def test_a_digest_changes_with_what_code_depends_on(body, before, after):
    def of(names):
        text = body.format(names[""]) if "" in names else body
        return digest(text, **{name: value for name, value in names.items() if name})

    assert of(before) == of(before)
    assert of(before) != of(after)


def test_a_digest_does_not_change_with_what_code_does_not_name():
    assert digest("def f(x): return x + A", A=1, B=1) == digest("def f(x): return x + A", A=1, B=2)


def test_a_digest_knows_no_addresses(tmp_path):
    """They would differ in each process, and nothing would ever be found again."""
    code = "def f(x): return np.sum(np.where(x > 0, np.float64(x), min(x, 1))) in {'a', 'b', 'c'}"
    script = (
        "import numpy as np; from ordinate._compiler import digest_dependencies\n"
        f"{code}\nprint(digest_dependencies(f))"
    )
    assert in_fresh_process(script, tmp_path) == in_fresh_process(script, tmp_path)
