"""Odd-one-out trials, kept whole: two objects kept together and the odd one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.grouped_rows import GroupedRows
from ordinate.comparisons.record import Comparisons

MIN_CEILING_QUESTIONS = 30
"""Repeated questions below which the agreement of people is mostly luck."""


@dataclass(frozen=True)
class Ceiling:
    """How much of the answers can be predicted, from questions asked more than once.

    Attributes
    ----------
    lower, upper : float
        Accuracy of predicting each answer by the majority of the other answers to its question,
        and by the majority of all of them, itself included. The best model lies between.
    lower_interval, upper_interval : tuple of two floats
        95 % bootstrap intervals, over questions.
    n_questions, n_trials : int
        Questions asked more than once, and answers to them.
    """

    lower: float
    upper: float
    lower_interval: tuple[float, float]
    upper_interval: tuple[float, float]
    n_questions: int
    n_trials: int

    @property
    def is_known(self) -> bool:
        """Whether there are enough questions to speak of a ceiling."""
        return self.n_questions >= MIN_CEILING_QUESTIONS

    def __str__(self) -> str:
        if not self.is_known:
            return "Too few questions were asked more than once to say how far people agree."
        (low, high), (upper_low, upper_high) = self.lower_interval, self.upper_interval
        return (
            f"People agree in {self.lower:.1%} ({low:.1%} to {high:.1%}) to {self.upper:.1%}"
            f" ({upper_low:.1%} to {upper_high:.1%}) of the answers to {self.n_questions:,}"
            " questions asked more than once: no model can do better."
        )

    @classmethod
    def from_counts(cls, counts: NDArray[np.float64], rng: np.random.Generator) -> Self:
        """Take how often each option was chosen, a row per question."""
        if not len(counts):
            nothing = (np.nan, np.nan)
            return cls(np.nan, np.nan, nothing, nothing, 0, 0)
        # an answer c leaves the counts of the others; their majority is c if none exceeds it
        right = np.zeros(len(counts))
        for choice in range(counts.shape[1]):
            rest = counts.copy()
            rest[:, choice] -= 1
            ahead = rest == rest.max(axis=1, keepdims=True)
            right += counts[:, choice] * ahead[:, choice] / ahead.sum(axis=1)
        sums = np.column_stack([right, counts.max(axis=1), counts.sum(axis=1)])
        drawn = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=1000) @ sums
        lower, upper = (
            tuple(np.quantile(drawn[:, at] / drawn[:, 2], [0.025, 0.975]).tolist()) for at in (0, 1)
        )
        total = sums.sum(axis=0)
        return cls(
            float(total[0] / total[2]),
            float(total[1] / total[2]),
            lower,
            upper,
            len(sums),
            int(total[2]),
        )


class Trials(GroupedRows):
    """Odd-one-out trials: of three objects, two were kept together and one was the odd one.

    A trial is one answer. As comparisons it becomes two triplets, which say less and look like
    two answers; here it stays whole, and is the unit of likelihood, folds and noise.

    Parameters
    ----------
    rows : array-like of int or str, shape (n_trials, 3)
        The two objects kept together, then the odd one. Numbers are positions, which count from
        0; text is labels.
    n_objects : int, optional
        How many objects there are; by default the largest number plus one.
    weights : array-like of float, shape (n_trials,), optional
        How much each trial counts; finite and not negative. By default all count 1.
    groups : array-like or mapping of str to array-like, optional
        Labels per trial, such as ``{"participant": ...}``.
    names : sequence of str, optional
        One distinct name per object, in the order of their numbers; by default the labels that
        occur, in natural order.

    See Also
    --------
    read_trials : From files.
    SparseDimensions : Dimensions that people can name, from trials.

    Examples
    --------
    >>> import ordinate as od
    >>> trials = od.Trials([["cat", "dog", "car"], ["bus", "car", "dog"]])
    >>> trials
    Trials(2 odd-one-out trials, 4 objects)
    >>> len(trials.to_comparisons())
    4
    """

    def __init__(
        self,
        rows: ArrayLike,
        *,
        n_objects: int | None = None,
        weights: ArrayLike | None = None,
        groups: ArrayLike | Mapping[str, ArrayLike] | None = None,
        names: Sequence[object] | None = None,
    ) -> None:
        record = Comparisons(rows, n_objects=n_objects, weights=weights, groups=groups, names=names)
        if record.kind != "triplet":
            raise InputError(
                "A trial has 3 columns, two objects kept together and the odd one; got 4. Pass the"
                " participant as groups={'participant': ...}."
            )
        self._set(**record._parts())
        self._n_objects_inferred = record._n_objects_inferred

    @classmethod
    def _of(cls, record: Comparisons) -> Self:
        """Take rows that are known to be trials."""
        self = cls._from_validated(**record._parts())
        self._n_objects_inferred = record._n_objects_inferred
        return self

    @property
    def _record(self) -> Comparisons:
        """The same rows as triplets, by which they are checked and matched."""
        record = Comparisons._from_validated(**self._parts())
        record._n_objects_inferred = self._n_objects_inferred
        return record

    @classmethod
    def from_comparisons(cls, comparisons: Comparisons) -> Self:
        """Put trials together again from the two triplets that each of them became.

        Parameters
        ----------
        comparisons : Comparisons
            As read from a log of an odd-one-out study or made by
            `ordinate.sources.from_odd_one_out`: (a, b, c) followed by (b, a, c) in each trial.

        Returns
        -------
        Trials
            Half as many rows.

        Examples
        --------
        >>> import ordinate as od
        >>> answers = od.sources.from_odd_one_out([["cat", "car", "dog"]], ["car"])
        >>> od.Trials.from_comparisons(answers)
        Trials(1 odd-one-out trial, 3 objects, grouped by trial)
        """
        rows = comparisons.rows
        fits = comparisons.kind == "triplet" and len(rows) % 2 == 0
        if not (fits and np.array_equal(rows[::2], rows[1::2][:, [1, 0, 2]])):
            raise InputError(
                "Expected two triplets per odd-one-out trial, (a, b, c) and then (b, a, c); these"
                " comparisons answer another question. Read them with"
                " read_comparisons(..., question='odd_one_out')."
            )
        return cls._of(comparisons[::2])

    def __repr__(self) -> str:
        plural = "" if len(self) == 1 else "s"
        words = repr(self._record).partition(" objects")[2]
        return f"Trials({len(self)} odd-one-out trial{plural}, {self.n_objects} objects{words}"

    def to_comparisons(self) -> Comparisons:
        """Write each trial as two triplets, for methods that take comparisons.

        Returns
        -------
        Comparisons
            Rows (a, b, c) and (b, a, c) for a and b kept together and c the odd one; the group
            ``"trial"`` holds the number of the trial unless there is one already.
        """
        twice = np.repeat(np.arange(len(self)), 2)
        doubled = self[twice]
        rows = doubled.rows.copy()
        rows[1::2] = rows[1::2][:, [1, 0, 2]]
        return Comparisons(
            rows,
            n_objects=self.n_objects,
            weights=doubled.weights,
            groups={"trial": twice, **doubled.groups},
            names=self.names,
        )

    def _question_codes(self) -> NDArray[np.intp]:
        """Return the same number for trials that show the same three objects."""
        return self._record._with(rows=np.sort(self.rows, axis=1))._question_codes()

    def _answer_codes(self) -> NDArray[np.intp]:
        return self.rows[:, 2].astype(np.intp)

    def ceiling(self, *, random_state: RandomState = None) -> Ceiling:
        """Estimate the best accuracy that any model can reach, from questions asked repeatedly.

        Parameters
        ----------
        random_state : int, Generator or None, default=None
            Seed of the bootstrap over questions.

        Returns
        -------
        Ceiling
            Bounds with their intervals; NaN if no question was asked twice.

        Examples
        --------
        >>> import ordinate as od
        >>> trials = od.Trials([[0, 1, 2]] * 4 + [[0, 2, 1]])
        >>> trials.ceiling(random_state=0).upper
        0.8
        """
        question = self.question_groups()
        counts = np.zeros((int(question.max(initial=-1)) + 1, 3))
        # of the three objects in sorted order, the position of the odd one
        odd = (self.rows < self.rows[:, 2:]).sum(axis=1)
        np.add.at(counts, (question, odd), 1)
        counts = counts[counts.sum(axis=1) > 1]
        return Ceiling.from_counts(counts, as_generator(random_state))
