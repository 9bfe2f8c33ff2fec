"""Hamiltonian Monte Carlo: points drawn from exp(−potential)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ordinate.solvers.stopping import Function, Points

N_WARM_UP = 200
"""Trajectories that find the typical set and the step length, and are thrown away."""
_N_STEPS = 24
"""Steps of a trajectory, on average; drawn anew each time so that none comes round in circles."""
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
    n_samples: int,
    rng: np.random.Generator,
    *,
    n_warm_up: int = N_WARM_UP,
    leapfrog: Leapfrog | None = None,
    moves: Moves | None = None,
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
    n_warm_up : int
        Trajectories that are thrown away.
    leapfrog : callable, optional
        A compiled way to follow a trajectory of this potential.
    moves : callable, optional
        Moves between trajectories that keep the distribution as it is, such as those of
        parameters the potential has besides the point.

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
    follow = _stepwise(potential) if leapfrog is None else leapfrog
    here = State(start, *potential(start))
    length = _StepLength(0.1)
    for number in range(n_warm_up + n_samples):
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
