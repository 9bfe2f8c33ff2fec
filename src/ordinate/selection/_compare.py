"""Cross-validates methods in several dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_dimension, check_integer, weighted_mean
from ordinate._estimator import Estimator
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.metrics._triplets import expected_mistakes
from ordinate.selection._cross_validation import (
    Judge,
    as_estimator,
    fit_all,
    from_one_start,
    label_of,
)
from ordinate.selection._method_table import MOST_DIMENSIONS, MethodRow, MethodTable
from ordinate.solvers.folds import Fold, make_folds
from ordinate.solvers.intervals import HeldOutAnswers, brier_scores, variance_factor

USUAL_METHODS = ("SOE", "CKL", "STE", "TSTE", "TETE")
"""The methods tried where nobody has an opinion."""
USUAL_DIMENSIONS = (1, 2, 3, 4)
"""The dimensions tried where nobody has an opinion; more while the largest predicts best."""
_WORK = 400_000_000
"""Answers times iterations that `compare` spends by itself: of very many answers some folds."""
_USUAL_ITERATIONS = 50


def compare(
    comparisons: Comparisons | ArrayLike,
    methods: (str | Estimator | Sequence[str | Estimator] | Mapping[str, Estimator] | None) = None,
    n_components: int | Sequence[int] | None = None,
    *,
    folds: int = 5,
    repeats: int | None = None,
    by: str | None = None,
    random_state: RandomState = None,
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
        `n_jobs` and `verbose` are set here, and ``n_init="auto"`` is one start. By default SOE,
        CKL, STE, TSTE and TETE.
    n_components : int or sequence of int, optional
        Dimensions of the maps. By default 1, 2, 3 and 4; while the largest of them predicts best,
        its best method is tried in twice as many (8, 16, 32), as far as there are as many answers
        as coordinates.
    folds : int, default=5
        Number of folds, each held out in turn; answers to the same question are held out together.
    repeats : int, optional
        How often to split them. By default once, and of very many answers (more than some 80,000)
        only some of the folds are held out.
    by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None, default=None
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
    >>> table = od.compare(answers, ["SOE", od.TSTE(alpha=1)], [1, 2], random_state=0)
    >>> [row.method for row in table.rows]
    ['SOE', 'SOE', 'TSTE(alpha=1)', 'TSTE(alpha=1)']
    """
    record = record_to_fit(comparisons)
    if methods is None:
        methods = USUAL_METHODS
    if isinstance(methods, str | Estimator):
        methods = [methods]
    given = list(methods.values()) if isinstance(methods, Mapping) else list(methods)
    named_by = list(methods) if isinstance(methods, Mapping) else [label_of(one) for one in given]
    labels = _distinct("methods", named_by)
    estimators = [as_estimator(method) for method in given]
    if repeats is not None:
        repeats = check_integer("repeats", repeats, minimum=1)
    sizes = _dimensions_to_try(n_components, record.n_objects)
    rng = as_generator(random_state)
    splits = [make_folds(record, folds, by, rng) for _ in range(repeats or 1)]
    if repeats is None:
        one_fold = len(estimators) * len(sizes) * max(len(record), 1) * _USUAL_ITERATIONS
        splits = [splits[0][: max(_WORK // one_fold, 1)]]
    tally = _Tally(record, splits, folds, by, searched=n_components is None)
    tried = dict(zip(labels, estimators, strict=True))
    ways = [(label, d) for label in labels for d in sizes]
    judge = Judge(record)
    while ways:
        for part in splits:
            tasks = [(from_one_start(tried[label]), d, fold) for label, d in ways for fold in part]
            outcomes = fit_all(record, tasks, judge, n_jobs=n_jobs, verbose=verbose)
            tally.add(ways, part, list(outcomes))
        table = tally.table(tried)
        ways = [] if n_components is not None else _beyond(table)
    return table


def _dimensions_to_try(dimensions: int | Sequence[int] | None, n_objects: int) -> list[int]:
    """Return the dimensions that were asked for, or the usual ones that objects can fill."""
    if dimensions is None:
        return [d for d in USUAL_DIMENSIONS if d == 1 or d < n_objects]
    asked = [dimensions] if isinstance(dimensions, int | np.integer) else dimensions
    return _distinct("n_components", [check_dimension("n_components", d, n_objects) for d in asked])


def _beyond(table: MethodTable) -> list[tuple[str, int]]:
    """Return what to try next: the best method in twice the dimensions while the largest wins."""
    best = table.best
    twice = 2 * best.dimension
    largest = max(row.dimension for row in table.rows)
    most = min(MOST_DIMENSIONS, table.n_objects - 1, table.n_answers // table.n_objects)
    return [(best.method, twice)] if best.dimension == largest and twice <= most else []


def choose(
    comparisons: Comparisons,
    method: str | Estimator | None,
    dimension: int | None,
    **settings: Any,
) -> tuple[str, Estimator, int]:
    """Return a method's name, the method and a dimension: as given, or what `compare` chooses."""
    if method is None or dimension is None:
        choice = compare(comparisons, method, dimension, **settings).choice
        return choice.method, choice.estimator, choice.dimension
    dimension = check_dimension("n_components", dimension, comparisons.n_objects)
    return label_of(method), as_estimator(method), dimension


class _Tally:
    """Adds up, over the repetitions, what each way predicted about each answer."""

    def __init__(
        self,
        record: Comparisons,
        splits: list[list[Fold]],
        folds: int,
        by: str | None,
        *,
        searched: bool,
    ) -> None:
        self._record, self._folds, self._by = record, folds, by
        self._repeats, self._searched = len(splits), searched
        self._units = record.question_groups(by, largest=1 / folds)
        self._times = np.zeros(len(record), dtype=np.float32)
        for part in splits:
            for fold in part:
                self._times[fold.held_out] += 1
        self._seen: dict[tuple[str, int], _Seen] = {}

    def add(
        self,
        ways: list[tuple[str, int]],
        splits: list[Fold],
        outcomes: list[tuple[tuple[NDArray[Any], NDArray[Any]], float]],
    ) -> None:
        """Count the outcomes of one repetition, way by way and within each fold by fold."""
        weights = self._record.weights
        for number, way in enumerate(ways):
            seen = self._seen.setdefault(way, _Seen(len(self._record)))
            its_own = outcomes[number * len(splits) : (number + 1) * len(splits)]
            margins = np.full(len(self._record), np.nan)
            for fold, ((part, _), seconds) in zip(splits, its_own, strict=True):
                margins[fold.held_out] = part
                its_weights = None if weights is None else weights[fold.held_out]
                seen.fold_errors.append(weighted_mean(expected_mistakes(part), its_weights))
                seen.seconds.append(seconds)
            known = ~np.isnan(margins)
            seen.wrong[known] += expected_mistakes(margins[known])
            seen.squared[known] += brier_scores(margins, weights)[known]
            said = np.array([predictions for (_, predictions), _ in its_own])
            seen.factors.append(variance_factor(said, self._folds))

    def table(self, tried: dict[str, Estimator]) -> MethodTable:
        """Sum up, in the order of the methods."""
        record, labels = self._record, list(tried)
        ways = sorted(self._seen, key=lambda way: labels.index(way[0]))
        seen = [self._seen[way] for way in ways]
        with np.errstate(invalid="ignore"):  # NaN where never held out
            wrong = np.stack([one.wrong for one in seen]) / self._times
            squared = np.stack([one.squared for one in seen]) / self._times
        factors = np.array([np.mean(one.factors) for one in seen])
        held_out = HeldOutAnswers(wrong, self._units, record.weights, factors)
        scores = replace(held_out, values=squared)
        rows = []
        for number, (label, dimension) in enumerate(ways):
            error = held_out.mean(number)
            low, high = error.share_interval()
            score = scores.mean(number).mean
            seconds = float(np.median(seen[number].seconds))
            its_errors = tuple(seen[number].fold_errors)
            figures = error.mean, low, high, score, seconds, its_errors
            rows.append(MethodRow(label, dimension, *figures, tried[label]))
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
            searched=self._searched,
        )


class _Seen:
    """What one method in one dimension predicted, added up over the repetitions."""

    def __init__(self, n_answers: int) -> None:
        self.wrong = np.zeros(n_answers, dtype=np.float32)
        self.squared = np.zeros(n_answers, dtype=np.float32)
        self.fold_errors: list[float] = []
        self.seconds: list[float] = []
        self.factors: list[float] = []


def _distinct(name: str, values: list[Any]) -> list[Any]:
    if not values:
        raise InputError(f"{name} is empty; expected at least one.")
    if len(set(values)) < len(values):
        raise InputError(f"{name} must differ from one another; got {values}.")
    return values
