"""Who gave the answers, and what estimators say of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arguments import argument
from ordinate._arrays import Floats, Points
from ordinate._checks import InputError
from ordinate._estimator import check_is_fitted
from ordinate.comparisons.answers import PredictsAnswers
from ordinate.comparisons.record import Comparisons
from ordinate.prior import PriorFits, WhitenedMaps, chosen_prior, rows_by_name
from ordinate.solvers.bounded_size import BoundedSize
from ordinate.triplets.embedding import EmbeddingEstimator
from ordinate.triplets.soe import SOE
from ordinate.triplets.ste import STE
from ordinate.triplets.tete import TETE
from ordinate.triplets.tste import TSTE

POOLED: dict[str, Callable[..., EmbeddingEstimator]] = {
    "SOE": SOE,
    "STE": partial(STE, penalty=0.0),
    "TSTE": TSTE,
    "TETE": TETE,
}
"""Methods that make one map of everybody's answers, by their loss; own maps have no penalty."""
WITH_PROBABILITIES = ("STE", "TSTE")
"""Those whose loss is −log of an answer's probability; only these can have lapses."""


class PooledMap(NamedTuple):
    """The map of everybody's answers as a solver moves it, and in which space."""

    places: Points
    space: BoundedSize | WhitenedMaps | None
    converged: bool
    n_iter: int


def pooled_map(
    method: EmbeddingEstimator, loss: str, comparisons: Comparisons, features: Any, seed: int
) -> PooledMap:
    """Fit one map to everybody's answers, under a prior from features if there are any."""
    if features is None:
        method.fit(comparisons)
        radius = method._largest_radius()
        space = BoundedSize(radius) if np.isfinite(radius) else None
        return PooledMap(method.embedding_, space, method.converged_, method.n_iter_)
    if loss != "STE":
        raise InputError(f"Features need {argument('loss', 'STE')}; got {loss!r}.")
    rows = rows_by_name(features, comparisons.names, comparisons.n_objects)
    fits = PriorFits(comparisons, rows, method.n_components, seed=seed, n_jobs=method.n_jobs)
    prior, found = fits.fit(chosen_prior(fits, seed))
    whitened = WhitenedMaps(prior, method.n_components)
    return PooledMap(found.points, whitened, found.converged, found.n_iter)


class KnowsParticipants(PredictsAnswers):
    """Predicts answers where it is known who gave those of the fit."""

    by: str
    participants_: NDArray[Any]

    def score_participants(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
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
        comparisons = self._matched(X, y, sample_weight)
        holds = self._margins(comparisons) > 0
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
    """Return the labels of those who answered, and who gave each answer."""
    if not isinstance(by, str) or by not in comparisons.groups:
        there = ", ".join(repr(name) for name in comparisons.groups) or "none"
        raise InputError(
            f"There is no group {by!r} that says who gave each answer (the groups are: {there});"
            f" name the column of participants with {argument('by')}, or columns of labels with"
            f" {argument('groups', ...)}."
        )
    labels, people = np.unique(comparisons.groups[by], return_inverse=True)
    if len(labels) < 2:
        raise InputError(
            f"All answers are by one participant ({labels[0]}); a test of differences needs at"
            " least two. For one person fit a map of their own, such as STE."
        )
    if len(labels) == len(people):
        raise InputError(
            f"Each of the {len(labels):,} participants gave one answer, so {by!r} may not be the"
            " column of participants; several answers of each are needed to see how people differ."
        )
    return labels, people.astype(np.intp)


def known_people(comparisons: Comparisons, by: str, known: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each answer's participant in a fit; for others, one beyond the last."""
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
