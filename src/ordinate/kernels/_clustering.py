"""Clusters, trees and centres from a kernel."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_choice, check_integer, check_objects
from ordinate._random import RandomState, as_generator
from ordinate.kernels._kernels import Kernel, Operator, as_matrix, as_operator

Linkage: TypeAlias = Literal["complete", "average", "single", "ward"]
_PATIENCE = 3
"""Iterations in a row that may fail: when many objects move at once, some overshoot."""
_TOLERANCE = 1e-6
"""An iteration that lowers the inertia by less than this share has failed."""


def kernel_kmeans(
    kernel: Kernel,
    n_clusters: int,
    *,
    n_init: int = 5,
    max_iter: int = 100,
    random_state: RandomState = None,
) -> NDArray[np.int32]:
    """Sort objects into clusters: k-means in the space of the features.

    Objects move by Hartigan's rule, which leaves an object out of the mean of its own cluster.
    With few answers an object is far more like itself than like any other, and Lloyd's rule,
    which counts it, then leaves every object where it happens to begin. For the same reason a
    shift of the diagonal, which helps Lloyd's rule, changes nothing here.

    Parameters
    ----------
    kernel : K1, K2 or array-like of shape (n_objects, n_objects)
        A fitted kernel, which is used through its features without any n × n matrix, or a
        kernel matrix.
    n_clusters : int
        Number of clusters.
    n_init : int, default=5
        Starts, of which the best is kept; each by k-means++.
    max_iter : int, default=100
        Most iterations for each start.
    random_state : int, Generator or None, default=None
        Seed of the starts.

    Returns
    -------
    ndarray of int32, shape (n_objects,)
        The cluster of each object, counted from 0 in order of first members.

    See Also
    --------
    kernel_linkage : A hierarchy.
    kernel_medoid : The most central object.

    Examples
    --------
    >>> import ordinate as od
    >>> k = od.K1().fit(od.datasets.load_cities().comparisons)
    >>> clusters = od.kernels.kernel_kmeans(k, 4, random_state=0)
    >>> sorted(set(clusters.tolist()))
    [0, 1, 2, 3]
    """
    operator = as_operator(kernel)
    n_clusters = check_integer("n_clusters", n_clusters, minimum=1, maximum=len(operator.diagonal))
    check_integer("n_init", n_init, minimum=1)
    check_integer("max_iter", max_iter, minimum=1)
    rng = as_generator(random_state)
    best = min(
        (
            _exchange(operator, _spread(operator, n_clusters, rng), n_clusters, max_iter)
            for _ in range(n_init)
        ),
        key=_inertia,
    )
    _, first, labels = np.unique(best.labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[labels]


class _Clustering(NamedTuple):
    labels: NDArray[np.intp]
    inertia: float


def _spread(operator: Operator, n_clusters: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """k-means++: centres drawn with probability proportional to their squared distance."""
    n_objects = len(operator.diagonal)
    distances = np.empty((n_objects, n_clusters), dtype=operator.diagonal.dtype)
    chosen = int(rng.integers(n_objects))
    nearest = np.full(n_objects, np.inf)
    for cluster in range(n_clusters):
        single = np.zeros(n_objects, dtype=operator.diagonal.dtype)
        single[chosen] = 1
        products = operator.times(single)
        distances[:, cluster] = operator.diagonal + operator.diagonal[chosen] - 2 * products
        nearest = np.maximum(np.minimum(nearest, distances[:, cluster]), 0)
        total = nearest.sum()
        chosen = int(rng.choice(n_objects, p=nearest / total if total > 0 else None))
    labels: NDArray[np.intp] = distances.argmin(axis=1)
    return labels


def _exchange(
    operator: Operator, labels: NDArray[np.intp], n_clusters: int, max_iter: int
) -> _Clustering:
    """Move every object to the cluster that it makes least wider, until that no longer helps."""
    everything = np.arange(len(labels))
    best, failures = _Clustering(labels, np.inf), 0
    for _ in range(max_iter):
        sizes = np.bincount(labels, minlength=n_clusters)
        shares = np.zeros((len(labels), n_clusters), dtype=operator.diagonal.dtype)
        shares[everything, labels] = 1 / sizes[labels]
        products = operator.times(shares)
        distances = operator.diagonal[:, None] - 2 * products + (shares * products).sum(axis=0)
        own, own_size = distances[everything, labels], sizes[labels]
        inertia = float(own.sum())
        failures = 0 if inertia < (1 - _TOLERANCE) * best.inertia else failures + 1
        if failures == _PATIENCE:
            break
        best = min(best, _Clustering(labels, inertia), key=_inertia)
        # what joining a cluster adds to the inertia, and what leaving the own one takes away
        costs = distances * (sizes / (sizes + 1))
        costs[everything, labels] = own * own_size / np.maximum(own_size - 1, 1)
        costs[:, sizes == 0] = np.inf
        before, labels = labels, costs.argmin(axis=1)
        empty = np.flatnonzero(np.bincount(labels, minlength=n_clusters) == 0)
        if empty.size:  # restart with the objects that are farthest from their means
            labels[np.argsort(-own, kind="stable")[: len(empty)]] = empty
        if np.array_equal(before, labels):
            break
    return best


def _inertia(clustering: _Clustering) -> float:
    return clustering.inertia


def kernel_linkage(kernel: Kernel, method: Linkage = "complete") -> NDArray[np.float64]:
    """Join objects into a tree, the nearest first.

    The distance of two objects is that of their features, √(k(a, a) + k(b, b) - 2 k(a, b)).

    Parameters
    ----------
    kernel : K1, K2 or array-like of shape (n_objects, n_objects)
        A fitted kernel or a kernel matrix. A shift of the diagonal changes no tree.
    method : {"complete", "average", "single", "ward"}, default="complete"
        The distance of two clusters: the largest, the mean or the smallest of their objects, or
        by how much joining them raises the variance within.

    Returns
    -------
    ndarray of shape (n_objects - 1, 4)
        A linkage as SciPy has it: `ordinate.plots.plot_dendrogram` draws it and
        ``scipy.cluster.hierarchy.fcluster(tree, 5, "maxclust")`` cuts it into 5 clusters.

    See Also
    --------
    kernel_kmeans : Clusters of a given number.
    ordinate.plots.plot_dendrogram : Draws it.

    Examples
    --------
    >>> import ordinate as od
    >>> k = od.K1().fit(od.datasets.load_cities().comparisons)
    >>> od.kernels.kernel_linkage(k).shape
    (124, 4)
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    check_choice("method", method, get_args(Linkage))
    matrix = as_matrix(kernel)
    diagonal = matrix.diagonal()
    squares = diagonal[:, None] + diagonal - 2 * matrix
    np.fill_diagonal(squares, 0)
    distances = np.sqrt(np.maximum(squares, 0))
    tree: NDArray[np.float64] = linkage(squareform(distances, checks=False), method)
    return tree


def kernel_medoid(kernel: Kernel, members: ArrayLike | None = None) -> int:
    """Find the object in the middle: the one whose features are nearest to the mean.

    It is also the one with the least sum of squared distances to the others.

    Parameters
    ----------
    kernel : K1, K2 or array-like of shape (n_objects, n_objects)
        A fitted kernel or a kernel matrix.
    members : array-like of int, optional
        Numbers of the objects among which to choose, such as those of a cluster; by default all.

    Returns
    -------
    int
        Number of the object. Objects without data do not count.

    See Also
    --------
    kernel_kmeans : Clusters of objects.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> k = od.K1().fit(cities.comparisons)
    >>> od.kernels.kernel_medoid(k, members=[3])
    3
    """
    operator = as_operator(kernel)
    n_objects = len(operator.diagonal)
    chosen = np.zeros(n_objects, dtype=np.bool_)
    chosen[... if members is None else check_objects("members", members, n_objects)] = True
    chosen &= operator.diagonal > 0
    if not chosen.any():
        raise InputError("None of the objects has data, so none is in the middle of the others.")
    mean = (chosen / chosen.sum()).astype(operator.diagonal.dtype)
    distances = operator.diagonal - 2 * operator.times(mean)
    return int(np.argmin(np.where(chosen, distances, np.inf)))
