"""Stochastic gradient over drawn triples: rounds and threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError
from ordinate._progress import progress
from ordinate.engine.cpu import run_chunks
from ordinate.ratings.triples import Sampler, TripleRounds, TripleStep

_MOST_ROWS_PER_ROUND = 65_536
"""Triples of a round stay in the cache of a core; more would gain nothing."""
_FEWEST_ROUNDS = 250
"""The learning rate falls from round to round."""
_PARTS = 8
"""Parts in which the triples of a round are drawn, so that threads share them evenly."""


class Rounds(Protocol):
    """Rounds of steps: what each is about is drawn first, part by part, into one of two buffers."""

    n_parts: int

    def draw(self, part: int, buffer: int) -> None:
        """Draw one part of a round. Parts must not depend on each other, nor on coordinates."""

    def move(self, points: Points, buffer: int, rate: float) -> None:
        """Take the steps of the round in a buffer, one after the other; move `points` in place."""


def stochastic_gradient(
    rounds: Rounds,
    start: Points,
    *,
    n_rounds: int,
    learning_rate: float,
    n_threads: int = 1,
    callback: Callable[[], object] | None = None,
) -> Points:
    """Move coordinates by many small random steps, with a falling learning rate.

    While one thread takes the steps of a round, the others draw the next one. Steps are taken
    one after the other and each part draws from a source of its own, so that the number of
    threads changes nothing.
    """
    points = start.copy()
    for part in range(rounds.n_parts):
        rounds.draw(part, 0)
    for number in range(n_rounds):
        buffer = number % 2
        rate = learning_rate * (1 - number / n_rounds) ** 2

        def work(task: int, buffer: int = buffer, rate: float = rate) -> float:
            if task == 0:
                rounds.move(points, buffer, rate)
            else:
                rounds.draw(task - 1, 1 - buffer)
            return 0.0

        is_last = number == n_rounds - 1
        run_chunks(work, 1 if is_last else 1 + rounds.n_parts, n_threads)
        if callback is not None:
            callback()
    return points


@dataclass(frozen=True)
class AscentPlan:
    """How many triples are drawn and how long the steps are."""

    name: str
    n_triples: int
    learning_rate: float
    n_threads: int = 1
    verbose: bool = False

    def run(
        self,
        step: TripleStep,
        sampler: Sampler,
        start: Points,
        rng: np.random.Generator,
    ) -> Points:
        """Ascend from `start`."""
        n_rounds = max(_FEWEST_ROUNDS, -(-self.n_triples // _MOST_ROWS_PER_ROUND))
        rows_per_round = -(-self.n_triples // n_rounds)
        rounds = TripleRounds(sampler, step, draw_seeds(rng, _PARTS), rows_per_round)
        with progress(self.name, total=n_rounds, enabled=self.verbose) as advance:
            points = stochastic_gradient(
                rounds,
                start,
                n_rounds=n_rounds,
                learning_rate=self.learning_rate,
                n_threads=self.n_threads,
                callback=advance,
            )
        if not np.isfinite(points).all():
            raise InputError(
                f"The map grew without bounds with learning_rate {self.learning_rate:g}; lower it,"
                " or the weight of the prior."
            )
        return points


def draw_seeds(rng: np.random.Generator, n: int) -> NDArray[np.uint64]:
    """Return seeds for draws of triples."""
    return rng.integers(2**64, size=n, dtype=np.uint64)
