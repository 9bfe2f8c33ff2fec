"""Arrays that took long to compute, kept on disk between runs of the command line."""

from __future__ import annotations

import io
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

ENVIRONMENT = "ORDINATE_CACHE"
"""Name of the environment variable that names the folder."""
MOST_BYTES = 200_000_000
"""More are not kept: what was not used for longest goes first."""
_ENDING = ".fit"
"""Of our files; nothing else in the folder is touched."""
_DIGEST = 32
"""Bytes at the beginning of a file that tell whether the rest is whole."""
_CURRENT: ContextVar[Cache | None] = ContextVar("cache", default=None)


class Cache:
    """A folder of arrays, by what they were computed from.

    A file that is damaged or cannot be read or written is as good as none.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.n_recalled = self.n_computed = 0
        self._lock = Lock()

    def recall(
        self, *made_from: object, compute: Callable[[], Sequence[Any]]
    ) -> Sequence[NDArray[Any]]:
        """Return the arrays made from this in an earlier run; otherwise compute and keep them."""
        path = self.folder / f"{fingerprint(self._makers, *made_from)}{_ENDING}"
        found = _read(path)
        with self._lock:
            self.n_recalled += found is not None
            self.n_computed += found is None
        if found is None:
            found = [np.asarray(array) for array in compute()]
            _write(path, found)
        return found

    def files(self) -> list[tuple[Path, os.stat_result]]:
        """Return what is kept, the last used first."""
        found = []
        with suppress(OSError):
            for path in self.folder.glob(f"*{_ENDING}"):
                with suppress(OSError):  # another run removed it
                    found.append((path, path.stat()))
        return sorted(found, key=lambda file: file[1].st_mtime_ns, reverse=True)

    def shrink(self, most_bytes: int) -> None:
        """Remove what was not used for longest until no more bytes are left."""
        n_bytes = 0
        for path, status in self.files():
            n_bytes += status.st_size
            if n_bytes > most_bytes:
                with suppress(OSError):
                    path.unlink()

    @cached_property
    def _makers(self) -> str:
        """What results depend on beside the data: packages, our own files, the processor."""
        from llvmlite.binding import get_host_cpu_name

        packages = [version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")]
        sources = sorted(Path(__file__).parent.rglob("*.py"))
        stamps = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in sources]
        return fingerprint(platform.machine(), get_host_cpu_name(), packages, stamps)


def cache_folder() -> Path:
    """Return where the command line keeps results: ``ORDINATE_CACHE``, or the user's cache."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        return Path(named).expanduser()
    import pooch

    return Path(pooch.os_cache("ordinate")) / "fits"


def current_cache() -> Cache | None:
    """Return the cache of the block that runs, if it has one; threads must be handed it."""
    return _CURRENT.get()


@contextmanager
def caching() -> Iterator[Cache]:
    """Keep results while the block runs, and recall those of earlier runs."""
    cache = Cache(cache_folder())
    before = _CURRENT.set(cache)
    try:
        yield cache
    finally:
        _CURRENT.reset(before)
        if cache.n_computed:
            cache.shrink(MOST_BYTES)


def fingerprint(*values: object) -> str:
    """Return a short text that differs when any of the values does; arrays count whole."""
    whole = sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            plain = value.dtype.hasobject
            data = repr(value.tolist()).encode() if plain else value.tobytes()
            head = f"{value.dtype.str}{value.shape}"
        else:
            data, head = repr(value).encode(errors="surrogatepass"), ""
        whole.update(f"{head}:{len(data)}:".encode())
        whole.update(data)
    return whole.hexdigest()


def _read(path: Path) -> list[NDArray[Any]] | None:
    """Return the arrays of a file, None if there is none that is whole."""
    try:
        content = path.read_bytes()
        if sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
            return None
        with suppress(OSError):
            os.utime(path)  # it was used
    except OSError:
        return None
    with np.load(io.BytesIO(content[_DIGEST:]), allow_pickle=False) as arrays:
        return [arrays[f"arr_{number}"] for number in range(len(arrays.files))]


def _write(path: Path, arrays: Sequence[NDArray[Any]]) -> None:
    """Write a file, whole or not at all."""
    packed = io.BytesIO()
    np.savez_compressed(packed, *arrays)
    content = packed.getvalue()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, suffix=_ENDING, delete=False) as file:
            try:
                file.write(sha256(content).digest() + content)
                file.close()
                os.replace(file.name, path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
