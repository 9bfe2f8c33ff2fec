"""Answers as choices: of several pairs of objects, which one was called the most alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError
from ordinate.comparisons.answers import in_fit
from ordinate.comparisons.inputs import as_comparisons, record_to_fit
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.comparisons.trials import Trials

Answers: TypeAlias = Comparisons | Trials

_PAIRS_OF_TRIAL = [0, 1, 0, 2, 1, 2]


def as_answers(
    answers: Any, weights: ArrayLike | None = None, y: ArrayLike | None = None
) -> Answers:
    """Return trials as they are, and anything else as comparisons; weights replace theirs."""
    if not isinstance(answers, Trials):
        return as_comparisons(answers, y, weights=weights)
    _refuse_labels(y)
    if weights is None:
        return answers
    return Trials._of(as_comparisons(answers._record, weights=weights))


def answers_to_fit(
    answers: Any, weights: ArrayLike | None = None, y: ArrayLike | None = None
) -> Answers:
    """Return what counts of answers; warn of objects nobody named."""
    if not isinstance(answers, Trials):
        return record_to_fit(answers, y, weights=weights)
    _refuse_labels(y)
    return Trials._of(record_to_fit(answers._record, weights=weights))


def _refuse_labels(y: ArrayLike | None) -> None:
    if y is not None:
        raise InputError("Trials hold their answers; leave y out.")


def answers_in_fit(answers: Answers, n_fitted: int, names: Sequence[Hashable] | None) -> Answers:
    """Return answers with objects numbered as in a fit; one that was not in it is refused."""
    if not isinstance(answers, Trials):
        return in_fit(answers, n_fitted, names)
    return Trials._of(in_fit(answers._record, n_fitted, names))


def with_whole_trials(answers: Comparisons) -> Answers:
    """Return whole trials if the comparisons come from odd-one-out trials."""
    if "trial" not in answers.groups:
        return answers
    try:
        return Trials.from_comparisons(answers)
    except InputError:
        return answers


def pairs_of(answers: Answers) -> NDArray[np.int32]:
    """Return the pairs there were to choose from, the chosen one first.

    The shape is (n_answers, n_options, 2), with two options of a comparison and three of a trial.
    """
    is_trial = isinstance(answers, Trials)
    columns = _PAIRS_OF_TRIAL if is_trial else PAIR_COLUMNS[answers.rows.shape[1]]
    return answers.rows[:, columns].reshape(len(answers), -1, 2)


def share_right(alike: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 where the first option is the most alike, its share of a tie; NaN stays."""
    best = alike == alike.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        right: NDArray[np.float64] = best[:, 0] / best.sum(axis=1)
    return right
