"""The posterior mean of the Gram matrix: the method for scarce answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import diags_array, hstack
from scipy.special import expit

from ordinate import losses
from ordinate._arrays import Points
from ordinate._checks import check_integer
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import Comparisons
from ordinate.engine.posterior import CoordinatePosterior, ScalePrior
from ordinate.gram.base import GramEstimator
from ordinate.gram.objective import ComparedPairs, Gram, MarginOperator, Vector
from ordinate.gram.penalty import question_folds
from ordinate.solvers.coordinates import coordinate_chain
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Result

SPREADS = {"low-rank": 10.0, "low-rank, sharp": 30.0}
"""Low-rank priors, by the standard deviation of a margin in units of the logistic noise."""
PRIORS = ("independent", *SPREADS)
_NORM_SPREAD = 0.5
"""Standard deviation of a squared norm beside that of an inner product, if independent."""
_EXPOSURE_SPREAD = 0.5
"""Standard deviation of what a unit of log exposure adds to a squared norm."""


class _Fit(NamedTuple):
    """A posterior mean, the chances of held-out answers, and how a mode was found."""

    gram: Gram
    chances: Vector
    mode: Result | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class PosteriorGram(GramEstimator):
    """The mean Gram matrix given the answers, averaged over what they leave open.

    Where answers are few, the best single map is one of very many that fit as well, and its
    errors are those of a guess. This estimator combines three estimates of the inner products
    under a logistic model of the answers (that of STE). Two are posterior means, of points from a
    normal distribution in `n_components` dimensions with more or less noise in the answers. The
    third is a posterior mode, of independent inner products, which any number of dimensions may
    serve. Five-fold cross-validation over the answers given to `fit` weighs the three (stacking),
    so there is no penalty to choose.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the low-rank priors and of the embedding.
    n_draws : int, default=1000
        Draws that each posterior mean is taken over.
    max_iter : int, default=2000
        Most iterations for the mode under the independent prior.
    tol : float, default=1e-4
        Its relative tolerance.
    random_state : int, Generator or None, default=None
        Seed of folds and draws. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Posteriors at the same time, as in joblib: -1 for all cores, None for one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    gram_ : ndarray of shape (n_objects, n_objects)
        Inner products, positive semidefinite: a multiple of the identity is added where needed,
        which adds the same to all squared distances and changes no comparison. The scale is
        such that squared distances from one object have variance one half on average.
    embedding_ : ndarray of shape (n_objects, n_components)
        Coordinates, centred: the best approximation of that rank.
    names_ : tuple of str or None
        The objects' names, if the comparisons had any.
    weights_ : dict of str to float
        Share of each prior in `gram_`; they sum to 1.
    n_iter_ : int
        Iterations that a mode under the independent prior took, at most.
    converged_ : bool
        Whether all modes under the independent prior converged; if not, the fit has warned. The
        draws under the other priors are of a fixed number.
    classes_ : ndarray of shape (2,)
        Labels of false and of true rows.

    See Also
    --------
    DMOE : One matrix, by a convex problem.
    STE : One map under the same logistic model.

    References
    ----------
    Yao, Vehtari, Simpson & Gelman, Using Stacking to Average Bayesian Predictive Distributions,
    Bayesian Analysis 2018; the logistic model is that of van der Maaten & Weinberger, Stochastic
    Triplet Embedding, MLSP 2012.

    Examples
    --------
    >>> import ordinate as od
    >>> points = od.datasets.load_cities().points[:30]
    >>> train = od.sources.random_triplets(points, 60, random_state=0)
    >>> test = od.sources.all_triplets(points)
    >>> model = od.PosteriorGram(n_components=2, n_draws=200, random_state=0).fit(train)
    >>> bool(model.score(test) > od.SOE(n_components=2, random_state=0).fit(train).score(test))
    True
    """

    n_draws: int = 1000

    def _learn(self, comparisons: Comparisons) -> Gram:
        check_integer("n_draws", self.n_draws, minimum=2)
        rng = as_generator(self.random_state)
        fold, n_folds = question_folds(comparisons, rng)
        if n_folds == 1:  # a single answer: nothing to weigh the priors by
            n_folds = 0
        tasks = [(prior, held_out) for held_out in (*range(n_folds), None) for prior in PRIORS]
        seeds = rng.spawn(len(tasks))

        with progress(type(self).__name__, total=len(tasks), enabled=self.verbose) as advance:

            def work(prior: str, held_out: int | None, seed: np.random.Generator) -> _Fit:
                out = np.zeros(len(fold), dtype=bool) if held_out is None else fold == held_out
                n_draws = self.n_draws if held_out is None else self.n_draws // 2
                fit = self._posterior(prior, comparisons[~out], comparisons[out], n_draws, seed)
                advance(1)
                return fit

            fits: list[_Fit] = Parallel(n_jobs=effective_n_jobs(self.n_jobs), prefer="threads")(
                delayed(work)(prior, held_out, seed)
                for (prior, held_out), seed in zip(tasks, seeds, strict=True)
            )
        chances = np.empty((len(PRIORS), len(comparisons)))
        for (prior, held_out), fit in zip(tasks, fits, strict=True):
            if held_out is not None:
                chances[PRIORS.index(prior), fold == held_out] = fit.chances
        weights = np.full(len(PRIORS), 1.0 / len(PRIORS))
        if n_folds:
            weights = stacking_weights(chances, comparisons.weights)
        self.weights_ = dict(zip(PRIORS, weights.tolist(), strict=True))
        modes = [fit.mode for fit in fits if fit.mode is not None]
        self.n_iter_ = max(mode.n_iter for mode in modes)
        self._warn_if_short(all(mode.converged for mode in modes), "independent prior")
        grams = [fit.gram for fit in fits[-len(PRIORS) :]]
        mean: Gram = sum(w * at_unit_spread(g) for w, g in zip(weights, grams, strict=True))
        return mean

    def _positive_semidefinite(self, learned: Gram) -> Gram:
        shift = max(0.0, -float(np.linalg.eigvalsh(learned)[0]))
        return learned + shift * np.eye(len(learned))

    def _posterior(
        self,
        prior: str,
        train: Comparisons,
        test: Comparisons,
        n_draws: int,
        rng: np.random.Generator,
    ) -> _Fit:
        """Return the mean Gram matrix and the chance of each held-out answer."""
        if prior == "independent":
            gram, mode = independent_mode(train, max_iter=self.max_iter, tol=self.tol)
            return _Fit(gram, expit(ComparedPairs(test).margins(gram)), mode)
        spread = SPREADS[prior]
        return _Fit(
            *low_rank_mean(train, test, self.n_components, spread, n_draws=n_draws, rng=rng)
        )


def independent_mode(comparisons: Comparisons, *, max_iter: int, tol: float) -> tuple[Gram, Result]:
    """Return the most probable Gram matrix under independent normal entries.

    Squared norms also depend, by a coefficient that is learned, on how often an object occurs in
    the answers: where popular objects are shown more often, frequency alone tells something.
    """
    operator = MarginOperator(comparisons)
    n, n_coordinates = operator.n_objects, operator.matrix.shape[1]
    exposure = np.log1p(np.bincount(comparisons.rows.ravel(), minlength=n))
    exposure = _EXPOSURE_SPREAD * (exposure - exposure.mean())
    # A coordinate of a pair is √2 times its entry, and so is its spread.
    spread = np.full(n_coordinates, np.sqrt(2.0))
    spread[:n] = _NORM_SPREAD
    effect = operator.matrix[:, :n] @ exposure
    design = hstack([operator.matrix @ diags_array(spread), effect[:, None]], format="csr")
    transposed = design.T.tocsr()
    weights = np.ones(len(comparisons)) if comparisons.weights is None else comparisons.weights

    def objective(z: Points) -> tuple[float, Points]:
        value, _, derivative = losses.ste(0.0, design @ z[:, 0])
        gradient = z + (transposed @ (weights * derivative))[:, None]
        return float(weights @ value + 0.5 * np.sum(z**2)), gradient

    start = np.zeros((n_coordinates + 1, 1))
    result = lbfgs(objective, start, max_iter=max_iter, tol=tol)
    found = result.points[:, 0]
    gram = np.diag(found[-1] * exposure)
    operator.add_coordinates(gram, spread * found[:-1])
    return gram, result


def low_rank_mean(
    train: Comparisons,
    test: Comparisons,
    n_components: int,
    spread: float,
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[Gram, Vector]:
    """Return the posterior mean of XX' for normal points X, and the chance of other answers."""
    # a margin of points with variance v per coordinate has variance 12 n_components v²
    variance = spread / np.sqrt(12 * n_components)
    posterior = CoordinatePosterior(train, losses.ste, (), ScalePrior(np.inf, float(variance)))
    start = np.sqrt(variance) * rng.standard_normal((train.n_objects, n_components))
    gram = np.zeros((train.n_objects, train.n_objects))
    chances = np.zeros(len(test))
    pairs = ComparedPairs(test)
    for points, _ in coordinate_chain(posterior, start, n_draws, rng):
        draw = points @ points.T
        gram += draw / n_draws
        chances += expit(pairs.margins(draw)) / n_draws
    return gram, chances


def stacking_weights(chances: NDArray[np.float64], counts: Vector | None = None) -> Vector:
    """Return the mixture of models that gives held-out answers the highest likelihood."""
    chances = np.clip(chances, 1e-3, None)
    weights = np.full(len(chances), 1.0 / len(chances))
    for _ in range(500):
        shares = weights[:, None] * chances
        weights = np.average(shares / shares.sum(axis=0), axis=1, weights=counts)
    return weights


def at_unit_spread(gram: Gram) -> Gram:
    """Scale a Gram matrix so that random margins d_far² − d_near² have variance one."""
    n = len(gram)
    norms = np.diagonal(gram)
    squared = norms[:, None] + norms - 2.0 * gram
    others = squared[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    spread = np.sqrt(2.0 * others.var(axis=1).mean())
    scaled: Gram = gram / spread if spread > 0 else gram
    return scaled
