"""Who gave the answers, and what estimators say of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ordinate._checks import InputError
from ordinate.comparisons.answers import (
    check_in_fit,
    predicted_answers,
    share_of,
    weight_that_holds,
)
from ordinate.comparisons.record import Comparisons, as_comparisons

Floats = NDArray[np.float64]


class PredictsAnswers:
    """Predicts and judges answers by their margins."""

    embedding_: NDArray[Any]
    classes_: NDArray[Any]

    def decision_function(self, X: Comparisons | ArrayLike) -> Floats:
        """Return a number for each row that is positive where the row rather holds."""
        raise NotImplementedError

    def predict(self, X: Comparisons | ArrayLike) -> NDArray[Any]:
        """Tell for each row whether it holds, for the person who was asked if that is known.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            The second of `classes_` where it rather does, else the first.
        """
        margins = self.decision_function(X)
        return predicted_answers(margins, self.classes_)

    def score(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the share of answers that are as expected, of those who gave them.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects, usually held out from the fit.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.

        Returns
        -------
        float
            Weighted accuracy between 0 and 1.
        """
        comparisons = self._known(X, y, sample_weight)
        return share_of(
            *weight_that_holds(self.decision_function(comparisons), comparisons.weights)
        )

    def _known(self, X: Any, y: Any = None, sample_weight: Any = None) -> Comparisons:
        """Return the record if all of its objects were in the fit, or name one that was not."""
        check_is_fitted(self)
        comparisons = as_comparisons(X, y, weights=sample_weight)
        largest = int(comparisons.rows.max(initial=0))
        check_in_fit(largest, len(self.embedding_), otherwise=", or place it with transform")
        return comparisons


class KnowsParticipants(PredictsAnswers):
    """The same where it is known who gave the answers of the fit."""

    by: str
    participants_: NDArray[Any]

    def score_participants(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Floats:
        """Return the share of answers that are as expected for each participant alone.

        Parameters
        ----------
        X, y, sample_weight
            As for `score`.

        Returns
        -------
        ndarray of shape (n_participants,)
            In the order of `participants_`; NaN for those without an answer here.
        """
        comparisons = self._known(X, y, sample_weight)
        holds = self.decision_function(comparisons) > 0
        people = known_people(comparisons, self.by, self.participants_)
        counts = np.ones(len(people)) if comparisons.weights is None else comparisons.weights
        size = len(self.participants_) + 1
        right = np.bincount(people, counts * holds, minlength=size)
        total = np.bincount(people, counts, minlength=size)
        shares: Floats = np.divide(right, total, out=np.full(size, np.nan), where=total > 0)
        return shares[:-1]

    def _number_of(self, participant: object) -> int:
        """Return the place of a participant in `participants_`."""
        check_is_fitted(self)
        found = np.flatnonzero(self.participants_.astype(str) == str(participant))
        if len(found) == 0:
            raise InputError(f"There was no participant {participant!r} in the fit.")
        return int(found[0])


def participants_of(comparisons: Comparisons, by: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the labels of those who answered, and who gave each answer.

    Parameters
    ----------
    comparisons : Comparisons
        The answers.
    by : str
        Name of the group that holds the participants.

    Returns
    -------
    labels : ndarray of shape (n_participants,)
        Sorted, each once.
    people : ndarray of int, shape (n_comparisons,)
        The place in `labels` of each answer's.

    Examples
    --------
    >>> import ordinate as od
    >>> from ordinate.people.participants import participants_of
    >>> rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    >>> answers = od.Comparisons(rows, groups={"participant": ["Bo", "Al", "Bo"]})
    >>> [part.tolist() for part in participants_of(answers, "participant")]
    [['Al', 'Bo'], [1, 0, 1]]
    """
    if not isinstance(by, str) or by not in comparisons.groups:
        there = ", ".join(repr(name) for name in comparisons.groups) or "none"
        raise InputError(
            f"There is no group {by!r} that says who gave each answer (the groups are: {there});"
            " name the column of participants with by=..., or give the record"
            " groups={'participant': ...}."
        )
    labels, people = np.unique(comparisons.groups[by], return_inverse=True)
    if len(labels) < 2:
        raise InputError(
            f"All answers are by one participant ({labels[0]}); how people differ takes at least"
            " two. For one person fit a map of their own, such as STE."
        )
    if len(labels) == len(people):
        raise InputError(
            f"Each of the {len(labels):,} participants gave one answer, so {by!r} may not be the"
            " column of participants; how people differ takes several answers of each."
        )
    return labels, people.astype(np.intp)


def known_people(comparisons: Comparisons, by: str, known: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each answer's participant in a fit; for others, one beyond the last.

    Parameters
    ----------
    comparisons : Comparisons
        The answers.
    by : str
        Name of the group that holds the participants; without it, none is known.
    known : ndarray of shape (n_participants,)
        Labels of the fit, sorted.

    Returns
    -------
    ndarray of int, shape (n_comparisons,)
        From 0 to n_participants.
    """
    if by not in comparisons.groups:
        return np.full(len(comparisons), len(known))
    labels = comparisons.groups[by]
    if labels.dtype.kind != known.dtype.kind:  # numbers beside text: compare as text
        order = np.argsort(known.astype(str))
        place = _place_among(labels.astype(str), known.astype(str)[order])
        return np.append(order, len(known))[place]
    return _place_among(labels, known)


def _place_among(labels: NDArray[Any], known: NDArray[Any]) -> NDArray[np.intp]:
    """Return where labels are among sorted ones, or their number where they are not."""
    place = np.minimum(np.searchsorted(known, labels), len(known) - 1)
    return np.where(known[place] == labels, place, len(known)).astype(np.intp)
