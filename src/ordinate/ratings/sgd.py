"""Stochastic gradient on several threads, with the same bits for any number of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from ordinate.engine.cpu import run_chunks
from ordinate.solvers.result import Points

RoundCallback: TypeAlias = Callable[[int, Points], object]
"""Called after each round with its number and the coordinates; True stops."""


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
    callback: RoundCallback | None = None,
) -> Points:
    """Move coordinates by many small random steps, with a falling learning rate.

    While one thread takes the steps of a round, the others draw the next one. Steps are taken
    one after the other and each part draws from a source of its own, so that the number of
    threads changes nothing.

    Parameters
    ----------
    rounds : Rounds
        Draws and takes the steps. Both must release the interpreter lock to gain from threads.
    start : ndarray of shape (n_objects, n_components)
        Where to begin; not changed.
    n_rounds : int
        How many rounds.
    learning_rate : float
        The rate of the first round; in round t of T it is (1 − t/T)² times that.
    n_threads : int
        How many threads share the work.
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
    >>> from ordinate.ratings.sgd import stochastic_gradient
    >>> class Halving:
    ...     n_parts = 1
    ...     def draw(self, part, buffer):
    ...         pass
    ...     def move(self, points, buffer, rate):
    ...         points -= rate * points
    >>> end = stochastic_gradient(Halving(), np.ones((3, 2)), n_rounds=50, learning_rate=0.5)
    >>> bool(np.all(np.abs(end) < 1e-3))
    True
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
        if callback is not None and callback(number + 1, points) is True:
            break
    return points
