"""The error of one way of making maps, on answers that it did not see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._progress import progress
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.metrics import triplet_margins
from ordinate.selection._cross_validation import (
    Judge,
    make_folds,
    rows_to_fit,
    without_convergence_warnings,
)
from ordinate.selection._intervals import held_out_mean, variance_factor

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
    >>> found = od.held_out_error(answers, place)
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
        whole = f", whole groups of {self.by}" if self.by else ""
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
    random_state: RandomState = 0,
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
        than 200,000 answers some parts are not held out at all.
    by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None, default=0
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
    >>> od.held_out_error(answers, place).folds
    20
    """
    record = as_comparisons(comparisons)
    affordable = max(_FITTED // max(len(record), 1), 1)
    if folds is None:
        n_questions = int(record.question_groups(by, largest=1 / _FEWEST_FOLDS).max()) + 1
        folds = min(max(affordable, _FEWEST_FOLDS), _MOST_FOLDS, max(n_questions, 2))
    else:
        affordable = folds
    splits = make_folds(record, folds, by, random_state)[:affordable]
    wrong = np.full(len(record), np.nan)
    judge = Judge(record)
    predictions = []
    shown = progress("Measuring the error", total=len(splits), enabled=verbose)
    with without_convergence_warnings(), shown as advance:
        for fold in splits:
            points = place(record[rows_to_fit(record, fold)])
            wrong[fold.held_out] = triplet_margins(record[fold.held_out], points) <= 0
            predictions.append(judge.predictions(points))
            advance(1)
    units = record.question_groups(by, largest=1 / folds)
    factor = variance_factor(np.array(predictions), folds)
    error = held_out_mean(wrong, units, record.weights, factor)
    n_answers = int(np.count_nonzero(~np.isnan(wrong)))
    return HeldOutError(error.mean, *error.share_interval(), n_answers, folds, by)
