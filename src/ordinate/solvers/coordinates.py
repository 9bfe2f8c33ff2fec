"""Draws of the coordinates given the answers: what the map might be, not only what fits best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from ordinate import losses
from ordinate._arrays import Floats, Points
from ordinate._checks import InputError, check_integer, check_real
from ordinate._progress import progress
from ordinate._random import RandomState, as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import Comparisons
from ordinate.engine.likelihoods import likelihood as likelihood_of
from ordinate.engine.posterior import CoordinatePosterior, ScalePrior
from ordinate.solvers.hmc import N_WARM_UP, State, effective_draws, sample_hmc, split_rhat
from ordinate.solvers.lbfgs import lbfgs

Likelihood: TypeAlias = "str | tuple[losses.Loss, Sequence[float]]"

LAPSE_PRIOR = (1.0, 4.0)
"""Beta distribution of the share of random responses: 0.2 on average, above 0.53 in 5 %."""
_SCALE_SHAPE = 2.0
"""Inverse gamma distribution of the variance of coordinates: 90 % within a factor of 14."""
_MARGIN = 6.0
"""Standard deviation of a margin under the prior, in units of the logistic noise."""
_MANY_ANSWERS = 10_000
"""With fewer answers a trajectory costs less, and successive draws are more alike."""
_MOST_APART = 8
"""Trajectories between draws, at most."""
_PAIRS = 200
"""Distances that R-hat and the effective number of draws are taken over."""


@dataclass(frozen=True, eq=False)
class CoordinateDraws:
    """Draws from the posterior of the coordinates, by several chains."""

    draws: Floats
    lapse: Floats
    scale: Floats
    rhat: float
    ess: float


def sample_coordinates(
    comparisons: Comparisons,
    n_components: int,
    *,
    likelihood: Likelihood = "STE",
    lapse: float | None = None,
    n_draws: int = 200,
    n_chains: int = 4,
    n_warm_up: int = N_WARM_UP,
    init: ArrayLike | None = None,
    root: Points | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> CoordinateDraws:
    """Draw coordinates from their posterior given the answers.

    An answer has the probability ℓ/2 + (1 − ℓ) p with p that of the likelihood; coordinates are
    normal with a common variance, or with a multiple of the covariance over objects that `root` is
    a root of. The lapse rate ℓ and the variance are learned: the variance
    is integrated out, ℓ moves between the trajectories of a Hamiltonian Monte Carlo sampler.

    Neal, MCMC Using Hamiltonian Dynamics, Handbook of Markov Chain Monte Carlo 2011.
    """
    d = check_integer("n_components", n_components, minimum=1)
    check_integer("n_draws", n_draws, minimum=4)
    check_integer("n_chains", n_chains, minimum=1)
    check_integer("n_warm_up", n_warm_up, minimum=1)
    if isinstance(likelihood, str):
        likelihood = likelihood_of(likelihood, d)
    loss, parameters = likelihood
    if lapse is not None:
        check_real("lapse", lapse, minimum=0, maximum=1, open_maximum=True)
    prior = scale_prior(loss, d)
    apart = int(np.clip(_MANY_ANSWERS // max(len(comparisons), 1), 1, _MOST_APART))

    def posterior() -> CoordinatePosterior:
        first = 0.1 if lapse is None else lapse or None
        return CoordinatePosterior(comparisons, loss, parameters, prior, first, root)

    rng = as_generator(random_state)
    starts = _starts(init, (n_chains, comparisons.n_objects, d), prior, rng)
    if init is not None:
        starts = np.array([posterior().whiten(start) for start in starts])
    seeds = rng.spawn(n_chains)
    workers = Parallel(n_jobs=effective_n_jobs(n_jobs), prefer="threads")
    modes = workers(delayed(_mode)(posterior(), start) for start in starts)
    if init is None:
        modes = [min(modes, key=lambda mode: mode[0])] * n_chains
    with progress("Sampling the posterior", total=n_chains * n_draws, enabled=verbose) as advance:

        def run(start: Points, seed: np.random.Generator) -> tuple[Floats, Floats]:
            learn = lapse is None
            chain = coordinate_chain(
                posterior(),
                start,
                n_draws,
                seed,
                n_warm_up=n_warm_up,
                apart=apart,
                learn_lapse=learn,
            )
            return _collected(chain, n_draws, start.shape, advance)

        found = workers(
            delayed(run)(mode, seed) for (_, mode), seed in zip(modes, seeds, strict=True)
        )
    draws, lapses = (np.stack(parts) for parts in zip(*found, strict=True))
    scale = np.sqrt(np.mean(draws**2, axis=(2, 3)))
    return CoordinateDraws(draws, lapses, scale, *_trust(draws, lapses))


def _collected(
    chain: Iterator[tuple[Points, float]],
    n_draws: int,
    shape: tuple[int, ...],
    advance: Callable[[int], None],
) -> tuple[Floats, Floats]:
    """Return the coordinates and the lapse rates of a chain, as arrays."""
    points, lapses = np.empty((n_draws, *shape)), np.empty(n_draws)
    for number, draw in enumerate(chain):
        points[number], lapses[number] = draw
        advance(1)
    return points, lapses


def coordinate_chain(
    posterior: CoordinatePosterior,
    start: Points,
    n_draws: int,
    rng: np.random.Generator,
    *,
    n_warm_up: int = N_WARM_UP,
    apart: int = 1,
    learn_lapse: bool = False,
) -> Iterator[tuple[Points, float]]:
    """Run one chain from (whitened) coordinates; yield maps and lapse rates."""
    moves = _ParameterMoves(posterior, rng, learn_lapse=learn_lapse)
    chain = sample_hmc(
        posterior,
        start,
        apart * n_draws,
        rng,
        n_warm_up=n_warm_up,
        leapfrog=None if posterior.is_whitened else posterior.leapfrog,
        moves=moves,
    )
    for number, white in enumerate(chain, 1):
        if number % apart == 0:
            points = posterior.color(white)
            yield points - points.mean(axis=0), posterior.lapse or 0.0


def scale_prior(loss: losses.Loss, n_components: int) -> ScalePrior:
    """Return a weak prior of the scale, centred on margins that people judge with noise."""
    # the margin of points with variance v per coordinate has variance 12 n_components v² on
    # squared distances, and about 1.4 v on distances
    squares = _MARGIN / np.sqrt(12 * n_components)
    variance = _MARGIN**2 / 1.4 if loss is losses.logistic else squares
    return ScalePrior(_SCALE_SHAPE, _SCALE_SHAPE * float(variance))


class _ParameterMoves:
    """Random walks of the scale and of the lapse rate, which trajectories hardly change."""

    def __init__(
        self, posterior: CoordinatePosterior, rng: np.random.Generator, *, learn_lapse: bool
    ) -> None:
        self._posterior = posterior
        self._scale = _Walk(rng, 0.3) if np.isfinite(posterior.prior.shape) else None
        self._lapse = _Walk(rng, 1.0) if learn_lapse else None

    def __call__(self, state: State, warming: bool) -> State:
        for _ in range(2):
            if self._scale is not None:
                state = self._rescale(state, self._scale, warming)
            if self._lapse is not None:
                state = self._change_lapse(state, self._lapse, warming)
        return state

    def _rescale(self, state: State, walk: _Walk, warming: bool) -> State:
        step = walk.step()
        point = np.exp(step) * state.point
        there = State(point, *self._posterior(point))
        gain = state.potential - there.potential + step * point.size
        return there if walk.accepts(gain, warming) else state

    def _change_lapse(self, state: State, walk: _Walk, warming: bool) -> State:
        before = self._posterior.lapse
        assert before is not None
        self._posterior.lapse = after = float(expit(logit(before) + walk.step()))
        there = State(state.point, *self._posterior(state.point))
        gain = state.potential - there.potential + _log_prior(after) - _log_prior(before)
        if walk.accepts(gain, warming):
            return there
        self._posterior.lapse = before
        return state


def _log_prior(lapse: float) -> float:
    """Return the logarithm of the density of logit ℓ."""
    a, b = LAPSE_PRIOR
    lapse = min(max(lapse, 1e-300), 1 - 1e-16)
    return float(a * np.log(lapse) + b * np.log1p(-lapse))


class _Walk:
    """Steps of a random walk whose size is learned while the chain warms up."""

    def __init__(self, rng: np.random.Generator, size: float) -> None:
        self._rng = rng
        self._size = size
        self._count = 0

    def step(self) -> float:
        return float(self._size * self._rng.standard_normal())

    def accepts(self, gain: float, warming: bool) -> bool:
        """Decide by the change of log density; aim at accepting two in five."""
        probability = float(np.exp(min(gain, 0.0))) if np.isfinite(gain) else 0.0
        if warming:
            self._count += 1
            self._size *= float(np.exp((probability - 0.4) / np.sqrt(self._count)))
        return bool(self._rng.random() < probability)


def _starts(
    init: ArrayLike | None, shape: tuple[int, int, int], prior: ScalePrior, rng: np.random.Generator
) -> Floats:
    if init is None:
        return float(np.sqrt(prior.rate / prior.shape)) * rng.standard_normal(shape)
    start: Floats = np.asarray(init, dtype=np.float64)
    if start.shape not in (shape, shape[1:]):
        raise InputError(
            f"init has shape {start.shape}; expected {shape[1:]}, or {shape} with a start for"
            " each chain."
        )
    return np.array(np.broadcast_to(start, shape))


def _mode(posterior: CoordinatePosterior, start: Points) -> tuple[float, Points]:
    found = lbfgs(posterior, np.array(start), max_iter=200, tol=1e-3)
    return found.value, found.points


def _trust(draws: Floats, lapse: Floats) -> tuple[float, float]:
    """Return the largest R-hat and the smallest effective number of draws."""
    n_objects = draws.shape[2]
    first, second = np.triu_indices(n_objects, 1)
    if len(first) > _PAIRS:
        chosen = np.random.default_rng(0).choice(len(first), _PAIRS, replace=False)
        first, second = first[chosen], second[chosen]
    gaps = draws[:, :, first] - draws[:, :, second]
    distances = np.sqrt(np.sum(gaps**2, axis=-1))
    mean = distances.mean(axis=-1, keepdims=True)
    learned = lapse[:, :, None] if np.ptp(lapse) > 0 else lapse[:, :, None][:, :, :0]
    quantities = np.concatenate([distances / mean, np.log(mean), learned], axis=-1)
    return float(split_rhat(quantities).max()), float(effective_draws(quantities).min())
