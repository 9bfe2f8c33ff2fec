"""Euclidean embedding of co-occurrence data."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import ceil

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebvander
from scipy.sparse import csr_array

from ordinate._arrays import Points
from ordinate._checks import InputError, check_choice
from ordinate._random import as_generator
from ordinate.ratings.base import SmoothCoEmbedding
from ordinate.ratings.normalization import Normalization
from ordinate.ratings.record import Ratings

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


_START_SPREAD = 0.1


@dataclass(eq=False, repr=False)
class CODE(SmoothCoEmbedding):
    """Co-occurrence data embedding: what occurs together often is near.

    The joint frequencies are modelled as p(u, i) ∝ p̄(u) p̄(i) exp(−‖x_u − y_i‖²) with the
    observed marginals p̄, and their likelihood is maximised. Each step counts all pairs of users
    and items, those that never met as well; in the plane in a time that grows with the number of
    objects, not of pairs.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    normalize : {"none", "share"}, default="none"
        Whether counts are taken as they are or as shares in the user's total, which gives all
        users the same weight.
    max_iter : int, default=500
        Most iterations of the solver.
    random_state : int, Generator or None, default=None
        Seed of the start.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_users + n_items, n_components)
        The coordinates of users, then of items.
    user_embedding_, item_embedding_ : ndarray of shape (n_users or n_items, n_components)
        The coordinates of each.
    names_ : tuple
        Names of users, then of items.
    ratings_ : Ratings
        The counts that were fitted.
    loss_ : float
        The Kullback–Leibler divergence of the model from the observed frequencies.
    n_iter_ : int
        Iterations of the solver.
    history_ : ndarray of shape (n_iterations + 1,)
        The loss at the start and after each iteration.
    converged_ : bool
        Whether the fit converged; if not, it has warned.

    See Also
    --------
    COE : Fits the order of the counts.

    References
    ----------
    Globerson, Chechik, Pereira & Tishby, Euclidean Embedding of Co-occurrence Data, JMLR 8, 2007.

    Examples
    --------
    >>> import ordinate as od
    >>> counts = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [9, 1, 2, 8])
    >>> model = od.CODE(random_state=0).fit(counts)
    >>> model.nearest_items(0, k=1, exclude_rated=False).names
    [0]
    """

    _: KW_ONLY
    normalize: str = "none"
    max_iter: int = 500

    def _placed_by(self, ratings: Ratings) -> tuple[Points, Points]:
        check_choice("normalize", self.normalize, ("none", "share"))
        lowest = ratings.values.min()
        if lowest < 0:
            raise InputError(
                f"CODE takes counts, which are not negative; the lowest value is {lowest:g}."
            )
        counts = Normalization.of(self.normalize, ratings).scores(ratings)
        shape = (ratings.n_users, ratings.n_items)
        joint = csr_array((counts / counts.sum(), (ratings.users, ratings.items)), shape=shape)
        rng = as_generator(self.random_state)
        start = _START_SPREAD * rng.standard_normal((sum(shape), self.n_components))
        found = self._minimize(_Divergence(joint), start)
        users, items = np.split(found, [ratings.n_users])
        return users, items


class _Divergence:
    """How far the model is from the observed frequencies (Kullback–Leibler), and its gradient."""

    def __init__(self, joint: csr_array) -> None:
        self._joint = joint
        self._of_users: Points = np.asarray(joint.sum(axis=1), dtype=np.float64)
        self._of_items: Points = np.asarray(joint.sum(axis=0), dtype=np.float64)
        some = joint.tocoo()
        u, i = (axis[some.data > 0] for axis in some.coords)
        observed = some.data[some.data > 0]
        independent = self._of_users[u] * self._of_items[i]
        self._information = float(np.sum(observed * np.log(observed / independent)))

    def __call__(self, points: Points) -> tuple[float, Points]:
        users, items = np.split(points, [len(self._of_users)])
        expected, total = self._model(users, items)
        if total == 0:  # a step so long that all pairs are beyond reach
            return np.inf, np.zeros_like(points)
        # The model's expectations have the same form as the observed ones.
        observed = _attraction(
            users, items, self._joint @ items, self._joint.T @ users, self._of_users, self._of_items
        )
        modelled = _attraction(users, items, *expected)
        value = self._information + observed[0] + np.log(total)
        return float(value), observed[1] - modelled[1] / total

    def _model(self, users: Points, items: Points) -> tuple[tuple[Points, ...], float]:
        """Sum p̄(u) p̄(i) exp(−d²) over all pairs, times 1, times y_i and times x_u."""
        of_users, of_items = self._of_users[:, None], self._of_items[:, None]
        at_users, at_items = gaussian_sums(
            users,
            items,
            of_users * np.column_stack([np.ones(len(users)), users]),
            of_items * np.column_stack([np.ones(len(items)), items]),
        )
        at_users *= of_users
        at_items *= of_items
        sums = at_users[:, 1:], at_items[:, 1:], at_users[:, 0], at_items[:, 0]
        return sums, float(at_users[:, 0].sum())


def _attraction(
    users: Points,
    items: Points,
    to_items: Points,
    to_users: Points,
    row_sums: Points,
    column_sums: Points,
) -> tuple[float, Points]:
    """Return Σ w(u, i) ‖x_u − y_i‖² and its gradient, from sums over the weights w."""
    value = (
        row_sums @ np.square(users).sum(axis=1)
        + column_sums @ np.square(items).sum(axis=1)
        - 2 * np.sum(users * to_items)
    )
    gradient = np.concatenate(
        [row_sums[:, None] * users - to_items, column_sums[:, None] * items - to_users]
    )
    return float(value), 2 * gradient
