"""The triplets of Weighted t-ETE as a record, for any loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from ordinate._checks import check_integer, check_real, refuse_comparisons
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.features.feature_space import FeatureSpace
from ordinate.features.objective import fixed_outliers
from ordinate.features.triplets import OFFSET, SCALE_RANK, local_scales, paper_weights


def sample_weighted_triplets(
    X: ArrayLike,
    n_neighbors: int = 20,
    *,
    gamma: float = OFFSET,
    metric: Any = "euclidean",
    random_state: RandomState = None,
) -> Comparisons:
    """Draw the weighted triplets of Algorithm 1 of the t-ETE paper from feature vectors.

    Each object i gets its m nearest neighbours j and m other objects k, and all m² triplets
    (i, j, k). Fitting `TETE` to them is Weighted t-ETE as published, for any t and t'.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, or all distances if `metric` is "precomputed".
    n_neighbors : int, default=20
        The number m of neighbours, and of others; at most a half of the other objects is used.
    gamma : float, default=0.01
        What is added to every weight, after the largest has been scaled to 1.
    metric : str or callable, default="euclidean"
        A metric of `sklearn.neighbors.NearestNeighbors`.
    random_state : int, Generator or None, default=None
        Seed of the other objects.

    Returns
    -------
    Comparisons
        n_samples · m² triplets with their weights, those of each object together.

    See Also
    --------
    WeightedTETE : The method to use in practice; far faster, and better maps.

    References
    ----------
    E. Amid, N. Vlassis and M. K. Warmuth, "Low-dimensional data embedding via robust ranking",
    arXiv:1611.09957, section 6 and Algorithm 1.

    Examples
    --------
    >>> import ordinate as od
    >>> points = od.datasets.make_sphere(100, random_state=0).points
    >>> triplets = od.sample_weighted_triplets(points, 5, random_state=0)
    >>> triplets
    Comparisons(2500 triplets, 100 objects, weighted)
    >>> od.TETE(2, t=2, t_prime=2, random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """
    refuse_comparisons("X", X)
    rows = check_array(X, dtype=(np.float32, np.float64), ensure_min_samples=3)
    n = len(rows)
    used = min(check_integer("n_neighbors", n_neighbors, minimum=1), (n - 1) // 2)
    check_real("gamma", gamma, minimum=0)
    seed = int(as_generator(random_state).integers(2**31))
    space = FeatureSpace(rows, metric, seed)
    found = space.search.among(min(max(used, SCALE_RANK), n - 1))
    near = np.ascontiguousarray(found[0][:, :used]), np.ascontiguousarray(found[1][:, :used])
    others = fixed_outliers(near[0], used, seed)
    anchors = np.broadcast_to(np.arange(n, dtype=np.int32)[:, None], others.shape)
    distances = space.between(anchors, others)
    by_near, by_far = paper_weights(near, others, distances, local_scales(found[1]))
    weights = by_near[:, :, None].astype(np.float64) * by_far[:, None, :] + gamma
    shape = (n, used, used)
    columns = (anchors[:, :1, None], near[0][:, :, None], others[:, None, :])
    triplets = np.stack([np.broadcast_to(column, shape).ravel() for column in columns], axis=1)
    return Comparisons(triplets, n_objects=n, weights=weights.ravel())
