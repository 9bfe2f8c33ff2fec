"""The weight of a penalty, chosen by cross-validation over the training answers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ordinate._checks import weighted_mean
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import Comparisons
from ordinate.gram.objective import ComparedPairs, Gram

FitPath: TypeAlias = Callable[[Comparisons, NDArray[np.float64]], Iterable[Gram]]
"""Takes training answers and strengths in falling order; yields one matrix for each."""

STRENGTHS: NDArray[np.float64] = 0.5 ** np.arange(1.0, 8.0)
"""Penalties to try, as shares of the smallest one that shrinks the matrix to zero."""
N_FOLDS = 5


@dataclass(frozen=True)
class PenaltySearch:
    """What cross-validation found."""

    strengths: NDArray[np.float64]
    errors: NDArray[np.float64]

    @property
    def best(self) -> float:
        """The strength with the lowest mean error."""
        return float(self.strengths[int(np.argmin(self.errors.mean(axis=0)))])


def search_penalty(
    comparisons: Comparisons,
    fit_path: FitPath,
    rng: np.random.Generator,
    *,
    n_jobs: int | None,
    strengths: NDArray[np.float64] = STRENGTHS,
) -> PenaltySearch:
    """Fit every strength to four fifths of the answers and count mistakes on the others."""
    fold, n_folds = question_folds(comparisons, rng)

    def errors_of(held_out: int) -> list[float]:
        train, test = comparisons[fold != held_out], comparisons[fold == held_out]
        return [half_tie_error(test, gram) for gram in fit_path(train, strengths)]

    errors = Parallel(n_jobs=effective_n_jobs(n_jobs), prefer="threads")(
        delayed(errors_of)(held_out) for held_out in range(n_folds)
    )
    return PenaltySearch(strengths, np.array(errors))


def question_folds(
    comparisons: Comparisons, rng: np.random.Generator
) -> tuple[NDArray[np.intp], int]:
    """Split the answers into folds, those to the same question into the same one."""
    question = comparisons.question_groups()
    if question.max() == 0:
        question = np.arange(len(comparisons))
    n_questions = int(question.max()) + 1
    n_folds = min(N_FOLDS, n_questions)
    return rng.permutation(np.arange(n_questions) % n_folds)[question], n_folds


def half_tie_error(comparisons: Comparisons, gram: Gram) -> float:
    """Share of the answers that a Gram matrix contradicts, counting one half where it is undecided.

    With few answers many margins are exactly zero; to count them as right flatters a method, to
    count them as wrong would favour noise over shrinkage.
    """
    sign = np.sign(ComparedPairs(comparisons).margins(gram))
    return weighted_mean(0.5 - 0.5 * sign, comparisons.weights)
