"""Sums of exp(−d²) over all pairs of two sets of points."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebvander

from ordinate._arrays import Points

_BLOCK_CELLS = 200_000
"""Cells of the table of all pairs that are looked at together; they fit in the cache."""
_CELL_COST = 4
"""What a cell costs, in products of two polynomials at a point (4 ns and 1 ns here)."""


def gaussian_sums(
    one: Points, other: Points, of_one: Points, of_other: Points
) -> tuple[Points, Points]:
    """Sum weights times exp(−‖x − y‖²), over all y for each x and over all x for each y.

    In the plane exp(−‖x − y‖²) is a product over the two axes, each factor a smooth function of
    two numbers, and so a short sum of products of polynomials. The sums over many points are
    then products of small matrices, O(n) instead of O(n²), with an absolute error of about 1e-13
    of the largest sum. Where it is cheaper, or in other dimensions, all pairs are looked at.
    """
    both = np.concatenate([one, other])
    half_width = float(np.ptp(both, axis=0).max()) / 2
    if one.shape[1] == 2 and np.isfinite(half_width):
        n_terms = ceil(10 * half_width) + 16
        if n_terms**2 * len(both) < _CELL_COST * len(one) * len(other):
            return _by_polynomials(one, other, of_one, of_other, n_terms)
    return _by_pairs(one, other, of_one, of_other)


def _by_polynomials(
    one: Points, other: Points, of_one: Points, of_other: Points, n_terms: int
) -> tuple[Points, Points]:
    low, high = (f(np.concatenate([one, other]), axis=0) for f in (np.min, np.max))
    half_width = max(float((high - low).max()) / 2, np.finfo(float).tiny)
    nodes = chebpts1(n_terms)
    from_values = np.linalg.inv(chebvander(nodes, n_terms - 1))
    at_nodes = np.exp(-np.square(half_width * (nodes[:, None] - nodes)))
    coefficients = from_values @ at_nodes @ from_values.T

    def polynomials(points: Points) -> list[Points]:
        scaled = (points - (low + high) / 2) / half_width
        return [chebvander(column, n_terms - 1) for column in scaled.T]

    def sums(at: list[Points], of: list[Points], weights: Points) -> Points:
        found = np.empty((len(at[0]), weights.shape[1]))
        for k, weight in enumerate(weights.T):
            moments = coefficients @ (of[0].T @ (weight[:, None] * of[1])) @ coefficients
            found[:, k] = np.einsum("ij,ij->i", at[0] @ moments, at[1])
        return found

    by_one, by_other = polynomials(one), polynomials(other)
    return sums(by_one, by_other, of_other), sums(by_other, by_one, of_one)


def _by_pairs(
    one: Points, other: Points, of_one: Points, of_other: Points
) -> tuple[Points, Points]:
    at_one = np.empty((len(one), of_other.shape[1]))
    at_other = np.zeros((len(other), of_one.shape[1]))
    lengths = np.square(other).sum(axis=1)
    rows = max(_BLOCK_CELLS // len(other), 1)
    for first in range(0, len(one), rows):
        part = slice(first, first + rows)
        cells = one[part] @ (2 * other.T)
        cells -= lengths
        cells -= np.square(one[part]).sum(axis=1)[:, None]
        np.exp(cells, out=cells)
        at_one[part] = cells @ of_other
        at_other += cells.T @ of_one[part]
    return at_one, at_other
