"""`ordinate noise`: how many answers are wrong, whose, and which ones look it most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ordinate.cli._fitting import (
    CHOSEN_DIMENSION,
    CHOSEN_METHOD,
    SHARED_OPTIONS,
    Settings,
    chosen_method,
    method_option,
    refuse_settings_without_method,
)
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Jobs,
    Json,
    Seed,
    SplitBy,
    group_to_hold_out,
)
from ordinate.cli._results import print_json

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.selection import NoiseEstimate


def noise(
    source: AnswerFile,
    method: Annotated[str | None, method_option(CHOSEN_METHOD, is_comparable=True)] = None,
    settings: Settings = None,
    dim: Annotated[
        int | None, typer.Option("--dim", "-d", min=1, metavar="N", help=CHOSEN_DIMENSION)
    ] = None,
    per: Annotated[
        str | None,
        typer.Option(
            metavar="GROUP",
            help="Estimate for each label of this group. Default: participant, where known.",
        ),
    ] = None,
    all_participants: Annotated[
        bool, typer.Option("--all-participants", help="List everybody, not only the first ten.")
    ] = False,
    most: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many doubtful answers to list.")
    ] = 10,
    folds: Folds = 5,
    split_by: SplitBy = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Say how many answers are wrong, at least and at most, and list those that look it most.

    Every answer is compared with a map that was not fitted to it.

    Example: ordinate noise answers.csv --per participant
    """
    from ordinate.selection._noise import estimate_noise

    refuse_settings_without_method(method, settings)
    fitted = chosen_method(method, settings, SHARED_OPTIONS) if method else None
    answers = source.read()
    estimate = estimate_noise(
        answers,
        fitted,
        dim,
        per="participant" if per is None and "participant" in answers.groups else per,
        folds=folds,
        by=group_to_hold_out(answers, split_by),
        random_state=seed,
        n_jobs=-1 if jobs is None else jobs,
        verbose=True,
    )
    if json:
        print_json(estimate.to_dict(most))
    else:
        print(estimate.report(everyone=all_participants))
        _print_doubtful(estimate, answers, most)


def _print_doubtful(estimate: NoiseEstimate, answers: Comparisons, most: int) -> None:
    rows = estimate.at_odds[:most].tolist()
    if not rows:
        return
    denied = f"{len(estimate.at_odds):,} answers are"
    print(f"Most at odds with the map ({denied}; answers count from 1, as in the file):")
    for row in rows:
        objects = answers.rows[row].tolist()
        names = [str(o) if answers.names is None else answers.names[o] for o in objects]
        print(f"  answer {row + 1:,}: {', '.join(names)}")
