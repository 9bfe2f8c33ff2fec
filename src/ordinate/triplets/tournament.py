"""The best of several starts: short runs on some of the comparisons tell.

The losses of this room have local minima, at one to three dimensions many, and a fit from one
start may end in a poor one. From every start a good part of the loss is gone within a few
iterations, and what is left by then tells good starts from poor ones. Where the best of them ends,
a detour through one more dimension often finds a way on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ordinate import losses
from ordinate._arrays import Points
from ordinate._threads import one_blas_thread
from ordinate.comparisons.record import Comparisons
from ordinate.engine.cpu import CPUObjective
from ordinate.losses import Loss
from ordinate.solvers.batch_lbfgs import batch_lbfgs
from ordinate.solvers.bounded_size import BatchFunction, BoundedSize, penalized
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Result

_MOST_ENTRANTS = 9
"""The start that looks best beforehand, and those from a higher dimension; more gain little."""
_FEW_ENTRANTS = 3
"""Where answers are so many that a run to the end takes long: more gain nothing then."""
_MOST_FINALISTS = 4
"""Entrants that are followed to the end, besides the first."""
_ITERATIONS = 10
_LOOSE = 10.0
"""Multiple of the tolerance that will do to compare two starts."""
_DETOUR_ITERATIONS = 10
_PATIENCE = 5
"""Iterations of a detour whose gain must be what is left to the leader, or it is given up."""
_FOLLOWING_WORK = 15_000_000
"""Comparisons × dimensions × iterations that a detour may take, and following finalists."""
EXTRA_DIMENSIONS = 3
"""Dimensions more in which a start from a higher dimension is found."""
_EXTRA_DIMENSION_ITERATIONS = 40
_EXTRA_DIMENSION_MU = 0.05
_EXTRA_DIMENSION_TOL = 1e-3
_WORK = 40_000_000
"""Comparisons × dimensions × iterations that a tournament may take: tenths of a second."""
_USUAL_ITERATIONS = 100


def number_of_entrants(n_drawn: int, n_comparisons: int, n_components: int) -> int:
    """Return how many starts the work allowed is enough for; 1 is no tournament.

    The number depends on the data alone, so that a fit gives the same bits on any machine.
    """
    short_run = max(n_drawn, 1) * _ITERATIONS * n_components
    lifted_run = n_drawn * _EXTRA_DIMENSION_ITERATIONS * (n_components + EXTRA_DIMENSIONS)
    long = n_drawn < n_comparisons and not can_afford_another_run(n_comparisons, n_components)
    most = _FEW_ENTRANTS if long else _MOST_ENTRANTS
    return int(np.clip(1 + (_WORK - short_run) // (short_run + lifted_run), 1, most))


def number_of_finalists(n_comparisons: int, n_components: int) -> int:
    """Return how many of the best starts, besides the first, are followed to the end."""
    run = max(n_comparisons, 1) * n_components * _USUAL_ITERATIONS
    return int(np.clip(_FOLLOWING_WORK // run, 1, _MOST_FINALISTS))


def can_afford_another_run(n_comparisons: int, n_components: int) -> bool:
    """Tell whether following a second start, or a detour, takes little enough work."""
    return n_comparisons * n_components * _USUAL_ITERATIONS <= _FOLLOWING_WORK


def detour(
    points: Points, minimize: Callable[[Points, int], Points], rng: np.random.Generator
) -> Points:
    """Leave a minimum by way of one more dimension, in which objects can pass one another."""
    lifted = minimize(_lifted(points, rng), _DETOUR_ITERATIONS)
    return _flattened(lifted, points.shape[1])


def stop_if_unpromising(leader: float) -> Callable[[float], bool]:
    """Return a function that is told the loss after each iteration, and when to give a run up."""
    seen: list[float] = []

    def gives_up(loss: float) -> bool:
        seen.append(loss)
        return len(seen) > _PATIENCE and seen[-1 - _PATIENCE] - loss <= loss - leader

    return gives_up


def starts_from_higher_dimension(
    comparisons: Comparisons, first: Points, n: int, rng: np.random.Generator, *, n_threads: int = 1
) -> list[Points]:
    """Fit the loss of CKL in three dimensions more, and project what comes out.

    That loss hardly minds answers that cannot hold, and where there is room to spare few objects
    are kept from their places by others; most of the order survives the projection. One run
    begins at the first start, the others at random: from one place they would end alike.
    """
    objective = CPUObjective(comparisons, losses.ckl, [_EXTRA_DIMENSION_MU], n_threads=n_threads)
    shape = (n, len(first), first.shape[1] + EXTRA_DIMENSIONS)
    begins = rng.standard_normal(shape)
    lifted = _lifted(first, rng, EXTRA_DIMENSIONS)
    begins[0] = lifted / max(lifted.std(), np.finfo(np.float64).tiny)
    runs = batch_lbfgs(
        objective.evaluate, begins, max_iter=_EXTRA_DIMENSION_ITERATIONS, tol=_EXTRA_DIMENSION_TOL
    )
    return [_flattened(run.points, first.shape[1]) for run in runs]


class Tournament:
    """Short runs from several starts on the same comparisons."""

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
        self._bound = BoundedSize(radius) if np.isfinite(radius) else None
        self._one = self._around(penalized(penalty, objective))
        self._several = self._around(penalized(penalty, objective.evaluate))
        self._tol = tol
        self._floor = tol * objective(np.zeros((comparisons.n_objects, 1)))[0]

    def _around(self, function: BatchFunction) -> BatchFunction:
        return function if self._bound is None else self._bound.around(function)

    def best(self, entrants: Sequence[Points], n: int) -> list[Points]:
        """Return where the n best starts come to, and the first start unless it is one of them.

        With the first start a fit cannot end above the one it would have made without a tournament.
        """
        runs = self._short_runs(entrants)
        ranks = np.argsort([run.value for run in runs], kind="stable")[:n]
        found = [runs[rank].points for rank in ranks]
        if 0 not in ranks:
            found.append(entrants[0])
        return found if self._bound is None else [self._bound.inside(start) for start in found]

    def final(self, starts: Sequence[Points]) -> Points:
        """Return the start that leads furthest down, when followed nearly to the end."""
        return starts[0] if len(starts) == 1 else min(starts, key=self._end_of)

    def _short_runs(self, starts: Sequence[Points]) -> list[Result]:
        return batch_lbfgs(
            self._several, np.array(starts), max_iter=_ITERATIONS, tol=self._tol, floor=self._floor
        )

    def _end_of(self, start: Points) -> float:
        """Return the loss nearly at the end of a run."""
        return lbfgs(
            self._one, start, max_iter=_USUAL_ITERATIONS, tol=_LOOSE * self._tol, floor=self._floor
        ).value


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
