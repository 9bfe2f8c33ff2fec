"""Questions that were asked more than once: noise that can be seen without any map."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ordinate.comparisons.record import Comparisons
from ordinate.selection._intervals import HeldOutMean


@dataclass(frozen=True)
class RepeatedQuestions:
    """How often two answers to the same question differ.

    Attributes
    ----------
    n_pairs : int
        Pairs of answers to the same question.
    disagreement : float or None
        Share of these pairs that differ, each question counting by its pairs; None without
        any pair.
    standard_error : float
        Of the disagreement, over questions.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Comparisons([[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2]])
    >>> print(od.estimate_noise(answers, dimension=1, folds=2).repeated)
    66.7% of 3 pairs of answers to the same question differ
    """

    n_pairs: int
    disagreement: float | None
    standard_error: float = 0.0

    @property
    def implied_share(self) -> float | None:
        """The share of wrong answers that would explain the disagreement.

        Two independent answers, each wrong with the probability ε, differ with the probability
        2ε(1 − ε). Where ε varies between questions, its mean is higher than this formula gives.
        """
        return None if self.disagreement is None else _share_behind(self.disagreement)

    @property
    def least_share(self) -> float | None:
        """The same at the lower end of the disagreement's 90 % interval: so many are wrong."""
        if self.disagreement is None:
            return None
        found = HeldOutMean(self.disagreement, self.standard_error, self.n_pairs)
        return _share_behind(found.share_interval()[0])

    def __str__(self) -> str:
        if self.disagreement is None:
            return "no question was asked twice"
        return (
            f"{self.disagreement:.1%} of {self.n_pairs:,} pairs of answers to the same question"
            " differ"
        )


def repeated_questions(comparisons: Comparisons) -> RepeatedQuestions:
    """Count pairs of answers to the same question, and those that differ.

    Parameters
    ----------
    comparisons : Comparisons
        The answers; weights play no part.

    Returns
    -------
    RepeatedQuestions
        The counts.
    """
    near, far = comparisons.pair_codes()
    question = comparisons.question_groups()
    asked = np.bincount(question)
    one_way = np.bincount(question, weights=near < far)
    pairs = asked * (asked - 1) // 2
    n_pairs = int(pairs.sum())
    if n_pairs == 0:
        return RepeatedQuestions(0, None)
    differing = one_way * (asked - one_way)
    disagreement = float(differing.sum()) / n_pairs
    # the share is a ratio of sums over questions, which are independent of one another
    n_questions = int(np.count_nonzero(pairs))
    deviations = differing - disagreement * pairs
    variance = float(deviations @ deviations) * n_questions / max(n_questions - 1, 1)
    return RepeatedQuestions(n_pairs, disagreement, sqrt(variance) / n_pairs)


def _share_behind(disagreement: float) -> float:
    """Solve 2ε(1 − ε) = disagreement for the smaller ε."""
    return (1 - sqrt(max(1 - 2 * disagreement, 0))) / 2
