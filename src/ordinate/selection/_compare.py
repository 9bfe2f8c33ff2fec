"""Methods and dimensions beside one another, by their error on answers held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from ordinate._checks import InputError, check_integer, weighted_mean
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.selection._cross_validation import (
    Fold,
    as_estimator,
    deal,
    fit_all,
    label_of,
    wrong_answers,
)
from ordinate.selection._intervals import CONFIDENCE, HeldOutAnswers, HeldOutMean, held_out_mean

GUESSING = 0.4
"""From this held-out error on, a map is hardly better than tossing a coin (0.5)."""
MATTERS = 0.01
"""A difference of held-out errors that is worth another dimension: one point."""
USUAL_METHODS = ("SOE", "CKL", "STE", "TSTE", "TETE")
USUAL_DIMENSIONS = (1, 2, 3, 4)
MOST_REPEATS = 4
"""Repetitions that `compare` goes through by itself."""
WORK = 100_000_000
"""Answers times iterations after which `compare` repeats no more by itself: some ten seconds."""
_PARTS = 10
"""Parts of the answers on each of which the choice by the others is judged."""
_PER_ITERATION = 2_000
"""What an iteration costs beside its answers, in answers."""
_USUAL_ITERATIONS = 50


@dataclass(frozen=True)
class MethodRow:
    """One method in one dimension.

    Attributes
    ----------
    method : str
        Name of the method, or the estimator as it was written.
    dimension : int
        Dimension of its map.
    error : float
        Share of the answers that maps which were not fitted to them got wrong.
    low, high : float
        Ends of its 90 % interval.
    seconds : float
        Time of one fit on one core, median over the folds.
    fold_errors : tuple of float
        The error of each fold.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> row = od.compare(answers, ["SOE"], [2]).rows[0]
    >>> row.method, row.dimension, row.low < row.error < row.high
    ('SOE', 2, True)
    """

    method: str
    dimension: int
    error: float
    low: float
    high: float
    seconds: float
    fold_errors: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.method} in {in_dimensions(self.dimension)}"


@dataclass(frozen=True, eq=False)
class MethodTable:
    """Held-out errors of methods and dimensions; prints as a table with advice.

    Attributes
    ----------
    rows : tuple of MethodRow
        In the order asked for: methods, and within each the dimensions.
    held_out : HeldOutAnswers
        Which answers each row got wrong.
    folds, repeats : int
        Into how many parts the answers were dealt, and how many times (rows that were plainly
        worse only once).
    by : str or None
        The group that was held out whole.
    n_answers, n_objects : int
        Size of the data.
    n_never_held_out : int
        Answers that no figure rests on: objects would have become unknown without them, or the
        answers are so many that a part of the folds will do.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> table = od.compare(answers, ["SOE"], [1, 2])
    >>> table.choice.dimension
    2
    """

    rows: tuple[MethodRow, ...]
    held_out: HeldOutAnswers
    folds: int
    repeats: int
    by: str | None
    n_answers: int
    n_objects: int
    n_never_held_out: int

    @property
    def best(self) -> MethodRow:
        """The row with the lowest error; of equal ones the lowest dimension."""
        return min(self.rows, key=lambda row: (row.error, row.dimension))

    @property
    def choice(self) -> MethodRow:
        """The lowest dimension that surely costs less than a point, and there the best method.

        A row costs less if the whole 90 % interval of the difference of its error to the best
        row's, answer by answer, lies below one point (0.01). Where the answers cannot tell, the
        best row is chosen.
        """
        return self.rows[_choose(self.held_out, [row.dimension for row in self.rows])]

    @property
    def choice_error(self) -> HeldOutMean:
        """The held-out error of choosing and fitting, free of the luck of the row chosen.

        The answers are parted; for each part a row is chosen by the same rule on the others, and
        what that row got wrong there counts. The lowest of many errors is lower than it deserves;
        this mean is not.
        """
        held_out, dimensions = self.held_out, [row.dimension for row in self.rows]
        parts = held_out.units % min(_PARTS, int(held_out.units.max()) + 1)
        wrong = np.full(self.n_answers, np.nan, dtype=np.float32)
        for part in np.unique(parts):
            own = parts == part
            others = replace(held_out, wrong=np.where(own, np.nan, held_out.wrong))
            if np.isnan(others.wrong).all(axis=1).any():  # nothing else to choose by
                return held_out.error(self.rows.index(self.choice))
            wrong[own] = held_out.wrong[_choose(others, dimensions)][own]
        return held_out_mean(wrong, held_out.units, held_out.weights)

    @property
    def tied(self) -> list[MethodRow]:
        """The other rows that cannot be told apart from the one chosen, by 90 % intervals."""
        choice = self.choice
        intervals = [(row, self.difference(row, choice).interval()) for row in self.rows]
        return [row for row, (low, high) in intervals if row is not choice and low <= 0 <= high]

    @property
    def dimension_range(self) -> tuple[int, int]:
        """The lowest and the highest dimension that the answers do not speak against.

        They speak against a dimension if the whole 90 % interval of the difference to the best
        row lies above zero, for each of its rows.
        """
        best = self.best
        likely = [
            row.dimension for row in self.rows if self.difference(row, best).interval()[0] <= 0
        ]
        return min(likely), max(likely)

    @property
    def settled(self) -> bool:
        """Whether each row is surely worse than the best one, or surely by less than a point."""
        intervals = [self.difference(row, self.best).interval() for row in self.rows]
        return all(low > 0 or high <= MATTERS for low, high in intervals)

    @property
    def contenders(self) -> list[int]:
        """Numbers of the rows that may be the best by the 99 % interval of the difference."""
        return [
            number
            for number, row in enumerate(self.rows)
            if self.difference(row, self.best).interval(0.99)[0] <= 0
        ]

    @property
    def advice(self) -> str:
        """What to use, in a sentence or two."""
        best, choice = self.best, self.choice
        if best.error >= GUESSING:
            return (
                f"No map predicts new answers (the best, {best}, gets {best.error:.1%} wrong and"
                " guessing 50%): collect more answers, or check how the file was read."
            )
        low, high = self.dimension_range
        doubt = f" The answers cannot tell {low} to {in_dimensions(high)} apart."
        if choice is best:
            text = f"Use {choice}: its held-out error, {choice.error:.1%}, is the lowest."
        else:
            text = (
                f"Use {choice}: its held-out error, {choice.error:.1%}, is surely within a point of"
                f" the lowest, {best.error:.1%} ({best})."
            )
        return text + doubt * (low < high)

    def difference(self, row: MethodRow, other: MethodRow) -> HeldOutMean:
        """Return by how much one row's error exceeds another's, answer by answer.

        Parameters
        ----------
        row, other : MethodRow
            Two rows of this table.

        Returns
        -------
        HeldOutMean
            Mean and standard error of the difference.
        """
        return self.held_out.difference(self.rows.index(row), self.rows.index(other))

    def of_method(self, method: str) -> MethodTable:
        """Return the rows of one method only, by dimension.

        Parameters
        ----------
        method : str
            As in `MethodRow.method`.

        Returns
        -------
        MethodTable
            The same figures of fewer rows.
        """
        chosen = [number for number, row in enumerate(self.rows) if row.method == method]
        chosen.sort(key=lambda number: self.rows[number].dimension)
        return replace(
            self,
            rows=tuple(self.rows[number] for number in chosen),
            held_out=replace(self.held_out, wrong=self.held_out.wrong[chosen]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON.

        Returns
        -------
        dict
            The rows, the best and the chosen one, and the advice.
        """
        figures = {name: value for name, value in vars(self).items() if name != "held_out"}
        return figures | {
            "rows": [asdict(row) for row in self.rows],
            "best": asdict(self.best),
            "choice": asdict(self.choice),
            "choice_error": self.choice_error._asdict(),
            "tied": [str(row) for row in self.tied],
            "dimension_range": list(self.dimension_range),
            "advice": self.advice,
        }

    def __str__(self) -> str:
        best, choice = self.best, self.choice
        width = max(len("method"), *(len(row.method) for row in self.rows))
        lines = [
            self._title(),
            f"  {'method':{width}}  dim  held-out error  {CONFIDENCE:.0%} interval     s/fit",
        ]
        for row in self.rows:
            interval = f"{row.low:.1%} – {row.high:.1%}"
            mark = " ← use this" if row is choice else " ← lowest" if row is best else ""
            lines.append(
                f"  {row.method:{width}}  {row.dimension:3}  {row.error:14.1%}  {interval:15}"
                f"  {row.seconds:5.2f}{mark}"
            )
        return "\n".join([*lines, self.advice])

    def _title(self) -> str:
        parts = [f"{self.n_answers:,} answers about {self.n_objects:,} objects, {self.folds} folds"]
        parts += [f"dealt up to {self.repeats} times"] if self.repeats > 1 else []
        parts += [f"whole groups of {self.by}"] if self.by else []
        if self.n_never_held_out:
            parts.append(f"{self.n_never_held_out:,} answers never held out")
        return ", ".join(parts)


def compare(
    comparisons: Comparisons | ArrayLike,
    methods: (
        str | BaseEstimator | Sequence[str | BaseEstimator] | Mapping[str, BaseEstimator]
    ) = USUAL_METHODS,
    dimensions: int | Sequence[int] = USUAL_DIMENSIONS,
    *,
    folds: int = 5,
    repeats: int | None = None,
    by: str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> MethodTable:
    """Cross-validate methods in several dimensions and say which to use.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    methods : str, estimator, sequence of them, or mapping, default=USUAL_METHODS
        By default SOE, CKL, STE, TSTE and TETE. A name such as ``"SOE"`` or several, estimators
        with parameters of your choice, or a mapping from names of your choice to estimators; their
        `n_components`, `random_state`, `n_jobs` and `verbose` are set here.
    dimensions : int or sequence of int, default=(1, 2, 3, 4)
        Dimensions of the maps.
    folds : int, default=5
        The answers are dealt into this many parts, each held out in turn; answers to the same
        question are held out together.
    repeats : int, optional
        How often to deal. By default until every row is known to be worse than the best, or to
        be worse by less than a point; at most four times, without rows that are plainly worse,
        and within a bound on the work of some ten seconds (of very many answers only some folds
        are held out).
    by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None, default=0
        Seed of deals and fits. All methods see the same folds and seeds, so a row does not
        depend on which others are asked for, but for the number of repetitions.
    n_jobs : int or None, default=-1
        Fits at a time, as in joblib; never changes the result.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    MethodTable
        One row per method and dimension; print it, or ask for ``choice`` and ``advice``.

    References
    ----------
    Bayle, Bayle, Janson & Mackey, Cross-validation Confidence Intervals for Test Error, NeurIPS
    2020.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> table = od.compare(answers, ["SOE", od.TSTE(alpha=1)], [1, 2])
    >>> [row.method for row in table.rows]
    ['SOE', 'SOE', 'TSTE(alpha=1)', 'TSTE(alpha=1)']
    """
    record = as_comparisons(comparisons)
    if isinstance(methods, str | BaseEstimator):
        methods = [methods]
    if isinstance(dimensions, (int, np.integer)):
        dimensions = [int(dimensions)]
    given = list(methods.values()) if isinstance(methods, Mapping) else list(methods)
    named_by = list(methods) if isinstance(methods, Mapping) else [label_of(one) for one in given]
    labels = _distinct("methods", named_by)
    estimators = [as_estimator(method) for method in given]
    if repeats is not None:
        repeats = check_integer("repeats", repeats, minimum=1)
    sizes = _distinct("dimensions", [check_integer("dimension", d, minimum=1) for d in dimensions])
    ways = [(method, d) for method in estimators for d in sizes]
    tally = _Tally(record, [(label, d) for label in labels for d in sizes], folds, by)
    rng = as_generator(random_state)
    repeated = list(range(len(ways)))
    for _ in range(MOST_REPEATS if repeats is None else repeats):
        dealt = deal(record, folds, by, rng)
        if repeats is None:
            one_fold = len(ways) * max(len(record), 1) * _USUAL_ITERATIONS
            dealt = dealt[: max(4 * WORK // one_fold, 1)]
        tasks = [(*ways[way], fold) for way in repeated for fold in dealt]
        found = fit_all(record, tasks, _judge, n_jobs=n_jobs, verbose=verbose)
        tally.add(dealt, repeated, list(found))
        table = tally.table()
        if repeats is None:
            if table.settled or tally.work > WORK or len(dealt) < folds:
                break
            repeated = table.contenders
    return table


def _choose(held_out: HeldOutAnswers, dimensions: Sequence[int]) -> int:
    """Return the way with the lowest dimension that surely costs less than a point, or the best."""
    errors = [held_out.error(way).mean for way in range(len(dimensions))]
    best = min(range(len(errors)), key=lambda way: (errors[way], dimensions[way]))
    cheap = [
        way for way in range(len(errors)) if held_out.difference(way, best).interval()[1] <= MATTERS
    ]
    return min([*cheap, best], key=lambda way: (dimensions[way], errors[way]))


def _judge(model: Any, held_out: Comparisons) -> tuple[NDArray[np.bool_], int]:
    """Return which answers a map denies, and in how many iterations it was found."""
    return wrong_answers(model, held_out), int(getattr(model, "n_iter_", 1))


class _Tally:
    """Counts, over the repetitions, how often each way was wrong about each answer."""

    def __init__(
        self, record: Comparisons, named: list[tuple[str, int]], folds: int, by: str | None
    ) -> None:
        self._record, self._named, self._folds, self._by = record, named, folds, by
        self._units = record.question_groups(by, largest=1 / folds)
        self._wrong = np.zeros((len(named), len(record)), dtype=np.float32)
        self._times = np.zeros((len(named), len(record)), dtype=np.float32)
        self._fold_errors: list[list[float]] = [[] for _ in named]
        self._seconds: list[list[float]] = [[] for _ in named]
        self._repeats = 0
        self.work = 0

    def add(
        self,
        dealt: list[Fold],
        repeated: list[int],
        outcomes: list[tuple[tuple[NDArray[np.bool_], int], float]],
    ) -> None:
        """Count the outcomes of one repetition, way by way and within each fold by fold."""
        self._repeats += 1
        weights = self._record.weights
        for number, ((wrong, n_iter), seconds) in enumerate(outcomes):
            self.work += n_iter * (len(self._record) + _PER_ITERATION)
            way, fold = repeated[number // len(dealt)], dealt[number % len(dealt)]
            self._wrong[way, fold.held_out] += wrong
            self._times[way, fold.held_out] += 1
            its_weights = None if weights is None else weights[fold.held_out]
            self._fold_errors[way].append(weighted_mean(wrong, its_weights))
            self._seconds[way].append(seconds)

    def table(self) -> MethodTable:
        """Sum up."""
        record = self._record
        with np.errstate(invalid="ignore"):
            wrong = self._wrong / self._times  # NaN where never held out
        held_out = HeldOutAnswers(wrong, self._units, record.weights)
        rows = []
        for way, (label, dimension) in enumerate(self._named):
            error = held_out.error(way)
            low, high = error.share_interval()
            seconds = float(np.median(self._seconds[way]))
            its_errors = tuple(self._fold_errors[way])
            rows.append(MethodRow(label, dimension, error.mean, low, high, seconds, its_errors))
        return MethodTable(
            rows=tuple(rows),
            held_out=held_out,
            folds=self._folds,
            repeats=self._repeats,
            by=self._by,
            n_answers=len(record),
            n_objects=record.n_objects,
            n_never_held_out=int(np.isnan(wrong).all(axis=0).sum()),
        )


def in_dimensions(number: int) -> str:
    """Return such as "1 dimension" or "3 dimensions"."""
    return f"{number} dimension{'s' if number > 1 else ''}"


def _distinct(name: str, values: list[Any]) -> list[Any]:
    if not values:
        raise InputError(f"{name} is empty; expected at least one.")
    if len(set(values)) < len(values):
        raise InputError(f"{name} must differ from one another; got {values}.")
    return values
