"""Similarities and trees from answers about pairs of pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import NO_ROWS, InputError
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons


def additive_similarity(comparisons: Comparisons | ArrayLike) -> NDArray[np.float64]:
    """Count how often each pair was found more alike than another pair, less how seldom.

    From quadruplets this is AddS-4, from triplets AddS-3. It needs no map, and grows with the
    similarity of a pair if all questions are asked equally often.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets (anchor, near, far) or quadruplets (i, j, k, l): i and j are more alike than k
        and l. Weights count as repetitions.

    Returns
    -------
    ndarray of shape (n_objects, n_objects)
        Symmetric, with zeros on the diagonal.

    See Also
    --------
    additive_linkage : The tree of these similarities.
    ordinate.K1 : A kernel from triplets.

    References
    ----------
    Ghoshdastidar, Perrot & von Luxburg, Foundations of comparison-based hierarchical clustering,
    NeurIPS 2019; Perrot, Esser & Ghoshdastidar, Near-optimal comparison based clustering, NeurIPS
    2020.

    Examples
    --------
    >>> import ordinate as od
    >>> od.kernels.additive_similarity([[0, 1, 2, 3], [0, 1, 0, 2]])
    array([[ 0.,  2., -1.,  0.],
           [ 2.,  0.,  0.,  0.],
           [-1.,  0.,  0., -1.],
           [ 0.,  0., -1.,  0.]])
    """
    record = record_to_fit(comparisons)
    if len(record) == 0:
        raise InputError(NO_ROWS)
    n = record.n_objects
    rows = record.rows if record.kind == "quadruplet" else record.rows[:, [0, 1, 0, 2]]
    near, far = (rows[:, 0] * n + rows[:, 1], rows[:, 2] * n + rows[:, 3])
    votes = [np.bincount(pair, record.weights, minlength=n * n) for pair in (near, far)]
    net = (votes[0] - votes[1]).reshape(n, n).astype(np.float64)
    return np.asarray(net + net.T)


def additive_linkage(comparisons: Comparisons | ArrayLike) -> NDArray[np.float64]:
    """Join objects into a tree by the mean additive similarity of two clusters.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets or quadruplets.

    Returns
    -------
    ndarray of shape (n_objects - 1, 4)
        A linkage as SciPy has it: `ordinate.plots.plot_dendrogram` draws it and
        ``scipy.cluster.hierarchy.fcluster(tree, 5, "maxclust")`` cuts it into 5 clusters.

    See Also
    --------
    additive_similarity : What is joined by.
    kernel_linkage : The tree of a triplet kernel.

    Examples
    --------
    >>> import ordinate as od
    >>> points = [[0.0], [0.1], [5.0], [5.3]]
    >>> answers = od.sources.all_quadruplets(points)
    >>> od.kernels.additive_linkage(answers)[:2, :2].astype(int).tolist()
    [[0, 1], [2, 3]]
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    similarities = additive_similarity(comparisons)
    # means of clusters move with the offset, which makes all heights positive
    distances = similarities.max() + 1.0 - similarities
    np.fill_diagonal(distances, 0.0)
    tree: NDArray[np.float64] = linkage(squareform(distances, checks=False), "average")
    return tree
