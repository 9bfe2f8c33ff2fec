"""How many comparisons hold on a map, and by how much."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_points
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import (
    PairDistances,
    near_and_far,
    squared_between,
    squared_distances,
)


def triplet_accuracy(
    comparisons: Comparisons | ArrayLike,
    embedding: ArrayLike | None = None,
    *,
    answers: ArrayLike | None = None,
    distances: ArrayLike | None = None,
    gram: ArrayLike | None = None,
) -> float:
    """Share of the comparisons that hold: 1 is perfect, 0.5 is guessing.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets or quadruplets. Where the record has weights, a row counts as its weight.
    embedding : array-like of float, shape (n_objects, n_components), optional
        Coordinates; exactly one of `embedding`, `distances` and `gram` is needed.
    answers : array-like of bool or +1/-1, shape (n_comparisons,), optional
        Whether each row holds as written.
    distances : array-like of float, shape (n_objects, n_objects), optional
        Distances or any increasing function of them, such as squared distances.
    gram : array-like of float, shape (n_objects, n_objects), optional
        Inner products, such as a kernel matrix.

    Returns
    -------
    float
        Between 0 and 1. A row holds only if the far pair is strictly farther, so a tie is an
        error and a map with all points in one place scores 0.

    See Also
    --------
    triplet_error : One minus it.
    ordinate.held_out_error : On answers that the map has not seen.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]]
    >>> od.metrics.triplet_accuracy(answers, [[0.0], [1.0], [3.0]])
    0.75
    """
    return 1 - triplet_error(
        comparisons, embedding, answers=answers, distances=distances, gram=gram
    )


def triplet_error(
    comparisons: Comparisons | ArrayLike,
    embedding: ArrayLike | None = None,
    *,
    answers: ArrayLike | None = None,
    distances: ArrayLike | None = None,
    gram: ArrayLike | None = None,
) -> float:
    """Share of the comparisons that do not hold: 0 is perfect, 0.5 is guessing.

    Parameters
    ----------
    comparisons, embedding, answers, distances, gram
        As for `triplet_accuracy`.

    Returns
    -------
    float
        Between 0 and 1. A row holds only if the far pair is strictly farther, so a tie is an
        error and a map with all points in one place has error 1.

    See Also
    --------
    triplet_accuracy : One minus it.
    ordinate.held_out_error : On answers that the map has not seen.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]]
    >>> od.metrics.triplet_error(answers, [[0.0], [1.0], [3.0]])
    0.25
    """
    given = {"embedding": embedding, "distances": distances, "gram": gram}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise InputError(
            "Pass exactly one of embedding, distances and gram;"
            f" got {' and '.join(chosen) or 'none of them'}."
        )
    name = chosen[0]
    values = check_points(name, given[name])
    record = _record_about(comparisons, name, len(values), answers)
    if name != "embedding" and values.shape[0] != values.shape[1]:
        raise InputError(f"{name} must be a square matrix; got shape {values.shape}.")
    if len(record) == 0:
        raise InputError("No comparisons to judge by; expected at least one row.")
    wrong = _wrong(record.rows, _DISTANCES[name](values))
    if record.weights is None:
        return float(wrong.mean())
    return float(record.weights[wrong].sum() / record.weights.sum())


def johnson_stress(comparisons: Comparisons | ArrayLike, embedding: ArrayLike) -> float:
    r"""Stress of Johnson: squared violations beside all squared differences, whatever the scale.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets or quadruplets. Where the record has weights, a row counts as its weight.
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates.

    Returns
    -------
    float
        Between 0, where every comparison holds, and 1, where none does.

    See Also
    --------
    triplet_error : Counts, whatever the margin.

    Notes
    -----
    With near pairs (i, j) and far pairs (k, l) it is :math:`\sum \max(0, d_{ij}^2 - d_{kl}^2)^2
    / \sum (d_{ij}^2 - d_{kl}^2)^2`. Unlike `triplet_error` it counts how far a comparison is
    violated; all points in one place have none, and are refused.

    References
    ----------
    R. M. Johnson, "Pairwise nonmetric multidimensional scaling", Psychometrika 38, 1973; Y.
    Terada and U. von Luxburg, "Local ordinal embedding", ICML 2014, section 3.1.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]]
    >>> round(od.metrics.johnson_stress(answers, [[0.0], [1.0], [3.0]]), 3)
    0.084
    """
    points = check_points("embedding", embedding)
    record = _record_about(comparisons, "embedding", len(points))
    weights = np.ones(len(record)) if record.weights is None else record.weights
    violated = total = 0.0
    for part, near, far in near_and_far(record.rows, squared_between(points)):
        squares = weights[part] * np.square(near - far)
        violated += float(squares[near > far].sum())
        total += float(squares.sum())
    if total == 0:
        raise InputError(
            "Near and far pairs are equally far apart on the map in every comparison; the stress"
            " needs one that differs."
        )
    return violated / total


def _record_about(
    comparisons: Comparisons | ArrayLike,
    name: str,
    n_objects: int,
    answers: ArrayLike | None = None,
) -> Comparisons:
    """Return the record, or say that it is about other objects than the array of this name."""
    record = as_comparisons(comparisons, answers, n_objects=n_objects)
    if record.n_objects != n_objects:
        raise InputError(
            f"{name} has {n_objects} rows; the comparisons are about {record.n_objects} objects."
        )
    return record


def _wrong(rows: NDArray[np.int32], distances: PairDistances) -> NDArray[np.bool_]:
    wrong = np.empty(len(rows), dtype=bool)
    for part, near, far in near_and_far(rows, distances):
        wrong[part] = ~(near < far)
    return wrong


def _as_given(distances: NDArray[np.float64]) -> PairDistances:
    return lambda i, j: distances[i, j]


def _from_gram(gram: NDArray[np.float64]) -> PairDistances:
    norms = np.diagonal(gram)
    return lambda i, j: norms[i] + norms[j] - 2 * gram[i, j]


_DISTANCES: dict[str, Callable[[NDArray[np.float64]], PairDistances]] = {
    "embedding": squared_between,
    "distances": _as_given,
    "gram": _from_gram,
}


class NearAndFar(NamedTuple):
    """Distances of the near and the far pair of each comparison, in units of the map's radius."""

    near: NDArray[np.float64]
    far: NDArray[np.float64]


def relative_distances(comparisons: Comparisons | ArrayLike, embedding: ArrayLike) -> NearAndFar:
    """Measure both pairs of each comparison on a map, in units of the map's radius."""
    points = check_points("embedding", embedding)
    record = _record_about(comparisons, "embedding", len(points))
    radius = float(np.sqrt(np.square(points - points.mean(axis=0)).sum(axis=1).mean()))
    near2, far2 = squared_distances(points, record.rows)
    return NearAndFar(np.sqrt(near2) / (radius or 1), np.sqrt(far2) / (radius or 1))


def triplet_margins(
    comparisons: Comparisons | ArrayLike, embedding: ArrayLike
) -> NDArray[np.float64]:
    """Return by how much the far distance exceeds the near one, in units of the map's radius.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets or quadruplets.
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates.

    Returns
    -------
    ndarray of float, shape (n_comparisons,)
        Positive where the comparison holds on the map; the same for a map of any size.

    See Also
    --------
    ordinate.plots.plot_margins : Draws them.

    Examples
    --------
    >>> import ordinate as od
    >>> od.metrics.triplet_margins([[0, 1, 2], [0, 2, 1]], [[-1.0], [-1.0], [1.0], [1.0]])
    array([ 2., -2.])
    """
    near, far = relative_distances(comparisons, embedding)
    margins: NDArray[np.float64] = far - near
    return margins


def expected_mistakes(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 for each answer that a map contradicts, and half for a tie, which it guesses."""
    mistakes: NDArray[np.float64] = 0.5 - 0.5 * np.sign(margins)
    return mistakes
