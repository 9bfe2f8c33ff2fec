"""`ordinate describe`: how a file of answers was read, what is in it, whether it is enough."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from ordinate._checks import InputError
from ordinate.cli._options import AnswerFile, Json
from ordinate.cli._results import check_outputs, print_json, table_opt
from ordinate.cli._typer import READING, flag, option

Objects = Annotated[
    Path | None,
    option("Table or list of all objects, including those in no answer.", "FILE", panel=READING),
]


SaveLayout = Annotated[
    bool,
    flag(
        "--save-layout",
        "Write these options to answers.layout.toml beside answers.csv; every command uses it.",
        READING,
    ),
]


def describe(
    source: AnswerFile,
    objects: Objects = None,
    save_layout: SaveLayout = False,
    output: Path | None = table_opt("plain answers: anchor, near, far and so on", "none"),
    json: Json = False,
) -> None:
    """Show how a file of answers is read, what is in it, and whether it is enough for a map.

    Lists all that keeps it from being read, with one command that settles it.

    Example: ordinate describe answers.csv
    """
    from ordinate.comparisons.choices import with_whole_trials
    from ordinate.comparisons.pairs import Pairs
    from ordinate.selection._learning_curve import forecast_error, quick_curve

    check_outputs([*source.inputs, objects], tables=[output])
    answers, readings = source.read_with_notes(object_labels(objects), pairs=None)
    if save_layout:
        source.save_layouts()
    if output:
        _write(answers, output)
    asked = answers if isinstance(answers, Pairs) else with_whole_trials(answers)
    repeats = asked.repeated_answers()
    if json:
        if isinstance(answers, Pairs):
            figures: dict[str, Any] = {"n_rows": len(answers), "n_objects": answers.n_objects}
        else:
            figures = answers.describe().to_dict()
            curve = quick_curve(answers)
            figures["forecast"] = curve and curve.to_dict()
        figures["repeated_answers"] = repeats
        print_json(figures | {"reading": [reading.to_dict() for reading in readings]})
        return
    for path, reading in zip(source.files, readings, strict=True):
        print(reading if len(readings) == 1 else f"{path}: {reading}")
    print(answers if isinstance(answers, Pairs) else answers.describe())
    for line in source.catch_scores():
        print(line)
    if repeats:
        scores = [f"{who} {alike} of {n}" for who, (alike, n) in repeats.items()]
        print(f"Repeated questions answered alike: {', '.join(scores)}.")
    if not isinstance(answers, Pairs):
        print(forecast_error(answers))


def _write(answers: Any, path: Path) -> None:
    """Write answers in the plain layout."""
    from ordinate.comparisons.pairs import Pairs
    from ordinate.io.record_files import write_comparisons

    if isinstance(answers, Pairs):
        raise InputError("-o writes comparisons as anchor, near and far; these are pairs.")
    write_comparisons(answers, path)
    print(f"Wrote {path}", file=sys.stderr)


def object_labels(path: Path | None) -> list[str] | None:
    """Return the labels of all objects that a file lists, each once."""
    from ordinate.verbs.answers import read_names

    return None if path is None else list(dict.fromkeys(read_names(path)))
