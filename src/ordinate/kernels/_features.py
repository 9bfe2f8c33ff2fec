"""From answers to feature vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh
from scipy.sparse import csr_array

from ordinate._arrays import Floats
from ordinate._checks import INT32_LIMIT, InputError
from ordinate._distinct import distinct
from ordinate.comparisons.record import Comparisons

Rows: TypeAlias = NDArray[np.int32]
Numbers: TypeAlias = NDArray[np.signedinteger[Any]]

_CHUNK = 2**16
"""Rows read at a time: what is computed from them stays in the cache."""
_BLOCK = 2**17
"""Answers merged at a time, about; for the same reason."""

Features: TypeAlias = "NDArray[Any] | csr_array[Any]"
_DENSE_SHARE = 0.05
"""From this share of nonzeros on, multiplying everything is faster than finding the nonzeros."""
_TILE = 2048
_PART = 2**22
"""Numbers in the part of a sparse matrix that is written out at a time."""


class Statements(NamedTuple):
    """Objects that answer yes to the question (left, right), or no."""

    objects: Rows
    left: Rows
    right: Rows
    denied: NDArray[np.bool_]


Reading: TypeAlias = Callable[[Rows, Rows], Statements]


def number_questions(pairs: NDArray[Any], n_places: int) -> Numbers:
    """Return the number of each question (i, j), which is i·n_places + j."""
    left, right = pairs.astype(np.int64).T
    numbers: Numbers = left * n_places + right
    return numbers


class Entries(NamedTuple):
    """Nonzero entries, sorted by object and question; the squares of an object sum to 1."""

    objects: Numbers
    questions: Numbers
    values: Floats


def unit_entries(
    comparisons: Comparisons, read: Reading, place: Rows, n_places: int
) -> Iterator[Entries]:
    """Weigh up the answers of every object to every question."""
    n_objects, n_questions = len(place), n_places**2
    if 2 * n_objects * n_questions > np.iinfo(np.int64).max:
        raise InputError(
            f"Among {n_objects} objects there are more questions than can be numbered; choose"
            " landmarks and ask about them only."
        )
    keys, weights = _sorted_keys(comparisons, read, place, n_places)
    n_blocks = min(-(-len(keys) // _BLOCK), n_objects)
    bounds = np.linspace(0, n_objects, n_blocks + 1).astype(np.int64)
    cuts = np.searchsorted(keys, (2 * n_questions * bounds).astype(keys.dtype))
    for start, stop in pairwise(cuts):
        if start < stop:
            part = slice(start, stop)
            yield _entries(keys[part], None if weights is None else weights[part], n_questions)


def _sorted_keys(
    comparisons: Comparisons, read: Reading, place: Rows, n_places: int
) -> tuple[Numbers, Floats | None]:
    """Write each answer as one number: by object, then question, then yes (0) or no (1)."""
    weights = comparisons.weights
    most = 2 * len(comparisons)
    # 32 bits, where they are enough, sort twice as fast; what is never written takes no memory
    number: Any = np.int32 if 2 * len(place) * n_places**2 < INT32_LIMIT else np.int64
    keys = np.empty(most, dtype=number)
    key_weights = np.empty(0 if weights is None else most)
    size = 0
    for start in range(0, len(comparisons), _CHUNK):
        rows = comparisons.rows[start : start + _CHUNK]
        objects, left, right, denied = read(rows, place[rows])
        known = np.flatnonzero((left >= 0) & (right >= 0))
        filled = slice(size, size + len(known))
        cells = (objects.astype(number) * n_places + left) * n_places + right
        keys[filled] = (2 * cells + denied)[known]
        if weights is not None:
            repeated = np.resize(weights[start : start + _CHUNK], len(objects))
            key_weights[filled] = repeated[known]
        size = filled.stop
    keys = keys[:size]
    if weights is None:
        keys.sort()
        return keys, None
    order = np.argsort(keys, kind="stable")
    return keys[order], key_weights[order]


def _entries(keys: Numbers, weights: Floats | None, n_questions: int) -> Entries:
    """Merge the answers of an object to a question and scale each object to unit norm."""
    cells = keys >> 1
    new = np.ones(len(cells), dtype=np.bool_)
    np.not_equal(cells[1:], cells[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    votes: NDArray[Any] = 1 - 2 * (keys & 1)
    if weights is None:
        totals = np.diff(starts, append=len(keys))
    else:
        votes = votes * weights
        totals = np.add.reduceat(weights, starts)
    sums = np.add.reduceat(votes, starts)
    leaning = np.flatnonzero(sums)  # ties and weights of zero say nothing
    cells = cells[starts[leaning]]
    values = sums[leaning] / totals[leaning]
    objects = cells // n_questions
    first = objects[:1].sum()  # 0 if there are ties only
    norms = np.sqrt(np.bincount(objects - first, values**2))
    values /= norms[objects - first]
    return Entries(objects, cells - n_questions * objects, values)


def dense_features(
    blocks: Iterable[Entries], n_objects: int, questions: Numbers, dtype: str
) -> NDArray[Any]:
    """Write entries into an array with one column per question."""
    features = np.zeros((n_objects, len(questions)), dtype=dtype)
    for objects, asked, values in blocks:
        features[objects, _columns(asked, questions)] = values
    return features


def sparse_features(
    blocks: Iterable[Entries], n_objects: int, questions: Numbers | None, dtype: str
) -> tuple[csr_array[Any], Numbers]:
    """Write entries into a sparse matrix with one column per question."""
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
        return distinct(asked)
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
    """Multiply every row with every row."""
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
    """Sum the squares of each row."""
    if isinstance(features, np.ndarray):
        lengths: NDArray[Any] = np.einsum("ij,ij->i", features, features)
        return lengths
    return features.power(2).sum(axis=1)


def smallest_eigenvalue(features: Features, products: NDArray[Any]) -> float:
    """Find the smallest eigenvalue of the matrix of inner products."""
    n_objects, n_features = features.shape
    if n_objects > n_features or (products.diagonal() == 0).any():
        return 0.0
    return max(float(eigvalsh(products, subset_by_index=(0, 0))[0]), 0.0)
