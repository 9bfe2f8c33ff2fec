"""What a map shows of its objects besides their places."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import parameter
from ordinate._checks import InputError
from ordinate.io.object_tables import columns_for
from ordinate.plots._thumbnails import load_thumbnails

IMAGE = "image"
"""Name of the column that holds the files of pictures."""


@dataclass(frozen=True)
class ObjectDisplay:
    """Columns by name, the one that colours the map, and a picture per object."""

    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    color: str | None = None
    images: Sequence[Any] | None = None


def read_display(
    names: Sequence[object],
    objects: str | os.PathLike[str] | None,
    color: str | None,
    images: str | os.PathLike[str] | None,
) -> ObjectDisplay:
    """Find what a table and a folder of pictures show of objects, in the order of their names."""
    objects, images = (None if path is None else Path(path) for path in (objects, images))
    if objects is images is None and color is None:
        return ObjectDisplay()
    wanted = [str(name) for name in names]
    columns: dict[str, NDArray[Any]] = {}
    if objects is not None:
        columns = columns_for(objects, wanted)
    files = columns.pop(IMAGE, None)
    check_color(color, columns, "objects")
    found: list[Path | None] | None = None
    if images is not None:
        found = _pictures_in(images, wanted)
    elif files is not None and objects is not None:
        found = [objects.parent / str(file) if file else None for file in files]
    return ObjectDisplay(columns, color, None if found is None else _load_small_pictures(found))


def _load_small_pictures(images: Sequence[Path | None]) -> list[NDArray[Any] | None]:
    """Read pictures and make them small now: one that cannot be read must not end a long fit."""
    small = load_thumbnails(images, len(images))
    return [None if picture is None else np.asarray(picture) for picture in small]


def check_color(color: str | None, columns: Collection[str], table: str) -> None:
    """Refuse to colour by a column that the table does not have."""
    if color is not None and color not in columns:
        there = (
            f"there are {', '.join(columns)}"
            if columns
            else f"name a table with {parameter(table)}"
        )
        raise InputError(f"There is no column {color!r} to colour by; {there}.")


def _pictures_in(folder: Path, names: Sequence[str]) -> list[Path | None]:
    """Find the files of a folder that are called like the objects.

    An object may be called like the file, with or without its extension and the folders it is in.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder} of pictures.")
    there = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {path.stem: path for path in there}
    files |= {path.name: path for path in there}
    files |= {path.relative_to(folder).as_posix(): path for path in there}
    last = [name.replace("\\", "/").rsplit("/", 1)[-1] for name in names]
    found = [files.get(name) or files.get(end) for name, end in zip(names, last, strict=True)]
    if not any(found):
        raise InputError(
            f"No file in {folder} is named after an object; expected names such as {names[0]}.png."
        )
    return found
