"""`ordinate rank`: scores, ranks and groups from answers about two items."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
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

    if source.question != "auto":
        raise InputError(
            f"rank reads answers about two items; got --question {source.question}. Use embed for"
            " other questions."
        )
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

    def check(self, *inputs: Path | None) -> None:
        """Refuse impossible files now."""
        from ordinate.io.coordinates import table_writer
        from ordinate.plots._figures import check_figure_path

        if self.output:
            table_writer(self.output)
        for picture in (self.plot, self.wins):
            if picture:
                check_figure_path(picture)
        check_outputs([self.output, self.plot, self.wins], inputs)


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
        yield self._headline()
        yield from self.model.notes_
        if self.check is not None:
            yield str(self.check)
        if self.judges:
            yield from _aligned(_judge_cells(self.judges), _SHOWN)
        else:
            yield from _aligned(_item_cells(self.table, self.scale, self.level), _SHOWN)
            if "groups" in self.table:
                yield (
                    "Items that share a letter cannot be told apart; ranks and letters hold for"
                    f" all items at once ({self.level:.0%})."
                )

    def _headline(self) -> str:
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


def _shortened(letters: str) -> str:
    """Write letters that follow one another as a-i."""
    single, *longer = letters.split(" ")
    runs = [single[:1]]
    for before, letter in pairwise(single):
        runs = (
            [*runs, letter] if ord(letter) != ord(before) + 1 else [*runs[:-1], runs[-1] + letter]
        )
    written = [run if len(run) < 3 else f"{run[0]}-{run[-1]}" for run in runs]
    return " ".join(["".join(written), *longer])


def _item_cells(table: Mapping[str, NDArray[Any]], scale: str, level: float) -> list[list[str]]:
    digits = {"logit": 2, "elo": 0, "probability": 2}[scale]
    header = ["rank", "item", "score", f"{level:.0%} interval", "ranks", "won–lost–tied"]
    cells = [header + (["groups"] if "groups" in table else [])]
    for row in range(len(table["rank"])):
        value = {name: column[row] for name, column in table.items()}
        line = [
            str(value["rank"]),
            str(value["object"]),
            f"{value['score']:.{digits}f}",
            f"{value['lower']:.{digits}f} to {value['upper']:.{digits}f}",
            f"{value['rank_low']}–{value['rank_high']}",
            f"{value['wins']:g}–{value['losses']:g}–{value['ties']:g}",
        ]
        cells.append(line + ([_shortened(value["groups"])] if "groups" in value else []))
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
    folds: Folds = 5,
    split_by: SplitBy = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Rank items by answers to "which of the two is more …?", with intervals and groups.

    Reads two items and a winner per row, winners and losers, counts of wins, or a square table.

    Example: ordinate rank votes.csv --plot ranking.png -o scores.csv
    """
    from ordinate.io.coordinates import write_table
    from ordinate.plots import plot_ranking, plot_wins, save_figure
    from ordinate.scales.diagnostics import check_scale
    from ordinate.scales.judges import judge_columns
    from ordinate.scales.ranking import Ranking

    results.check(*source.inputs)
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
    print_report(report, {}, [p for p in (results.output, *drawn) if p], json=json)
    for failure in failures:
        if failure:
            raise failure


def _group(pairs: Pairs, name: str | None) -> Any:
    """Return the group that a person means: judge is called participant, as everywhere."""
    from ordinate.io.headings import GROUPS, normal

    if name is None or name in pairs.groups:
        return name
    return next((group for group, aliases in GROUPS.items() if normal(name) in aliases), name)
