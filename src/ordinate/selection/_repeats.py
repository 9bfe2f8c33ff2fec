"""Questions that were asked more than once: noise that can be seen without any map."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ordinate.comparisons.record import Comparisons


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

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Comparisons([[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2]])
    >>> print(od.estimate_noise(answers, dimension=1, folds=2).repeated)
    66.7% of 3 pairs of answers to the same question differ, as if 50.0% were wrong
    """

    n_pairs: int
    disagreement: float | None

    @property
    def implied_share(self) -> float | None:
        """The share of wrong answers that would explain the disagreement.

        Two independent answers, each wrong with the probability ε, differ with the probability
        2ε(1 − ε). Where ε varies between questions, its mean is higher than this formula gives.
        """
        if self.disagreement is None:
            return None
        return (1 - sqrt(max(1 - 2 * self.disagreement, 0))) / 2

    def __str__(self) -> str:
        if self.disagreement is None:
            return "no question was asked twice"
        return (
            f"{self.disagreement:.1%} of {self.n_pairs:,} pairs of answers to the same question"
            f" differ, as if {self.implied_share:.1%} were wrong"
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
    n_pairs = int((asked * (asked - 1) // 2).sum())
    differing = float((one_way * (asked - one_way)).sum())
    return RepeatedQuestions(n_pairs, differing / n_pairs if n_pairs else None)
