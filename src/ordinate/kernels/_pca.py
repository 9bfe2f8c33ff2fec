"""Coordinates from a kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator

from ordinate._checks import check_integer
from ordinate.kernels._kernels import Kernel, as_operator
from ordinate.solvers.eigenvectors import leading_eigenvectors

_SMALL = 200
"""Up to this many objects all directions come as fast as a few."""


def kernel_pca(kernel: Kernel, n_components: int = 2) -> NDArray[np.float64]:
    """Place objects along the directions in which their features differ most.

    Parameters
    ----------
    kernel : K1, K2 or array-like of shape (n_objects, n_objects)
        A fitted kernel, which is used through its features without any n × n matrix, or a
        kernel matrix such as ``k.kernel(shift=True)``. A shift stretches the map along the
        widest directions but does not turn it.
    n_components : int, default=2
        Dimension of the map.

    Returns
    -------
    ndarray of shape (n_objects, n_components)
        Centred coordinates, the widest direction first.

    See Also
    --------
    ordinate.K1, ordinate.K2 : Kernels of comparisons.
    ordinate.plots.plot_kernel : Draws a kernel.

    Examples
    --------
    >>> import ordinate as od
    >>> k = od.K1().fit(od.datasets.load_cities().comparisons)
    >>> od.kernels.kernel_pca(k).shape
    (125, 2)
    """
    operator = as_operator(kernel)
    n_objects = len(operator.diagonal)
    check_integer("n_components", n_components, minimum=1, maximum=n_objects)

    def centred(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        products: NDArray[np.float64] = operator.times(vectors - vectors.mean(axis=0))
        products -= products.mean(axis=0)
        return products

    if n_objects <= _SMALL or n_components == n_objects:
        values, vectors = eigh(centred(np.eye(n_objects)))
    else:
        precision = operator.diagonal.dtype
        start = np.random.default_rng(0).standard_normal(n_objects).astype(precision)
        shape = (n_objects, n_objects)
        matrix = LinearOperator(shape, matvec=centred, matmat=centred, dtype=precision)
        values, vectors = leading_eigenvectors(matrix, n_components, start)
    widest = np.argsort(-values, kind="stable")[:n_components]
    points = vectors[:, widest] * np.sqrt(np.maximum(values[widest], 0))
    # the sign of a direction is arbitrary: the object farthest out is on the positive side
    farthest = np.abs(points).argmax(axis=0)
    signs = np.where(points[farthest, np.arange(n_components)] < 0, -1.0, 1.0)
    coordinates: NDArray[np.float64] = points * signs
    return coordinates
