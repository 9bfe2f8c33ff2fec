"""Find places for new objects on a map that stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.comparisons.answers import numbers_in_fit
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Function, Points

_CANDIDATES = 50
"""Places of known objects that are tried as the start of each new one."""


def with_new_objects(
    embedding: Points,
    names: Sequence[Hashable] | None,
    comparisons: Comparisons,
    objective_of: Callable[[Comparisons], Function],
    rng: np.random.Generator,
    *,
    max_iter: int,
    tol: float,
) -> Points:
    """Return the coordinates of all objects of a record: those of a fit, and places of new ones.

    Parameters
    ----------
    embedding : ndarray of shape (n_fitted, n_components)
        The map, which stays as it is.
    names : sequence or None
        What its objects are called; they are matched by name where both have names.
    comparisons : Comparisons
        Answers about fitted objects and new ones.
    objective_of : callable
        Returns the loss over comparisons, as a function of all coordinates.
    rng, max_iter, tol
        As for `place_new_objects`.

    Returns
    -------
    ndarray of shape (n_objects, n_components)
        One row per object of the record.
    """
    n_fitted = len(embedding)
    numbers = numbers_in_fit(comparisons, n_fitted, names)
    comparisons = Comparisons(
        numbers[comparisons.rows],
        n_objects=max(int(numbers.max()) + 1, n_fitted),
        weights=comparisons.weights,
        groups=comparisons.groups,
    )
    if comparisons.n_objects == n_fitted:
        return embedding[numbers]
    comparisons = comparisons[(comparisons.rows >= n_fitted).any(axis=1)]
    objective = objective_of(comparisons)
    placed = place_new_objects(embedding, comparisons, objective, rng, max_iter=max_iter, tol=tol)
    return np.concatenate([embedding, placed])[numbers]


def place_new_objects(
    fixed: Points,
    comparisons: Comparisons,
    objective: Function,
    rng: np.random.Generator,
    *,
    max_iter: int,
    tol: float,
) -> Points:
    """Minimise the loss in the coordinates of the new objects alone.

    Each new object starts at the place of whichever known object violates the fewest of its
    comparisons, so that it begins on the right side of the map.

    Parameters
    ----------
    fixed : ndarray of shape (n_known, n_components)
        The map; objects 0 … n_known − 1.
    comparisons : Comparisons
        Answers about the new objects n_known, n_known + 1, … and known ones.
    objective : callable
        The loss over these comparisons.
    rng : Generator
        Chooses the places tried.
    max_iter, tol : int, float
        As for a fit.

    Returns
    -------
    ndarray of shape (n_new, n_components)
        The new coordinates.
    """
    n_known, dimension = fixed.shape
    n_new = comparisons.n_objects - n_known
    silent = np.setdiff1d(np.arange(n_known, comparisons.n_objects), comparisons.rows)
    if len(silent):
        raise InputError(f"Object {silent[0]} is in no comparison, so it cannot be placed.")

    def with_new(new: Points) -> tuple[float, Points]:
        value, gradient = objective(np.vstack([fixed, new]))
        return value, gradient[n_known:]

    tried = fixed[rng.choice(n_known, size=min(_CANDIDATES, n_known), replace=False)]
    tried = tried + 1e-3 * fixed.std() * rng.standard_normal((len(tried), dimension))
    centre = np.tile(fixed.mean(axis=0), (n_new, 1))
    start = centre.copy()
    fewest = np.full(n_new, np.inf)
    for candidate in tried:
        points = np.vstack([fixed, np.tile(candidate, (n_new, 1))])
        wrong = _violations(points, comparisons)[n_known:]
        better = wrong < fewest
        start[better] = candidate
        fewest[better] = wrong[better]
    # answers that can all be satisfied would drive an object away for ever
    floor = 0.01 * tol * with_new(centre)[0]
    return lbfgs(with_new, start, max_iter=max_iter, tol=tol, floor=floor).points


def _violations(points: Points, comparisons: Comparisons) -> NDArray[np.float64]:
    """Weight of the violated comparisons that each object takes part in."""
    near2, far2 = squared_distances(points, comparisons.rows)
    wrong = (near2 >= far2).astype(np.float64)
    if comparisons.weights is not None:
        wrong *= comparisons.weights
    counts = np.zeros(comparisons.n_objects)
    for column in comparisons.rows.T:
        counts += np.bincount(column, weights=wrong, minlength=comparisons.n_objects)
    return counts
