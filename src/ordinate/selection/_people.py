"""Whether it helps to know who answered: the same people's held-out answers, with and without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ordinate._checks import InputError
from ordinate._notebooks import ShownAsTable
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.people.participants import participants_of
from ordinate.people.weighted_spaces import WeightedSpaces
from ordinate.selection._cross_validation import fit_all, make_folds
from ordinate.selection._intervals import CONFIDENCE, held_out_mean


@dataclass(frozen=True)
class PeopleComparison(ShownAsTable):
    """Held-out errors of one map for all and of a model in which people differ.

    Attributes
    ----------
    method : str
        The model.
    pooled_error, error : float
        Share of held-out answers that the map of everybody's answers got wrong, and the model.
    low, high : float
        Ends of the 90 % interval of the difference, pooled error minus error.
    p_value : float
        Of the test that the model is not better, one-sided.
    n_answers, n_participants : int
        What was held out, and of how many people.
    folds : int
        Into how many folds the answers were split.

    Examples
    --------
    >>> import ordinate as od
    >>> figures = 0.12, 0.08, 0.03, 0.05, 1e-4, 900, 9, 5
    >>> found = od.selection.PeopleComparison("WeightedSpaces", *figures)
    >>> print(str(found)[:78])
    Differences between people explain 4.0 points of held-out error (3.0 to 5.0):
    """

    method: str
    pooled_error: float
    error: float
    low: float
    high: float
    p_value: float
    n_answers: int
    n_participants: int
    folds: int

    @property
    def gain(self) -> float:
        """By how much the error is smaller than that of one map for all."""
        return self.pooled_error - self.error

    @property
    def are_real(self) -> bool:
        """Whether knowing who answered surely helps: the interval lies above zero."""
        return self.low > 0

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {**vars(self), "gain": self.gain, "are_real": self.are_real}

    def __str__(self) -> str:
        errors = (
            f"{100 * self.pooled_error:.1f} % with one map for all, {100 * self.error:.1f} % with"
            f" {self.method}."
        )
        if self.are_real:
            return (
                f"Differences between people explain {100 * self.gain:.1f} points of held-out error"
                f" ({100 * self.low:.1f} to {100 * self.high:.1f}): {errors}"
            )
        if self.low == self.high == 0:
            return (
                f"No difference between people that helps to predict their answers: {self.method}"
                f" sees none, and its map is the one for all ({100 * self.error:.1f} % held-out"
                " error)."
            )
        return (
            "No difference between people that helps to predict their answers: held-out error"
            f" changes by {-100 * self.gain:+.1f} points ({-100 * self.high:+.1f} to"
            f" {-100 * self.low:+.1f}): {errors}"
        )


def compare_people(
    comparisons: Comparisons,
    model: BaseEstimator | None = None,
    *,
    folds: int = 5,
    split_by: str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> PeopleComparison:
    """Test whether differences between people are real: whether they predict other answers.

    Every answer is predicted twice, by a map of everybody's other answers and by a model of
    people fitted to the same. The two are compared answer by answer; answers of one person, or to
    one question, are not taken to be independent, whichever makes the interval wider.

    Parameters
    ----------
    comparisons : Comparisons
        Answers with a group that says who gave them.
    model : WeightedSpaces or GroupMaps, optional
        By default `WeightedSpaces` in two dimensions.
    folds : int, default=5
        Number of folds, each held out in turn. Answers to the same
        question are held out together.
    split_by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None, default=0
        Seed of the folds and of the fits.
    n_jobs : int or None, default=-1
        Fits at a time, as in joblib.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    PeopleComparison
        Both errors, and the difference with its interval.

    See Also
    --------
    ordinate.WeightedSpaces : The model of people who differ.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> points = np.random.default_rng(0).normal(size=(12, 2))
    >>> ann = od.sources.random_triplets(points * [3, 1], 300, random_state=1)
    >>> bob = od.sources.random_triplets(points * [1, 3], 300, random_state=2)
    >>> people = np.repeat(["Ann", "Bob"], 300)
    >>> answers = od.Comparisons(np.vstack([ann, bob]), groups={"participant": people})
    >>> od.selection.compare_people(answers).are_real
    True
    """
    record = as_comparisons(comparisons)
    chosen: Any = WeightedSpaces() if model is None else model
    if not hasattr(chosen, "pooled_method"):
        raise InputError(
            f"model must be a WeightedSpaces or GroupMaps, in which people differ; got {chosen!r}."
        )
    labels, people = participants_of(record, chosen.by)
    _check_folds(people, folds, chosen.by, split_by)
    splits = make_folds(record, folds, split_by, random_state)
    tasks = [
        (method, chosen.n_components, fold)
        for fold in splits
        for method in (chosen.pooled_method(), chosen)
    ]
    wrong = np.full((2, len(record)), np.nan)
    outcomes = fit_all(record, tasks, _wrong_answers, n_jobs=n_jobs, verbose=verbose)
    for number, (found, _) in enumerate(outcomes):
        wrong[number % 2, splits[number // 2].held_out] = found
    pooled, own = (held_out_mean(row, people, record.weights) for row in wrong)
    questions = record.question_groups(split_by, largest=1 / folds)
    gain = max(
        (
            held_out_mean(wrong[0] - wrong[1], units, record.weights)
            for units in (people, questions)
        ),
        key=lambda found: found.standard_error,
    )
    return PeopleComparison(
        type(chosen).__name__,
        pooled.mean,
        own.mean,
        *gain.interval(CONFIDENCE),
        gain.p_above_zero(),
        int(np.count_nonzero(~np.isnan(wrong[0]))),
        len(labels),
        folds,
    )


def _check_folds(people: NDArray[np.intp], folds: int, by: str, split_by: str | None) -> None:
    """Refuse folds after which too little is known of the people whose answers are held out."""
    if split_by == by:
        raise InputError(
            f"Whole groups of {split_by!r} cannot be held out here: it takes other answers of the"
            " same people to know how they differ."
        )
    if int((np.bincount(people) >= 2 * folds).sum()) < 2:
        raise InputError(
            f"{folds} folds need at least two participants with {2 * folds} answers each; use fewer"
            " folds or collect more answers."
        )


def _wrong_answers(model: Any, held_out: Comparisons) -> NDArray[np.bool_]:
    return np.asarray(model.decision_function(held_out) <= 0)
