"""`ordinate rank`: scores, ranks and groups from answers about two items."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordinate._checks import InputError
from ordinate.cli._difference_scale import DifferenceOptions, difference_scale
from ordinate.cli._messages import as_typed
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Json,
    Seed,
    SplitBy,
    named_groups,
    number_of_groups,
    print_notes,
    split_list,
)
from ordinate.cli._rank_report import RankReport
from ordinate.cli._results import Results, Written, check_outputs, table_opt
from ordinate.cli._typer import opt, picture_opt, reading_opt, switch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ordinate.scales.judge_groups import JudgeGroups
    from ordinate.scales.pairs import Pairs


@dataclass(frozen=True)
class PairFile(AnswerFile):
    """A file of answers about two items."""

    matrix: Literal["auto", "rows-win", "columns-win"] = reading_opt(
        "Whether a square table counts wins of its rows or of its columns.", default="auto"
    )
    shown_first: str | None = reading_opt(
        "Column of the item that was shown first. Default: shown_first, left, position_a"
        " and other usual names.",
        "COLUMN",
    )

    def read_pairs(self) -> Pairs:
        """Read the file, or all files that match the pattern; a note says how."""
        from ordinate.comparisons.labels import warn_of_labels
        from ordinate.scales.files import PairLog, read_pair_log
        from ordinate.scales.pairs import Pairs

        log = PairLog(
            columns=split_list(self.columns),
            answer=self.answer,
            coding=self.coding,
            weight=self.weight,
            groups=named_groups(self.group),
            where=self.where or None,
            exclude=self.exclude or None,
            matrix=self.matrix,
            shown_first=self.shown_first,
            on_invalid=self.on_invalid,
        )
        read = [
            read_pair_log(path, log, header=self.header, encoding=self.encoding)
            for path in self.files
        ]
        print_notes([reading for _, reading in read])
        pairs = read[0][0] if len(read) == 1 else Pairs.concatenate([pairs for pairs, _ in read])
        warn_of_labels(pairs.names)
        return pairs


@dataclass(frozen=True)
class RankResults(Results):
    """Where the table and the picture go."""

    output: Path | None = table_opt("scores", otherwise="print a table")
    plot: Path | None = picture_opt(
        "Scores with intervals and groups, or with --by the judges: .png, .svg or .pdf.", "FILE"
    )
    wins: Path | None = picture_opt(
        "Who beat whom, in the order of the scores: .png, .svg or .pdf.", "FILE"
    )

    report: Path | None = opt(
        "A page to attach to a paper: scores, table, fit, methods. Ends in .html.",
        "FILE",
        panel="Results",
    )

    def check(self, *inputs: Path | None) -> None:
        """Refuse impossible files now."""
        charts = self.plot, self.wins
        check_outputs(inputs, tables=[self.output], charts=charts, pages=[self.report])


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

    def settings(self, seed: int) -> dict[str, Any]:
        """Return what all rankings of a run share."""
        side = "auto" if self.side is None else self.side
        return {"model": self.model, "ties": self.ties, "side": side, "random_state": seed}

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
    if source.question == "auto":
        if differences != DifferenceOptions():
            raise InputError(
                "--chosen and --values are for --question pair-against-pair or triplet; add it."
            )
        options.check(results)
        report = _ranked(source.read_pairs(), options, seed)
        written = _write(report, results)
        if results.report:
            _write_page(report, source, results.report)
            written.files.append(results.report)
        written.show(report, json=json)
        return
    if source.question not in ("pair_against_pair", "triplet"):
        raise InputError(
            f"rank reads answers about two items, or differences with --question pair-against-pair"
            f" or triplet; got --question {as_typed(source.question)}. Use embed for it."
        )
    of_rankings = (source.matrix, source.shown_first, results.wins, results.report, options)
    if of_rankings != ("auto", None, None, None, RankOptions()):
        raise InputError(
            "A difference scale takes --chosen, --values, --plot, -o, --seed and --json; other"
            " options are for rankings."
        )
    difference_scale(source, results, differences, seed, json=json)


def _ranked(pairs: Pairs, options: RankOptions, seed: int) -> RankReport:
    """Fit the ranking, that of judges and that of groups of judges, and test them."""
    from ordinate.comparisons.labels import DoubtfulObjectsWarning
    from ordinate.scales.diagnostics import check_scale
    from ordinate.scales.judges import judge_columns
    from ordinate.scales.ranking import Ranking

    settings = options.settings(seed)
    judges: dict[str, NDArray[Any]] = {}
    check, p_judges = None, None
    warnings.simplefilter("ignore", DoubtfulObjectsWarning)  # the notes of the ranking say it
    if options.by is None:
        model = Ranking(errors=options.errors, lapse=options.lapse, **settings).fit(pairs)
        split_by = _group(pairs, options.split_by)
        check = check_scale(pairs, model, folds=options.folds, by=split_by, random_state=seed)
    else:
        model, judges, p_judges = judge_columns(
            pairs, _group(pairs, options.by), level=options.level, lapse=options.lapse, **settings
        )
    who = pairs.groups.get(model.judges)
    return RankReport(
        model,
        0 if who is None else len(set(who.tolist())),
        options.level,
        options.scale,
        check,
        model.columns(options.level, options.scale),
        judges,
        p_judges,
        _groups_of_judges(pairs, options, settings, judges),
    )


def _groups_of_judges(
    pairs: Pairs, options: RankOptions, settings: Mapping[str, Any], judges: dict[str, NDArray[Any]]
) -> JudgeGroups | None:
    """Find groups of judges if they are asked for, and say in the table of judges who is where."""
    import numpy as np

    from ordinate.scales.judge_groups import JudgeGroups

    n_groups = number_of_groups(options.groups)
    if n_groups is None:
        return None
    who = _group(pairs, options.by or "participant")
    found = JudgeGroups(n_groups=n_groups, judges=who, **settings).fit(pairs)
    if judges:
        group_of = dict(zip(found.judges_.tolist(), found.groups_.tolist(), strict=True))
        judges["group"] = np.array([group_of[name] + 1 for name in judges["judge"].tolist()])
    return found


def _write(report: RankReport, results: RankResults) -> Written:
    """Write the table, and after it the pictures."""
    from ordinate.io.coordinates import write_table
    from ordinate.plots import plot_judges, plot_ranking, plot_wins

    model, groups, level = report.model, report.groups, report.level
    table = report.judges or (report.table if groups is None else _by_group(report, groups))
    written = Written()
    written.write(results.output, lambda path: write_table(path, table))
    if report.judges and groups is None:
        written.draw_chart(results.plot, lambda: plot_judges(model, level=level))
    else:
        shown = groups or model
        written.draw_chart(
            results.plot, lambda: plot_ranking(shown, level=level, scale=report.scale)
        )
    written.draw_chart(results.wins, lambda: plot_wins(model))
    return written


def _write_page(report: RankReport, source: PairFile, path: Path) -> None:
    """Write the page for a paper."""
    from ordinate.analysis.ranking_page import save_ranking_page

    save_ranking_page(
        path,
        source.answers,
        report.model,
        report.check,
        report.cells(),
        report.headline(),
        level=report.level,
        scale=report.scale,
        command=shlex.join(["ordinate", *sys.argv[1:]]),
    )


def _by_group(report: RankReport, found: JudgeGroups) -> dict[str, NDArray[Any]]:
    """Return the tables of all groups under one another."""
    import numpy as np

    tables = [ranking.columns(report.level, report.scale) for ranking in found.rankings_]
    group = np.repeat(np.arange(1, len(tables) + 1), [len(t["rank"]) for t in tables])
    return {"group": group} | {
        name: np.concatenate([table[name] for table in tables]) for name in tables[0]
    }


def _group(pairs: Pairs, name: str | None) -> Any:
    """Return the group that a person means: judge is called participant, as everywhere."""
    from ordinate.io.headings import GROUPS, normal

    if name is None or name in pairs.groups:
        return name
    return next((group for group, aliases in GROUPS.items() if normal(name) in aliases), name)
