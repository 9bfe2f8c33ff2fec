"""`ordinate rank`: scores, ranks and groups from answers about two or more items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ordinate.cli._messages import as_typed
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Json,
    Seed,
    SplitBy,
    number_of_groups,
    size_of_prior,
    task_name,
)
from ordinate.cli._results import ResultFiles, table_opt
from ordinate.cli._typer import opt, picture_opt, reading_opt, switch
from ordinate.tasks import SCALED

if TYPE_CHECKING:
    RankTask: TypeAlias = str
else:
    RankTask = Literal[("auto", *map(as_typed, SCALED))]


@dataclass(frozen=True)
class PairFile(AnswerFile):
    """A file of answers about two items."""

    question: RankTask = reading_opt(
        "What people were asked. Default: inferred from the column names.",
        default="auto",
        callback=task_name,
    )
    matrix: Literal["auto", "rows-win", "columns-win"] = reading_opt(
        "Whether a square table counts wins of its rows or of its columns.", default="auto"
    )
    shown_first: str | None = reading_opt(
        "Column of the item that was shown first. Default: shown_first, left, position_a"
        " and other usual names.",
        "COLUMN",
    )


@dataclass(frozen=True)
class RankResults(ResultFiles):
    """Where the table, the picture and the page go."""

    output: Path | None = table_opt("scores", otherwise="print a table")
    plot: Path | None = picture_opt(
        "Scores with intervals and groups, or with --by the judges: .png, .svg or .pdf.",
        "FILE",
        kind="charts",
    )


@dataclass(frozen=True)
class RankOptions:
    """How items are ranked, and what is shown of it."""

    model: Literal["bradley-terry", "thurstone"] = opt(
        "Noise of the answers: logistic or normal.", default="bradley-terry"
    )
    ties: Literal["auto", "davidson", "rao-kupper", "half"] = opt(
        "Model of ties. Default: Davidson or Rao-Kupper, whichever predicts"
        " held-out answers better; half counts a tie as half a win of each.",
        default="auto",
    )
    side: bool | None = opt(
        "Whether the item shown first has an advantage. Default: if held-out answers say so.",
        None,
        "--side/--no-side",
    )
    lapse_rate: bool = switch("Estimate the lapse rate: the share of random responses.")
    prior: str = opt(
        "Standard deviation of the scores before any answer: a number, auto (estimated), or none"
        " (maximum likelihood).",
        "SD",
        default="auto",
    )
    errors: Literal["auto", "answers", "judges", "bootstrap"] = opt(
        "Whose differences the intervals account for. Default: judges, if there are at"
        " least eight.",
        default="auto",
    )
    by: str | None = opt(
        "List the judges of this group, such as judge: who is reliable, who is not, who"
        " has a taste of their own.",
        "GROUP",
    )
    groups: str | None = opt("Find groups of judges with a ranking each: how many, or auto.", "N")
    scale: Literal["logit", "elo", "probability"] = opt(
        "Scores in logits, as Elo ratings, or as chance to beat the average.", default="logit"
    )
    level: float = opt("Level of intervals, ranks and groups.", default=0.95, min=0.5, max=0.999)
    folds: Folds = 5
    split_by: SplitBy = None


def rank(
    source: PairFile,
    results: RankResults,
    options: RankOptions,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Rank items by answers to "which is more …?", with intervals and groups.

    Reads two items and a winner per row, winners and losers, counts of wins, a square table,
    rankings, or the best and the worst of several items.

    Example: ordinate rank votes.csv --plot ranking.png -o scores.csv
    """
    from ordinate.verbs.rank import rank

    results.check(*source.inputs)
    given = vars(options) | {
        "side": "auto" if options.side is None else options.side,
        "n_groups": number_of_groups(options.groups),
        "prior": size_of_prior(options.prior),
    }
    del given["groups"]
    result = rank(source.answers, **given, random_state=seed, verbose=True, **source.reading())
    results.write_and_show(result, json=json)
