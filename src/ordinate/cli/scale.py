"""`ordinate scale`: a perceptual scale from compared differences of items of known order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ordinate.cli._options import AnswerFile, Json, Seed
from ordinate.cli._results import ResultFiles, table_opt
from ordinate.cli._typer import opt, picture_opt


@dataclass(frozen=True)
class ScaleResults(ResultFiles):
    """Where the table, the picture and the page go."""

    output: Path | None = table_opt("the scale", otherwise="print a table")
    plot: Path | None = picture_opt("The scale: .png, .svg or .pdf.", "FILE", kind="charts")


def scale(
    *,
    source: AnswerFile,
    results: ScaleResults,
    chosen: Literal["auto", "different", "alike"] = opt(
        "Whether people chose the more different pair or the more alike one. Default: what fits"
        " the known order of the items.",
        default="auto",
    ),
    values: Path | None = opt(
        "Table of items and their physical values. Default: the labels are numbers.", "FILE"
    ),
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Find a perceptual scale of items whose physical order is known (MLDS).

    Reads which of two differences is larger: pairs against pairs, or triplets.

    Example: ordinate scale contrasts.csv --plot scale.png
    """
    from ordinate.verbs.scale_differences import scale_differences

    results.check(*source.inputs, values)
    result = scale_differences(
        source.answers,
        chosen=chosen,
        values=values,
        random_state=seed,
        verbose=True,
        **source.reading(),
    )
    results.write_and_show(result, json=json)
