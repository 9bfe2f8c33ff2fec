"""Multi-view triplet embedding: answers that follow several criteria, not marked which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats
from ordinate._checks import check_choice, check_integer
from ordinate._progress import Advance, progress
from ordinate._random import as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.people.mixture import MapMixture
from ordinate.people.participants import pooled_map
from ordinate.people.several_maps import SeveralMaps
from ordinate.solvers.mixture import best_mixture
from ordinate.triplets.initialization import at_best_scale, perturbed, random_start

_FARTHEST = 1e5
"""Ratio of distances that stands for an infinite one, as in the authors' code."""


@dataclass(eq=False, repr=False, kw_only=True)
class MTE(SeveralMaps):
    """Multi-view triplet embedding: several maps, and each answer goes by one of them.

    One asks for the colour of objects, another for their shape, and answers do not say which was
    meant. The mixture maximises Σ_t log Σ_m π_m p_m(t) over the maps and their shares π by
    expectation and maximization. The authors' weighting instead gives an answer to the views in
    which it holds, in proportion to far over near distance, and maximises Σ_t Σ_m z_tm log p_m(t)
    between; no quantity rises in every round. It runs on the CPU, on answers in memory.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of each map.
    n_views : int or "auto", default=2
        Number of maps; "auto" tries 1, 2, … and takes the number with the highest likelihood of
        held-out answers.
    max_views : int, default=5
        Most views that "auto" tries.
    weights : {"mixture", "published"}, default="mixture"
        How answers are shared among the views.
    loss : {"STE", "TSTE"}, default="STE"
        The probability of an answer, as in the method of that name.
    n_init : int, default=20
        Starts, of which the likeliest after a few rounds is followed.
    max_iter : int, default=500
        Most rounds.
    tol : float, default=1e-4
        The fit has converged when five rounds raise the log-likelihood by less than `tol` of it.
    random_state : int, Generator or None, default=None
        Seed of the starts and of what is held out.
    n_jobs : int or None, default=-1
        Threads, as in joblib.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embeddings_ : ndarray of shape (n_views, n_objects, n_components)
        A map per view, centred; the one with the largest share first.
    embedding_ : ndarray of shape (n_objects, n_components)
        The first of them.
    shares_ : ndarray of shape (n_views,)
        Share of the answers that go by each view.
    memberships_ : ndarray of shape (n_comparisons, n_views)
        How much each answer of the fit belongs to each view.
    n_views_ : int
        Number of views.
    held_out_ : ndarray of shape (n_tried,) or None
        If `n_views` is "auto": mean log-likelihood of held-out answers for 1, 2, … views.
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
    GroupMaps : Where it is known who gave which answer.

    References
    ----------
    Amid & Ukkonen, Multiview Triplet Embedding: Learning Attributes in Multiple Maps, ICML 2015.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> views = np.random.default_rng(0).normal(size=(2, 12, 1))
    >>> both = [od.sources.random_triplets(view, 800, random_state=0) for view in views]
    >>> model = od.MTE(1, random_state=0).fit(np.vstack(both))
    >>> agreement = np.abs(np.corrcoef([*model.embeddings_[..., 0], *views[..., 0]])[:2, 2:])
    >>> bool((agreement.max(axis=0) > 0.9).all())
    True
    """

    n_views: int | str = 2
    max_views: int = 5
    weights: str = "mixture"
    n_init: int = 20
    max_iter: int = 500
    tol: float = 1e-4

    def _fit_record(self, comparisons: Comparisons) -> None:
        self._check_several()
        check_choice("weights", self.weights, ("mixture", "published"))
        rng = as_generator(self.random_state)
        check_integer("max_views", self.max_views, minimum=1)
        with progress(type(self).__name__, enabled=self.verbose) as advance:
            self.n_views_ = self._number_of_maps(
                comparisons, "n_views", self.max_views, rng, advance
            )
            mixture = self._mixture(comparisons, self.n_views_, rng, advance)
        self._keep(mixture, comparisons)

    def _mixture(
        self, comparisons: Comparisons, n_views: int, rng: np.random.Generator, advance: Advance
    ) -> MapMixture:
        """Begin at steps away from the map of all answers and at random; keep the best."""
        method = self.pooled_method().set_params(random_state=rng)
        pooled = pooled_map(method, self.loss, comparisons, None, 0)
        kind = MapMixture if self.weights == "mixture" else AuthorsMixture
        starts = []
        for number in range(self.n_init if n_views > 1 else 1):
            maps = [pooled.places]
            if n_views > 1:
                n, dimension = pooled.places.shape
                maps = [
                    perturbed(pooled.places, rng) if number % 2 else random_start(n, dimension, rng)
                    for _ in range(n_views)
                ]
            start = self._begun(kind, comparisons, np.arange(len(comparisons)), pooled.space, maps)
            start.places = [at_best_scale(points, start.cost_of_one) for points in maps]
            starts.append(start)
        best = best_mixture(starts, max_rounds=self.max_iter, tol=self.tol, advance=advance)
        return best.sorted()

    def _map_probabilities(self, comparisons: Comparisons) -> Floats:
        return np.broadcast_to(self.shares_, (len(comparisons), self.n_views_))


class AuthorsMixture(MapMixture):
    """Shares answers among views as the authors' code does: by far over near distance."""

    def memberships(self, heat: float = 1.0) -> Floats:
        """Return z of shape (n_answers, n_views); see `authors_weights`."""
        super().memberships(heat)  # for the likelihood, by which starts are compared
        return authors_weights(self.maps, self.comparisons)


def authors_weights(maps: list[NDArray[np.float64]], comparisons: Comparisons) -> Floats:
    """Share each answer among views in proportion to far over near distance where it holds."""
    ratios = np.empty((len(comparisons), len(maps)))
    for column, points in zip(ratios.T, maps, strict=True):
        near2, far2 = squared_distances(points, comparisons.rows)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.sqrt(far2 / near2)
        ratio = np.where(np.isinf(ratio), _FARTHEST, np.nan_to_num(ratio))
        column[:] = np.where(ratio > 1.0, ratio, np.finfo(np.float64).eps)
    shared: Floats = ratios / ratios.sum(axis=1, keepdims=True)
    return shared
