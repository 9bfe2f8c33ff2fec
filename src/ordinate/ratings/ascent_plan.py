"""How a stochastic ascent over drawn triples is cut into rounds, watched and ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate._progress import progress
from ordinate.engine.cpu import Points
from ordinate.ratings.early_stopping import EarlyStopping
from ordinate.ratings.sgd import stochastic_gradient
from ordinate.ratings.triple_sampling import Sampler, TripleRounds, TripleStep

_MOST_ROWS_PER_ROUND = 65_536
"""Triples of a round stay in the cache of a core; more would gain nothing."""
_FEWEST_ROUNDS = 250
"""The learning rate falls from round to round."""
_PARTS = 8
"""Parts in which the triples of a round are drawn, so that threads share them evenly."""


@dataclass(frozen=True)
class AscentPlan:
    """How many triples are drawn and how long the steps are.

    Parameters
    ----------
    name : str
        What the progress bar is called.
    n_triples : int
        How many triples are drawn, a few more where rounds are to be equal.
    learning_rate : float
        Of the first round.
    n_threads : int
        Threads that share the work.
    verbose : bool
        Show a progress bar.
    """

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
        validation: NDArray[np.uint32] | None = None,
    ) -> tuple[Points, list[float]]:
        """Climb from `start`.

        Parameters
        ----------
        step : callable
            Takes coordinates to move in place, triples and the learning rate.
        sampler : Sampler
            Where triples come from.
        start : ndarray of shape (n_objects, n_components)
            Where to begin; not changed.
        rng : Generator
            Seeds the draws.
        validation : ndarray of uint32, shape (n_triples, 3), optional
            Held-out triples, whose accuracy may end the ascent and chooses the map.

        Returns
        -------
        points : ndarray of shape (n_objects, n_components)
            The last map, or the best one if there is a validation.
        scores : list of float
            Accuracy on the validation at each check.
        """
        n_rounds = max(_FEWEST_ROUNDS, -(-self.n_triples // _MOST_ROWS_PER_ROUND))
        rows_per_round = -(-self.n_triples // n_rounds)
        rounds = TripleRounds(sampler, step, draw_seeds(rng, _PARTS), rows_per_round)
        stopping = EarlyStopping(validation, n_rounds)
        with progress(self.name, total=n_rounds, enabled=self.verbose) as advance:

            def after(number: int, points: Points) -> bool:
                advance()
                return stopping(number, points)

            points = stochastic_gradient(
                rounds,
                start,
                n_rounds=n_rounds,
                learning_rate=self.learning_rate,
                n_threads=self.n_threads,
                callback=after,
            )
        best = points if stopping.best is None else stopping.best
        if not np.isfinite(best).all():
            raise InputError(
                f"The map grew without bounds with learning_rate {self.learning_rate:g}; lower it,"
                " or the weight of the prior."
            )
        return best, stopping.scores


def draw_seeds(rng: np.random.Generator, n: int) -> NDArray[np.uint64]:
    """Return seeds for draws of triples."""
    return rng.integers(2**64, size=n, dtype=np.uint64)
