"""Methods and dimensions beside one another, by their error on answers held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from ordinate._checks import InputError, check_integer
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.selection._cross_validation import as_estimator, deal, error_of, fit_all, label_of
from ordinate.selection._nadeau_bengio import FoldMean, fold_mean

GUESSING = 0.4
"""From this held-out error on, a map is hardly better than tossing a coin (0.5)."""


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
        Share of the answers held out that the map got wrong, mean over the folds.
    low, high : float
        Ends of its 95 % interval, corrected for the overlap of the training parts.
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
        return f"{self.method} in {self.dimension} dimension{'s' if self.dimension > 1 else ''}"


@dataclass(frozen=True)
class MethodTable:
    """Held-out errors of methods and dimensions; prints as a table with advice.

    Attributes
    ----------
    rows : tuple of MethodRow
        In the order asked for: methods, and within each the dimensions.
    folds, repeats : int
        Into how many parts the answers were dealt, and how many times.
    by : str or None
        The group that was held out whole.
    n_answers, n_objects : int
        Size of the data.
    n_always_fitted : int
        Answers that were never held out, since objects would have become unknown (the largest
        number over the repetitions).

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> table = od.compare(answers, ["SOE"], [1, 2])
    >>> table.choice.dimension
    2
    """

    rows: tuple[MethodRow, ...]
    folds: int
    repeats: int
    by: str | None
    n_answers: int
    n_objects: int
    n_always_fitted: int

    @property
    def best(self) -> MethodRow:
        """The row with the lowest error; of equal ones the lowest dimension."""
        return min(self.rows, key=lambda row: (row.error, row.dimension))

    @property
    def choice(self) -> MethodRow:
        """The lowest dimension that is as good as the best, and there the best method.

        A row is as good if its error exceeds the best one's, fold by fold, by no more than one
        corrected standard error of that difference.
        """
        as_good = [row for row in self.rows if self._is_as_good(row)]
        return min(as_good, key=lambda row: (row.dimension, row.error))

    @property
    def advice(self) -> str:
        """What to use, in a sentence."""
        best, choice = self.best, self.choice
        if best.error >= GUESSING:
            return (
                f"No map predicts new answers (the best, {best}, gets {best.error:.1%} wrong and"
                " guessing 50%): collect more answers, or check how the file was read."
            )
        if choice is best:
            return f"Use {choice}: its held-out error, {choice.error:.1%}, is the lowest."
        return (
            f"Use {choice}: its held-out error, {choice.error:.1%}, is within one standard error of"
            f" the lowest, {best.error:.1%} ({best})."
        )

    def difference(self, row: MethodRow, other: MethodRow) -> FoldMean:
        """Return by how much one row's error exceeds another's, fold by fold.

        Parameters
        ----------
        row, other : MethodRow
            Two rows of this table.

        Returns
        -------
        FoldMean
            Mean, corrected standard error and degrees of freedom of the difference.
        """
        return fold_mean(np.subtract(row.fold_errors, other.fold_errors), self.folds)

    def _is_as_good(self, row: MethodRow) -> bool:
        difference = self.difference(row, self.best)
        return difference.mean <= difference.standard_error

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON.

        Returns
        -------
        dict
            The rows, the best and the chosen one, and the advice.
        """
        return {
            **asdict(self),
            "best": asdict(self.best),
            "choice": asdict(self.choice),
            "advice": self.advice,
        }

    def __str__(self) -> str:
        width = max(len("method"), *(len(row.method) for row in self.rows))
        lines = [
            self._title(),
            f"  {'method':{width}}  dim  held-out error  95% interval     s/fit",
        ]
        for row in self.rows:
            interval = f"{row.low:.1%} – {row.high:.1%}"
            mark = " ← use this" if row is self.choice else " ← lowest" if row is self.best else ""
            lines.append(
                f"  {row.method:{width}}  {row.dimension:3}  {row.error:14.1%}  {interval:15}"
                f"  {row.seconds:5.2f}{mark}"
            )
        return "\n".join([*lines, self.advice])

    def _title(self) -> str:
        parts = [f"{self.n_answers:,} answers about {self.n_objects:,} objects, {self.folds} folds"]
        parts += [f"repeated {self.repeats} times"] if self.repeats > 1 else []
        parts += [f"whole groups of {self.by}"] if self.by else []
        if self.n_always_fitted:
            parts.append(f"{self.n_always_fitted:,} answers never held out to keep objects known")
        return ", ".join(parts)


def compare(
    comparisons: Comparisons | ArrayLike,
    methods: Sequence[str | BaseEstimator] = ("SOE", "STE", "TSTE", "TETE"),
    dimensions: Sequence[int] = (1, 2, 3),
    *,
    folds: int = 5,
    repeats: int = 1,
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
    methods : sequence of str or estimator
        Names such as ``"SOE"``, or estimators with parameters of your choice; their
        `n_components`, `random_state`, `n_jobs` and `verbose` are set here.
    dimensions : sequence of int
        Dimensions of the maps.
    folds : int
        The answers are dealt into this many parts, each held out in turn.
    repeats : int
        How often to deal anew; more deals, narrower intervals.
    by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None
        Seed of deals and fits. All methods see the same folds and seeds, so a row does not
        depend on which others are asked for.
    n_jobs : int or None
        Fits at a time, as in joblib; never changes the result.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    MethodTable
        One row per method and dimension; print it, or ask for ``choice`` and ``advice``.

    References
    ----------
    Nadeau & Bengio, Inference for the Generalization Error, Machine Learning 52, 2003.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> table = od.compare(answers, ["SOE", od.TSTE(alpha=1)], [1, 2])
    >>> [row.method for row in table.rows]
    ['SOE', 'SOE', 'TSTE(alpha=1)', 'TSTE(alpha=1)']
    """
    record = as_comparisons(comparisons)
    labels = _distinct("methods", [label_of(method) for method in methods])
    estimators = [as_estimator(method) for method in methods]
    sizes = _distinct("dimensions", [check_integer("dimension", d, minimum=1) for d in dimensions])
    dealt = deal(record, folds, repeats, by, random_state)
    tasks = [(method, d, fold) for method in estimators for d in sizes for fold in dealt]
    outcomes = np.array(list(fit_all(record, tasks, error_of, n_jobs=n_jobs, verbose=verbose)))
    outcomes = outcomes.reshape(len(labels), len(sizes), len(dealt), 2)
    rows = tuple(
        _row(label, d, *outcomes[i, j].T, folds=folds)
        for i, label in enumerate(labels)
        for j, d in enumerate(sizes)
    )
    held_out = [
        sum(len(fold.held_out) for fold in dealt[start : start + folds])
        for start in range(0, len(dealt), folds)
    ]
    n_always = len(record) - min(held_out)
    return MethodTable(rows, folds, repeats, by, len(record), record.n_objects, n_always)


def _row(label: str, dimension: int, errors: Any, seconds: Any, *, folds: int) -> MethodRow:
    summary = fold_mean(errors, folds)
    low, high = summary.share_interval()
    return MethodRow(
        method=label,
        dimension=dimension,
        error=summary.mean,
        low=low,
        high=high,
        seconds=float(np.median(seconds)),
        fold_errors=tuple(errors.tolist()),
    )


def _distinct(name: str, values: list[Any]) -> list[Any]:
    if not values:
        raise InputError(f"{name} is empty; expected at least one.")
    if len(set(values)) < len(values):
        raise InputError(f"{name} must differ from one another; got {values}.")
    return values
