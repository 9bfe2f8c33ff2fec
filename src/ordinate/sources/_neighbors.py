"""Random triplets that tell close objects from others, which uniform ones seldom do."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import check_integer
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.sources._answers import settle_drawn
from ordinate.sources._distances import Distances, Metric
from ordinate.sources._noise import Noise


def neighbor_triplets(
    points: ArrayLike,
    size: int,
    *,
    n_neighbors: int = 10,
    metric: Metric = "euclidean",
    noise: Noise = None,
    random_state: RandomState = None,
) -> Comparisons:
    """Compare a near neighbour of a random anchor with an object from further away.

    Parameters
    ----------
    points : array-like of float, shape (n_objects, n_features)
        Coordinates; or with ``metric="precomputed"`` the distances, shape (n_objects, n_objects).
    size : int
        How many triplets.
    n_neighbors : int, default=10
        One object of each question is among this many nearest ones of the anchor, the other is
        not; at most n_objects - 2.
    metric : str or callable, default="euclidean"
        A metric of `scipy.spatial.distance.cdist`, or ``"precomputed"``.
    noise : callable or sequence of callables, optional
        How answers go wrong; see `ordinate.sources._noise`.
    random_state : int, Generator or None, default=None
        Seed of questions and noise.

    Returns
    -------
    Comparisons
        Exactly `size` triplets, drawn independently: anchor, neighbour and the other object each
        uniformly. Ties are redrawn.

    Examples
    --------
    >>> import ordinate as od
    >>> points = [[0.0], [1.0], [3.0], [7.0]]
    >>> od.sources.neighbor_triplets(points, 3, n_neighbors=1, random_state=0).rows
    array([[3, 2, 0],
           [2, 1, 0],
           [2, 1, 0]], dtype=int32)
    """
    distances = Distances(points, metric)
    n = distances.n_objects
    m = check_integer("n_neighbors", n_neighbors, minimum=1, maximum=n - 2)
    rng = as_generator(random_state)
    neighbors = distances.nearest(m)
    excluded = np.sort(np.column_stack([neighbors, np.arange(n, dtype=np.int32)]), axis=1)

    def draw(size: int) -> NDArray[np.int32]:
        anchor = rng.integers(n, size=size, dtype=np.int32)
        near = neighbors[anchor, rng.integers(m, size=size)]
        far = rng.integers(n - 1 - m, size=size, dtype=np.int32)
        # stepping over the excluded objects in rising order keeps the draw uniform
        for column in excluded.T:
            far += far >= column[anchor]
        return np.column_stack([anchor, near, far])

    return settle_drawn(draw, size, distances, noise, rng)
