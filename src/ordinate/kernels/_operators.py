"""A kernel as something to multiply with, whether it is a matrix or comes as features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ordinate._checks import InputError, check_points
from ordinate.kernels._base import TripletKernel
from ordinate.kernels._features import squared_lengths

Kernel: TypeAlias = "TripletKernel | ArrayLike"


class Operator(NamedTuple):
    """The diagonal of a kernel matrix, and the matrix times any other."""

    diagonal: NDArray[Any]
    times: Callable[[NDArray[Any]], NDArray[Any]]


def as_operator(kernel: Kernel) -> Operator:
    """Return an operator; for a fitted kernel no matrix is formed.

    Parameters
    ----------
    kernel : K1, K2 or array-like of shape (n_objects, n_objects)
        A fitted kernel or a kernel matrix.

    Returns
    -------
    Operator
        Diagonal and product.
    """
    if isinstance(kernel, TripletKernel):
        check_is_fitted(kernel)
        features = kernel.features_

        def times(other: NDArray[Any]) -> NDArray[Any]:
            # in the type of the features, which are not to be copied into another one
            products: NDArray[Any] = features @ (features.T @ other.astype(features.dtype))
            return products

        return Operator(squared_lengths(features), times)
    matrix = as_matrix(kernel)
    return Operator(matrix.diagonal(), lambda other: matrix @ other)


def as_matrix(kernel: Kernel) -> NDArray[Any]:
    """Return the kernel matrix.

    Parameters
    ----------
    kernel : K1, K2 or array-like of shape (n_objects, n_objects)
        A fitted kernel or a kernel matrix.

    Returns
    -------
    ndarray of shape (n_objects, n_objects)
        Symmetric.
    """
    if isinstance(kernel, TripletKernel):
        return kernel.kernel()
    matrix = check_points("kernel", kernel)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"kernel must be a fitted K1 or K2 or a square matrix; got shape {matrix.shape}."
        )
    if not np.allclose(matrix, matrix.T):
        row, column = np.argwhere(~np.isclose(matrix, matrix.T))[0]
        raise InputError(
            f"kernel must be symmetric; entry ({row}, {column}) is {matrix[row, column]:g} and"
            f" entry ({column}, {row}) is {matrix[column, row]:g}."
        )
    return matrix
