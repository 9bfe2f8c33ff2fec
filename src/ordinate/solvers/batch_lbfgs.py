"""Limited-memory BFGS from several starts as one batch, on a device or in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._compiler import njit
from ordinate.solvers.stopping import Callback, Result, Rules, StoppingRule

Batch: TypeAlias = Any
"""A tensor of torch or an array of NumPy; its first axis is that of the starts."""
BatchObjective: TypeAlias = Callable[[Batch], tuple[Batch, Batch]]

_MEMORY = 10
"""Pairs of steps and changes of the gradient that are remembered, as in SciPy's L-BFGS-B."""
_DECREASE, _CURVATURE = 1e-4, 0.9
_MOST_TRIALS = 20
"""Step lengths that are tried in one iteration."""
_RADII = 1e-2, 1e-4, 1e-6
"""How far kinks are looked for around a place that no step leads away from, in sizes of the map."""
_MOST_SIDES = 50
"""Gradients around such a place that are looked at."""
_CANCELLED = 1e-3
"""Length of their shortest mean, as a share of a gradient, that is as good as none."""
_MOST_EXCHANGES = 1_000
"""Steps towards the shortest mean whenever one more gradient has been seen."""


def batch_lbfgs(objective: BatchObjective, starts: Batch, **given: Unpack[Rules]) -> list[Result]:
    """Minimise from several starts at once; each ends by the rule of `stopping.StoppingRule`.

    On a device everything large stays there: coordinates, gradients and the remembered pairs.
    One number per start and trial, the value and the slope along the step, comes to the host.
    Where no step along the gradient goes down, kinks around the place are looked at: the run goes
    on along them, or has converged if there is no way down along them either.

    Nocedal & Wright, Numerical Optimization, algorithm 7.4 (direction); Lewis & Overton,
    Nonsmooth optimization via quasi-Newton methods, 2013, algorithm 2.6 (step length); Wolfe, A
    method of conjugate subgradients for minimizing nondifferentiable functions, 1975 (kinks).
    """
    given["callback"] = _on_host(given.get("callback"))
    rules, max_iter = [StoppingRule(**given) for _ in starts], given["max_iter"]
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
        for row in np.flatnonzero(stuck):
            here = slice(row, row + 1)
            points[here], losses[here], gradients[here], moved[here] = _past_kinks(
                objective, points[here], losses[here], gradients[here], rules[running[row]]
            )
        stuck &= ~moved
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
        directions = -flat  # made here, as Numba compiles longer if it makes arrays
        _turn(directions, flat, steps, changes, inverses, np.empty(len(pairs)))
        return directions.reshape(gradients.shape)
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


@njit(nogil=True, cache=True, error_model="numpy")
def _turn(
    directions: Any, gradients: Any, steps: Any, changes: Any, inverses: Any, shares: Any
) -> None:
    """Do the same in memory, start by start: for small maps the calls of NumPy cost the most."""
    n_pairs, n_starts, size = steps.shape
    for start in range(n_starts):
        for pair in range(n_pairs - 1, -1, -1):
            total = 0.0
            for k in range(size):
                total += steps[pair, start, k] * directions[start, k]
            shares[pair] = inverses[pair, start, 0] * total
            for k in range(size):
                directions[start, k] -= shares[pair] * changes[pair, start, k]
        if inverses[-1, start, 0] > 0:
            curvature = 0.0
            for k in range(size):
                curvature += changes[-1, start, k] * changes[-1, start, k]
            scale = inverses[-1, start, 0] * curvature
            for k in range(size):
                directions[start, k] /= scale
        for pair in range(n_pairs):
            total = 0.0
            for k in range(size):
                total += changes[pair, start, k] * directions[start, k]
            share = shares[pair] - inverses[pair, start, 0] * total
            for k in range(size):
                directions[start, k] += share * steps[pair, start, k]
        slope = 0.0
        for k in range(size):
            slope += directions[start, k] * gradients[start, k]
        if not slope < 0:
            for k in range(size):  # a slice would compile the text of an error too: 2 s
                directions[start, k] = -gradients[start, k]


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


def _past_kinks(
    objective: BatchObjective,
    points: Batch,
    losses: NDArray[np.float64],
    gradients: Batch,
    rule: StoppingRule,
) -> tuple[Batch, NDArray[np.float64], Batch, NDArray[np.bool_]]:
    """Leave a place beside kinks, or return the flattest mean of the gradients around it.

    Beside a kink the gradient points across it, where the loss rises again. The shortest convex
    combination of the gradients on all sides points along it; where that is nearly zero, there is
    a minimum. Kinks are looked for nearby and then nearer still.
    """
    size = float(_numbers(_dot(points, points))[0]) ** 0.5 or 1.0
    flattest, least = gradients, _numbers(_dot(gradients, gradients))
    enough = _CANCELLED**2 * least
    for radius in _RADII:
        around: list[Batch] = []
        products, shares = np.empty((0, 0)), np.ones(1)
        beyond = gradients
        for _ in range(_MOST_SIDES):
            around.append(beyond)
            row = np.array([_numbers(_dot(side, beyond))[0] for side in around])
            products = np.block([[products, row[:-1, None]], [row]])
            shares = _shortest(products, shares)
            mean = sum(share * side for share, side in zip(shares, around, strict=True))
            steepness = _numbers(_dot(mean, mean))
            if steepness < least:
                flattest, least = (0 * mean if steepness < enough else mean), steepness
            if steepness < enough or rule.is_flat(points, mean):
                break
            steps = radius * size / steepness**0.5
            values, beyond = objective(points - mean * _beside(points, steps)[:, None, None])
            if _numbers(values) < losses - _DECREASE * steps * steepness:
                return _search(objective, points, losses, gradients, -mean, steps)
            shares = np.append(shares, 0.0)
            if not _numbers(_dot(beyond, mean)) < _CURVATURE * steepness:
                break  # by its gradient the loss falls, by its value it does not
    return points, losses, flattest, np.zeros(1, dtype=bool)


@njit(nogil=True, cache=True)
def _shortest(products: Any, shares: Any) -> Any:
    """Improve the shares of vectors in their shortest convex combination, by inner products.

    Share goes from the vector along which the combination is longest to the one along which it is
    shortest, until they are nearly the same.
    """
    n = len(products)
    along = np.zeros(n)
    for k in range(n):  # loops, as whole arrays take Numba seconds to compile
        for m in range(n):
            along[k] += products[k, m] * shares[m]
    for _ in range(_MOST_EXCHANGES):
        to, off = 0, -1
        for k in range(n):
            if along[k] < along[to]:
                to = k
            if shares[k] > 0 and (off < 0 or along[k] > along[off]):
                off = k
        gap = along[off] - along[to]
        if gap <= 1e-6 * along[off]:
            break
        apart = products[off, off] + products[to, to] - 2 * products[off, to]
        share = min(gap / max(apart, 1e-300), shares[off])
        shares[off] -= share
        shares[to] += share
        for k in range(n):
            along[k] += share * (products[to, k] - products[off, k])
    return shares


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
