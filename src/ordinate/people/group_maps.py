"""Groups of people, each with a map of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Floats, Points
from ordinate._checks import check_integer
from ordinate._progress import Advance, progress
from ordinate._random import as_generator, as_seed
from ordinate.comparisons.record import Comparisons
from ordinate.people.mixture import MapMixture
from ordinate.people.participants import (
    KnowsParticipants,
    known_people,
    participants_of,
    pooled_map,
)
from ordinate.people.several_maps import SeveralMaps
from ordinate.solvers.mixture import HEATS, best_mixture
from ordinate.triplets.embedding import EmbeddingEstimator


@dataclass(eq=False, repr=False, kw_only=True)
class GroupMaps(KnowsParticipants, SeveralMaps):
    """Groups of people with a map each; who belongs where is learned, with probabilities.

    A mixture: a person belongs to group g with probability π_g, and gives all answers by the map of
    their group. Fitted by expectation and maximization from several starts. It runs on the CPU, on
    answers in memory.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the maps.
    n_groups : int or "auto", default="auto"
        Number of groups; "auto" tries 1, 2, … and takes the number with the highest likelihood of
        answers of the same people that were held out.
    max_groups : int, default=6
        Most groups that "auto" tries.
    loss : {"STE", "TSTE"}, default="STE"
        The probability of an answer, as in the method of that name.
    by : str, default="participant"
        Name of the group column that says who gave each answer.
    features : array-like or data frame of shape (n_objects, n_features), optional
        Features of the objects, from which the map of each group gets a prior, as in
        `FeatureEmbedding`; the answers of the largest group choose it. Needs STE.
    n_init : int, default=10
        Starts, of which the likeliest after a few rounds is followed.
    max_iter : int, default=300
        Most rounds.
    tol : float, default=1e-5
        The fit has converged when five rounds raise the log-likelihood by less than `tol` of it.
    random_state : int, Generator or None, default=None
        Seed of the starts and of what is held out.
    n_jobs : int or None, default=-1
        Threads, as in joblib.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embeddings_ : ndarray of shape (n_groups, n_objects, n_components)
        A map per group, centred; the largest group first.
    embedding_ : ndarray of shape (n_objects, n_components)
        That of the largest group.
    participants_ : ndarray of shape (n_participants,)
        Labels of those who answered, sorted.
    memberships_ : ndarray of shape (n_participants, n_groups)
        How probable it is that each belongs to each group.
    groups_ : ndarray of int, shape (n_participants,)
        The most probable group, from 0.
    n_groups_ : int
        Number of groups.
    shares_ : ndarray of shape (n_groups,)
        π, how large the groups are.
    held_out_ : ndarray of shape (n_tried,) or None
        If `n_groups` is "auto": mean log-likelihood of held-out answers for 1, 2, … groups.
    names_ : tuple of str or None
        The objects' names, if the comparisons had any.
    converged_ : bool
        Whether the fit converged; if not, it has warned.
    n_iter_ : int
        Rounds.
    classes_ : ndarray of shape (2,)
        Labels of false and of true rows.

    See Also
    --------
    WeightedSpaces : One map, on which people weigh the axes differently.
    MTE : Several maps where answers do not say who gave them.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> rng = np.random.default_rng(0)
    >>> maps = rng.normal(size=(2, 10, 2))
    >>> parts = [od.sources.random_triplets(maps[p % 2], 60, random_state=p) for p in range(8)]
    >>> answers = od.Comparisons(np.vstack(parts), groups={"participant": np.repeat(range(8), 60)})
    >>> model = od.GroupMaps(n_groups=2, n_init=5, random_state=0).fit(answers)
    >>> model.groups_[::2].tolist() in ([0] * 4, [1] * 4)
    True
    """

    n_groups: int | str = "auto"
    max_groups: int = 6
    by: str = "participant"
    features: Any = None

    def _fit_record(self, comparisons: Comparisons) -> None:
        self._check_several()
        self.participants_, people = participants_of(comparisons, self.by)
        n_people = len(self.participants_)
        rng = as_generator(self.random_state)
        check_integer("max_groups", self.max_groups, minimum=1)
        with progress(type(self).__name__, enabled=self.verbose) as advance:
            most = min(self.max_groups, n_people)
            self.n_groups_ = self._number_of_maps(
                comparisons, "n_groups", most, rng, advance, maximum=n_people
            )
            mixture = self._mixture(comparisons, people, self.n_groups_, rng, advance)
        self._keep(mixture, comparisons)
        self.groups_ = np.argmax(self.memberships_, axis=1)

    def _mixture(
        self,
        comparisons: Comparisons,
        people: NDArray[np.intp],
        n_groups: int,
        rng: np.random.Generator,
        advance: Advance,
    ) -> MapMixture:
        """Begin with people assigned to groups at random, several times, and keep the best."""
        method = self.pooled_method().set_params(random_state=rng)
        pooled = pooled_map(method, self.loss, comparisons, None, 0)
        n_people = int(people.max()) + 1
        starts = []
        for _ in range(self.n_init if n_groups > 1 else 1):
            maps = [pooled.places] * n_groups
            start = self._begun(MapMixture, comparisons, people, pooled.space, maps)
            group = rng.permutation(n_people) % n_groups
            start.begin(np.eye(n_groups)[group][people])
            starts.append(start)
        heats = HEATS if n_groups > 1 else ()
        best = best_mixture(
            starts, max_rounds=self.max_iter, tol=self.tol, heats=heats, advance=advance
        )
        if self.features is not None:
            best = self._told_by_features(best, comparisons, people, method, as_seed(rng))
        return best.sorted()

    def _told_by_features(
        self,
        found: MapMixture,
        comparisons: Comparisons,
        people: NDArray[np.intp],
        method: EmbeddingEstimator,
        seed: int,
    ) -> MapMixture:
        """Fit the groups again under the prior that the largest one's answers choose.

        A map that all share is no map of any group, and would choose another prior.
        """
        members = found.memberships()
        largest = members.argmax(axis=1)[people] == int(found.shares.argmax())
        pooled = pooled_map(method, self.loss, comparisons[largest], self.features, seed)
        maps = [pooled.places] * len(found.shares)
        again = self._begun(MapMixture, comparisons, people, pooled.space, maps)
        again.begin(members[people])
        again.run(self.max_iter, self.tol)
        return again

    def _map_probabilities(self, comparisons: Comparisons) -> Floats:
        people = known_people(comparisons, self.by, self.participants_)
        probabilities: Floats = np.vstack([self.memberships_, self.shares_])[people]
        return probabilities

    def place_participant(self, X: Comparisons | ArrayLike, y: ArrayLike | None = None) -> Floats:
        """Return how probable it is that somebody who was not in the fit belongs to each group.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Answers of one person about fitted objects.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written.

        Returns
        -------
        ndarray of shape (n_groups,)
            Probabilities.
        """
        comparisons = self._matched(X, y)
        mixture = MapMixture(
            comparisons,
            np.zeros(len(comparisons), dtype=np.intp),
            *self._likelihood(),
            list(self.embeddings_),
        )
        mixture.shares = self.shares_
        placed: Floats = mixture.memberships()[0]
        return placed

    def space_of(self, participant: object) -> Points:
        """Return the map of the group that a participant most probably belongs to.

        Parameters
        ----------
        participant : str or int
            One of `participants_`.

        Returns
        -------
        ndarray of shape (n_objects, n_components)
            Coordinates.
        """
        space: Points = self.embeddings_[self.groups_[self._number_of(participant)]]
        return space
