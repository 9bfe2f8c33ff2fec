"""How well found clusters agree with known classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics.cluster import contingency_matrix

from ordinate._checks import InputError, check_labels


def purity(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of the objects that belong to the commonest class of their cluster.

    Parameters
    ----------
    labels_true : array-like, shape (n_objects,)
        Known classes.
    labels_pred : array-like, shape (n_objects,)
        Clusters found.

    Returns
    -------
    float
        At most 1. More clusters make it larger (as many clusters as objects give 1), so
        compare only clusterings with the same number of clusters.

    See Also
    --------
    ordinate.kernels.kernel_kmeans : Clusters of a kernel.

    Examples
    --------
    >>> import ordinate as od
    >>> od.metrics.purity(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    n_objects = np.size(np.asarray(labels_true))
    if n_objects == 0:
        raise InputError("labels_true is empty; expected one class per object.")
    classes = check_labels("labels_true", labels_true, n_objects)
    clusters = check_labels("labels_pred", labels_pred, n_objects)
    counts = contingency_matrix(classes, clusters, sparse=True)
    return float(counts.max(axis=0).sum()) / n_objects
