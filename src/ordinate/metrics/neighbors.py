"""Who is whose neighbour: whether a map keeps classes together and neighbours near."""

from __future__ import annotations

from numpy.typing import ArrayLike
from sklearn.manifold import trustworthiness as trustworthiness
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from ordinate._checks import check_integer, check_labels, check_points


def nearest_neighbor_error(points: ArrayLike, labels: ArrayLike, k: int = 1) -> float:
    """Share of the objects whose class their nearest neighbours get wrong.

    Parameters
    ----------
    points : array-like of float, shape (n_objects, n_components)
        Coordinates.
    labels : array-like, shape (n_objects,)
        The class of each object.
    k : int
        How many neighbours vote; the object itself does not.

    Returns
    -------
    float
        The leave-one-out error of scikit-learn's k-nearest-neighbour classifier.

    Examples
    --------
    >>> import ordinate as od
    >>> points = [[0.0], [0.1], [5.0], [5.1], [0.3]]
    >>> od.metrics.nearest_neighbor_error(points, ["a", "a", "b", "b", "b"])
    0.2
    """
    coordinates = check_points("points", points)
    classes = check_labels("labels", labels, len(coordinates))
    k = check_integer("k", k, minimum=1, maximum=len(coordinates) - 1)
    classifier = KNeighborsClassifier(n_neighbors=k).fit(coordinates, classes)
    return float((classifier.predict(None) != classes).mean())


def knn_overlap(a: ArrayLike, b: ArrayLike, k: int = 10) -> float:
    """Share of an object's k nearest neighbours in one map that are so in the other too.

    Parameters
    ----------
    a : array-like of float, shape (n_objects, n_components)
        One set of coordinates.
    b : array-like of float, shape (n_objects, any number)
        Another; the number of columns may differ.
    k : int
        How many neighbours to compare.

    Returns
    -------
    float
        Mean over the objects: 1 if all neighbourhoods agree, about k / (n_objects - 1) for
        unrelated maps.

    Examples
    --------
    >>> import ordinate as od
    >>> od.metrics.knn_overlap([[0], [1], [3], [7]], [[0], [1], [3], [1.5]], k=1)
    0.25
    """
    first = check_points("a", a)
    second = check_points("b", b, n_rows=len(first))
    k = check_integer("k", k, minimum=1, maximum=len(first) - 1)
    graphs = [NearestNeighbors(n_neighbors=k).fit(p).kneighbors_graph() for p in (first, second)]
    return float(graphs[0].multiply(graphs[1]).sum()) / (k * len(first))
