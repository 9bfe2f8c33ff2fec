"""Bayesian personalised ranking, turned into a map afterwards."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import check_choice, check_integer, check_real
from ordinate._compiler import njit
from ordinate._estimator import Runs
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.ratings.base import CoEmbedding, ranked_lists
from ordinate.ratings.normalization import NORMALIZATIONS, Normalization
from ordinate.ratings.record import Ratings
from ordinate.ratings.sgd import AscentPlan
from ordinate.ratings.triples import ListSampler

_START_SPREAD = 0.1


@dataclass(eq=False, repr=False)
class BPRPlus(Runs, CoEmbedding):
    """Matrix factorisation by pairwise ranking, then a Euclidean transformation.

    Bayesian personalised ranking learns vectors of ``n_components - 1`` dimensions whose inner
    products rank ratings above lower ones, in the triples of both kinds that `COE` draws. One more
    dimension makes distances rank like inner products: for users or for items, not for both.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map, at least 2.
    direction : {"users", "items"}, default="users"
        Whether the distances from each user rank items as the inner products do, or those from
        each item rank users.
    normalize : {"zscore", "share", "none"}, default="zscore"
        What makes the values of different users comparable, as for `COE`.
    max_iter : int, default=100
        Passes, in each of which as many triples are drawn as there are ratings.
    learning_rate : float, default=0.05
        Length of the steps.
    penalty : float, default=0.01
        Weight of the prior.
    random_state : int, Generator or None, default=None
        Seed of the factorisation. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_users + n_items, n_components)
        The coordinates of users, then of items.
    user_embedding_, item_embedding_ : ndarray of shape (n_users or n_items, n_components)
        The coordinates of each.
    names_ : tuple
        Names of users, then of items.
    ratings_ : Ratings
        The ratings that were fitted.

    See Also
    --------
    COE : Fits the order of the values by distances from the start.

    Notes
    -----
    There is no `converged_`. The fit takes a fixed number of random steps whose length falls to
    zero, so it comes to rest wherever it is, and the objective, summed over triples that are drawn,
    is known up to chance only. To see whether more steps would help, fit again with twice
    `max_iter`, and compare what `coe_report` says of both.

    References
    ----------
    Rendle et al., BPR: Bayesian Personalized Ranking from Implicit Feedback, UAI 2009.
    Bachrach et al., Speeding Up the Xbox Recommender System Using a Euclidean Transformation for
    Inner-Product Spaces, RecSys 2014.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 3, 2, 4])
    >>> model = od.BPRPlus(random_state=0).fit(ratings)
    >>> model.nearest_items(0, k=1, exclude_rated=False).names
    [0]
    """

    _: KW_ONLY
    direction: str = "users"
    normalize: str = "zscore"
    max_iter: int = 100
    learning_rate: float = 0.05
    penalty: float = 0.01

    def _placed_by(self, ratings: Ratings) -> tuple[Points, Points]:
        check_integer("n_components", self.n_components, minimum=2)
        check_choice("direction", self.direction, ("users", "items"))
        check_choice("normalize", self.normalize, NORMALIZATIONS)
        check_integer("max_iter", self.max_iter, minimum=1)
        check_real("learning_rate", self.learning_rate, minimum=0, open_minimum=True)
        check_real("penalty", self.penalty, minimum=0)
        rng = as_generator(self.random_state)
        users, items = self._factors(ratings, rng)
        if self.direction == "users":
            return _flat(users), _lifted(items)
        return _lifted(users), _flat(items)

    def _factors(self, ratings: Ratings, rng: np.random.Generator) -> tuple[Points, Points]:
        start = rng.standard_normal((ratings.n_users + ratings.n_items, self.n_components - 1))
        start *= _START_SPREAD
        scores = Normalization.of(self.normalize, ratings).scores(ratings)
        plan = AscentPlan(
            name=type(self).__name__,
            n_triples=self.max_iter * len(ratings),
            learning_rate=self.learning_rate,
            n_threads=effective_n_jobs(self.n_jobs),
            verbose=self.verbose,
        )
        step = PairwiseRanking(float(self.penalty))
        sampler = ListSampler(ranked_lists(ratings, scores))
        points = plan.run(step, sampler, start, rng)
        users, items = np.split(points, [ratings.n_users])
        return users, items


def _flat(points: Points) -> Points:
    """Add a coordinate that is 0."""
    return np.column_stack([points, np.zeros(len(points))])


def _lifted(points: Points) -> Points:
    """Give all vectors the same length by one more coordinate."""
    norms2 = np.square(points).sum(axis=1)
    return np.column_stack([points, np.sqrt(norms2.max() - norms2)])


class PairwiseRanking:
    """Ascends the log-posterior of Bayesian personalised ranking, one triple after the other.

    A triple (anchor, better, worse) has the probability 1 / (1 + exp(−Δ)), where Δ is the
    difference of the anchor's inner products with the two others.
    """

    def __init__(self, penalty: float) -> None:
        self._penalty = penalty

    def __call__(self, points: Points, rows: NDArray[np.uint32], rate: float) -> None:
        """Take a step for each row, moving `points` in place."""
        _sgd_step(points, rows, rate, self._penalty)


@njit(nogil=True, cache=True, error_model="numpy")
def _sgd_step(points: Any, rows: Any, rate: float, penalty: float) -> None:
    keep = 1.0 - rate * penalty
    for r in range(len(rows)):
        a, i, j = rows[r, 0], rows[r, 1], rows[r, 2]
        lead = 0.0
        for s in range(points.shape[1]):
            lead += points[a, s] * (points[i, s] - points[j, s])
        pull = rate / (1.0 + np.exp(lead))
        for s in range(points.shape[1]):
            anchor, better, worse = points[a, s], points[i, s], points[j, s]
            points[a, s] = keep * anchor + pull * (better - worse)
            points[i, s] = keep * better + pull * anchor
            points[j, s] = keep * worse - pull * anchor
