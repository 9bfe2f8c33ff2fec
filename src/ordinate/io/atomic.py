"""Write files so that a failure leaves what was there before."""

from __future__ import annotations

import errno
import os
import platform
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from ordinate._checks import InputError


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path to write to; it takes the place of `path` if the block succeeds."""
    target = check_writable(path)
    _remove_leftovers(target)
    temporary = target.with_name(_temporary_name(target))
    try:
        yield temporary
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Say now, before work that may be long, why a file could not be written."""
    try:
        target = Path(os.path.realpath(path))
        if target.is_symlink():
            raise InputError(f"Cannot write {path}: its links lead in a circle.")
        if not (file_exists(target.parent) and target.parent.is_dir()):
            raise InputError(f"Cannot write {path}: there is no folder {target.parent}.")
        if file_exists(target) and not target.is_file():
            raise InputError(f"Cannot write {path}: it exists and is not a regular file.")
    except OSError as error:  # such as a name that is too long
        raise InputError(f"Cannot write {path}: {error.strerror}.") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"Cannot write {str(path)!r}: {error}.") from None  # a null byte
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"Cannot write {path}: no permission to write in {target.parent}.")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"Cannot write {path}: it is read-only.")
    return target


def file_exists(path: Path) -> bool:
    """Tell whether there is something at a path."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a null byte
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:
            return False
        raise
    return True


_KEPT = 20
"""Characters of the end of a name that a temporary file keeps: its extension is among them."""


def _prefix(target: Path) -> str:
    """Begin the names of temporaries of this file, made on this machine."""
    # process numbers of another machine that shares the folder say nothing here
    made_for = f"{platform.node()}/{target.name}"
    return f".ordinate-{sha256(made_for.encode(errors='replace')).hexdigest()[:12]}-"


def _temporary_name(target: Path) -> str:
    return f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(4)}-{target.name[-_KEPT:]}"


def _remove_leftovers(target: Path) -> None:
    """Remove temporaries of the same file whose process is no more."""
    prefix = _prefix(target)
    for path in target.parent.glob(f"{prefix}*"):
        process = path.name.removeprefix(prefix).partition("-")[0]
        if process.isdecimal() and not _is_running(int(process)):
            path.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True  # elsewhere signal 0 is no question, and may end the process
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's
    return True
