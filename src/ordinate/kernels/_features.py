"""Feature matrices of the triplet kernels, and the matrix of their inner products."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh
from scipy.sparse import csr_array

from ordinate._checks import INT32_LIMIT
from ordinate.kernels._entries import Entries, Numbers

Features: TypeAlias = "NDArray[Any] | csr_array[Any]"

_DENSE_SHARE = 0.05
"""From this share of nonzeros on, multiplying everything is faster than finding the nonzeros."""
_TILE = 2048
_PART = 2**22
"""Numbers in the part of a sparse matrix that is written out at a time."""


def dense_features(
    blocks: Iterable[Entries], n_objects: int, questions: Numbers, dtype: str
) -> NDArray[Any]:
    """Write entries into an array with one column per question.

    Parameters
    ----------
    blocks : iterable of Entries
        The entries.
    n_objects : int
        Number of rows.
    questions : ndarray of int64, shape (n_features,)
        Sorted; every question that occurs is among them.
    dtype : str
        Type of the array.

    Returns
    -------
    ndarray of shape (n_objects, n_features)
        Zero where there is no entry.
    """
    features = np.zeros((n_objects, len(questions)), dtype=dtype)
    for objects, asked, values in blocks:
        features[objects, _columns(asked, questions)] = values
    return features


def sparse_features(
    blocks: Iterable[Entries], n_objects: int, questions: Numbers | None, dtype: str
) -> tuple[csr_array[Any], Numbers]:
    """Write entries into a sparse matrix with one column per question.

    Parameters
    ----------
    blocks : iterable of Entries
        The entries.
    n_objects : int
        Number of rows.
    questions : ndarray of int64, shape (n_features,), or None
        Sorted questions; entries of other ones are left out. By default all that occur.
    dtype : str
        Type of the values.

    Returns
    -------
    features : csr_array of shape (n_objects, n_features)
        The entries.
    questions : ndarray of int64, shape (n_features,)
        The question of each column.
    """
    none = Entries(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    objects, asked, values = (np.concatenate(part) for part in zip(none, *blocks, strict=True))
    if questions is None:
        questions = _distinct(asked)
    columns = _columns(asked, questions)
    known = columns >= 0
    if not known.all():
        objects, columns, values = objects[known], columns[known], values[known]
    starts = np.zeros(n_objects + 1, dtype=np.int64)
    np.cumsum(np.bincount(objects, minlength=n_objects), out=starts[1:])
    # scikit-learn takes sparse matrices with 32-bit indices only
    index = np.int32 if max(len(values), len(questions)) < INT32_LIMIT else np.int64
    parts = (values.astype(dtype, copy=False), columns.astype(index), starts.astype(index))
    return csr_array(parts, shape=(n_objects, len(questions))), questions


def _distinct(asked: Numbers) -> Numbers:
    if not _fits_table(asked):
        return np.unique(asked)
    occurs = np.zeros(asked.max(initial=-1) + 1, dtype=np.bool_)
    occurs[asked] = True
    return np.flatnonzero(occurs)


def _columns(asked: Numbers, questions: Numbers) -> NDArray[np.intp]:
    """Find each question among sorted ones; -1 where it is not there."""
    if not _fits_table(asked):
        columns = np.searchsorted(questions, asked)
        columns[questions.take(columns, mode="clip") != asked] = -1
        return columns
    column = np.full(max(asked.max(initial=-1), questions.max(initial=-1)) + 1, -1, dtype=np.intp)
    column[questions] = np.arange(len(questions))
    return column[asked]


def _fits_table(asked: Numbers) -> bool:
    """Whether a table of all numbers up to the largest is small beside the data."""
    return bool(asked.max(initial=-1) < 4 * len(asked))


def inner_products(features: Features) -> NDArray[Any]:
    """Multiply every row with every row.

    Parameters
    ----------
    features : ndarray or csr_array of shape (n_objects, n_features)
        The rows.

    Returns
    -------
    ndarray of shape (n_objects, n_objects)
        Exactly symmetric.
    """
    if isinstance(features, np.ndarray):
        return _tile_by_tile(features)
    n_objects, n_features = features.shape
    if features.nnz < _DENSE_SHARE * n_objects * n_features:
        few: NDArray[Any] = (features @ features.T).toarray()
        return few
    products = np.zeros((n_objects, n_objects), dtype=features.dtype)
    by_column = features.tocsc()
    width = max(1, _PART // n_objects)
    for start in range(0, n_features, width):
        part = by_column[:, start : start + width].toarray()
        products += part @ part.T
    return products


def _tile_by_tile(features: NDArray[Any]) -> NDArray[Any]:
    """Compute the lower triangle in strips and mirror it.

    The plain product of a matrix with its own transpose calls BLAS's syrk, which was seen to
    crash OpenBLAS at 20,000 rows.
    """
    n_objects = len(features)
    products = np.empty((n_objects, n_objects), dtype=features.dtype)
    for top in range(0, n_objects, _TILE):
        strip = slice(top, top + _TILE)
        products[strip, strip] = features[strip] @ features[strip].T
        for left in range(0, top, _TILE):
            other = slice(left, left + _TILE)
            tile = features[strip] @ features[other].T
            products[strip, other] = tile
            products[other, strip] = tile.T
    return products


def squared_lengths(features: Features) -> NDArray[Any]:
    """Sum the squares of each row.

    Parameters
    ----------
    features : ndarray or csr_array of shape (n_objects, n_features)
        The rows.

    Returns
    -------
    ndarray of shape (n_objects,)
        About 1 for rows with data and 0 for those without.
    """
    if isinstance(features, np.ndarray):
        lengths: NDArray[Any] = np.einsum("ij,ij->i", features, features)
        return lengths
    return features.power(2).sum(axis=1)


def smallest_eigenvalue(features: Features, products: NDArray[Any]) -> float:
    """Find the smallest eigenvalue of the matrix of inner products.

    Parameters
    ----------
    features : ndarray or csr_array of shape (n_objects, n_features)
        The rows.
    products : ndarray of shape (n_objects, n_objects)
        Their inner products.

    Returns
    -------
    float
        Not negative, and exactly 0 where that is known beforehand.
    """
    n_objects, n_features = features.shape
    if n_objects > n_features or (products.diagonal() == 0).any():
        return 0.0
    return max(float(eigvalsh(products, subset_by_index=(0, 0))[0]), 0.0)
