"""Which of several starts to follow: short runs on some of the comparisons tell.

The losses of this room have local minima, at one to three dimensions many, and a fit from one
start may end in a poor one. From every start a good part of the loss is gone within a few
iterations, and what is left by then tells good starts from poor ones. Where the best of them ends,
a detour through one more dimension often finds a way on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ordinate import losses
from ordinate._threads import one_blas_thread
from ordinate.comparisons.record import Comparisons
from ordinate.engine.cpu import CPUObjective
from ordinate.losses import Loss
from ordinate.solvers.batch_lbfgs import batch_lbfgs
from ordinate.solvers.bounded_size import BoundedSize, penalized
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Points, Result

_MOST_ENTRANTS = 5
"""One start that looks best beforehand, a roomy one, and steps away; more gain little."""
_ITERATIONS = 15
_RELAXED_ITERATIONS = 10
_DETOURS = 1
_DETOUR_WORK = 60_000_000
"""Comparisons × dimensions × iterations that all detours may take."""
_USUAL_ITERATIONS = 100
_ROOM = 3
"""Dimensions more in which the roomy start is found."""
_ROOMY_ITERATIONS = 40
_ROOMY_MU = 0.05
_ROOMY_TOL = 1e-3
_WORK = 40_000_000
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
        From 1 to 5.

    Examples
    --------
    >>> from ordinate.triplets.tournament import number_of_entrants
    >>> [number_of_entrants(n, 2) for n in (1_000, 100_000, 10_000_000)]
    [5, 4, 1]
    """
    relaxed = _RELAXED_ITERATIONS * (n_components + 1) // 2  # every second one is
    each = max(n_comparisons, 1) * (_ITERATIONS * n_components + relaxed)
    roomy = n_comparisons * _ROOMY_ITERATIONS * (n_components + _ROOM)
    return int(np.clip((_WORK - roomy) // each, 1, _MOST_ENTRANTS))


def number_of_detours(n_comparisons: int, n_components: int) -> int:
    """Return how many detours through one more dimension a fit can afford.

    Parameters
    ----------
    n_comparisons : int
        Comparisons that are fitted.
    n_components : int
        Dimension of the embedding.

    Returns
    -------
    int
        0 or 1; like the number of entrants it depends on the data alone.

    Examples
    --------
    >>> from ordinate.triplets.tournament import number_of_detours
    >>> [number_of_detours(n, 2) for n in (1_000, 100_000, 200_000, 1_000_000)]
    [1, 1, 1, 0]
    """
    work = max(n_comparisons, 1) * n_components * _USUAL_ITERATIONS
    return int(np.clip(_DETOUR_WORK // work, 0, _DETOURS))


def detour(
    points: Points,
    minimize: Callable[[Points, int], Points],
    rng: np.random.Generator,
) -> Points:
    """Leave a minimum by way of one more dimension, in which objects can pass one another.

    Parameters
    ----------
    points : ndarray of shape (n_objects, n_components)
        Where a fit ended.
    minimize : callable
        Takes a start and a number of iterations and returns where they lead.
    rng : Generator
        Draws the further coordinate, as wide as the others.

    Returns
    -------
    ndarray of shape (n_objects, n_components)
        A start near by, often in the basin of a better minimum.
    """
    lifted = minimize(_lifted(points, rng), _RELAXED_ITERATIONS)
    return _flattened(lifted, points.shape[1])


def roomy_start(
    comparisons: Comparisons, first: Points, rng: np.random.Generator, *, n_threads: int = 1
) -> Points:
    """Fit the loss of CKL in three dimensions more, and project what comes out.

    That loss hardly minds answers that cannot hold, and where there is room to spare few objects
    are kept from their places by others; most of the order survives the projection.

    Parameters
    ----------
    comparisons : Comparisons
        Triplets or quadruplets, enough to find a start.
    first : ndarray of shape (n_objects, n_components)
        Where to begin.
    rng : Generator
        Draws the further coordinates, as wide as the others.
    n_threads : int, default=1
        Threads that share the work.

    Returns
    -------
    ndarray of shape (n_objects, n_components)
        The start, along its principal axes.
    """
    objective = CPUObjective(comparisons, losses.ckl, [_ROOMY_MU], n_threads=n_threads)
    begin = _lifted(first, rng, _ROOM)
    begin = begin / max(begin.std(), np.finfo(np.float64).tiny)
    found = lbfgs(objective, begin, max_iter=_ROOMY_ITERATIONS, tol=_ROOMY_TOL)
    return _flattened(found.points, first.shape[1])


class Tournament:
    """Short runs from several starts on the same comparisons.

    Parameters
    ----------
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
    penalty : float
        Weight of the sum of squared coordinates, which is added to the loss.
    n_threads : int
        Threads that share the starts.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> from ordinate.triplets.tournament import Tournament
    >>> tournament = Tournament(od.Comparisons([[0, 1, 2]]), od.losses.soe, [1.0], tol=1e-4)
    >>> starts = [np.array([[0.0], [1.0], [1.0]]), np.array([[0.0], [1.0], [9.0]])]
    >>> found = tournament.best(starts)
    >>> len(found), np.argsort(np.abs(found[-1][:, 0] - found[-1][0, 0]))
    (2, array([0, 1, 2]))
    """

    def __init__(
        self,
        comparisons: Comparisons,
        loss: Loss,
        parameters: Sequence[float] = (),
        *,
        tol: float,
        radius: float = np.inf,
        penalty: float = 0.0,
        n_threads: int = 1,
    ) -> None:
        objective = CPUObjective(comparisons, loss, parameters, n_threads=n_threads)
        evaluate = penalized(penalty, objective.evaluate)
        self._evaluate = BoundedSize(radius).around(evaluate) if np.isfinite(radius) else evaluate
        self._tol = tol
        self._floor = tol * objective(np.zeros((comparisons.n_objects, 1)))[0]

    def relaxed(self, starts: Sequence[Points], rng: np.random.Generator) -> list[Points]:
        """Let starts run with one dimension more, in which objects can pass one another.

        Parameters
        ----------
        starts : sequence of ndarray of shape (n_objects, n_components)
            The starts; the further coordinate is drawn.
        rng : Generator
            Draws it.

        Returns
        -------
        list of ndarray of shape (n_objects, n_components)
            Where they came to, along their principal axes.
        """
        lifted = [_lifted(start, rng) for start in starts]
        runs = self._run(lifted, _RELAXED_ITERATIONS)
        return [_flattened(run.points, run.points.shape[1] - 1) for run in runs]

    def best(self, entrants: Sequence[Points]) -> list[Points]:
        """Return the first start and where the best one comes to.

        The first start is kept as it is, so that a fit cannot end above the one it would have
        made without a tournament; it is alone where it is the best.

        Parameters
        ----------
        entrants : sequence of ndarray of shape (n_objects, n_components)
            The starts.

        Returns
        -------
        list of ndarray of shape (n_objects, n_components)
            One or two starts to follow.
        """
        runs = self._run(entrants, _ITERATIONS)
        best = min(runs, key=lambda run: run.value)
        return [entrants[0]] if best is runs[0] else [entrants[0], best.points]

    def _run(self, starts: Sequence[Points], n_iter: int) -> list[Result]:
        return batch_lbfgs(
            self._evaluate, np.array(starts), max_iter=n_iter, tol=self._tol, floor=self._floor
        )


def _lifted(points: Points, rng: np.random.Generator, n_more: int = 1) -> Points:
    """Add random coordinates, as wide as the others."""
    return np.column_stack([points, points.std() * rng.standard_normal((len(points), n_more))])


def _flattened(points: Points, n_components: int) -> Points:
    """Keep the principal axes along which the most lies."""
    centred = points - points.mean(axis=0)
    with one_blas_thread():
        axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :n_components]
        flat: Points = centred @ axes
    return flat
