"""Hamiltonian Monte Carlo: points drawn from exp(−potential)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ordinate.solvers.result import Objective, Points

N_WARM_UP = 200
"""Trajectories that find the typical set and the step length, and are thrown away."""
_N_STEPS = 12
"""Steps of a trajectory, on average; drawn anew each time so that none comes round in circles."""
_ACCEPTANCE = 0.8
"""Share of accepted trajectories that the step length aims at."""


def sample_hmc(
    potential: Objective, start: Points, n_samples: int, rng: np.random.Generator
) -> Iterator[Points]:
    """Draw points whose density is proportional to exp(−potential).

    Leapfrog trajectories with unit masses, so coordinates should be of like scale; the step
    length is found by dual averaging (Hoffman & Gelman, JMLR 2014) during a warm-up.

    Parameters
    ----------
    potential : callable
        Takes a point, returns the potential and its gradient.
    start : ndarray
        Where to begin.
    n_samples : int
        Points to draw after the warm-up.
    rng : Generator
        Source of randomness.

    Yields
    ------
    ndarray
        A point of the chain; successive ones are correlated.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.solvers.hmc import sample_hmc
    >>> def normal(x):
    ...     return 0.5 * float(np.sum(x**2)), x
    >>> draws = list(sample_hmc(normal, np.zeros((2, 1)), 2000, np.random.default_rng(0)))
    >>> bool(abs(np.var(draws) - 1) < 0.1)
    True
    """
    here = _State(start, *potential(start))
    length = _StepLength(0.1)
    for number in range(N_WARM_UP + n_samples):
        momentum = rng.standard_normal(start.shape)
        there, final = _leapfrog(potential, here, momentum, length.value, rng)
        change = here.energy(momentum) - there.energy(final)
        probability = float(np.exp(min(change, 0.0))) if np.isfinite(change) else 0.0
        if rng.random() < probability:
            here = there
        if number < N_WARM_UP:
            length.adapt(probability, last=number == N_WARM_UP - 1)
        else:
            yield here.point


@dataclass(frozen=True)
class _State:
    point: Points
    potential: float
    gradient: Points

    def energy(self, momentum: Points) -> float:
        return self.potential + 0.5 * float(np.sum(np.square(momentum)))


def _leapfrog(
    potential: Objective,
    state: _State,
    momentum: Points,
    length: float,
    rng: np.random.Generator,
) -> tuple[_State, Points]:
    for _ in range(rng.integers(_N_STEPS // 2, 3 * _N_STEPS // 2 + 1)):
        momentum = momentum - 0.5 * length * state.gradient
        point = state.point + length * momentum
        state = _State(point, *potential(point))
        momentum = momentum - 0.5 * length * state.gradient
    return state, momentum


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
