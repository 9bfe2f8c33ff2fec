"""All or random comparisons of points, for simulations and for feature vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, degenerate_rows
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.sources._answers import answer_drawn, answer_rows
from ordinate.sources._distances import Distances, Metric
from ordinate.sources._noise import Noise

MOST_ROWS = 2**28
"""The largest number of rows that `all_triplets` and `all_quadruplets` list."""


def all_triplets(
    points: ArrayLike,
    *,
    metric: Metric = "euclidean",
    noise: Noise = None,
    random_state: RandomState = None,
) -> Comparisons:
    """Answer every question "is a nearer to i or to j?" once.

    Parameters
    ----------
    points, metric, noise
        As for `random_triplets`.
    random_state : int, Generator or None, default=None
        Seed of the noise.

    Returns
    -------
    Comparisons
        At most n(n-1)(n-2)/2 triplets, in order of anchor; ties give no row.

    See Also
    --------
    random_triplets : Some of them.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.all_triplets([[0.0], [1.0], [3.0]]).rows
    array([[0, 1, 2],
           [1, 0, 2],
           [2, 1, 0]], dtype=int32)
    """
    distances = Distances(points, metric)
    n = distances.n_objects
    _check_listable("triplets", n * (n - 1) * (n - 2) // 2)
    pairs = np.column_stack(np.triu_indices(n - 1, k=1)).astype(np.int32)
    rows = np.empty((n, len(pairs), 3), dtype=np.int32)
    for anchor in range(n):
        rows[anchor, :, 0] = anchor
        # numbers from the anchor on move up by one, which leaves the anchor itself out
        rows[anchor, :, 1:] = pairs + (pairs >= anchor)
    return answer_rows(rows.reshape(-1, 3), distances, noise, as_generator(random_state))


def all_quadruplets(
    points: ArrayLike,
    *,
    metric: Metric = "euclidean",
    noise: Noise = None,
    random_state: RandomState = None,
) -> Comparisons:
    """Answer every question "are i and j nearer to each other than k and l?" once.

    Parameters
    ----------
    points, metric, noise
        As for `random_triplets`.
    random_state : int, Generator or None, default=None
        Seed of the noise.

    Returns
    -------
    Comparisons
        At most p(p-1)/2 quadruplets for p = n(n-1)/2 pairs; ties give no row. Pairs that share
        an object are compared too.

    See Also
    --------
    random_quadruplets : Some of them.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.all_quadruplets([[0.0], [1.0], [3.0]]).rows
    array([[0, 1, 0, 2],
           [0, 1, 1, 2],
           [1, 2, 0, 2]], dtype=int32)
    """
    distances = Distances(points, metric)
    n_pairs = distances.n_objects * (distances.n_objects - 1) // 2
    _check_listable("quadruplets", n_pairs * (n_pairs - 1) // 2)
    pairs = np.column_stack(np.triu_indices(distances.n_objects, k=1)).astype(np.int32)
    first, second = np.triu_indices(n_pairs, k=1)
    rows = np.hstack([pairs[first], pairs[second]])
    return answer_rows(rows, distances, noise, as_generator(random_state))


def random_triplets(
    points: ArrayLike,
    size: int,
    *,
    metric: Metric = "euclidean",
    noise: Noise = None,
    random_state: RandomState = None,
) -> Comparisons:
    """Ask random questions "is a nearer to i or to j?" and answer them.

    Parameters
    ----------
    points : array-like of float, shape (n_objects, n_features)
        Coordinates; or with ``metric="precomputed"`` the distances, shape (n_objects, n_objects).
    size : int
        How many triplets.
    metric : str or callable, default="euclidean"
        A metric of `scipy.spatial.distance.cdist`, or ``"precomputed"``.
    noise : callable or sequence of callables, optional
        How answers go wrong; see `ordinate.sources._noise`.
    random_state : int, Generator or None, default=None
        Seed of questions and noise.

    Returns
    -------
    Comparisons
        Exactly `size` triplets, drawn independently and uniformly, so that a question may come
        again; for distinct ones use ``all_triplets(points).sample(size)``. Ties are redrawn.

    See Also
    --------
    landmark_triplets : With few anchors.
    LogisticNoise, GaussianNoise, FlippedAnswers : Answers that may be wrong.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.random_triplets([[0.0], [1.0], [3.0]], 1000, random_state=0)
    Comparisons(1000 triplets, 3 objects)
    """
    return _random(3, points, size, metric, noise, random_state)


def random_quadruplets(
    points: ArrayLike,
    size: int,
    *,
    metric: Metric = "euclidean",
    noise: Noise = None,
    random_state: RandomState = None,
) -> Comparisons:
    """Ask random questions "are i and j nearer to each other than k and l?" and answer them.

    Parameters
    ----------
    points, metric, noise
        As for `random_triplets`.
    size : int
        How many quadruplets.
    random_state : int, Generator or None, default=None
        Seed of questions and noise.

    Returns
    -------
    Comparisons
        Exactly `size` quadruplets of two different pairs, which may share an object, drawn
        independently and uniformly. Ties are redrawn.

    See Also
    --------
    random_triplets : Of three objects.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.random_quadruplets([[0.0], [1.0], [3.0]], 1000, random_state=0)
    Comparisons(1000 quadruplets, 3 objects)
    """
    return _random(4, points, size, metric, noise, random_state)


def _random(
    n_columns: int,
    points: ArrayLike,
    size: int,
    metric: Metric,
    noise: Noise,
    random_state: RandomState,
) -> Comparisons:
    distances = Distances(points, metric)
    rng = as_generator(random_state)

    def draw(size: int) -> NDArray[np.int32]:
        return _draw_rows(distances.n_objects, n_columns, size, rng)

    return answer_drawn(draw, size, distances, noise, rng)


def _draw_rows(
    n_objects: int, n_columns: int, size: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Uniform over the valid rows: those that compare nothing are drawn again."""
    rows = rng.integers(n_objects, size=(size, n_columns), dtype=np.int32)
    again = np.flatnonzero(degenerate_rows(rows))
    while again.size:
        rows[again] = rng.integers(n_objects, size=(len(again), n_columns), dtype=np.int32)
        again = again[degenerate_rows(rows[again])]
    return rows


def _check_listable(what: str, n_rows: int) -> None:
    if n_rows > MOST_ROWS:
        raise InputError(
            f"There are {n_rows:,} {what} to list, more than {MOST_ROWS:,}; draw some of them with"
            f" random_{what}."
        )
