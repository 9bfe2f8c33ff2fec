"""`ordinate rank`: scores, ranks and groups from answers about two items."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ordinate._checks import InputError
from ordinate.cli._messages import as_typed
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Json,
    Seed,
    SplitBy,
    number_of_groups,
    print_notes,
    size_of_prior,
    task_name,
)
from ordinate.cli._results import Results, Written, table_opt
from ordinate.cli._typer import opt, picture_opt, reading_opt, switch
from ordinate.tasks import READ, SCALED

if TYPE_CHECKING:
    from ordinate.comparisons.pairs import Pairs


if TYPE_CHECKING:
    RankTask: TypeAlias = str
else:
    RankTask = Literal[("auto", *map(as_typed, dict.fromkeys([*SCALED, *READ])))]


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

    def read_pairs(self) -> tuple[Pairs, str]:
        """Read the file, or all files that match the pattern, and say what one row states."""
        from ordinate.comparisons.labels import warn_of_labels
        from ordinate.comparisons.pairs import Pairs
        from ordinate.io.read import read_log

        read = [read_log(path, self.layout_of(path), pairs=True) for path in self.files]
        print_notes([reading for _, reading in read])
        pairs = read[0][0] if len(read) == 1 else Pairs.concatenate([pairs for pairs, _ in read])
        warn_of_labels(pairs.names)
        return pairs, read[0][1].example


@dataclass(frozen=True)
class RankResults(Results):
    """Where the table and the picture go."""

    output: Path | None = table_opt("scores", otherwise="print a table")
    plot: Path | None = picture_opt(
        "Scores with intervals and groups, or with --by the judges: .png, .svg or .pdf.",
        "FILE",
        kind="charts",
    )
    wins: Path | None = picture_opt(
        "Who beat whom, in the order of the scores: .png, .svg or .pdf.", "FILE", kind="charts"
    )

    report: Path | None = opt(
        "A page to attach to a paper: scores, table, fit, methods. Ends in .html.",
        "FILE",
        panel="Results",
        kind="pages",
    )


_PANEL = "Difference scale"


@dataclass(frozen=True)
class DifferenceOptions:
    """What a difference scale needs besides the answers."""

    chosen: Literal["auto", "different", "alike"] = opt(
        "With --question: whether people chose the more different pair or the more alike"
        " one. Default: what fits the known order of the items.",
        default="auto",
        panel=_PANEL,
    )
    values: Path | None = opt(
        "Table of items and their physical values. Default: the labels are numbers.",
        "FILE",
        panel=_PANEL,
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
    lapse: bool = switch("Estimate the lapse rate: the share of random responses.")
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

    def check(self, results: RankResults) -> None:
        """Refuse options that exclude one another."""
        if self.groups is not None and self.lapse:
            raise InputError("--groups does not go with --lapse; leave one out.")
        if results.report and (self.groups is not None or self.by is not None):
            raise InputError("--report is a page about the items; leave --by and --groups out.")
        if self.by is not None and (self.errors, self.folds, self.split_by) != ("auto", 5, None):
            raise InputError(
                "--by lists the judges; --errors, --folds and --split-by are for the list of items."
            )


def rank(
    source: PairFile,
    results: RankResults,
    options: RankOptions,
    differences: DifferenceOptions,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Rank items by answers to "which of the two is more …?", with intervals and groups.

    Reads two items and a winner per row, winners and losers, counts of wins, or a square table.
    With --question pair-against-pair or triplet, items of known physical order were compared by
    their differences, and the result is a perceptual scale (MLDS).

    Example: ordinate rank votes.csv --plot ranking.png -o scores.csv
    """
    results.check(*source.inputs)
    if source.question in ("auto", *SCALED):
        if differences != DifferenceOptions():
            raise InputError(
                "--chosen and --values are for --question pair-against-pair or triplet; add it."
            )
        options.check(results)
        _rank(source, results, options, seed, json=json)
        return
    if source.question not in ("pair_against_pair", "triplet"):
        raise InputError(
            "rank reads answers about items, or differences with --question pair-against-pair"
            f" or triplet; got --question {as_typed(source.question)}. Use embed for it."
        )
    of_rankings = (source.matrix, source.shown_first, results.wins, results.report, options)
    if of_rankings != ("auto", None, None, None, RankOptions()):
        raise InputError(
            "A difference scale takes --chosen, --values, --plot, -o, --seed and --json; other"
            " options are for rankings."
        )
    _scale_differences(source, results, differences, seed, json=json)


def _rank(
    source: PairFile, results: RankResults, options: RankOptions, seed: int, *, json: bool
) -> None:
    """Rank items, print them, write and draw them."""
    from ordinate.analysis.ranking import study_ranking
    from ordinate.analysis.ranking_page import save_ranking_page
    from ordinate.plots import plot_wins

    given = vars(options) | {
        "side": "auto" if options.side is None else options.side,
        "n_groups": number_of_groups(options.groups),
        "prior": size_of_prior(options.prior),
        "random_state": seed,
    }
    del given["groups"]
    pairs, example = source.read_pairs()
    study = study_ranking(pairs, example=example, **given)
    command = shlex.join(["ordinate", *sys.argv[1:]])
    written = Written()
    written.write_table(results.output, study.to_columns())
    written.draw_chart(results.plot, study.draw)
    written.draw_chart(results.wins, lambda: plot_wins(study.model))
    written.write(
        results.report,
        lambda path: save_ranking_page(path, source.answers, study, command=command),
    )
    written.show(study, json=json)


def _scale_differences(
    source: PairFile, results: RankResults, options: DifferenceOptions, seed: int, *, json: bool
) -> None:
    """Fit a difference scale, print it, write and draw it."""
    from ordinate.analysis.difference_scale import study_differences
    from ordinate.plots import plot_difference_scale
    from ordinate.results.object_display import columns_for

    answers, readings = source.read_plainly()
    print_notes(readings)
    known = None
    if options.values is not None:
        columns = columns_for(options.values, answers.names or (), "item")
        if len(columns) != 1:
            raise InputError(
                f"{options.values}: It must have 2 columns, item and value; it has"
                f" {len(columns) + 1}."
            )
        known = next(iter(columns.values()))
    study = study_differences(answers, options.chosen, known, seed)
    written = Written()
    written.write_table(results.output, study.model.columns())
    written.draw_chart(results.plot, lambda: plot_difference_scale(study.model))
    written.show(study, json=json)
