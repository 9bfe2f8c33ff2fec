"""`ordinate noise`: how many answers are wrong, whose, and which ones look it most."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from ordinate.cli._fitting import MethodOptions
from ordinate.cli._options import AnswerFile, HoldingOut, Json
from ordinate.cli._results import print_json
from ordinate.cli._typer import opt, switch

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.io.rows import Reading
    from ordinate.selection import NoiseEstimate


def noise(
    *,
    source: AnswerFile,
    judges: MethodOptions,
    holding: HoldingOut,
    per: str | None = opt(
        "Estimate for each label of this group. Default: participant, if known.", "GROUP"
    ),
    all_participants: bool = switch("List everybody, not only the first ten."),
    most: int = opt("How many doubtful answers to list.", "N", default=10, min=0),
    folds: int | None = opt("Folds of the cross-validation. Default: as in embed.", "N", min=2),
    json: Json = False,
) -> None:
    """Estimate how many answers are wrong, at least and at most, and list the most doubtful.

    Every answer is compared with a map that was not fitted to it.

    Example: ordinate noise answers.csv --per participant
    """
    from ordinate.selection._noise import estimate_noise

    method = judges.chosen()
    answers, readings = source.read_with_notes(verbose=True)
    estimate = estimate_noise(
        answers,
        method,
        per="participant" if per is None and "participant" in answers.groups else per,
        folds=folds,
        n_components=judges.dim,
        **holding.shared(answers),
    )
    if json:
        figures = estimate.to_dict(most)
        for answer in figures["contradicted"]:
            answer["place"] = _place(answer["row"], source, readings)
        print_json(figures)
    else:
        print(estimate.report(everyone=all_participants))
        _print_doubtful(estimate, answers, most, lambda row: _place(row, source, readings))


def _print_doubtful(
    estimate: NoiseEstimate, answers: Comparisons, most: int, place: Callable[[int], str]
) -> None:
    from ordinate.io.read import statement

    rows = estimate.contradicted[:most].tolist()
    if rows:
        print(
            f"Answers that disagree most with the map, of {len(estimate.contradicted):,} that do:"
        )
    for row in rows:
        print(f"  {place(row)}: {statement(answers, row)}")


def _place(row: int, source: AnswerFile, readings: Sequence[Reading]) -> str:
    """Return where an answer stands: in which of several files, and on which line."""
    ends = list(accumulate(reading.n_comparisons for reading in readings))
    number = bisect_right(ends, row)
    reading = readings[number]
    place = reading.place(row - ends[number] + reading.n_comparisons)
    place = place[0].lower() + place[1:]
    return place if len(readings) == 1 else f"{source.files[number]}, {place}"
