"""`ordinate describe`: how a file of answers was read, what is in it, whether it is enough."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ordinate.cli._options import AnswerFile, Json, read_names
from ordinate.cli._results import print_json
from ordinate.cli._typer import READING, option

Objects = Annotated[
    Path | None,
    option("Table or list of all objects, including those in no answer.", "FILE", panel=READING),
]


def describe(source: AnswerFile, objects: Objects = None, json: Json = False) -> None:
    """Show how a file of answers is read, what is in it, and whether it is enough for a map.

    Example: ordinate describe answers.csv
    """
    answers, readings = source.read_with_notes(object_labels(objects))
    description = answers.describe()
    if json:
        print_json(description.to_dict() | {"reading": [reading.to_dict() for reading in readings]})
        return
    for path, reading in zip(source.files, readings, strict=True):
        print(reading if len(readings) == 1 else f"{path}: {reading}")
    print(description)


def object_labels(path: Path | None) -> list[str] | None:
    """Return the labels of all objects that a file lists, each once."""
    return None if path is None else list(dict.fromkeys(read_names(path)))
