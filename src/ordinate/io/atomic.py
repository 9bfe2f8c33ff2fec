"""Write files so that a failure leaves what was there before."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ordinate._checks import InputError


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path to write to; it takes the place of `path` if the block succeeds.

    Parameters
    ----------
    path : str or path-like
        The file to write. Its folder must exist; a link is followed.

    Yields
    ------
    Path
        A path in the same folder with the same extension. It is removed when the block raises
        (Ctrl-C included), and the file at `path` is then what it was.
    """
    # replacing a link would leave the file it points to as it was
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {target.parent}.")
    if target.exists() and not target.is_file():
        raise InputError(f"Cannot write {path}: it exists and is not a regular file.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"Cannot write {path}: no permission to write in {target.parent}.")
    temporary = target.with_name(f".{secrets.token_hex(4)}-{target.name}")
    try:
        yield temporary
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
