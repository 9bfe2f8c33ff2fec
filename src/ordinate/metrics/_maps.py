"""How much a map of feature vectors keeps: neighbours, classes, random triplets, directions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from scipy.stats import mode
from sklearn.manifold import trustworthiness as trustworthiness
from sklearn.neighbors import NearestNeighbors

from ordinate._checks import InputError, check_integer, check_labels, check_points
from ordinate._random import RandomState, as_generator
from ordinate.metrics._triplets import triplet_accuracy
from ordinate.sources._points import random_triplets


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


_BLOCK = 2**22
"""Distances looked at together, so that memory does not grow with the square of the objects."""

_VISIBLE = 0.04
"""Side of the cells that a class is laid out on to see its gaps, in units of the map's radius.

Where objects are few, cells are so large that each would hold one object of an even disc. With
cells of 0.04, the thirds of an even disc of 178 objects are found to be in one piece to 0.09.
"""
_COARSE = 3000
"""Objects among which classes are judged coarsely."""


@dataclass(frozen=True)
class MapQuality:
    """What a map keeps of the feature vectors it was made from; 1 is best everywhere.

    Attributes
    ----------
    trustworthiness : float
        Whether the 5 nearest on the map are near in the data.
    accuracy_1, accuracy_10 : float or None
        Share of objects whose class the 1 or 10 nearest on the map tell; None without classes.
    accuracy_coarse : float or None
        The same for the 10 nearest among a random 3000 objects: the coarse shape of classes.
    connected : float or None
        Share of a class in its largest connected component, if each object is linked to the 10
        nearest on the map that are of its class: the mean over classes. It sees crumbs that are
        closer together than a visible gap.
    one_piece : float or None
        Share of a class that is connected on the map, its largest part without a gap that one
        sees, wider than 4 to 8 % of the map's radius: the mean over classes. Below 2000 objects
        it is one to two times the distance at which as many objects fill a disc evenly.
    one_piece_least : float or None
        The same of the class that is split most. It jumps from map to map, as a group of objects
        lies on this side of a gap or on that.
    frame : float
        The radius that 99 % of objects lie within, as a share of the radius of all: near 1
        without strays.
    triplets : float
        Share of random triplets that hold on the map; 0.5 is guessing.
    global_score : float
        See `global_score`.

    Examples
    --------
    >>> import ordinate as od
    >>> sphere = od.datasets.make_sphere(200, random_state=0)
    >>> quality = od.metrics.map_quality(sphere.points, sphere.points[:, :2], random_state=0)
    >>> quality.accuracy_1 is None, quality.triplets > 0.7
    (True, True)
    """

    trustworthiness: float
    accuracy_1: float | None
    accuracy_10: float | None
    accuracy_coarse: float | None
    connected: float | None
    one_piece: float | None
    one_piece_least: float | None
    frame: float
    triplets: float
    global_score: float

    def to_dict(self) -> dict[str, float | None]:
        """Return the figures as plain Python values, ready for JSON."""
        return asdict(self)


def map_quality(
    points: ArrayLike,
    embedding: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    n_triplets: int = 100_000,
    random_state: RandomState = None,
) -> MapQuality:
    """Measure a map of feature vectors in the ways that are usual in the field.

    Parameters
    ----------
    points : array-like of float, shape (n_objects, n_features)
        The feature vectors.
    embedding : array-like of float, shape (n_objects, n_components)
        The map.
    labels : array-like, shape (n_objects,), optional
        Classes of the objects.
    n_triplets : int, default=100_000
        Random triplets to judge by; 100 000 give the share to within 0.003.
    random_state : int, Generator or None, default=None
        Seed of the triplets and of the objects that are judged coarsely.

    Returns
    -------
    MapQuality
        The figures.

    See Also
    --------
    nearest_neighbor_error, knn_overlap, global_score : Its parts.

    Examples
    --------
    >>> import ordinate as od
    >>> line = [[float(i), i % 2, 0.0] for i in range(30)]
    >>> od.metrics.map_quality(line, [row[:1] for row in line], random_state=0).trustworthiness
    1.0
    """
    X = check_points("points", points)
    Y = check_points("embedding", embedding, n_rows=len(X))
    size = check_integer("n_triplets", n_triplets, minimum=1)
    if len(X) < 21:
        raise InputError(f"A map can be judged with 21 objects or more; got {len(X)}.")
    rng = as_generator(random_state)
    drawn = random_triplets(X, size, random_state=rng)
    of_classes: list[float | None] = [None] * 6
    if labels is not None:
        classes = check_labels("labels", labels, len(X))
        some = np.sort(rng.permutation(len(Y))[:_COARSE])
        shares = _in_one_piece(Y, classes)
        of_classes = [
            *(1 - nearest_neighbor_error(Y, classes, k) for k in (1, 10)),
            1 - nearest_neighbor_error(Y[some], classes[some], 10),
            _connected(Y, classes),
            float(np.mean(shares)),
            min(shares),
        ]
    return MapQuality(
        trustworthiness=_trustworthiness(X, Y),
        accuracy_1=of_classes[0],
        accuracy_10=of_classes[1],
        accuracy_coarse=of_classes[2],
        connected=of_classes[3],
        one_piece=of_classes[4],
        one_piece_least=of_classes[5],
        frame=_frame(Y),
        triplets=triplet_accuracy(drawn, Y),
        global_score=global_score(X, Y),
    )


def global_score(points: ArrayLike, embedding: ArrayLike) -> float:
    """How well the map tells the features by linear regression, beside principal components.

    Parameters
    ----------
    points : array-like of float, shape (n_objects, n_features)
        The feature vectors.
    embedding : array-like of float, shape (n_objects, n_components)
        The map.

    Returns
    -------
    float
        exp(−(e − e₀) / e₀) with e the squared error of the best linear reconstruction of the
        features from the map, and e₀ that from as many principal components: 1 for those.

    See Also
    --------
    map_quality : This and others at once.

    References
    ----------
    E. Amid and M. K. Warmuth, "TriMap: large-scale dimensionality reduction using triplets",
    arXiv:1910.00204, section 3.

    Examples
    --------
    >>> import ordinate as od
    >>> round(od.metrics.global_score([[0, 0, 1], [4, 0, 0], [0, 2, 0]], [[0], [1], [0]]), 3)
    0.966
    """
    X = check_points("points", points)
    Y = check_points("embedding", embedding, n_rows=len(X))
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    variances = np.linalg.eigvalsh(X.T @ X if len(X) > X.shape[1] else X @ X.T)
    best = float(variances[: -Y.shape[1]].sum())
    if best <= 1e-12 * float(variances.sum()):
        raise InputError(
            "The points lie in as few dimensions as the map has, so principal components keep all;"
            " the global score is not defined."
        )
    residual = X - Y @ np.linalg.lstsq(Y, X, rcond=None)[0]
    return float(np.exp(1 - np.square(residual).sum() / best))


def _in_one_piece(Y: NDArray[np.float64], classes: NDArray[Any]) -> list[float]:
    """Return the share of each class in its largest part without a visible gap."""
    radii = np.linalg.norm(Y - np.median(Y, axis=0), axis=1)
    side = max(_VISIBLE, np.sqrt(np.pi / len(Y)))
    cells = np.floor(Y / (side * (np.quantile(radii, 0.99) or 1.0)))
    shares = []
    for number in np.unique(classes):
        taken, of_object = np.unique(cells[classes == number], axis=0, return_inverse=True)
        pairs = cKDTree(taken).query_pairs(1.5, p=np.inf, output_type="ndarray")
        links = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(taken), len(taken)))
        piece = connected_components(links, directed=False)[1][of_object.ravel()]
        shares.append(float(np.bincount(piece).max() / len(piece)))
    return shares


def _connected(Y: NDArray[np.float64], classes: NDArray[Any], k: int = 10) -> float:
    """Return the mean share of a class in its largest component of the map's k-NN graph."""
    n = len(Y)
    nearest = NearestNeighbors(n_neighbors=k).fit(Y).kneighbors(return_distance=False).ravel()
    objects = np.repeat(np.arange(n), k)
    alike = classes[objects] == classes[nearest]
    links = coo_array((np.ones(alike.sum()), (objects[alike], nearest[alike])), shape=(n, n))
    component = connected_components(links, directed=False)[1]
    groups = (component[classes == number] for number in np.unique(classes))
    return float(np.mean([np.bincount(group).max() / len(group) for group in groups]))


def _frame(Y: NDArray[np.float64]) -> float:
    radii = np.linalg.norm(Y - np.median(Y, axis=0), axis=1)
    return float(np.quantile(radii, 0.99) / radii.max()) if radii.any() else 1.0


def _trustworthiness(X: NDArray[np.float64], Y: NDArray[np.float64], k: int = 5) -> float:
    """Compute what scikit-learn does, with blocks of ranks instead of all n × n."""
    n = len(X)
    nearest = NearestNeighbors(n_neighbors=k).fit(Y).kneighbors(return_distance=False)
    norms = np.einsum("ij,ij->i", X, X)
    excess = 0
    step = max(1, _BLOCK // n)
    for first in range(0, n, step):
        rows = np.arange(first, min(first + step, n))
        squared = norms[rows, None] + norms - 2 * X[rows] @ X.T
        squared[np.arange(len(rows)), rows] = -np.inf
        for column in nearest[rows].T:
            rank = (squared < squared[np.arange(len(rows)), column][:, None]).sum(axis=1)
            excess += int(np.maximum(rank - k, 0).sum())
    return 1 - 2 * excess / (n * k * (2 * n - 3 * k - 1))
