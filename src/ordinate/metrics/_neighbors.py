"""Who is whose neighbour: whether a map keeps classes together and neighbours near."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import mode
from sklearn.manifold import trustworthiness as trustworthiness
from sklearn.neighbors import NearestNeighbors

from ordinate._checks import InputError, check_integer, check_labels, check_points


def nearest_neighbor_error(points: ArrayLike, labels: ArrayLike, n_neighbors: int = 1) -> float:
    """Share of the objects whose class their nearest neighbours get wrong.

    Parameters
    ----------
    points : array-like of float, shape (n_objects, n_components)
        Coordinates.
    labels : array-like, shape (n_objects,)
        The class of each object.
    n_neighbors : int, default=1
        How many neighbours vote; the object itself does not.

    Returns
    -------
    float
        The leave-one-out error of a k-nearest-neighbour classifier. Where classes have equally
        many votes, the first in sorted order wins.

    See Also
    --------
    knn_overlap : Without classes.
    map_quality : These and others at once.

    Examples
    --------
    >>> import ordinate as od
    >>> points = [[0.0], [0.1], [5.0], [5.1], [0.3]]
    >>> od.metrics.nearest_neighbor_error(points, ["a", "a", "b", "b", "b"])
    0.2
    """
    coordinates = check_points("points", points)
    classes = check_labels("labels", labels, len(coordinates))
    n_neighbors = check_integer("n_neighbors", n_neighbors, minimum=1, maximum=len(coordinates) - 1)
    codes = np.unique(classes, return_inverse=True)[1]
    nearest = (
        NearestNeighbors(n_neighbors=n_neighbors).fit(coordinates).kneighbors(return_distance=False)
    )
    elected = mode(codes[nearest], axis=1).mode
    return float((elected != codes).mean())


def knn_overlap(a: ArrayLike, b: ArrayLike, n_neighbors: int = 10) -> float:
    """Share of an object's nearest neighbours in one map that are so in the other too.

    Parameters
    ----------
    a : array-like of float, shape (n_objects, n_components)
        One set of coordinates.
    b : array-like of float, shape (n_objects, any number)
        Another; the number of columns may differ.
    n_neighbors : int, default=10
        How many neighbours to compare.

    Returns
    -------
    float
        Mean over the objects: 1 if all neighbourhoods agree, about n_neighbors / (n_objects - 1)
        for unrelated maps.

    See Also
    --------
    trustworthiness : Counts how far off false neighbours are.
    map_quality : These and others at once.

    Examples
    --------
    >>> import ordinate as od
    >>> od.metrics.knn_overlap([[0], [1], [3], [7]], [[0], [1], [3], [1.5]], n_neighbors=1)
    0.25
    """
    first = check_points("a", a)
    second = check_points("b", b, n_rows=len(first))
    n_neighbors = check_integer("n_neighbors", n_neighbors, minimum=1, maximum=len(first) - 1)
    graphs = [
        NearestNeighbors(n_neighbors=n_neighbors).fit(p).kneighbors_graph() for p in (first, second)
    ]
    return float(graphs[0].multiply(graphs[1]).sum()) / (n_neighbors * len(first))


def density_preservation(a: ArrayLike, b: ArrayLike, n_neighbors: int = 10) -> float:
    """How far crowded places stay crowded: correlation of the logarithms of local density.

    Parameters
    ----------
    a : array-like of float, shape (n_objects, n_components)
        One set of coordinates.
    b : array-like of float, shape (n_objects, any number)
        Another; the number of columns may differ.
    n_neighbors : int, default=10
        How many neighbours tell the density at an object.

    Returns
    -------
    float
        At most 1. The density at an object is taken as a power of the mean distance to its
        nearest neighbours; which power, and the scale of the maps, does not matter.

    See Also
    --------
    knn_overlap : Whether neighbours are kept.

    Examples
    --------
    >>> import ordinate as od
    >>> points = [[0, 0], [1, 0], [0, 1], [5, 5], [9, 5]]
    >>> larger = [[2 * x, 2 * y] for x, y in points]
    >>> round(od.metrics.density_preservation(points, larger, n_neighbors=2), 6)
    1.0
    """
    first = check_points("a", a)
    second = check_points("b", b, n_rows=len(first))
    n_neighbors = check_integer("n_neighbors", n_neighbors, minimum=1, maximum=len(first) - 1)
    radii = [_log_radius("a", first, n_neighbors), _log_radius("b", second, n_neighbors)]
    return float(np.asarray(np.corrcoef(radii))[0, 1])


def _log_radius(name: str, points: NDArray[np.float64], n_neighbors: int) -> NDArray[np.float64]:
    radius = NearestNeighbors(n_neighbors=n_neighbors).fit(points).kneighbors()[0].mean(axis=1)
    if radius.min() == 0:
        raise InputError(
            f"The density is undefined: object {radius.argmin()} of {name} lies in one place"
            f" with its {n_neighbors} nearest neighbours; raise n_neighbors."
        )
    if np.ptp(radius) <= 1e-12 * radius.max():
        raise InputError(f"{name} has the same density everywhere; there is nothing to preserve.")
    logarithm: NDArray[np.float64] = np.log(radius)
    return logarithm
