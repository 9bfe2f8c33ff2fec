"""Items ranked by judges: the scale, who is reliable, and groups of judges with their rankings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._notebooks import ShownAsTable, aligned
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.comparisons.pairs import Pairs, counted
from ordinate.io.headings import GROUPS, normal
from ordinate.plots import plot_judges, plot_ranking
from ordinate.scales.diagnostics import ScaleCheck, check_scale, say_whether_judges_differ
from ordinate.scales.judge_groups import JudgeGroups
from ordinate.scales.judges import judge_columns
from ordinate.scales.ranking import Ranking

_DIGITS = {"logit": 2, "elo": 0, "probability": 2}


@dataclass(frozen=True, eq=False)
class RankingStudy(ShownAsTable):
    """A ranking and its check, or judges, or groups of them; prints as sentences and a table."""

    model: Ranking
    n_judges: int
    level: float
    scale: str
    check: ScaleCheck | None = None
    judges: dict[str, NDArray[Any]] = field(default_factory=dict)
    p_judges: float | None = None
    groups: JudgeGroups | None = None
    example: str = ""
    """One answer in words, as it was read."""

    @property
    def table(self) -> dict[str, NDArray[Any]]:
        """The items with scores, intervals, ranks and groups."""
        return self.model.columns(self.level, self.scale)

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the table of what was asked for: judges, groups under one another, or items."""
        if self.judges or self.groups is None:
            return self.judges or self.table
        tables = [ranking.columns(self.level, self.scale) for ranking in self.groups.rankings_]
        group = np.repeat(np.arange(1, len(tables) + 1), [len(t["rank"]) for t in tables])
        return {"group": group} | {
            name: np.concatenate([table[name] for table in tables]) for name in tables[0]
        }

    def draw(self) -> Any:
        """Draw what was asked for: judges, or the ranking of all or of each group."""
        if self.judges and self.groups is None:
            return plot_judges(self.model, level=self.level)
        return plot_ranking(self.groups or self.model, level=self.level, scale=self.scale)

    @property
    def n_answers(self) -> float:
        """How many answers there are."""
        return float(self.model.counts_.counts.sum())

    @property
    def n_ties(self) -> float:
        """How many of them are ties."""
        return float(self.model.counts_.counts[1].sum())

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
            "best": str(self.table["object"][0]),
            "worst": str(self.table["object"][-1]),
            "example": self.example,
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

    def direction(self) -> str:
        """Say which item is the best and which the worst, as no fit can tell the two apart."""
        items = self.table["object"]
        said = f" ({self.example})" if self.example else ""
        return (
            f"Best: {items[0]}, worst: {items[-1]}{said}. If it is the other way round, use"
            f" {argument('reverse', True)}."
        )

    def _lines(self) -> Iterator[str]:
        yield self.direction()
        yield self.headline()
        yield from self.model.notes_
        if self.check is not None:
            yield str(self.check)
        if self.p_judges is not None:
            yield say_whether_judges_differ(self.p_judges)
        if self.groups is not None:
            yield from self._group_lines(self.groups)
        if self.judges:
            yield from aligned(_judge_cells(self.judges))
        elif self.groups is None:
            yield from aligned(self.cells())
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
        yield from aligned(_group_cells(found, self.level, self.scale))

    def cells(self) -> list[list[str]]:
        """Return the table of items as text, a header first."""
        table = self.table
        cells = _item_cells(table, self.scale, self.level)
        if "groups" in table:
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
        of = f" of {counted(self.n_judges, 'judge')}" if self.n_judges else ""
        errors = {"answers": "answers", "judges": "judges", "bootstrap": "resampled judges"}
        return (
            f"{model.n_objects_:,} items, {counted(self.n_answers, 'answer')}"
            f" ({counted(self.n_ties, 'tie')}){of}: {', '.join(parts)}; intervals by"
            f" {errors[model.errors_]}"
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
            f"{value['score']:z.{digits}f}",
            f"{value['lower']:z.{digits}f} to {value['upper']:z.{digits}f}",
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
        f"group {number} ({counted(count, 'judge')})" for number, count in enumerate(counts, 1)
    ]
    cells = [["item", *header]]
    row_of = [{name: row for row, name in enumerate(t["object"].tolist())} for t in tables]
    for name in found.pooled_.columns(level, scale)["object"].tolist():
        line = [str(name)]
        for table, row in zip(tables, (rows[name] for rows in row_of), strict=True):
            low, score, high = (table[key][row] for key in ("lower", "score", "upper"))
            line.append(f"{row + 1}: {score:z.{digits}f} ({low:z.{digits}f} to {high:z.{digits}f})")
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


def study_ranking(
    pairs: Pairs,
    *,
    by: str | None = None,
    n_groups: int | str | None = None,
    level: float,
    scale: str,
    errors: str,
    lapse: bool,
    folds: int,
    split_by: str | None,
    example: str = "",
    **settings: Any,
) -> RankingStudy:
    """Rank the items and check the scale, or judge the judges (`by`); find groups if asked."""
    judges: dict[str, NDArray[Any]] = {}
    check, p_judges = None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulObjectsWarning)  # the notes of the ranking say it
        if by is None:
            model = Ranking(errors=errors, lapse=lapse, **settings).fit(pairs)
            held_out, seed = _group(pairs, split_by), settings["random_state"]
            check = check_scale(pairs, model, folds=folds, by=held_out, random_state=seed)
        else:
            model, judges, p_judges = judge_columns(
                pairs, _group(pairs, by), level=level, lapse=lapse, **settings
            )
        groups = None
        if n_groups is not None:
            who = _group(pairs, by or "participant")
            groups = JudgeGroups(n_groups=n_groups, judges=who, **settings).fit(pairs)
    if groups is not None and judges:
        group_of = dict(zip(groups.judges_.tolist(), groups.groups_.tolist(), strict=True))
        judges["group"] = np.array([group_of[name] + 1 for name in judges["judge"].tolist()])
    who = pairs.groups.get(model.judges)
    n_judges = 0 if who is None else len(set(who.tolist()))
    return RankingStudy(model, n_judges, level, scale, check, judges, p_judges, groups, example)


def _group(pairs: Pairs, name: str | None) -> Any:
    """Return the group that a person means: judges may be called participants, as elsewhere."""
    if name is None or name in pairs.groups:
        return name
    meant = (group for group in pairs.groups if normal(name) in GROUPS.get(group, ()))
    return next(meant, name)
