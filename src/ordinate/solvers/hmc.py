"""Hamiltonian Monte Carlo: points drawn from exp(−potential), and checks of such chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate.solvers.stopping import Function

N_WARM_UP = 200
"""Trajectories that find the typical set and the step length, and are thrown away."""
_N_STEPS = 24
"""Steps of a trajectory, on average; random each time, so that no trajectory closes a circle."""
_ACCEPTANCE = 0.8
"""Share of accepted trajectories that the step length aims at."""


@dataclass(frozen=True)
class State:
    """A point with its potential and the gradient there."""

    point: Points
    potential: float
    gradient: Points

    def energy(self, momentum: Points) -> float:
        """Return the potential plus the kinetic energy of a momentum."""
        return self.potential + 0.5 * float(np.sum(np.square(momentum)))


Leapfrog: TypeAlias = Callable[[Points, Points, Points, float, int], float]
"""Moves a point, its momentum and its gradient in place by so many steps of this length."""
Moves: TypeAlias = Callable[[State, bool], State]
"""Changes what a trajectory leaves as it is; told whether the chain still warms up."""


def sample_hmc(
    potential: Function,
    start: Points,
    n_draws: int,
    rng: np.random.Generator,
    *,
    n_warm_up: int = N_WARM_UP,
    leapfrog: Leapfrog | None = None,
    moves: Moves | None = None,
) -> Iterator[Points]:
    """Draw points whose density is proportional to exp(−potential).

    Leapfrog trajectories with unit masses, so coordinates should be of like scale; the step
    length is found by dual averaging (Hoffman & Gelman, JMLR 2014) during a warm-up.
    """
    follow = _stepwise(potential) if leapfrog is None else leapfrog
    here = State(start, *potential(start))
    length = _StepLength(0.1)
    for number in range(n_warm_up + n_draws):
        warming = number < n_warm_up
        if moves is not None:
            here = moves(here, warming)
        momentum = rng.standard_normal(start.shape)
        before = here.energy(momentum)
        point, gradient = here.point.copy(), here.gradient.copy()
        n_steps = int(rng.integers(_N_STEPS // 2, 3 * _N_STEPS // 2 + 1))
        there = State(point, follow(point, momentum, gradient, length.value, n_steps), gradient)
        change = before - there.energy(momentum)
        probability = float(np.exp(min(change, 0.0))) if np.isfinite(change) else 0.0
        if rng.random() < probability:
            here = there
        if warming:
            length.adapt(probability, last=number == n_warm_up - 1)
        else:
            yield here.point


def _stepwise(potential: Function) -> Leapfrog:
    def leapfrog(
        point: Points, momentum: Points, gradient: Points, length: float, n_steps: int
    ) -> float:
        value = 0.0
        for _ in range(n_steps):
            momentum -= 0.5 * length * gradient
            point += length * momentum
            value, gradient[:] = potential(point)
            momentum -= 0.5 * length * gradient
        return value

    return leapfrog


class _StepLength:
    """Dual averaging: large corrections at first, then an average over the warm-up."""

    def __init__(self, first: float) -> None:
        self.value = first
        self._centre = np.log(10 * first)
        self._shortfall = 0.0
        self._mean_log = 0.0
        self._count = 0

    def adapt(self, probability: float, *, last: bool) -> None:
        self._count += 1
        share = 1.0 / (self._count + 10)
        self._shortfall += share * (_ACCEPTANCE - probability - self._shortfall)
        log_length = self._centre - np.sqrt(self._count) / 0.05 * self._shortfall
        share = self._count**-0.75
        self._mean_log += share * (log_length - self._mean_log)
        self.value = float(np.exp(self._mean_log if last else log_length))


def split_rhat(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much wider all half-chains together are than each of them: 1 if they agree.

    Gelman et al., Bayesian Data Analysis, 3rd edition 2013, section 11.4.
    """
    within, total = _variances(_halves(draws))
    return np.sqrt(np.divide(total, within, out=np.ones_like(total), where=within > 0))


def effective_draws(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many independent draws would estimate a mean as well.

    Autocorrelations are summed in pairs as long as these are positive and made to fall
    (Geyer's initial monotone sequence).

    Geyer, Practical Markov Chain Monte Carlo, Statistical Science 1992; Gelman et al., Bayesian
    Data Analysis, 3rd edition 2013, section 11.5.
    """
    halves = _halves(draws)
    n_chains, n_draws, _ = halves.shape
    within, total = _variances(halves)
    centered = halves - halves.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centered, 2 * n_draws, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, 2 * n_draws, axis=1)[:, :n_draws].mean(axis=0)
    varying = total > 0
    lost = np.zeros_like(covariance)
    np.divide(within - covariance / (n_draws - 1), total, out=lost, where=varying)
    correlation = 1.0 - lost
    n_pairs = n_draws // 2
    pairs = correlation[0 : 2 * n_pairs : 2] + correlation[1 : 2 * n_pairs : 2]
    falling = np.minimum.accumulate(pairs, axis=0)
    time = 2.0 * np.where(falling > 0, falling, 0.0).sum(axis=0) - 1.0
    n_all = n_chains * n_draws
    return np.where(varying, np.minimum(n_all / np.maximum(time, 1e-9), n_all), float(n_all))


def _halves(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, half : 2 * half]])


def _variances(chains: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean variance within chains and the variance over all of them."""
    n_draws = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    total = within * (n_draws - 1) / n_draws + chains.mean(axis=1).var(axis=0, ddof=1)
    return within, total
