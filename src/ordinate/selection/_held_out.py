"""The error of one way of making maps, on answers that it did not see."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Points
from ordinate._estimator import Estimator, clone
from ordinate._progress import progress
from ordinate._random import RandomState
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.kernels import kernel_pca
from ordinate.methods import METHODS, Method
from ordinate.metrics import triplet_margins
from ordinate.metrics._triplets import expected_mistakes
from ordinate.selection._cross_validation import Judge
from ordinate.solvers.folds import Fold, make_folds, rows_to_fit
from ordinate.solvers.intervals import held_out_mean, variance_factor

Place: TypeAlias = Callable[[Comparisons], Points]

_FITTED = 1_000_000
"""Answers, counted once for each fit, that a measurement may take."""
_MOST_FOLDS, _FEWEST_FOLDS = 20, 5


@dataclass(frozen=True)
class HeldOutError:
    """Share of answers that maps which were not fitted to them got wrong.

    Attributes
    ----------
    error : float
        The share.
    low, high : float
        Ends of its 90 % interval.
    n_answers : int
        Answers that were held out.
    folds : int
        Into how many folds the answers were split.
    by : str or None
        The group that was held out whole.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> place = lambda part: od.SOE(2, random_state=0).fit(part).embedding_
    >>> found = od.held_out_error(answers, place, random_state=0)
    >>> found.low < found.error < found.high
    True
    """

    error: float
    low: float
    high: float
    n_answers: int
    folds: int
    by: str | None

    def __str__(self) -> str:
        whole = f"; answers of one {self.by} stay together" if self.by else ""
        return (
            f"{self.error:.1%} ({self.low:.1%} to {self.high:.1%}) of {self.n_answers:,} answers,"
            f" each by a map that was not fitted to it ({self.folds} folds{whole})"
        )


def held_out_error(
    comparisons: Comparisons | ArrayLike,
    place: Callable[[Comparisons], NDArray[np.float64]],
    *,
    folds: int | None = None,
    by: str | None = None,
    random_state: RandomState = None,
    verbose: bool = False,
) -> HeldOutError:
    """Measure the error of a way of making maps, with its 90 % interval.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    place : callable
        Takes a part of the answers and returns coordinates of all objects, of shape
        (n_objects, n_components): whatever made, or will make, the map of all answers.
    folds : int, optional
        Number of folds, each held out in turn. By default twenty
        while answers are few, so that maps of nearly all of them are judged, then fewer; of more
        than 400,000 answers some parts are not held out at all.
    by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None, default=None
        Seed of the folds.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    HeldOutError
        The error and its interval.

    See Also
    --------
    compare : Several methods on the same folds.
    learning_curve : Whether more answers would help.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> place = lambda part: od.STE(2, random_state=0).fit(part).embedding_
    >>> od.held_out_error(answers, place, random_state=0).folds
    20
    """
    record = record_to_fit(comparisons)
    folds, splits = folds_to_hold_out(record, folds, by, random_state)
    return _margins(record, place, folds, splits, by, verbose=verbose).error


@dataclass(frozen=True)
class MethodSpec:
    """How maps are made: by a method in a dimension."""

    method: str
    estimator: Estimator
    dimension: int

    @property
    def known_as(self) -> Method | None:
        """Its row in the table of methods; None for an estimator of the user's own."""
        return METHODS.get(type(self.estimator).__name__)

    @property
    def is_kernel(self) -> bool:
        """Whether it gives similarities, and its map comes from kernel PCA."""
        return self.known_as is not None and self.known_as.is_kernel

    @property
    def is_quick(self) -> bool:
        """Whether a fit takes seconds; methods without starts take minutes for the same."""
        return self.known_as is None or self.known_as.has_starts or self.is_kernel

    def unfitted(self, seed: int, *, n_jobs: int | None = 1, verbose: bool = False) -> Any:
        """Return the estimator of this dimension and seed."""
        model = clone(self.estimator)
        if self.is_kernel:
            return model
        return model.set_params(
            n_components=self.dimension, random_state=seed, n_jobs=n_jobs, verbose=verbose
        )

    @property
    def features(self) -> Any:
        """Features that maps are made of, too."""
        return getattr(self.estimator, "features", None)

    def points(self, fitted: Any) -> Points:
        """Return the coordinates."""
        found: Points = kernel_pca(fitted, self.dimension) if self.is_kernel else fitted.embedding_
        return found

    def placer(self, seed: int) -> Place:
        """Return what places objects by answers."""
        model = self.unfitted(seed)
        return lambda answers: self.points(clone(model).fit(answers))


@dataclass(frozen=True, eq=False)
class HeldOutMargins:
    """By how much maps agree with answers that they were not fitted to; NaN if never held out."""

    record: Comparisons
    values: NDArray[np.float64]
    folds: int
    by: str | None
    factor: float
    """How many times the variance of the error is that of independent answers."""

    @property
    def units(self) -> NDArray[np.intp]:
        """Which answers were held out together."""
        return self.record.question_groups(self.by, largest=1 / self.folds)

    @property
    def error(self) -> HeldOutError:
        """The share of the answers that these maps get wrong."""
        known = ~np.isnan(self.values)
        mistakes = expected_mistakes(self.values)
        error = held_out_mean(mistakes, self.units, self.record.weights, self.factor)
        n_answers = int(np.count_nonzero(known))
        return HeldOutError(error.mean, *error.share_interval(), n_answers, self.folds, self.by)


def held_out_margins(
    record: Comparisons,
    spec: MethodSpec,
    *,
    folds: int | None,
    by: str | None,
    seed: int,
    n_jobs: int | None,
    verbose: bool,
) -> HeldOutMargins:
    """Hold answers out from maps that are made as that of all answers is."""
    if folds is None and not spec.is_quick:
        folds = _FEWEST_FOLDS
    folds, splits = folds_to_hold_out(record, folds, by, seed)
    place = spec.placer(seed)
    return _margins(record, place, folds, splits, by, n_jobs=n_jobs, verbose=verbose)


def _margins(
    record: Comparisons,
    place: Place,
    folds: int,
    splits: list[Fold],
    by: str | None,
    *,
    n_jobs: int | None = 1,
    verbose: bool,
) -> HeldOutMargins:
    margins = np.full(len(record), np.nan)
    judge = Judge(record)
    predictions = []
    parts = (record[rows_to_fit(record, fold)] for fold in splits)
    workers = Parallel(n_jobs=effective_n_jobs(n_jobs), prefer="threads", return_as="generator")
    shown = progress("Measuring the error", total=len(splits), enabled=verbose)
    with warnings.catch_warnings(), shown as advance:
        # maps that only serve to measure: their error says how good they are
        warnings.simplefilter("ignore", UserWarning)
        placed = workers(delayed(place)(part) for part in parts)
        for fold, points in zip(splits, placed, strict=True):
            margins[fold.held_out] = triplet_margins(record[fold.held_out], points)
            predictions.append(judge.predictions(points))
            advance(1)
    return HeldOutMargins(record, margins, folds, by, variance_factor(np.array(predictions), folds))


def folds_to_hold_out(
    comparisons: Comparisons, folds: int | None, by: str | None, random_state: RandomState
) -> tuple[int, list[Fold]]:
    """Return how many folds there are, as given or as the answers allow, and those to hold out."""
    affordable = max(_FITTED // max(len(comparisons), 1), 1)
    if _FEWEST_FOLDS * len(comparisons) <= 2 * _FITTED:
        affordable = max(affordable, _FEWEST_FOLDS)
    if folds is None:
        n_questions = int(comparisons.question_groups(by, largest=1 / _FEWEST_FOLDS).max()) + 1
        folds = min(max(affordable, _FEWEST_FOLDS), _MOST_FOLDS, max(n_questions, 2))
    else:
        affordable = folds
    return folds, make_folds(comparisons, folds, by, random_state)[:affordable]
