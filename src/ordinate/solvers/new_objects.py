"""Find places for new objects on a map that stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError
from ordinate._estimator import check_is_fitted
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.answers import numbers_in_fit
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Function

_CANDIDATES = 50
"""Places of known objects that are tried as the start of each new one."""


class PlacesNewObjects:
    """Gives an estimator with a map `transform`, which places objects that were not in the fit."""

    embedding_: NDArray[Any]
    names_: Sequence[Hashable] | None
    random_state: RandomState
    max_iter: int
    tol: float

    def _loss_of_new(self, comparisons: Comparisons) -> Function:
        """Return the loss of answers about new objects, as a function of all coordinates."""
        raise NotImplementedError

    def transform(self, X: Comparisons | ArrayLike, y: ArrayLike | None = None) -> Points:
        """Find coordinates for objects that were not in the fit; the others stay where they are.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of new objects with fitted ones. If they and the fit have names, objects
            are matched by name; otherwise by number, new ones being those from
            ``len(embedding_)`` on. Answers of participants of the fit count as theirs.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written.

        Returns
        -------
        ndarray of shape (X.n_objects, n_components)
            One row per object of `X`: those of `embedding_`, on which new ones are placed, and
            the places found.
        """
        check_is_fitted(self)
        return with_new_objects(
            self.embedding_,
            self.names_,
            as_comparisons(X, y),
            self._loss_of_new,
            as_generator(self.random_state),
            max_iter=self.max_iter,
            tol=self.tol,
        )


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
    """Return the coordinates of all objects of a record: those of a fit, and places of new ones."""
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
