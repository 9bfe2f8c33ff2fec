"""`ordinate rank`: scores, ranks and groups from answers about two items."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ordinate._checks import InputError
from ordinate.cli._messages import as_typed
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Json,
    Seed,
    SplitBy,
    flag,
    named_groups,
    notes_about,
    number_of_groups,
    option,
    picture_option,
    split_list,
)
from ordinate.cli._results import Results, Written, check_outputs, table_option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ordinate.scales.diagnostics import ScaleCheck
    from ordinate.scales.judge_groups import JudgeGroups
    from ordinate.scales.pairs import Pairs
    from ordinate.scales.ranking import Ranking

_SHOWN = 60
"""Rows of the table on the screen."""
_DIGITS = {"logit": 2, "elo": 0, "probability": 2}

Model = Literal["bradley-terry", "thurstone"]
Ties = Literal["auto", "davidson", "rao-kupper", "half"]
Scale = Literal["logit", "elo", "probability"]
Matrix = Literal["auto", "rows-win", "columns-win"]
Chosen = Literal["auto", "different", "alike"]
Errors = Literal["auto", "answers", "judges", "bootstrap"]


def _read_pairs(source: AnswerFile, matrix: Matrix) -> Pairs:
    """Read the file, or all files that match the pattern; a note says how."""
    from ordinate.comparisons.labels import warn_of_labels
    from ordinate.scales.files import PairLog, read_pair_log
    from ordinate.scales.pairs import Pairs

    log = PairLog(
        split_list(source.columns),
        source.answer,
        source.coding,
        source.weight,
        named_groups(source.group),
        source.where or None,
        source.exclude or None,
        matrix,
        None,
        source.on_invalid,
    )
    read = [
        read_pair_log(path, log, header=source.header, encoding=source.encoding)
        for path in source.files
    ]
    for note in notes_about([reading for _, reading in read]):
        print(note, file=sys.stderr)
    pairs = read[0][0] if len(read) == 1 else Pairs.concatenate([pairs for pairs, _ in read])
    warn_of_labels(pairs.names)
    return pairs


@dataclass(frozen=True)
class RankResults(Results):
    """Where the table and the picture go."""

    output: Annotated[Path | None, table_option("scores", otherwise="a table on the screen")] = None
    plot: Annotated[
        Path | None,
        picture_option(
            "FILE", "Scores with intervals and groups, or with --by the judges: .png, .svg or .pdf."
        ),
    ] = None
    wins: Annotated[
        Path | None,
        picture_option("FILE", "Who beat whom, in the order of the scores: .png, .svg or .pdf."),
    ] = None

    report: Annotated[
        Path | None,
        option(
            "A page to attach to a paper: scores, table, fit, methods. Ends in .html.",
            "FILE",
            panel="Results",
        ),
    ] = None

    def check(self, *inputs: Path | None) -> None:
        """Refuse impossible files now."""
        charts = self.plot, self.wins
        check_outputs(inputs, tables=[self.output], charts=charts, pages=[self.report])


@dataclass(frozen=True)
class RankReport:
    """Figures of one run of `ordinate rank`."""

    model: Ranking
    n_answers: float
    n_ties: float
    n_judges: int
    level: float
    scale: str
    check: ScaleCheck | None
    table: Mapping[str, NDArray[Any]]
    judges: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    p_judges: float | None = None
    groups: JudgeGroups | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        model = self.model
        return {
            "model": model.model,
            "ties": model.ties_,
            "tie": model.tie_,
            "side": model.side_,
            "side_error": model.side_error_,
            "lapse": model.lapse_,
            "prior": model.prior_,
            "errors": model.errors_,
            "choices": {name: list(gain) for name, gain in model.choices_.items()},
            "n_items": model.n_objects_,
            "n_answers": self.n_answers,
            "n_ties": self.n_ties,
            "n_judges": self.n_judges,
            "level": self.level,
            "scale": self.scale,
            "notes": model.notes_,
            "check": None if self.check is None else self.check.to_dict(),
            "scores": {name: column.tolist() for name, column in self.table.items()},
            "judges": {name: column.tolist() for name, column in self.judges.items()},
            "p_judges": self.p_judges,
            "groups": None if self.groups is None else self._groups(self.groups),
        }

    def _groups(self, found: JudgeGroups) -> list[dict[str, Any]]:
        """Return members and ranking of each group of judges."""
        return [
            {
                "share": float(share),
                "judges": found.judges_[found.groups_ == number].tolist(),
                "scores": {
                    name: column.tolist()
                    for name, column in ranking.columns(self.level, self.scale).items()
                },
            }
            for number, (share, ranking) in enumerate(
                zip(found.shares_, found.rankings_, strict=True)
            )
        ]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        from ordinate.scales.diagnostics import say_whether_judges_differ

        yield self.headline()
        yield from self.model.notes_
        if self.check is not None:
            yield str(self.check)
        if self.p_judges is not None:
            yield say_whether_judges_differ(self.p_judges)
        if self.groups is not None:
            yield from self._group_lines(self.groups)
        if self.judges:
            yield from _aligned(_judge_cells(self.judges), _SHOWN)
        elif self.groups is None:
            yield from _aligned(self.cells(), _SHOWN)
            if "groups" in self.table:
                yield (
                    'An item cannot be distinguished from those at the ranks under "level with";'
                    f" these and the ranks hold for all items at once ({self.level:.0%})."
                )

    def _group_lines(self, found: JudgeGroups) -> Iterator[str]:
        """Say which groups of judges there are, and how each ranks the items."""
        if found.n_groups_ == 1:
            yield "All judges form one group: more groups do not predict held-out answers better."
        else:
            yield (
                f"{found.n_groups_} groups of judges, each with a ranking: rank, score"
                f" ({self.level:.0%} interval). Intervals take the members as known."
            )
        yield from _aligned(_group_cells(found, self.level, self.scale), _SHOWN)

    def cells(self) -> list[list[str]]:
        """Return the table of items as text, a header first."""
        cells = _item_cells(self.table, self.scale, self.level)
        if "groups" in self.table:
            order = (-self.model.scores_).argsort(kind="stable")
            alike = ~self.model.told_apart(self.level)[order][:, order]
            cells[0].append("level with")
            for line, row in zip(cells[1:], alike, strict=True):
                line.append(_runs(row.nonzero()[0] + 1))
        return cells

    def headline(self) -> str:
        """Say what was ranked, and how."""
        model = self.model
        parts = [model.model.title().replace("-", "–")]
        if model.tie_ is not None:
            parts.append(f"ties after {model.ties_.title().replace('-', '–')}")
        if model.side_ is not None:
            error = f" ± {model.side_error_:.2f}" if model.side_error_ is not None else ""
            parts.append(f"advantage of the side shown first {model.side_:+.2f}{error}")
        if model.lapse_ is not None:
            parts.append(f"lapse rate {model.lapse_:.1%}")
        of = f" of {self.n_judges:,} judges" if self.n_judges else ""
        errors = {"answers": "answers", "judges": "judges", "bootstrap": "resampled judges"}
        return (
            f"{model.n_objects_:,} items, {self.n_answers:,.0f} answers ({self.n_ties:,.0f} ties)"
            f"{of}: {', '.join(parts)}; intervals by {errors[model.errors_]}"
        )


def _runs(numbers: NDArray[Any]) -> str:
    """Write whole numbers that follow one another as 3–9."""
    runs: list[list[int]] = []
    for number in numbers.tolist():
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(_run(run[0], run[-1]) for run in runs)


def _run(low: int, high: int) -> str:
    return f"{low}–{high}" if low < high else f"{low}"


def _item_cells(table: Mapping[str, NDArray[Any]], scale: str, level: float) -> list[list[str]]:
    digits = _DIGITS[scale]
    header = ["rank", "item", "score", f"{level:.0%} interval", "ranks", "won–lost–tied"]
    cells = [header]
    for row in range(len(table["rank"])):
        value = {name: column[row] for name, column in table.items()}
        line = [
            str(value["rank"]),
            str(value["object"]),
            f"{value['score']:.{digits}f}",
            f"{value['lower']:.{digits}f} to {value['upper']:.{digits}f}",
            _run(value["rank_low"], value["rank_high"]),
            f"{value['wins']:g}–{value['losses']:g}–{value['ties']:g}",
        ]
        cells.append(line)
    return cells


def _group_cells(found: JudgeGroups, level: float, scale: str) -> list[list[str]]:
    """Return how each group ranks the items, in the order of all judges together."""
    digits = _DIGITS[scale]
    tables = [ranking.columns(level, scale) for ranking in found.rankings_]
    counts = [int((found.groups_ == number).sum()) for number in range(found.n_groups_)]
    header = [
        f"group {number} ({count} judge{'' if count == 1 else 's'})"
        for number, count in enumerate(counts, 1)
    ]
    cells = [["item", *header]]
    row_of = [{name: row for row, name in enumerate(t["object"].tolist())} for t in tables]
    for name in found.pooled_.columns(level, scale)["object"].tolist():
        line = [str(name)]
        for table, row in zip(tables, (rows[name] for rows in row_of), strict=True):
            low, score, high = (table[key][row] for key in ("lower", "score", "upper"))
            line.append(f"{row + 1}: {score:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})")
        cells.append(line)
    return cells


def _judge_cells(table: Mapping[str, NDArray[Any]]) -> list[list[str]]:
    cells = [["judge", "answers", "agreement", "reliability", "interval", "verdict"]]
    if "group" in table:
        cells[0].append("group")
    for row in range(len(table["judge"])):
        value = {name: column[row] for name, column in table.items()}
        cells.append(
            [
                str(value["judge"]),
                f"{value['answers']:g}",
                f"{value['agreement']:.0%}",
                f"{value['reliability']:.2f}",
                f"{value['lower']:.2f} to {value['upper']:.2f}",
                str(value["verdict"]),
                *([str(value["group"])] if "group" in table else []),
            ]
        )
    return cells


def _aligned(cells: list[list[str]], most: int) -> Iterator[str]:
    """Write the first rows of a table in columns."""
    shown = cells[: most + 1]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {line}".rstrip()
    if len(cells) > len(shown):
        yield f"  and {len(cells) - len(shown):,} more, all of them with -o FILE"


def rank(
    source: AnswerFile,
    results: RankResults,
    matrix: Annotated[
        Matrix, option("Whether a square table counts wins of its rows or of its columns.")
    ] = "auto",
    model: Annotated[Model, option("Noise of the answers: logistic or normal.")] = "bradley-terry",
    ties: Annotated[
        Ties,
        option(
            "How ties come about. Default: Davidson or Rao-Kupper, whichever predicts"
            " held-out answers better; half counts a tie as half a win of each."
        ),
    ] = "auto",
    side: Annotated[
        bool | None,
        option(
            "Whether the item shown first has an advantage. Default: if held-out answers say so.",
            None,
            "--side/--no-side",
        ),
    ] = None,
    lapse: Annotated[
        bool, flag("--lapse", "Estimate a share of answers given without looking.")
    ] = False,
    errors: Annotated[
        Errors,
        option(
            "Whose differences the intervals allow for. Default: judges, where there are at"
            " least eight."
        ),
    ] = "auto",
    by: Annotated[
        str | None,
        option(
            "List the judges of this group, such as judge: who is reliable, who is not, who"
            " has a taste of their own.",
            "GROUP",
        ),
    ] = None,
    groups: Annotated[
        str | None, option("Find groups of judges with a ranking each: how many, or auto.", "N")
    ] = None,
    scale: Annotated[
        Scale, option("Scores in logits, as Elo ratings, or as chance to beat the average.")
    ] = "logit",
    level: Annotated[
        float, option("Level of intervals, ranks and groups.", min=0.5, max=0.999)
    ] = 0.95,
    chosen: Annotated[
        Chosen,
        option(
            "With --question: whether people chose the more different pair or the more alike"
            " one. Default: what fits the known order of the items.",
            panel="Difference scale",
        ),
    ] = "auto",
    values: Annotated[
        Path | None,
        option(
            "Table of items and their physical values. Default: the labels are numbers.",
            "FILE",
            panel="Difference scale",
        ),
    ] = None,
    folds: Folds = 5,
    split_by: SplitBy = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Rank items by answers to "which of the two is more …?", with intervals and groups.

    Reads two items and a winner per row, winners and losers, counts of wins, or a square table.
    With --question pair-against-pair or triplet, items of known physical order were compared by
    their differences, and the result is a perceptual scale (MLDS).

    Example: ordinate rank votes.csv --plot ranking.png -o scores.csv
    """
    import numpy as np

    from ordinate.comparisons.labels import DoubtfulObjectsWarning
    from ordinate.io.coordinates import write_table
    from ordinate.plots import plot_judges, plot_ranking, plot_wins
    from ordinate.scales.diagnostics import check_scale
    from ordinate.scales.judges import judge_columns
    from ordinate.scales.ranking import Ranking

    results.check(*source.inputs)
    if source.question not in ("auto", "pair_against_pair", "triplet"):
        raise InputError(
            f"rank reads answers about two items, or differences with --question pair-against-pair"
            f" or triplet; got --question {as_typed(source.question)}. Use embed for it."
        )
    if source.question != "auto":
        own = (matrix, model, ties, side, lapse, errors, by, groups, scale, level, folds, split_by)
        if results.wins or results.report or own != _DEFAULTS:
            raise InputError(
                "A difference scale takes --chosen, --values, --plot, -o, --seed and --json; other"
                " options are for rankings."
            )
        _difference_scale(source, results, chosen, values, seed, json=json)
        return
    if chosen != "auto" or values is not None:
        raise InputError(
            "--chosen and --values are for --question pair-against-pair or triplet; add it."
        )
    n_groups = number_of_groups(groups)
    if n_groups is not None and (lapse or results.report):
        raise InputError("--groups does not go with --lapse or --report; leave one of them out.")
    pairs = _read_pairs(source, matrix)
    settings: dict[str, Any] = {
        "model": model,
        "ties": ties,
        "side": "auto" if side is None else side,
        "lapse": lapse,
        "random_state": seed,
    }
    judges: dict[str, NDArray[Any]] = {}
    p_judges = None
    warnings.simplefilter("ignore", DoubtfulObjectsWarning)  # the notes of the ranking say it
    if by is None:
        fitted = Ranking(errors=errors, **settings).fit(pairs)
        check = check_scale(
            pairs, fitted, folds=folds, by=_group(pairs, split_by), random_state=seed
        )
    else:
        fitted, judges, p_judges = judge_columns(pairs, _group(pairs, by), level=level, **settings)
        check = None
    table = fitted.columns(level, scale)
    found = None
    if n_groups is not None:
        who = _group(pairs, by or "participant")
        found = _find_groups(pairs, n_groups, who, settings)
        if judges:
            group_of = dict(zip(found.judges_.tolist(), found.groups_.tolist(), strict=True))
            judges["group"] = np.array([group_of[name] + 1 for name in judges["judge"].tolist()])
    each = table if found is None else _by_group(found, level, scale)
    written = Written()
    written.write(results.output, lambda path: write_table(path, judges or each))
    written.draw_chart(
        results.plot,
        lambda: (
            plot_judges(fitted, level=level)
            if judges and found is None
            else plot_ranking(found or fitted, level=level, scale=scale)
        ),
    )
    written.draw_chart(results.wins, lambda: plot_wins(fitted))
    answered = fitted.counts_.counts.sum(axis=1)
    who = pairs.groups.get(fitted.judges)
    report = RankReport(
        fitted,
        float(answered.sum()),
        float(answered[1]),
        0 if who is None else len(set(who.tolist())),
        level,
        scale,
        check,
        table,
        judges,
        p_judges,
        found,
    )
    if results.report:
        from ordinate.analysis.ranking_page import save_ranking_page

        save_ranking_page(
            results.report,
            source.answers,
            fitted,
            check,
            report.cells(),
            report.headline(),
            level=level,
            scale=scale,
            command=shlex.join(["ordinate", *sys.argv[1:]]),
        )
        written.files.append(results.report)
    written.show(report, json=json)


def _find_groups(
    pairs: Pairs, n_groups: int | str, who: str, settings: Mapping[str, Any]
) -> JudgeGroups:
    from ordinate.scales.judge_groups import JudgeGroups

    own = {name: value for name, value in settings.items() if name != "lapse"}
    return JudgeGroups(n_groups=n_groups, judges=who, **own).fit(pairs)


def _by_group(found: JudgeGroups, level: float, scale: str) -> dict[str, NDArray[Any]]:
    """Return the tables of all groups under one another."""
    import numpy as np

    tables = [ranking.columns(level, scale) for ranking in found.rankings_]
    group = np.repeat(np.arange(1, len(tables) + 1), [len(t["rank"]) for t in tables])
    return {"group": group} | {
        name: np.concatenate([table[name] for table in tables]) for name in tables[0]
    }


_DEFAULTS = (
    *("auto", "bradley-terry", "auto", None, False, "auto"),
    *(None, None, "logit", 0.95, 5, None),
)
"""Options of rankings as they are if nobody gives them."""


@dataclass(frozen=True)
class DifferenceReport:
    """Figures of a difference scale."""

    n_answers: int
    direction: str
    noise: float
    p_six_point: float | None
    table: Mapping[str, NDArray[Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        scale = {name: column.tolist() for name, column in self.table.items()}
        return {**vars(self), "table": scale}

    def __str__(self) -> str:
        cells = [["item", "value", "scale", "95% interval"]]
        columns = (self.table[name] for name in ("object", "value", "scale", "lower", "upper"))
        for item, value, scale, lower, upper in zip(*columns, strict=True):
            cells.append([str(item), f"{value:g}", f"{scale:.3f}", f"{lower:.3f} to {upper:.3f}"])
        lines = [
            f"{len(cells) - 1:,} items, {self.n_answers:,} answers: difference scale from 0 to 1;"
            f" the noise of an answer is {self.noise:.2f} of its range.",
            f"{self.direction}.",
        ]
        if self.p_six_point is not None:
            fits = "holds" if self.p_six_point >= 0.05 else "is violated: no such scale exists"
            lines.append(f"The six-point property {fits} (p = {self.p_six_point:.2g}).")
        return "\n".join([*lines, *_aligned(cells, _SHOWN)])


def _difference_scale(
    source: AnswerFile,
    results: RankResults,
    chosen: Chosen,
    values: Path | None,
    seed: int,
    *,
    json: bool,
) -> None:
    """Fit a difference scale to compared differences, print it, write it, draw it."""
    from ordinate.io.coordinates import write_table
    from ordinate.plots import plot_difference_scale
    from ordinate.scales.difference_scale import DifferenceScale, directed, turned

    answers, readings = source.read_plainly()
    for note in notes_about(readings):
        print(note, file=sys.stderr)
    known = None if values is None else _read_values(values, answers.names or ())
    if chosen == "auto":
        answers, alike = directed(answers, known)
        said = "The chosen pair is taken for the more"
        direction = f"{said} {'alike' if alike else 'different'} one, which fits the known order"
    else:
        answers = turned(answers) if chosen == "different" else answers
        direction = f"The chosen pair is the more {chosen} one"
    model = DifferenceScale(random_state=seed).fit(answers, values=known)
    table = model.columns()
    written = Written()
    written.write(results.output, lambda path: write_table(path, table))
    written.draw_chart(results.plot, lambda: plot_difference_scale(model))
    six = None if model.p_six_point_ != model.p_six_point_ else model.p_six_point_
    report = DifferenceReport(len(answers), direction, model.noise_, six, table)
    written.show(report, json=json)


def _read_values(path: Path, names: Sequence[str]) -> list[float]:
    """Read the physical values of items: a label and a number per row, under a header."""
    from ordinate.io.columns import as_floats, as_labels
    from ordinate.io.tables import errors_naming, open_table

    with errors_naming(path):
        table = open_table(path, header=True)
        if len(table.names) != 2:
            raise InputError(f"It must have 2 columns, item and value; it has {len(table.names)}.")
        item, value = table.names
        columns = table.read([item], [value])
        numbers = as_floats(columns.column(value))
        if numbers is None:
            raise InputError(f"Column {value!r} must hold numbers.")
        value_of = dict(zip(as_labels(item, columns.column(item)), numbers.tolist(), strict=True))
        missing = [name for name in names if name not in value_of]
        if missing:
            raise InputError(f"It has no value of the item {missing[0]!r}; add a row.")
    return [float(value_of[name]) for name in names]


def _group(pairs: Pairs, name: str | None) -> Any:
    """Return the group that a person means: judge is called participant, as everywhere."""
    from ordinate.io.headings import GROUPS, normal

    if name is None or name in pairs.groups:
        return name
    return next((group for group, aliases in GROUPS.items() if normal(name) in aliases), name)
