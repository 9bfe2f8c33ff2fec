"""Mixtures: which group each unit, such as a person, belongs to is learned along with the groups.

Given everybody's probabilities the groups are weighted fits, given the groups the probabilities
follow from Bayes' rule: expectation and maximization in turn raise the likelihood
Σ_units log Σ_g π_g p_g(unit).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from scipy.special import log_softmax, logsumexp

from ordinate._arrays import Floats
from ordinate._progress import Advance

HEATS = (32.0, 16.0, 8.0, 4.0, 2.0)
"""Memberships are kept uncertain at first: a hundred answers speak loudly for a group that has only
begun to form."""
_RACES, _SHORT = 3, 4
"""How often the less likely half of the starts is given up, and after how many rounds."""
_WINDOW = 5
"""Rounds over which progress is judged."""


class Mixture(ABC):
    """Groups, their shares, and what the answers say about both."""

    slack: float = 0.0
    """Added to the size of the log-likelihood by which progress is judged: it may go to 0."""
    settled: bool = False
    """Whether the last move left nothing to do, as memberships had not changed before it."""

    def __init__(self, n_groups: int) -> None:
        self.shares: Floats = np.full(n_groups, 1 / n_groups)
        self.log_likelihood = -np.inf
        self.n_rounds = 0
        self.converged = False

    @abstractmethod
    def costs(self) -> Floats:
        """Return minus the log-likelihood of each unit in each group, (n_units, n_groups)."""

    @abstractmethod
    def move(self, probabilities: Floats) -> None:
        """Fit the groups to the units, weighted by shape (n_units, n_groups)."""

    def memberships(self, heat: float = 1.0) -> Floats:
        """Return how probable it is that a unit belongs to each group, (n_units, n_groups).

        `heat` above one makes them less certain than they are; the likelihood is kept too.
        """
        with np.errstate(divide="ignore"):
            joint = np.log(self.shares) - self.costs()
        self.log_likelihood = float(logsumexp(joint, axis=1).sum())
        probabilities: Floats = np.exp(log_softmax(joint / heat, axis=1))
        return probabilities

    def run(self, max_rounds: int, tol: float, heats: Sequence[float] = ()) -> None:
        """Do rounds of expectation and maximization until the likelihood rises no more."""
        history: list[float] = []
        for number in range(max_rounds):
            heat = heats[number] if number < len(heats) else 1.0
            probabilities = self.memberships(heat)
            history.append(self.log_likelihood)
            self.n_rounds += 1
            recent = history[len(heats) :][-_WINDOW - 1 :]
            size = abs(history[-1]) + self.slack
            rises_no_more = len(recent) > _WINDOW and recent[-1] - recent[0] <= tol * size
            if rises_no_more or self.settled:
                self.converged = True
                return
            self.shares = probabilities.mean(axis=0)
            self.move(probabilities)


_M = TypeVar("_M", bound=Mixture)


def best_mixture(
    starts: Sequence[_M],
    *,
    max_rounds: int,
    tol: float,
    heats: Sequence[float] = (),
    advance: Advance | None = None,
) -> _M:
    """Run all starts for a few rounds, the likelier half for a few more, the best to its end."""
    running = list(starts)
    for race in range(_RACES):
        first_heats = heats if race == 0 else ()
        for start in running:
            start.run(_SHORT + len(first_heats), tol, first_heats)
            start.memberships()
            if advance:
                advance(1)
        running.sort(key=lambda start: -start.log_likelihood)
        running = running[: (len(running) + 1) // 2]
    best = running[0]
    if not best.converged:
        best.run(max_rounds, tol)
    return best
