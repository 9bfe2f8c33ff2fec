"""Which of several starts to follow: short runs on some of the comparisons tell.

The losses of this room have local minima, at one to three dimensions many, and a fit from one
start may end in a poor one. From every start a good part of the loss is gone within a few
iterations, and what is left by then tells good starts from poor ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ordinate.comparisons.record import Comparisons
from ordinate.engine.cpu import CPUObjective
from ordinate.losses import Loss
from ordinate.solvers.batch_lbfgs import batch_lbfgs
from ordinate.solvers.bounded_size import BoundedSize
from ordinate.solvers.result import Points

_MOST_ENTRANTS = 9
"""One start that looks best beforehand, and others; more gain little."""
_ITERATIONS = 15
_SAME_MINIMUM = 1e-3
"""Relative difference of the loss after the short runs up to which they will meet."""
_WORK = 30_000_000
"""Comparisons × dimensions × iterations that a tournament may take: tenths of a second."""


def number_of_entrants(n_comparisons: int, n_components: int) -> int:
    """Return how many starts the work allowed is enough for; 1 is no tournament.

    The number depends on the data alone, so that a fit gives the same bits on any machine.

    Parameters
    ----------
    n_comparisons : int
        Comparisons that the short runs look at.
    n_components : int
        Dimension of the embedding.

    Returns
    -------
    int
        From 1 to 9.

    Examples
    --------
    >>> from ordinate.triplets.tournament import number_of_entrants
    >>> [number_of_entrants(n, 2) for n in (1_000, 200_000, 10_000_000)]
    [9, 5, 1]
    """
    affordable = _WORK // (max(n_comparisons, 1) * n_components * _ITERATIONS)
    return int(np.clip(affordable, 1, _MOST_ENTRANTS))


def best_starts(
    entrants: Sequence[Points],
    comparisons: Comparisons,
    loss: Loss,
    parameters: Sequence[float],
    *,
    tol: float,
    radius: float = np.inf,
    n_threads: int = 1,
) -> list[Points]:
    """Run a few iterations from each start and return where the best one and the first came to.

    The first start is kept so that a fit cannot end above the one it would have made without a
    tournament; it is left out where it is the best, or on its way to the same minimum.

    Parameters
    ----------
    entrants : sequence of ndarray of shape (n_objects, n_components)
        The starts.
    comparisons : Comparisons
        Triplets or quadruplets, enough to tell good starts from poor ones.
    loss : callable
        A function as `ordinate.losses` describes it.
    parameters : sequence of float
        Passed to the loss after the two squared distances.
    tol : float
        Relative decrease over the last iterations below which a start has converged.
    radius : float
        Largest root mean square of the objects' distances to their centre.
    n_threads : int
        Threads that share the starts.

    Returns
    -------
    list of ndarray of shape (n_objects, n_components)
        One or two starts to follow.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> from ordinate.triplets.tournament import best_starts
    >>> starts = [np.array([[0.0], [9.0], [1.0]]), np.array([[0.0], [1.0], [9.0]])]
    >>> found = best_starts(starts, od.Comparisons([[0, 1, 2]]), od.losses.soe, [1.0], tol=1e-4)
    >>> len(found), np.argsort(np.abs(found[0][:, 0] - found[0][0, 0]))
    (1, array([0, 1, 2]))
    """
    objective = CPUObjective(comparisons, loss, parameters, n_threads=n_threads)
    evaluate: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]
    bound = BoundedSize(radius)
    evaluate = bound.around(objective.evaluate) if np.isfinite(radius) else objective.evaluate
    floor = tol * objective(np.zeros_like(entrants[0]))[0]
    results = batch_lbfgs(evaluate, np.array(entrants), max_iter=_ITERATIONS, tol=tol, floor=floor)
    best = min(results, key=lambda result: result.value)
    if results[0].value - best.value <= _SAME_MINIMUM * best.value + floor:
        return [best.points]
    return [best.points, results[0].points]
