"""Stochastic gradient on several threads, with the same bits for any number of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ordinate.engine.cpu import run_chunks
from ordinate.solvers.result import Points

Step: TypeAlias = Callable[[int, Points, float], None]
"""Takes a lane, coordinates to move in place, and the learning rate."""
RoundCallback: TypeAlias = Callable[[int, Points], object]
"""Called after each round with its number and the coordinates; True stops."""


def stochastic_gradient(
    step: Step,
    start: Points,
    *,
    n_rounds: int,
    learning_rate: float,
    n_lanes: int = 1,
    n_threads: int = 1,
    callback: RoundCallback | None = None,
) -> Points:
    """Move coordinates by many small random steps, with a falling learning rate.

    Work is cut into lanes, whose number does not depend on the number of threads. In a round
    each lane starts from the same coordinates and steps on a copy of its own; then the moves of
    all lanes are added up in order. Short rounds make that as good as one lane.

    Parameters
    ----------
    step : callable
        Does one lane's share of a round: takes the lane, coordinates to move in place and the
        learning rate. It must release the interpreter lock to gain from threads.
    start : ndarray of shape (n_objects, n_components)
        Where to begin; not changed.
    n_rounds : int
        How many rounds.
    learning_rate : float
        The rate of the first round; in round t of T it is (1 − t/T)² times that.
    n_lanes : int
        Number of lanes.
    n_threads : int
        How many threads share the lanes.
    callback : callable, optional
        Called after each round with its number, counted from 1, and the coordinates; ends the
        run by returning True.

    Returns
    -------
    ndarray of shape (n_objects, n_components)
        The coordinates at the end.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.solvers.sgd import stochastic_gradient
    >>> def halve(lane, points, rate):
    ...     points -= rate * points
    >>> end = stochastic_gradient(halve, np.ones((3, 2)), n_rounds=50, learning_rate=0.5)
    >>> bool(np.all(np.abs(end) < 1e-3))
    True
    """
    points = start.copy()
    copies = np.empty((n_lanes, *start.shape))
    n_groups = min(n_threads, n_lanes)
    rate = learning_rate

    def work(group: int) -> float:
        for lane in range(group, n_lanes, n_groups):
            np.copyto(copies[lane], points)
            step(lane, copies[lane], rate)
        return 0.0

    for number in range(n_rounds):
        rate = learning_rate * (1 - number / n_rounds) ** 2
        run_chunks(work, n_groups, n_threads)
        copies -= points
        points += copies.sum(axis=0)
        if callback is not None and callback(number + 1, points) is True:
            break
    return points
