"""Methods and dimensions beside one another, by their error on answers held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from ordinate._checks import InputError, check_integer, weighted_mean
from ordinate._notebooks import ShownAsTable
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.selection._cross_validation import (
    Fold,
    Judge,
    as_estimator,
    fit_all,
    label_of,
    make_folds,
)
from ordinate.selection._intervals import (
    CONFIDENCE,
    HeldOutAnswers,
    HeldOutMean,
    brier_scores,
    variance_factor,
)

GUESSING = 0.4
"""From this held-out error on, a map is hardly better than tossing a coin (0.5)."""
MATTERS = 0.01
"""A difference of held-out errors that is worth something: one point."""
NEARLY = 0.02
"""Share of what the best map explains that is not worth another dimension."""
_GUESSED = 0.25
"""Brier score of a map that knows nothing."""
USUAL_PENALTIES = {"SOE": None, "CKL": 0.5, "STE": 2.0, "TSTE": 0.5, "TETE": 0.5}
"""The methods tried where nobody has an opinion, and the penalties that suit few answers."""
USUAL_DIMENSIONS = (1, 2, 3, 4)
_WORK = 400_000_000
"""Answers times iterations that `compare` spends by itself: of very many answers some folds."""
_USUAL_ITERATIONS = 50


def usual_methods() -> list[str | BaseEstimator]:
    """Return the methods that are tried where nobody has an opinion, with penalties.

    Returns
    -------
    list of str or estimator
        Names, and estimators that are not fitted.

    Examples
    --------
    >>> from ordinate.selection._compare import usual_methods
    >>> usual_methods()
    ['SOE', CKL(penalty=0.5), STE(penalty=2.0), TSTE(penalty=0.5), TETE(penalty=0.5)]
    """
    return [
        name if penalty is None else as_estimator(name).set_params(penalty=penalty)
        for name, penalty in USUAL_PENALTIES.items()
    ]


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
    brier_score : float
        Mean squared error of the probabilities that these maps, at their best sharpness, gave to
        the answers; 0.25 is guessing.
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
    brier_score: float
    seconds: float
    fold_errors: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.method} in {in_dimensions(self.dimension)}"


@dataclass(frozen=True, eq=False)
class MethodTable(ShownAsTable):
    """Held-out errors of methods and dimensions; prints as a table with advice.

    Attributes
    ----------
    rows : tuple of MethodRow
        In the order asked for: methods, and within each the dimensions.
    held_out : HeldOutAnswers
        Which answers each row got wrong.
    brier_scores : HeldOutAnswers
        Squared error of the probability that each row gave to each answer.
    folds, repeats : int
        Into how many folds the answers were split, and how many times.
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
    brier_scores: HeldOutAnswers
    folds: int
    repeats: int
    by: str | None
    n_answers: int
    n_objects: int
    n_never_held_out: int

    @property
    def n_folds_held_out(self) -> int:
        """How many of the folds were held out: of very many answers not all."""
        return len(self.rows[0].fold_errors) // self.repeats

    @property
    def best(self) -> MethodRow:
        """The row with the lowest Brier score; of equal ones the lowest dimension."""
        return min(self.rows, key=lambda row: (row.brier_score, row.dimension))

    @property
    def choice(self) -> MethodRow:
        """The lowest dimension whose Brier score is nearly the lowest, and there the best method.

        Nearly is within 2 % of what the best row explains, 0.25 minus its score. The Brier score
        decides, and not the error, because it tells with far fewer answers which map will have
        the lower error.
        """
        return self.rows[_choose(self.brier_scores, [row.dimension for row in self.rows])]

    @property
    def tied(self) -> list[MethodRow]:
        """The other rows that cannot be told apart from the one chosen, by 90 % intervals."""
        choice = self.choice
        intervals = [(row, self.difference(row, choice).interval()) for row in self.rows]
        return [row for row, (low, high) in intervals if row is not choice and low <= 0 <= high]

    @property
    def dimension_range(self) -> tuple[int, int]:
        """The lowest and the highest dimension that the answers do not speak against.

        They speak against a dimension if the whole 90 % interval of the difference of its Brier
        score to the best row's lies above zero, for each of its rows.
        """
        best = self.best
        likely = [
            row.dimension for row in self.rows if self.difference(row, best).interval()[0] <= 0
        ]
        return min(likely), max(likely)

    @property
    def doubt(self) -> str:
        """Which dimensions cannot be told from the one chosen, in words; empty if all can.

        A dimension may be chosen although a higher one is surely, but hardly, better: that is no
        doubt.
        """
        low, high = self.dimension_range
        if low == high or not low <= self.choice.dimension <= high:
            return ""
        return f"the answers cannot tell {low} to {in_dimensions(high)} apart"

    @property
    def p_best(self) -> tuple[float, ...]:
        """For each row: p value of the test that the best one predicts better."""
        best = self.best
        return tuple(self.difference(row, best).p_above_zero() for row in self.rows)

    @property
    def advice(self) -> str:
        """What to use, in a sentence or two."""
        best, choice = self.best, self.choice
        if best.error >= GUESSING:
            return (
                f"No map predicts new answers (the best, {best}, gets {best.error:.1%} wrong and"
                " guessing 50%): collect more answers, or check how the file was read."
            )
        scores = [f"{row.brier_score:.4f}" for row in (choice, best)]
        if choice is best:
            text = f"Use {choice}: it predicts held-out answers best (Brier score {scores[0]})."
        elif scores[0] == scores[1]:
            text = f"Use {choice}: it predicts as well as {best} (Brier score {scores[0]})."
        else:
            text = (
                f"Use {choice}: its Brier score, {scores[0]}, is nearly the lowest, {scores[1]}"
                f" ({best})."
            )
        if self.doubt:
            text += f" {self.doubt.capitalize()}."
        if choice.high >= GUESSING:
            text += " " + not_sure_to_predict(choice.high)
        return text

    def difference(self, row: MethodRow, other: MethodRow) -> HeldOutMean:
        """Return by how much one row's Brier score exceeds another's, answer by answer.

        Parameters
        ----------
        row, other : MethodRow
            Two rows of this table.

        Returns
        -------
        HeldOutMean
            Mean and standard error of the difference.
        """
        return self.brier_scores.difference(self.rows.index(row), self.rows.index(other))

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
            held_out=self.held_out.of(chosen),
            brier_scores=self.brier_scores.of(chosen),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON.

        Returns
        -------
        dict
            The rows, the best and the chosen one, and the advice.
        """
        answers = ("held_out", "brier_scores")
        figures = {name: value for name, value in vars(self).items() if name not in answers}
        return figures | {
            "rows": [asdict(row) for row in self.rows],
            "best": asdict(self.best),
            "choice": asdict(self.choice),
            "tied": [str(row) for row in self.tied],
            "dimension_range": list(self.dimension_range),
            "p_best": list(self.p_best),
            "advice": self.advice,
        }

    def __str__(self) -> str:
        best, choice = self.best, self.choice
        width = max(len("method"), *(len(row.method) for row in self.rows))
        heads = f"dim  held-out error  {CONFIDENCE:.0%} interval     Brier   p: best is better"
        lines = [self.advice, self.title(), f"  {'method':{width}}  {heads}  s/fit"]
        for row, p in zip(self.rows, self.p_best, strict=True):
            interval = f"{row.low:.1%} – {row.high:.1%}"
            mark = " ← use this" if row is choice else " ← lowest" if row is best else ""
            versus = "(best)" if row is best else f"{p:.2g}"
            lines.append(
                f"  {row.method:{width}}  {row.dimension:3}  {row.error:14.1%}  {interval:15}"
                f"  {row.brier_score:.4f}  {versus:17}  {row.seconds:5.2f}{mark}"
            )
        return "\n".join(lines)

    def title(self) -> str:
        """Return what was measured: answers, objects, folds."""
        n_folds = f"{self.folds} folds"
        if self.n_folds_held_out < self.folds:
            n_folds = f"{self.n_folds_held_out} of {n_folds}"
        parts = [f"{self.n_answers:,} answers about {self.n_objects:,} objects, {n_folds}"]
        parts += [f"split {self.repeats} times"] if self.repeats > 1 else []
        parts += [f"whole groups of {self.by}"] if self.by else []
        if self.n_never_held_out:
            parts.append(f"{self.n_never_held_out:,} answers never held out")
        return ", ".join(parts)


def compare(
    comparisons: Comparisons | ArrayLike,
    methods: (
        str | BaseEstimator | Sequence[str | BaseEstimator] | Mapping[str, BaseEstimator] | None
    ) = None,
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
    methods : str, estimator, sequence of them, or mapping, optional
        A name such as ``"SOE"`` or several, estimators with parameters of your choice, or a
        mapping from names of your choice to estimators; their `n_components`, `random_state`,
        `n_jobs` and `verbose` are set here. By default SOE, and CKL, STE, TSTE and TETE with
        penalties that suit few answers and change next to nothing where they are many.
    dimensions : int or sequence of int, default=(1, 2, 3, 4)
        Dimensions of the maps.
    folds : int, default=5
        Number of folds, each held out in turn; answers to the same question are held out together.
    repeats : int, optional
        How often to split them. By default once, and of very many answers (more than some 80,000)
        only some of the folds are held out.
    by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None, default=0
        Seed of folds and fits. All methods see the same folds and seeds, so a row does not
        depend on which others are asked for.
    n_jobs : int or None, default=-1
        Fits at a time, as in joblib; never changes the result.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    MethodTable
        One row per method and dimension; print it, or ask for ``choice`` and ``advice``.

    See Also
    --------
    estimate_dimension : The dimension alone, of one method.
    held_out_error : The error of one method.
    ordinate.plots.plot_methods : Draws the table.

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
    if methods is None:
        methods = usual_methods()
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
    rng, judge = as_generator(random_state), Judge(record)
    for _ in range(repeats or 1):
        splits = make_folds(record, folds, by, rng)
        if repeats is None:
            one_fold = len(ways) * max(len(record), 1) * _USUAL_ITERATIONS
            splits = splits[: max(_WORK // one_fold, 1)]
        tasks = [(*way, fold) for way in ways for fold in splits]
        tally.add(splits, list(fit_all(record, tasks, judge, n_jobs=n_jobs, verbose=verbose)))
    return tally.table()


def choose(
    comparisons: Comparisons,
    method: str | BaseEstimator | None,
    dimension: int | None,
    **settings: Any,
) -> tuple[str | BaseEstimator, int]:
    """Return a method and a dimension: as given, or what `compare` chooses.

    Parameters
    ----------
    comparisons : Comparisons
        The answers.
    method : str, estimator or None
        None for the methods that `compare` tries by itself.
    dimension : int or None
        None for the dimensions that `compare` tries by itself.
    **settings
        What else `compare` takes. With the same ones every verb chooses the same.

    Returns
    -------
    method, dimension : str or estimator, int
        Not fitted.
    """
    if method is None or dimension is None:
        tried = usual_methods() if method is None else [method]
        sizes = USUAL_DIMENSIONS if dimension is None else [dimension]
        choice = compare(comparisons, tried, sizes, **settings).choice
        method, dimension = {label_of(one): one for one in tried}[choice.method], choice.dimension
    return method, check_integer("dimension", dimension, minimum=1)


def _choose(scores: HeldOutAnswers, dimensions: Sequence[int]) -> int:
    """Return the way with the lowest dimension whose score is nearly the lowest."""
    means = [scores.mean(way).mean for way in range(len(dimensions))]
    most = min(means) + NEARLY * max(_GUESSED - min(means), 0)
    near = [way for way, mean in enumerate(means) if mean <= most]
    return min(near, key=lambda way: (dimensions[way], means[way]))


class _Tally:
    """Adds up, over the repetitions, what each way predicted about each answer."""

    def __init__(
        self, record: Comparisons, named: list[tuple[str, int]], folds: int, by: str | None
    ) -> None:
        self._record, self._named, self._folds, self._by = record, named, folds, by
        self._units = record.question_groups(by, largest=1 / folds)
        self._wrong = np.zeros((len(named), len(record)), dtype=np.float32)
        self._squared = np.zeros_like(self._wrong)
        self._times = np.zeros(len(record), dtype=np.float32)
        self._fold_errors: list[list[float]] = [[] for _ in named]
        self._seconds: list[list[float]] = [[] for _ in named]
        self._factors: list[list[float]] = [[] for _ in named]
        self._repeats = 0

    def add(
        self, splits: list[Fold], outcomes: list[tuple[tuple[NDArray[Any], NDArray[Any]], float]]
    ) -> None:
        """Count the outcomes of one repetition, way by way and within each fold by fold."""
        self._repeats += 1
        weights = self._record.weights
        for fold in splits:
            self._times[fold.held_out] += 1
        for way in range(len(self._named)):
            its_own = outcomes[way * len(splits) : (way + 1) * len(splits)]
            margins = np.full(len(self._record), np.nan)
            for fold, ((part, _), seconds) in zip(splits, its_own, strict=True):
                margins[fold.held_out] = part
                its_weights = None if weights is None else weights[fold.held_out]
                self._fold_errors[way].append(weighted_mean(part <= 0, its_weights))
                self._seconds[way].append(seconds)
            known = ~np.isnan(margins)
            self._wrong[way, known] += margins[known] <= 0
            self._squared[way, known] += brier_scores(margins, weights)[known]
            said = np.array([predictions for (_, predictions), _ in its_own])
            self._factors[way].append(variance_factor(said, self._folds))

    def table(self) -> MethodTable:
        """Sum up."""
        record = self._record
        with np.errstate(invalid="ignore"):  # NaN where never held out
            wrong, squared = self._wrong / self._times, self._squared / self._times
        factors = np.mean(self._factors, axis=1)
        held_out = HeldOutAnswers(wrong, self._units, record.weights, factors)
        scores = replace(held_out, values=squared)
        rows = []
        for way, (label, dimension) in enumerate(self._named):
            error = held_out.mean(way)
            low, high = error.share_interval()
            score = scores.mean(way).mean
            seconds = float(np.median(self._seconds[way]))
            its_errors = tuple(self._fold_errors[way])
            rows.append(
                MethodRow(label, dimension, error.mean, low, high, score, seconds, its_errors)
            )
        return MethodTable(
            rows=tuple(rows),
            held_out=held_out,
            brier_scores=scores,
            folds=self._folds,
            repeats=self._repeats,
            by=self._by,
            n_answers=len(record),
            n_objects=record.n_objects,
            n_never_held_out=int(np.isnan(wrong).all(axis=0).sum()),
        )


def not_sure_to_predict(highest: float) -> str:
    """Return what to say of an error whose interval reaches that of guessing."""
    return (
        f"The error may be as high as {highest:.1%} (guessing gives 50%): collect more answers"
        " before relying on it."
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
