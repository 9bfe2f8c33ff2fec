"""`ordinate.rank`: items ranked by comparisons, with intervals, judges and groups of judges."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument, parameter
from ordinate._checks import InputError, check_choice, check_share, some_of
from ordinate._estimator import clone
from ordinate._random import RandomState, as_generator
from ordinate._threads import one_blas_thread
from ordinate._versions import versions
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.comparisons.pairs import Pairs, counted
from ordinate.io.screening import who_is_a_person
from ordinate.plots import plot_judges, plot_ranking, plot_wins
from ordinate.plots._ranking import MOST_CELLS
from ordinate.results.finding import Finding, in_sentences
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result
from ordinate.scales.diagnostics import ScaleCheck, checked_scale
from ordinate.scales.judge_groups import JudgeGroups
from ordinate.scales.judges import JudgeAudit, audit_judges, can_audit, refuse_one_judge
from ordinate.scales.rank_intervals import quantile
from ordinate.scales.ranking import Ranking
from ordinate.scales.respondents import TwoSides, compare_respondents, two_sides
from ordinate.solvers.respondents import FEWEST as FEWEST_COMPARED
from ordinate.solvers.respondents import MachinesBesidePeople
from ordinate.verbs.answers import LayoutLike, find_group, pooled_conditions, read_answers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns

_SCALES = {
    "logit": "Scores are centred; differences are log odds.",
    "elo": "Scores are Elo ratings: 400 points are odds of ten to one, the mean is 1500.",
    "probability": "Scores are chances to beat the average item.",
}
_REFERENCES = {
    "bradley-terry": "Bradley, R. A. & Terry, M. E. (1952). Rank analysis of incomplete block"
    " designs. Biometrika 39, 324–345.",
    "thurstone": "Thurstone, L. L. (1927). A law of comparative judgment. Psychological Review 34,"
    " 273–286.",
    "davidson": "Davidson, R. R. (1970). On extending the Bradley–Terry model to accommodate ties."
    " Journal of the American Statistical Association 65, 317–328.",
    "rao-kupper": "Rao, P. V. & Kupper, L. L. (1967). Ties in paired-comparison experiments."
    " Journal of the American Statistical Association 62, 194–204.",
    "plackett-luce": "Plackett, R. L. (1975). The analysis of permutations. Applied Statistics 24,"
    " 193–202.",
    "turner": "Turner, H. L., van Etten, J., Firth, D. & Kosmidis, I. (2020). Modelling rankings in"
    " R: the PlackettLuce package. Computational Statistics 35, 1027–1057.",
    "ranks": "Mogstad, M., Romano, J. P., Shaikh, A. M. & Wilhelm, D. (2024). Inference for ranks."
    " Review of Economic Studies 91, 476–518.",
}
_MOST_ALIKE = 3
"""Pairs of groups that do not differ and have a sentence each."""
_MOST_GROUPS = 12
"""Groups of people whose rankings are shown side by side."""
_SAME = 1e-6
"""Difference of scores that is rounding."""
_PRINTED = {"rankings of the groups", "scores"}
"""Tables that are always printed; sentences say what is in the others."""
_DIGITS = {"logit": 2, "elo": 0, "probability": 2}
_ERRORS = {
    "answers": "the curvature of the likelihood, taking answers as independent",
    "trials": "a sandwich estimator that keeps the pairs of each trial together",
    "judges": "a sandwich estimator that keeps the answers of each judge together",
    "bootstrap": "200 bootstrap resamples of whole judges",
}
"""What intervals follow from, by what they account for."""


@dataclass(frozen=True, eq=False)
class RankingResult(Result):
    """Items ranked by comparisons; with judges or groups of them if they were asked for.

    Attributes
    ----------
    model : Ranking
        The estimator, fitted to the answers.
    n_judges : int
        How many people answered; 0 if that is not known.
    level : float
        Level of intervals, ranks and groups.
    scale : str
        Scale of the scores.
    check : ScaleCheck
        Whether one scale fits the answers, and what it predicts.
    audit : JudgeAudit or None
        What is known about each judge: a table, and the ranking in which reliable ones count more.
        None if it is not known who answered, or nearly each answer is of somebody else.
    lists_judges : bool
        Whether the list of judges was asked for, and comes first.
    groups : JudgeGroups or None
        Groups of judges with a ranking each.
    before : Ranking or None
        The ranking without covariates, if the answers have some.
    machines : MachinesBesidePeople or None
        Machines compared with people, if both answered.
    conditions : RankingsByGroup or None
        Rankings of groups of people, if they were asked for.
    pooled : str
        Which groups of people are taken together, if they are.

    Examples
    --------
    >>> import ordinate as od
    >>> result = od.rank([["tea", "milk"], ["tea", "wine"], ["milk", "wine"]] * 4)
    >>> list(result.to_frame().index)
    ['tea', 'milk', 'wine']
    """

    model: Ranking
    n_judges: int
    level: float
    scale: str
    check: ScaleCheck
    audit: JudgeAudit | None = None
    lists_judges: bool = False
    groups: JudgeGroups | None = None
    before: Ranking | None = None
    machines: MachinesBesidePeople | None = None
    conditions: RankingsByGroup | None = None
    pooled: str = ""
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"Ranking of {self.provenance.name}"

    @cached_property
    def table(self) -> dict[str, NDArray[Any]]:
        """The items with scores, intervals, ranks and groups, and what else they may be."""
        found, order = self.model.columns(self.level, self.scale), self._order
        for name, scores in self._other_scores().items():
            found[f"score_{name}"] = self.model.scaled(scores[order], self.scale)
            found[f"rank_{name}"] = (-scores).argsort(kind="stable").argsort()[order] + 1
        return found

    @property
    def _order(self) -> NDArray[np.intp]:
        """The items, best first."""
        return (-self.model.scores_).argsort(kind="stable")

    def _other_scores(self) -> dict[str, NDArray[Any]]:
        """Return scores without covariates, and weighted by the reliability of judges."""
        found = {} if self.before is None else {"before": self.before.scores_}
        if self.audit is not None and (self.lists_judges or self.audit.named):
            found["weighted"] = self.audit.scores
        if self.conditions is not None:
            found |= {label: one.scores_ for label, one in self.conditions.rankings.items()}
        return found

    @property
    def judges(self) -> dict[str, NDArray[Any]]:
        """The table of the judges, the least reliable first; empty if nobody is known."""
        found = {} if self.audit is None else dict(self.audit.table)
        if found and self.groups is not None:
            mine = dict(
                zip(self.groups.judges_.tolist(), self.groups.groups_.tolist(), strict=True)
            )
            found["group"] = np.array([mine[name] + 1 for name in found["judge"].tolist()])
        return found

    @property
    def p_judges(self) -> float:
        """Of the test that all judges share one scale, each with a reliability of their own."""
        return self.check.p_judges

    @property
    def _example(self) -> str:
        """One answer in words, as it was read."""
        return self.provenance.readings[0].example if self.provenance.readings else ""

    def tables(self) -> dict[str, Columns]:
        """Return what was asked for: judges, groups under one another, and items."""
        found: dict[str, Columns] = {}
        if self.groups is not None:
            tables = [one.columns(self.level, self.scale) for one in self.groups.rankings_]
            group = np.repeat(np.arange(1, len(tables) + 1), [len(t["rank"]) for t in tables])
            found["rankings of the groups"] = {"group": group} | {
                name: np.concatenate([table[name] for table in tables]) for name in tables[0]
            }
        return self._in_order(
            found | self._effects() | self._items_differing(), self.judges, self.table
        )

    def _in_order(self, others: dict[str, Any], judges: Any, scores: Any) -> dict[str, Any]:
        """Put the table that was asked for first."""
        of_judges = {"judges": judges} if judges else {}
        if self.lists_judges or self.groups is not None:
            return (
                (of_judges if self.lists_judges else {}) | others | {"scores": scores} | of_judges
            )
        return {"scores": scores} | others | of_judges

    def printed(self) -> list[str]:
        """Name the tables that are printed: judges only if they were asked for."""
        asked = {"judges"} if self.lists_judges else set()
        return [name for name in self.listings() if name in _PRINTED | asked]

    def _effects(self) -> dict[str, Columns]:
        """Return what covariates are worth."""
        model = self.model
        if not model.effect_names_:
            return {}
        half = quantile(self.level, model.df_) * model.effect_errors_
        sizes = model.effect_sizes_
        found = {"covariate": np.array(model.effect_names_), "per_unit": model.effects_}
        found |= {"error": model.effect_errors_, "usual_difference": sizes}
        found |= {"worth": model.effects_ * sizes, "worth_lower": (model.effects_ - half) * sizes}
        return {"covariates": found | {"worth_upper": (model.effects_ + half) * sizes}}

    def _items_differing(self) -> dict[str, Columns]:
        return {} if self.machines is None else {"machines": self.machines.different}

    def listings(self) -> dict[str, list[list[str]]]:
        """Return the tables as a person reads them."""
        found, tables = {}, self._effects() | self._items_differing()
        if self.groups is not None:
            found["rankings of the groups"] = _group_cells(self.groups, self.level, self.scale)
        for name, columns in (("covariates", _COVARIATE_COLUMNS), ("machines", _MACHINE_COLUMNS)):
            if name in tables:
                found[name] = _cells(tables[name], columns)
        judges = _cells(self.judges, _JUDGE_COLUMNS) if self.judges else None
        return self._in_order(found, judges, self._item_cells())

    captions: ClassVar[dict[str, str]] = {
        "wins": "Share of decided answers in which the item of the row beat that of the column, in"
        " the order of the scores. White: never compared.",
        "judges": "How strongly the answers of each judge follow the common scores; the average"
        " judge has 1.",
    }

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the judges, the scores, and who beat whom."""
        found: dict[str, Callable[[], Axes]] = {}
        audit = self.audit
        judges: dict[str, Callable[[], Axes]] = {}
        if audit is not None:
            judges["judges"] = lambda: plot_judges(audit.weighted, level=self.level)
        if self.lists_judges and self.groups is None:
            found = judges
        found["scores"] = lambda: plot_ranking(
            self.groups or self.model, level=self.level, scale=self.scale
        )
        if self.model.n_objects_ <= MOST_CELLS:
            found["wins"] = lambda: plot_wins(self.model)
        return found | judges

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        table = self.table
        equal = np.ptp(self.model.scores_) < _SAME
        best, worst = (None if equal else str(table["object"][at]) for at in (0, -1))
        yield Finding("best", best, self._headline())
        yield Finding("worst", worst, self._direction())
        yield Finding("example", self._example)
        yield from self._data()
        for note in self.model.notes_:
            yield Finding("note", text=note, kind="warning", section="data")
        yield from self._model()
        yield from self._covariates()
        yield Finding("check", self.check.to_dict(), str(self.check), section="trust")
        yield Finding("p_judges", self.p_judges)
        if self.conditions is not None:
            said = self.conditions.say(self.level)
            yield Finding("by", self.conditions.to_dict(), said, section="people")
        yield from self._people()
        if self.groups is not None:
            yield Finding("groups", self._groups(self.groups), _say_groups(self.groups))
        yield Finding("scores", table)
        yield Finding("judges", self.judges)
        if "groups" in table:
            text = (
                f"Ranks hold for all items at once ({self.level:.0%}). An item cannot be"
                ' distinguished from those at the ranks under "level with".'
            )
            yield Finding("level", self.level, text, section="trust")
        yield from self._methods()

    def _headline(self) -> str:
        """Say who leads, and from whom the leader and the second cannot be distinguished."""
        names = [str(name) for name in self.table["object"]]
        if "groups" not in self.table:  # too many items to test all pairs
            return f"{names[0]} has the highest score."
        alike = self._alike()
        level = [np.flatnonzero(row).tolist() for row in alike]
        if alike.all():
            return f"The answers do not distinguish any of the {len(names):,} items."
        if level[0] != [0]:
            tied = _listed([names[at] for at in level[0] if at])
            return f"{names[0]} has the highest score, but cannot be distinguished from {tied}."
        others = [names[at] for at in level[1] if at != 1]
        if not others:
            return f"{names[0]} leads, and {names[1]} is second."
        return (
            f"{names[0]} leads; {names[1]} comes second, but cannot be distinguished from"
            f" {_listed(others)}."
        )

    def _covariates(self) -> Iterator[Finding]:
        """Yield what covariates are worth, and whether the order changes with them."""
        unit = "score" if self.scale == "logit" else "log odds"
        for table in self._effects().values():
            for row in range(len(table["covariate"])):
                one = {name: column[row] for name, column in table.items()}
                said = (
                    f"{one['covariate']}: {one['usual_difference']:.4g} more, the usual difference"
                    f" of two items, is worth {one['worth']:+.2f} ({one['worth_lower']:+.2f} to"
                    f" {one['worth_upper']:+.2f}) in {unit}; one unit {one['per_unit']:+.3g}."
                )
                yield Finding(f"covariate_{one['covariate']}", one, said)
        if self.before is not None:
            first = self.table["object"][int(np.argmin(self.table["rank_before"]))]
            n_moved = int((self.table["rank_before"] != self.table["rank"]).sum())
            said = "Without covariates the order would be the same."
            if n_moved:
                moved = f"{counted(n_moved, 'item')} would have another rank"
                said = f"Without covariates {first} would lead, and {moved}."
            yield Finding("n_moved", n_moved, said, section="trust")

    def _people(self) -> Iterator[Finding]:
        """Yield which judges are not like the others, and how machines compare with people."""
        if self.audit is not None and self.audit.named:
            yield Finding("judges_named", self.audit.named)
            for verdict, judges in self.audit.named.items():
                said = _say_verdict(verdict, judges)
                yield Finding("named", text=said, kind="warning", section="people")
            best = int(np.argmax(self.audit.scores))
            weighted, plain = (
                _written(self.model.scaled(scores, self.scale)[best], self.scale)
                for scores in (self.audit.scores, self.model.scores_)
            )
            said = (
                f"Weighted by reliability, {self.model.names_[best] if self.model.names_ else best}"
                f" has the highest score: {weighted} (unweighted {plain})."
            )
            yield Finding("weighted", float(self.audit.scores[best]), said, section="people")
        if self.machines is not None:
            sentences = self.machines.sentences(self.level)
            yield from in_sentences("machines", self.machines.to_dict(), sentences, "people")

    def _direction(self) -> str:
        """Say which item is the best and which the worst, as no fit can tell the two apart."""
        items, example = self.table["object"], self._example
        aloud = f" ({example})" if example else ""
        if np.ptp(self.model.scores_) < _SAME:
            return f"All items have the same score{aloud}."
        said = f"Best: {items[0]}, worst: {items[-1]}{aloud}."
        read = self.provenance.readings
        if not read or any(one.reversed for one in read):
            return said
        return f"{said} If it is the other way round, use {argument('reverse', True)}."

    def _data(self) -> Iterator[Finding]:
        """Yield what was ranked."""
        model = self.model
        n_answers = float(model.counts_.counts.sum())
        n_ties = float(model.counts_.counts[1].sum())
        of = f" of {counted(self.n_judges, 'judge')}" if self.n_judges else ""
        answers = counted(n_answers, "answer")
        if model._n_trials:
            word = "trial" if model._rankings is None else "ranking"
            answers = f"{counted(model._n_trials, word)} with {counted(n_answers, 'pair')}"
        text = f"{model.n_objects_:,} items, {answers} ({counted(n_ties, 'tie')}){of}."
        yield Finding("n_items", model.n_objects_, text, section="data")
        yield Finding("pooled", text=self.pooled, kind="warning", section="data")
        yield Finding("n_answers", n_answers)
        yield Finding("n_ties", n_ties)
        yield Finding("n_judges", self.n_judges)

    def _model(self) -> Iterator[Finding]:
        """Yield how it was ranked."""
        model = self.model
        parts = [_model_name(model)]
        if model.tie_ is not None:
            parts.append(f"ties after {model.ties_.title().replace('-', '–')}")
        if model.side_ is not None:
            error = f" ± {model.side_error_:.2f}" if model.side_error_ is not None else ""
            parts.append(f"advantage of the side shown first {model.side_:+.2f}{error}")
        if model.lapse_rate_ is not None:
            parts.append(f"lapse rate {model.lapse_rate_:.1%}")
        by = "resampled judges" if model.errors_ == "bootstrap" else model.errors_
        text = f"{', '.join(parts)}; intervals by {by}. {_SCALES[self.scale]}"
        yield Finding("model", model.model, text, section="data")
        yield Finding("ties", model.ties_)
        for name in ("tie", "side", "side_error", "lapse_rate", "prior", "errors", "notes"):
            yield Finding(name, getattr(model, f"{name}_"))
        yield Finding("choices", {name: list(gain) for name, gain in model.choices_.items()})
        yield Finding("scale", self.scale)

    def _groups(self, found: JudgeGroups) -> list[dict[str, Any]]:
        """Return members and ranking of each group of judges."""
        return [
            {
                "share": float(share),
                "judges": found.judges_[found.groups_ == number].tolist(),
                "scores": ranking.columns(self.level, self.scale),
            }
            for number, (share, ranking) in enumerate(
                zip(found.shares_, found.rankings_, strict=True)
            )
        ]

    def _alike(self) -> NDArray[np.bool_]:
        """Return which items cannot be distinguished, the best first."""
        return ~self.model.distinguishable(self.level)[self._order][:, self._order]

    def _item_cells(self) -> list[list[str]]:
        table, scale = self.table, self.scale
        interval = f"{self.level:.0%} interval"
        cells = [["item", "rank", "score", interval, "ranks", "won–lost–tied"]]
        for row in range(len(table["rank"])):
            value = {name: column[row] for name, column in table.items()}
            line = [
                str(value["object"]),
                str(value["rank"]),
                _written(value["score"], scale),
                f"{_written(value['lower'], scale)} to {_written(value['upper'], scale)}",
                _run(value["rank_low"], value["rank_high"]),
                f"{value['wins']:g}–{value['losses']:g}–{value['ties']:g}",
            ]
            cells.append(line)
        for name in self._other_scores():
            cells[0].append(name)
            ranked = zip(cells[1:], table[f"rank_{name}"], table[f"score_{name}"], strict=True)
            for line, place, score in ranked:
                line.append(f"{place}: {_written(score, scale)}")
        if "groups" in table:
            cells[0].append("level with")
            for line, row in zip(cells[1:], self._alike(), strict=True):
                line.append(_runs(row.nonzero()[0] + 1))
        return cells

    def _methods(self) -> Iterator[Finding]:
        """Yield what was done, in words for a methods section, and the papers behind it."""
        text = _paragraph(self.model, self.level)
        yield Finding("methods", text, text, section="methods")
        papers = [_REFERENCES[key] for key in _cited(self.model)]
        yield Finding("references", papers, "\n".join(papers), section="methods")


def _say_verdict(verdict: str, judges: Sequence[object]) -> str:
    """Say which judges have a verdict; what is no number stands in quotes."""
    who = [name if name.isdecimal() else f'"{name}"' for name in map(str, judges)]
    if len(who) == 1:
        return f"Judge {who[0]} {verdict}."
    verb, rest = verdict.split(" ", 1)
    return f"Judges {_listed(who, 8, 'and')} {verb.removesuffix('s')} {rest}."


def _say_groups(found: JudgeGroups) -> str:
    """Say which groups of judges there are."""
    if found.n_groups_ == 1:
        return "All judges form one group: more groups do not predict held-out answers better."
    members = "; ".join(
        f"group {number + 1}: {_listed(found.judges_[found.groups_ == number].tolist(), 8, 'and')}"
        for number in range(found.n_groups_)
    )
    return (
        f"{found.n_groups_} groups of judges, each with a ranking: rank, score and interval, which"
        f" takes the members as known. {members[0].upper()}{members[1:]}."
    )


def _listed(names: Sequence[object], most: int = 3, word: str = "or") -> str:
    """Write the first names of a list, and how many more there are."""
    if len(names) > most + 1:
        return some_of(names, most)
    *first, last = map(str, names)
    return f"{', '.join(first)} {word} {last}" if first else last


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


def _written(value: float, scale: str) -> str:
    """Write a score; nothing is certain, so no chance is 0 or 1."""
    text = f"{value:z.{_DIGITS[scale]}f}"
    if scale == "probability" and text in ("0.00", "1.00"):
        return "<0.01" if value < 0.5 else ">0.99"
    return text


def _group_cells(found: JudgeGroups, level: float, scale: str) -> list[list[str]]:
    """Return how each group ranks the items, in the order of all judges together."""
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
            low, score, high = (
                _written(table[key][row], scale) for key in ("lower", "score", "upper")
            )
            line.append(f"{row + 1}: {score} ({low} to {high})")
        cells.append(line)
    return cells


_JUDGE_COLUMNS = {
    "judge": ("judge", ""), "answers": ("answers", "g"), "reliability": ("reliability", ".2f"),
    "agreement": ("agreement", ".2f"), "first": ("leans to first", "+.2f"),
    "ties": ("ties", ".0%"), "self": ("leans to own", "+.2f"), "verdict": ("verdict", ""),
    "group": ("group", ""),
}  # fmt: skip
"""What is listed of judges, how it is called and written; an interval stands behind its figure."""
_COVARIATE_COLUMNS = {
    "covariate": ("covariate", ""), "per_unit": ("score per unit", "+.3g"),
    "error": ("standard error", ".2g"), "usual_difference": ("usual difference", ".4g"),
    "worth": ("its worth in score", "+.2f"),
}  # fmt: skip
_MACHINE_COLUMNS = {
    "object": ("item", ""), "people": ("score by people", ".2f"),
    "machines": ("by machines", ".2f"), "difference": ("difference", "+.2f"),
    "p_value": ("p-value", ".2g"),
}  # fmt: skip


def _cells(
    table: Mapping[str, NDArray[Any]], columns: Mapping[str, tuple[str, str]]
) -> list[list[str]]:
    """Return some columns of a table as a person reads them."""
    there = {name: form for name, (_, form) in columns.items() if name in table}
    cells = [[columns[name][0] for name in there]]
    for row in range(len(table[next(iter(there))])):
        line = []
        for name, form in there.items():
            text = format(table[name][row], form)
            if f"{name}_lower" in table:
                ends = (format(table[f"{name}_{end}"][row], form) for end in ("lower", "upper"))
                text = f"{text} ({' to '.join(ends)})"
            line.append("" if form and "nan" in text else text)
        cells.append(line)
    return cells


def _paragraph(model: Ranking, level: float) -> str:
    """Return what was done, in words for a methods section."""
    noise = _model_name(model)
    ties = {"davidson": "Davidson", "rao-kupper": "Rao and Kupper"}.get(model.ties_)
    said = [f"Scores were estimated with a {noise} model"]
    if ties is not None and model.tie_ is not None:
        said.append(f" with ties after {ties}")
    if model.side_ is not None:
        said.append(f" and an advantage of {model.side_:.2f} for the side shown first")
    said.append(".")
    if model.prior_ is not None:
        kind = f"Gaussian prior with a standard deviation of {model.prior_:.2f}"
        if math.isfinite(model.prior_df_):
            kind = (
                f"prior with heavy tails (Student's t with {model.prior_df_:g} degrees of freedom"
                f" and a scale of {model.prior_:.2f})"
            )
        found = ", chosen by the marginal likelihood" if model.prior == "auto" else ""
        said.append(f" Scores had a {kind}{found}.")
    said.append(f" Intervals ({level:.0%}) follow from {_ERRORS[model.errors_]}.")
    said.append(" Ranks and groups hold simultaneously for all items.")
    version = versions(["ordinate"])["ordinate"] or "development version"
    said.append(f" Computed with Ordinate {version}.")
    return "".join(said)


def _cited(model: Ranking) -> list[str]:
    ties = [model.ties_] if model.ties_ in _REFERENCES and model.tie_ is not None else []
    if model._rankings is not None:
        return ["plackett-luce", *(["turner"] if ties else []), "ranks"]
    return [model.model, *ties, "ranks"]


def _model_name(model: Ranking) -> str:
    """Return what a paper calls the model."""
    if model._rankings is not None:
        return "Plackett–Luce"
    return {"bradley-terry": "Bradley–Terry", "thurstone": "Thurstone (Case V)"}[model.model]


def rank(
    source: Any,
    *,
    model: str = "bradley-terry",
    ties: str = "auto",
    side: bool | str = "auto",
    lapse_rate: bool = False,
    prior: float | str | None = "auto",
    errors: str = "auto",
    by: str | None = None,
    n_groups: int | str | None = None,
    covariates: str | Sequence[str] | None = None,
    scale: str = "logit",
    level: float = 0.95,
    folds: int = 5,
    split_by: str | None = None,
    random_state: RandomState = 0,
    verbose: bool = False,
    layout: LayoutLike = None,
    **reading: Any,
) -> RankingResult:
    """Rank items by answers to "which is more …?", with intervals, ranks and groups.

    Reads two items and a winner per row, winners and losers, counts of wins, a square table,
    rankings, or the best and the worst of several items.

    Parameters
    ----------
    source : path, frame, array-like or Pairs
        Answers about pairs, rankings, or the best and the worst of several items; what is no
        record is read as `read_pairs` does. A path may be a pattern, such as ``"part-*.csv"``.
    model : {"bradley-terry", "thurstone"}, default="bradley-terry"
        Noise of the answers: logistic or normal.
    ties : {"auto", "davidson", "rao-kupper", "half"}, default="auto"
        Model of ties; by default the one that predicts held-out answers better. "half" counts a
        tie as half a win of each.
    side : bool or "auto", default="auto"
        Whether the item shown first has an advantage; by default if held-out answers say so.
    lapse_rate : bool, default=False
        Estimate the lapse rate: the share of random responses.
    prior : float, "auto" or None, default="auto"
        Standard deviation of the scores before any answer; by default estimated. None is maximum
        likelihood.
    errors : {"auto", "answers", "trials", "judges", "bootstrap"}, default="auto"
        Whose differences the intervals account for; by default judges, if there are at least
        eight, else trials, if they have several pairs each, as rankings have.
    by : str, optional
        List the judges of this group: reliability, agreement with the others beyond chance,
        leaning to a side, ties, preference for items of the same name, and a verdict. If its
        labels stand for several people each, as conditions do: their rankings side by side, and
        the items on which they differ.
    n_groups : int or "auto", optional
        Find groups of judges with a ranking each.
    covariates : str or sequence of str, optional
        Columns that may sway an answer, such as ``"length_a,length_b"``, or patterns of them,
        such as ``"*_a"``. Their differences are estimated with the scores, in their own units;
        a column without a side counts for the item shown first.
    scale : {"logit", "elo", "probability"}, default="logit"
        Scores in logits, as Elo ratings, or as chance to beat the average item.
    level : float, default=0.95
        Level of intervals, ranks and groups.
    folds : int, default=5
        Folds of the cross-validation.
    split_by : str, optional
        Hold out whole groups of this name.
    random_state : int, Generator or None, default=0
        Seed of folds and simulations.
    verbose : bool, default=False
        Print how a file was read.
    layout : Layout or path, optional
        How a source that is no record is to be read, as in `read_pairs`.
    **reading
        Further parameters of `read_pairs`: `columns`, `answer`, `groups`, `where`, `reverse`, ….

    Returns
    -------
    RankingResult
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    Ranking : The estimator, for predictions.
    scale_differences : For items of known order.

    Examples
    --------
    >>> import ordinate as od
    >>> result = od.rank([["tea", "milk"], ["tea", "wine"], ["milk", "wine"]] * 40)
    >>> print(str(result).splitlines()[0])
    tea leads, and milk is second.
    """
    asked = locals()
    asked |= asked.pop("reading")
    check_choice("scale", scale, tuple(_SCALES))
    if n_groups is not None and lapse_rate:
        raise InputError(
            f"{parameter('n_groups')} does not go with {parameter('lapse_rate')}; leave one out."
        )
    level = check_share("level", level)
    fields = reading if covariates is None else reading | {"covariates": covariates}
    pairs, readings = read_answers(source, layout, fields, pairs=True, verbose=verbose)
    by = find_group(pairs.groups, by)
    several = by is not None and are_groups_of_people(pairs, by)
    judges = find_group(pairs.groups, "participant" if several else by or "participant")
    settings: dict[str, Any] = {
        "model": model, "ties": ties, "side": side, "prior": prior, "judges": judges,
        "random_state": random_state,
    }  # fmt: skip
    rng = as_generator(random_state)
    audit, groups, before = None, None, None
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulObjectsWarning)  # the notes of the ranking say it
        if by is not None:
            refuse_one_judge(pairs, by)
        fitted = Ranking(errors=errors, lapse_rate=lapse_rate, **settings).fit(pairs)
        if (by is not None and not several) or can_audit(pairs, fitted):
            audit = audit_judges(pairs, fitted, level=level, random_state=rng)
        p_judges = np.nan if audit is None else audit.p_tastes
        held_out = find_group(pairs.groups, split_by)
        check = checked_scale(pairs, fitted, folds, held_out, 100, rng, p_judges)
        if n_groups is not None:
            groups = JudgeGroups(n_groups=n_groups, **settings).fit(pairs)
        if pairs.covariate_names:
            plain = pairs._with(covariates=pairs.covariates[:, :0], covariate_names=())
            before = clone(fitted).fit(plain)
        machines = _machines(pairs, fitted, level, rng)
        conditions = rankings_by_group(pairs, fitted, by, level) if by and several else None
    who = pairs.groups.get(judges)
    n_judges = 0 if who is None else len(set(who.tolist()))
    return RankingResult(
        fitted, n_judges, level, scale, check, audit, by is not None and not several, groups,
        before, machines, conditions, "" if by else pooled_conditions(pairs.groups),
        provenance_of(rank, asked, readings),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class RankingsByGroup:
    """Rankings by groups of people, such as conditions, and how each two of them compare."""

    rankings: dict[str, Ranking]
    sides: dict[tuple[str, str], TwoSides]

    def to_dict(self) -> dict[str, Any]:
        """Return agreement and differences of each two."""
        return {
            f"{one} – {other}": {
                "agreement": found.agreement,
                "agreement_interval": found.interval,
                "different": found.different,
            }
            for (one, other), found in self.sides.items()
        }

    def say(self, level: float) -> str:
        """Say on which items each two differ; p-values hold for all items of all pairs."""
        lines: list[str] = []
        alike: list[str] = []
        for (one, other), found in self.sides.items():
            table, (low, high) = found.different, found.interval
            p_values = np.minimum(table["p_value"] * len(self.sides), 1)
            items = [
                f"{name} ({change:+.2f} in {other})"
                for name, change, p_value in zip(
                    table["object"], table["difference"], p_values, strict=True
                )
                if p_value < 1 - level
            ]
            differ = f"{one} and {other}: no item's score differs by more than chance explains"
            if items:
                differ = f"{one} and {other} differ on {_listed(items, 5, 'and')}"
            (lines if items else alike).append(
                f"{differ} (smallest p = {p_values.min():.2g}); agreement beyond chance"
                f" {found.agreement:.2f} ({low:.2f} to {high:.2f})."
            )
        if len(alike) > _MOST_ALIKE:
            alike = [f"No item's score differs by more than chance between {len(alike)} pairs."]
        return "\n".join(lines + alike)


def are_groups_of_people(pairs: Pairs, by: str) -> bool:
    """Whether a group says to which of several groups each person belongs."""
    who = pairs.groups.get("participant")
    if who is None or by == "participant" or by not in pairs.groups:
        return False
    both = {(str(w), str(own)) for w, own in zip(who, pairs.groups[by], strict=True)}
    people = {w for w, _ in both}
    return len(both) == len(people) > len({own for _, own in both})


def rankings_by_group(pairs: Pairs, model: Ranking, by: str, level: float) -> RankingsByGroup:
    """Rank the items by the answers of each group of people, and compare each two groups."""
    label = pairs.groups[by].astype(str)
    labels = np.unique(label).tolist()
    if len(labels) > _MOST_GROUPS:
        raise InputError(
            f"{by!r} has {len(labels)} labels; expected at most {_MOST_GROUPS}, each with enough"
            " answers for a ranking."
        )
    found: dict[str, Ranking] = {}
    sides = {}
    for one, other in combinations(labels, 2):
        answers = pairs[np.isin(label, (one, other))]
        of_one = answers.groups[by].astype(str) == one
        compared = two_sides(answers, of_one, model, level, (one, other), "auto")
        sides[one, other] = compared
        found |= {one: compared.one, other: compared.other}
    return RankingsByGroup(found, sides)


def _machines(
    pairs: Pairs, fitted: Ranking, level: float, rng: np.random.Generator
) -> MachinesBesidePeople | None:
    """Compare machines with people, if a group says who is which."""
    of_people = who_is_a_person(pairs.groups)
    if of_people is None:
        return None
    decided = pairs.outcomes != 0
    if min((decided & of_people).sum(), (decided & ~of_people).sum()) < FEWEST_COMPARED:
        return None
    return compare_respondents(pairs, of_people, fitted, level=level, random_state=rng)
