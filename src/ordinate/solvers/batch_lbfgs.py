"""Limited-memory BFGS from several starts as one batch, on a device or in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._compiler import njit
from ordinate.solvers.stopping import Callback, Points, Result, StoppingRule

Batch: TypeAlias = Any
"""A tensor of torch or an array of NumPy; its first axis is that of the starts."""
BatchObjective: TypeAlias = Callable[[Batch], tuple[Batch, Batch]]

_MEMORY = 10
"""Pairs of steps and changes of the gradient that are remembered, as in SciPy's L-BFGS-B."""
_DECREASE, _CURVATURE = 1e-4, 0.9
_MOST_TRIALS = 20
"""Step lengths that are tried in one iteration."""


def batch_lbfgs(
    objective: BatchObjective,
    starts: Batch,
    *,
    max_iter: int,
    tol: float,
    floor: float = 0.0,
    callback: Callback | None = None,
) -> list[Result]:
    """Minimise from several starts at once; each ends by the rule of `stopping.StoppingRule`.

    On a device everything large stays there: coordinates, gradients and the remembered pairs.
    One number per start and trial, the value and the slope along the step, comes to the host.

    Parameters
    ----------
    objective : callable
        Takes coordinates of shape (n_starts, n_objects, n_components), for any number of
        starts; returns their values and gradients.
    starts : tensor or ndarray of shape (n_starts, n_objects, n_components)
        Where to begin.
    max_iter : int
        Most iterations, for each start.
    tol : float
        Relative decrease over the last iterations below which a start has converged.
    floor : float
        A value of the objective that is as good as zero; reaching it ends a start.
    callback : callable, optional
        Called with iteration, loss and coordinates of a start; ends it by returning True.

    Returns
    -------
    list of Result
        One for each start.

    References
    ----------
    Nocedal & Wright, Numerical Optimization, algorithm 7.4 (direction); Lewis & Overton,
    Nonsmooth optimization via quasi-Newton methods, 2013, algorithm 2.6 (step length).

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.solvers.batch_lbfgs import batch_lbfgs
    >>> results = batch_lbfgs(
    ...     lambda x: ((x**2).sum((1, 2)), 2 * x), np.ones((2, 3, 2)), max_iter=50, tol=1e-9
    ... )
    >>> [round(result.value, 6) for result in results]
    [0.0, 0.0]
    """
    rules = [StoppingRule(tol, floor, _on_host(callback)) for _ in starts]
    results: dict[int, Result] = {}
    running = np.arange(len(starts))
    points = starts
    values, gradients = objective(points)
    losses = _numbers(values)
    for rule, loss in zip(rules, losses, strict=True):
        rule.begin(float(loss))
    pairs: deque[tuple[Batch, Batch, Batch]] = deque(maxlen=_MEMORY)
    fresh = np.ones(len(starts), dtype=bool)  # starts that remember no curvature
    for iteration in range(1, max_iter + 1):
        directions = _directions(gradients, pairs)
        steps = np.ones(len(running))
        if fresh.any():
            steps[fresh] = _first_steps(points, gradients)[fresh]
        before = points, gradients
        points, losses, gradients, moved = _search(
            objective, points, losses, gradients, directions, steps
        )
        pairs.append(_pair(points - before[0], gradients - before[1]))
        stuck, fresh = ~moved & fresh, ~moved
        if fresh.any():
            _forget(pairs, fresh)
        converged = np.zeros(len(running), dtype=bool)
        for row in np.flatnonzero(moved | stuck):
            rule = rules[running[row]]
            if stuck[row]:
                converged[row] = rule.is_flat(points[row], gradients[row])
            else:
                converged[row] = rule.ends(float(losses[row]), points[row])
        last = iteration == max_iter
        ended = converged | stuck | last
        for row in np.flatnonzero(ended):
            history = np.array(rules[running[row]].history)
            found = _coordinates(points[row])
            results[running[row]] = Result(found, float(history[-1]), history, bool(converged[row]))
        if ended.all():
            break
        if ended.any():
            kept = np.flatnonzero(~ended)
            running, losses, fresh = running[kept], losses[kept], fresh[kept]
            points, gradients = points[kept], gradients[kept]
            pairs = deque([tuple(part[kept] for part in pair) for pair in pairs], _MEMORY)
    return [results[number] for number in range(len(starts))]


def _directions(gradients: Batch, pairs: deque[tuple[Batch, Batch, Batch]]) -> Batch:
    """Two-loop recursion: the inverse of the remembered curvature times the negative gradient."""
    if isinstance(gradients, np.ndarray) and pairs:
        shape = len(pairs), len(gradients), -1
        steps, changes, inverses = (
            np.array(part).reshape(shape) for part in zip(*pairs, strict=True)
        )
        flat = gradients.reshape(len(gradients), -1)
        return _compiled_directions(flat, steps, changes, inverses).reshape(gradients.shape)
    directions = -gradients
    shares = []
    for step, change, inverse in reversed(pairs):
        shares.append(inverse * _dot(step, directions))
        directions = directions - shares[-1] * change
    if shares:
        _, change, inverse = pairs[-1]
        remembered = inverse > 0
        scale = inverse * _dot(change, change)
        directions = directions / _where(remembered, scale, scale * 0 + 1)
    for (step, change, inverse), share in zip(pairs, reversed(shares), strict=True):
        directions = directions + step * (share - inverse * _dot(change, directions))
    downhill = _dot(directions, gradients) < 0
    return _where(downhill, directions, -gradients)


@njit(nogil=True, cache=True)
def _compiled_directions(gradients: Any, steps: Any, changes: Any, inverses: Any) -> Any:
    """Do the same in memory, start by start: for small maps the calls of NumPy cost the most."""
    n_pairs, n_starts, size = steps.shape
    directions = -gradients
    shares = np.empty(n_pairs)
    for start in range(n_starts):
        direction = directions[start]
        for pair in range(n_pairs - 1, -1, -1):
            total = 0.0
            for k in range(size):
                total += steps[pair, start, k] * direction[k]
            shares[pair] = inverses[pair, start, 0] * total
            for k in range(size):
                direction[k] -= shares[pair] * changes[pair, start, k]
        if inverses[-1, start, 0] > 0:
            curvature = 0.0
            for k in range(size):
                curvature += changes[-1, start, k] ** 2
            direction /= inverses[-1, start, 0] * curvature
        for pair in range(n_pairs):
            total = 0.0
            for k in range(size):
                total += changes[pair, start, k] * direction[k]
            share = shares[pair] - inverses[pair, start, 0] * total
            for k in range(size):
                direction[k] += share * steps[pair, start, k]
        slope = 0.0
        for k in range(size):
            slope += direction[k] * gradients[start, k]
        if not slope < 0:
            direction[:] = -gradients[start]
    return directions


def _pair(step: Batch, change: Batch) -> tuple[Batch, Batch, Batch]:
    """Return a step, the change of the gradient and 1 / curvature; 0 where a pair is useless."""
    curvature = _dot(step, change)
    useful = curvature > 1e-16 * _dot(change, change)
    return step, change, useful / _where(useful, curvature, curvature * 0 + 1)


def _forget(pairs: deque[tuple[Batch, Batch, Batch]], rows: NDArray[np.bool_]) -> None:
    """Forget the curvature along some starts, so that they go on along their gradients."""
    for _, _, inverse in pairs:
        inverse[np.flatnonzero(rows)] = 0.0


def _first_steps(points: Batch, gradients: Batch) -> NDArray[np.float64]:
    """Lengths that move a map by a tenth of its size, or by 1 if it has none."""
    sizes = _numbers(_dot(points, points)) ** 0.5
    slopes = _numbers(_dot(gradients, gradients)) ** 0.5
    return np.where(sizes > 0, 0.1 * sizes, 1.0) / np.maximum(slopes, 1e-300)


def _search(
    objective: BatchObjective,
    points: Batch,
    losses: NDArray[np.float64],
    gradients: Batch,
    directions: Batch,
    steps: NDArray[np.float64],
) -> tuple[Batch, NDArray[np.float64], Batch, NDArray[np.bool_]]:
    """Find steps that lower the loss enough and flatten it enough (weak Wolfe conditions)."""
    slopes = _numbers(_dot(gradients, directions))
    low, high = np.zeros(len(steps)), np.full(len(steps), np.inf)
    new_points, new_losses, new_gradients = points + 0.0, losses.copy(), gradients + 0.0
    waiting = np.arange(len(steps))
    for _ in range(_MOST_TRIALS):
        step = steps[waiting]
        along = directions[waiting]
        trial = points[waiting] + along * _beside(points, step)[:, None, None]
        values, trial_gradients = objective(trial)
        value, slope = _numbers(values), _numbers(_dot(trial_gradients, along))
        lower = value <= losses[waiting] + _DECREASE * step * slopes[waiting]
        done = lower & (slope >= _CURVATURE * slopes[waiting])
        better, tried = waiting[lower], np.flatnonzero(lower)
        new_points[better], new_gradients[better] = trial[tried], trial_gradients[tried]
        new_losses[better] = value[lower]
        low[better], high[waiting[~lower]] = step[lower], step[~lower]
        waiting = waiting[~done]
        if not len(waiting):
            break
        middle = (low[waiting] + high[waiting]) / 2
        steps[waiting] = np.where(np.isfinite(middle), middle, 2 * steps[waiting])
    return new_points, new_losses, new_gradients, low > 0


def _dot(left: Batch, right: Batch) -> Batch:
    """Inner product for each start, of shape (n_starts, 1, 1)."""
    if isinstance(left, np.ndarray):
        return np.einsum("sij,sij->s", left, right)[:, None, None]
    return (left * right).sum((1, 2))[:, None, None]


def _where(condition: Batch, then: Batch, otherwise: Batch) -> Batch:
    if isinstance(condition, np.ndarray):
        return np.where(condition, then, otherwise)
    return then.where(condition, otherwise)


def _beside(points: Batch, numbers: NDArray[np.float64]) -> Batch:
    """Bring one number per start to where the coordinates are."""
    return numbers if isinstance(points, np.ndarray) else points.new_tensor(numbers)


def _numbers(batch: Batch) -> NDArray[np.float64]:
    """Bring one number per start to the host."""
    return _coordinates(batch).ravel()


def _coordinates(points: Batch) -> Points:
    on_host = points if isinstance(points, np.ndarray) else points.cpu().numpy()
    coordinates: Points = on_host.astype(np.float64)
    return coordinates


def _on_host(callback: Callback | None) -> Callable[[int, float, Any], object] | None:
    """Copy coordinates to the host for a callback, and only for one."""
    if callback is None:
        return None
    return lambda number, loss, points: callback(number, loss, _coordinates(points))
