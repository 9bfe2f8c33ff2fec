"""`ordinate rank`: scores, ranks and groups from answers about two items."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Json,
    Seed,
    SplitBy,
    named_groups,
    notes_about,
    picture_option,
    split_list,
)
from ordinate.cli._results import (
    Results,
    check_outputs,
    draw_last,
    print_report,
    table_option,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ordinate.scales.diagnostics import ScaleCheck
    from ordinate.scales.pairs import Pairs
    from ordinate.scales.ranking import Ranking

_SHOWN = 60
"""Rows of the table on the screen."""


class Model(StrEnum):
    """Noise of the answers."""

    BRADLEY_TERRY = "bradley-terry"
    THURSTONE = "thurstone"


class Ties(StrEnum):
    """How ties come about."""

    AUTO = "auto"
    DAVIDSON = "davidson"
    RAO_KUPPER = "rao-kupper"
    HALF = "half"


class Scale(StrEnum):
    """How scores are shown."""

    LOGIT = "logit"
    ELO = "elo"
    PROBABILITY = "probability"


class Matrix(StrEnum):
    """What a square table of wins counts."""

    AUTO = "auto"
    ROWS_WIN = "rows-win"
    COLUMNS_WIN = "columns-win"


class Chosen(StrEnum):
    """What choosing a pair says about it."""

    AUTO = "auto"
    DIFFERENT = "different"
    ALIKE = "alike"


class Errors(StrEnum):
    """Where errors come from."""

    AUTO = "auto"
    ANSWERS = "answers"
    JUDGES = "judges"
    BOOTSTRAP = "bootstrap"


def _read_pairs(source: AnswerFile, matrix: Matrix) -> Pairs:
    """Read the file, or all files that match the pattern; a note says how."""
    from ordinate.comparisons.labels import warn_of_twins
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
        matrix.value,
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
    warn_of_twins(pairs.names)
    return pairs


@dataclass(frozen=True)
class RankResults(Results):
    """Where the table and the picture go."""

    output: Annotated[Path | None, table_option("scores", otherwise="a table on the screen")] = None
    plot: Annotated[
        Path | None,
        picture_option("FILE", "Scores with intervals and groups: .png, .svg or .pdf."),
    ] = None
    wins: Annotated[
        Path | None,
        picture_option("FILE", "Who beat whom, in the order of the scores: .png, .svg or .pdf."),
    ] = None

    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A page to attach to a paper: scores, table, fit, methods. Ends in .html.",
            rich_help_panel="Results",
        ),
    ] = None

    def check(self, *inputs: Path | None) -> None:
        """Refuse impossible files now."""
        from ordinate.analysis.report_page import check_page_path
        from ordinate.io.coordinates import table_writer
        from ordinate.plots._figures import check_figure_path

        if self.output:
            table_writer(self.output)
        for picture in (self.plot, self.wins):
            if picture:
                check_figure_path(picture)
        if self.report:
            check_page_path(self.report)
        check_outputs([self.output, self.plot, self.wins, self.report], inputs)


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
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.headline()
        yield from self.model.notes_
        if self.check is not None:
            yield str(self.check)
        if self.judges:
            yield from _aligned(_judge_cells(self.judges), _SHOWN)
        else:
            yield from _aligned(self.cells(), _SHOWN)
            if "groups" in self.table:
                yield (
                    'An item cannot be distinguished from those at the ranks under "level with";'
                    f" these and the ranks hold for all items at once ({self.level:.0%})."
                )

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
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _item_cells(table: Mapping[str, NDArray[Any]], scale: str, level: float) -> list[list[str]]:
    import numpy as np

    digits = {"logit": 2, "elo": 0, "probability": 2}[scale]
    header = ["rank", "item", "score", f"{level:.0%} interval", "ranks", "won–lost–tied"]
    cells = [header]
    for row in range(len(table["rank"])):
        value = {name: column[row] for name, column in table.items()}
        line = [
            str(value["rank"]),
            str(value["object"]),
            f"{value['score']:.{digits}f}",
            f"{value['lower']:.{digits}f} to {value['upper']:.{digits}f}",
            _runs(np.arange(value["rank_low"], value["rank_high"] + 1)),
            f"{value['wins']:g}–{value['losses']:g}–{value['ties']:g}",
        ]
        cells.append(line)
    return cells


def _judge_cells(table: Mapping[str, NDArray[Any]]) -> list[list[str]]:
    cells = [["judge", "answers", "agreement", "reliability", "interval", "verdict"]]
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
        Matrix,
        typer.Option(help="Whether a square table counts wins of its rows or of its columns."),
    ] = Matrix.AUTO,
    model: Annotated[
        Model, typer.Option(help="Noise of the answers: logistic or normal.")
    ] = Model.BRADLEY_TERRY,
    ties: Annotated[
        Ties,
        typer.Option(
            help="How ties come about. Default: Davidson or Rao-Kupper, whichever predicts"
            " held-out answers better; half counts a tie as half a win of each."
        ),
    ] = Ties.AUTO,
    side: Annotated[
        bool | None,
        typer.Option(
            "--side/--no-side",
            help="Whether the item shown first has an advantage. Default: if held-out answers say"
            " so.",
        ),
    ] = None,
    lapse: Annotated[
        bool, typer.Option("--lapse", help="Estimate a share of answers given without looking.")
    ] = False,
    errors: Annotated[
        Errors,
        typer.Option(
            help="Whose differences the intervals allow for. Default: judges, where there are at"
            " least eight."
        ),
    ] = Errors.AUTO,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="GROUP",
            help="List the judges of this group, such as judge: who is reliable, who is not, who"
            " has a taste of their own.",
        ),
    ] = None,
    scale: Annotated[
        Scale,
        typer.Option(help="Scores in logits, as Elo ratings, or as chance to beat the average."),
    ] = Scale.LOGIT,
    level: Annotated[
        float, typer.Option(min=0.5, max=0.999, help="Level of intervals, ranks and groups.")
    ] = 0.95,
    chosen: Annotated[
        Chosen,
        typer.Option(
            help="With --question pairs or triplet: whether people chose the more different pair"
            " or the more alike one. Default: what fits the known order of the items.",
            rich_help_panel="Difference scale",
        ),
    ] = Chosen.AUTO,
    values: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table of items and their physical values. Default: the labels are numbers.",
            rich_help_panel="Difference scale",
        ),
    ] = None,
    folds: Folds = 5,
    split_by: SplitBy = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Rank items by answers to "which of the two is more …?", with intervals and groups.

    Reads two items and a winner per row, winners and losers, counts of wins, or a square table.
    With --question pairs or triplet, items of known physical order were compared by their
    differences, and the result is a perceptual scale (MLDS).

    Example: ordinate rank votes.csv --plot ranking.png -o scores.csv
    """
    from ordinate.io.coordinates import write_table
    from ordinate.plots import plot_ranking, plot_wins, save_figure
    from ordinate.scales.diagnostics import check_scale
    from ordinate.scales.judges import judge_columns
    from ordinate.scales.ranking import Ranking

    results.check(*source.inputs)
    if source.question not in ("auto", "pairs", "triplet"):
        raise InputError(
            f"rank reads answers about two items, or differences with --question pairs or triplet;"
            f" got --question {source.question}. Use embed for it."
        )
    if source.question != "auto":
        own = (matrix, model, ties, side, lapse, errors, by, scale, level, folds, split_by)
        if results.wins or results.report or own != _DEFAULTS:
            raise InputError(
                "A difference scale takes --chosen, --values, --plot, -o, --seed and --json; other"
                " options are for rankings."
            )
        _difference_scale(source, results, chosen, values, seed, json=json)
        return
    if chosen is not Chosen.AUTO or values is not None:
        raise InputError("--chosen and --values are for --question pairs or triplet; add it.")
    pairs = _read_pairs(source, matrix)
    settings: dict[str, Any] = {
        "model": model.value,
        "ties": ties.value,
        "side": "auto" if side is None else side,
        "lapse": lapse,
        "random_state": seed,
    }
    judges: Mapping[str, NDArray[Any]] = {}
    if by is None:
        fitted = Ranking(errors=errors.value, **settings).fit(pairs)
        check = check_scale(
            pairs, fitted, folds=folds, by=_group(pairs, split_by), random_state=seed
        )
    else:
        fitted, judges = judge_columns(pairs, _group(pairs, by), level=level, **settings)
        check = None
    table = fitted.columns(level, scale.value)
    if results.output:
        write_table(results.output, judges or table)
    failures = [
        draw_last(
            lambda path: save_figure(plot_ranking(fitted, level=level, scale=scale.value), path),
            results.plot,
        ),
        draw_last(lambda path: save_figure(plot_wins(fitted), path), results.wins),
    ]
    drawn = [
        p
        for p, failed in zip((results.plot, results.wins), failures, strict=True)
        if p and not failed
    ]
    answered = fitted.counts_.counts.sum(axis=1)
    who = pairs.groups.get(fitted.judges)
    report = RankReport(
        fitted,
        float(answered.sum()),
        float(answered[1]),
        0 if who is None else len(set(who.tolist())),
        level,
        scale.value,
        check,
        table,
        judges,
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
            scale=scale.value,
            command=shlex.join(["ordinate", *sys.argv[1:]]),
        )
    written = [p for p in (results.output, *drawn, results.report) if p]
    print_report(report, {}, written, json=json)
    for failure in failures:
        if failure:
            raise failure


_DEFAULTS = (
    *(Matrix.AUTO, Model.BRADLEY_TERRY, Ties.AUTO, None, False, Errors.AUTO),
    *(None, Scale.LOGIT, 0.95, 5, None),
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
    from ordinate.plots import plot_difference_scale, save_figure
    from ordinate.scales.difference_scale import DifferenceScale, directed, turned

    answers, readings = source.read_plainly()
    for note in notes_about(readings):
        print(note, file=sys.stderr)
    known = None if values is None else _read_values(values, answers.names or ())
    if chosen is Chosen.AUTO:
        answers, alike = directed(answers, known)
        said = "The chosen pair is taken for the more"
        direction = f"{said} {'alike' if alike else 'different'} one, which fits the known order"
    else:
        answers = turned(answers) if chosen is Chosen.DIFFERENT else answers
        direction = f"The chosen pair is the more {chosen.value} one"
    model = DifferenceScale(random_state=seed).fit(answers, values=known)
    table = model.columns()
    if results.output:
        write_table(results.output, table)
    failure = draw_last(lambda path: save_figure(plot_difference_scale(model), path), results.plot)
    six = None if model.p_six_point_ != model.p_six_point_ else model.p_six_point_
    report = DifferenceReport(len(answers), direction, model.noise_, six, table)
    drawn = [path for path in (results.output, None if failure else results.plot) if path]
    print_report(report, {}, drawn, json=json)
    if failure:
        raise failure


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
