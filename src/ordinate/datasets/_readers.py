"""Read what publishers offer: loose or compressed files, archives, MATLAB's files."""

from __future__ import annotations

import bz2
import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO
from math import isqrt
from pathlib import Path, PurePosixPath
from typing import Any

from numpy.typing import NDArray

from ordinate._checks import InputError

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")


def import_extra(name: str) -> Any:
    """Import a library of the extra ``data``, or say how to install it."""
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            f"This data set is read with {name}, which is not installed. Install it with:"
            ' pip install "ordinate[data]"'
        ) from None


def read_member(folder: Path, pattern: str) -> bytes:
    """Read the file that matches a pattern."""
    return next(read_members(folder, pattern))[1]


def find_member(folder: Path, pattern: str) -> bytes | None:
    """Read the file that matches a pattern, if there is one."""
    return next((content for _, content in _search(folder, pattern)), None)


def read_members(folder: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Read all files that match a pattern, in the folder or else in its first archive with any."""
    found = _search(folder, pattern)
    first = next(found, None)
    if first is None:
        raise InputError(f"There is no file {pattern} in {folder}, nor in an archive there.")
    yield first
    yield from found


def _search(folder: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    archives: list[Path] = []
    loose: list[Path] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        (archives if path.name.endswith(ARCHIVES) else loose).append(path)
    readers = [_read_loose(folder, loose, pattern)]
    readers += [_read_archive(path, pattern) for path in archives]
    for reader in readers:
        first = next(reader, None)
        if first is not None:
            yield first
            yield from reader
            return


def _read_loose(folder: Path, paths: Iterable[Path], pattern: str) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        relative = path.relative_to(folder)
        decompress = DECOMPRESSORS.get(path.suffix, bytes)
        name = (relative.with_suffix("") if path.suffix in DECOMPRESSORS else relative).as_posix()
        if PurePosixPath(name).match(pattern):
            with _readable(path):
                content = decompress(path.read_bytes())
            yield name, content


def _read_archive(path: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    with _readable(path):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    if _wanted(name, pattern):
                        yield name, archive.read(name)
        else:
            with tarfile.open(path) as tar:
                for member in tar:
                    file = tar.extractfile(member) if _wanted(member.name, pattern) else None
                    if file is not None:
                        yield member.name, file.read()


def _wanted(name: str, pattern: str) -> bool:
    """Match a member's name; a Mac's zip files hold a shadow of each file that is none."""
    path = PurePosixPath(name)
    return path.match(pattern) and "__MACOSX" not in path.parts and not name.endswith("/")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(
            f"{path} cannot be read ({reason}); remove it to download it again."
        ) from error


def _unlzw(content: bytes) -> bytes:
    decompressed: bytes = import_extra("unlzw3").unlzw(content)
    return decompressed


DECOMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".Z": _unlzw,
}


def read_mat(content: bytes) -> dict[str, Any]:
    """Read the variables of a ``.mat`` file before version 7.3."""
    from scipy.io import loadmat

    variables: dict[str, Any] = loadmat(BytesIO(content))  # type: ignore[arg-type]
    return variables


def upright(images: NDArray[Any]) -> NDArray[Any]:
    """Give square images that are written column by column, as MATLAB does, their shape."""
    side = isqrt(images.shape[1])
    return images.reshape(-1, side, side).transpose(0, 2, 1)
