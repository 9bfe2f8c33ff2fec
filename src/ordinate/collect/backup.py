"""A study with its answers in one file, and back: for safety, or to move to another machine."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path, PurePosixPath

from ordinate._checks import InputError
from ordinate.collect.folder import read_study
from ordinate.collect.store import FOLDER, back_up, connect, damage_told, database_path, reading
from ordinate.io.atomic import atomic_path

DATABASE = f"{FOLDER}/answers.sqlite"


def back_up_study(folder: Path, output: Path) -> int:
    """Write a study and its answers into an archive, also while it is served; count the answers."""
    read_study(folder)  # refuses a folder that is none
    if output.exists():
        raise InputError(f"{output} exists, and may be your last backup; choose another name.")
    n_answers = 0
    with atomic_path(output) as temporary, tempfile.TemporaryDirectory() as place:
        os.close(os.open(temporary, os.O_CREAT | os.O_RDWR, 0o600))  # identities are in it
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                name = path.relative_to(folder)
                own = path.resolve() in (output.resolve(), temporary.resolve())
                if path.is_file() and name.parts[0] != FOLDER and not own:
                    archive.write(path, name.as_posix())
            if database_path(folder).exists():
                copy = Path(place) / "answers.sqlite"
                with reading(folder) as connection:
                    back_up(connection, copy)
                n_answers = _checked(copy)
                archive.write(copy, DATABASE)
    return n_answers


def restore_study(archive: Path, folder: Path) -> int:
    """Unpack what `back_up_study` wrote into a new folder, whole or not at all."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists and is not an empty folder; choose another one.")
    parent = folder.resolve().parent
    if not parent.is_dir():
        raise InputError(f"There is no folder {parent} to put the study in.")
    try:
        with zipfile.ZipFile(archive) as packed, tempfile.TemporaryDirectory(dir=parent) as place:
            names = packed.namelist()
            parts = {part for name in names for part in PurePosixPath(name).parts}
            if "study.toml" not in names or parts & {"..", "/"}:
                raise InputError(f"{archive} is not a backup of a study: it has no study.toml.")
            target = Path(place) / "study"
            packed.extractall(target)
            n_answers = 0
            if (target / DATABASE).exists():
                (target / FOLDER).chmod(0o700)
                (target / DATABASE).chmod(0o600)
                n_answers = _checked(target / DATABASE)
            read_study(target)
            if folder.exists():
                folder.rmdir()
            shutil.move(target, folder)
    except FileNotFoundError:
        raise InputError(f"There is no file {archive}.") from None
    except zipfile.BadZipFile as error:
        raise InputError(f"{archive} is not a backup of a study, or is damaged: {error}.") from None
    return n_answers


def _checked(path: Path) -> int:
    """Return how many answers a database has, or say that it is damaged."""
    with damage_told(path), closing(connect(path, read_only=True)) as connection:
        (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise InputError(f"The database is damaged: {verdict.splitlines()[-1]}.")
        (count,) = connection.execute("SELECT COUNT(*) FROM answers").fetchone()
        return int(count)
