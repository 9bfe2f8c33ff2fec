"""How good lists of recommended items are: nDCG, recall, reciprocal rank and coverage."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError
from ordinate.ratings.record import Ratings


@dataclass(frozen=True)
class TopK:
    """What lists of k recommended items are worth; means over users, 1 is best.

    Attributes
    ----------
    k : int
        Length of the lists.
    n_users : int
        Users with something held out that they liked; others are not judged.
    ndcg : float
        Normalised discounted cumulative gain: a hit at rank r counts 1 / log₂(r + 1), and the best
        list that is possible has 1.
    recall : float
        Share of the held-out items that are in the list.
    mrr : float
        Mean reciprocal rank of the first hit; 0 without one.
    coverage : float
        Share of the items that are recommended to anybody.

    Examples
    --------
    >>> import ordinate as od
    >>> held_out = od.Ratings([0, 1], [2, 0], [1, 1])
    >>> od.metrics.top_k([[2, 1], [1, 0]], held_out).mrr
    0.75
    """

    k: int
    n_users: int
    ndcg: float
    recall: float
    mrr: float
    coverage: float

    def to_dict(self) -> dict[str, float]:
        """Return the figures as plain Python values, ready for JSON."""
        return asdict(self)


def top_k(recommended: ArrayLike, held_out: Ratings, liked: ArrayLike | None = None) -> TopK:
    """Judge a list of recommended items for each user by what users rated elsewhere.

    Parameters
    ----------
    recommended : array-like of int, shape (n_users, k)
        Numbers of items, best first, a row for each user of `held_out`; −1 where a list is shorter.
        `Recommendations.numbers` of `recommend` has them.
    held_out : Ratings
        Ratings that were not fitted, from `train_test_split`.
    liked : array-like of bool, shape (n_ratings,), optional
        Which held-out ratings count as liked; all of them by default, as for visits or purchases.

    Returns
    -------
    TopK
        The figures.

    See Also
    --------
    ordinate.coe_report : Measures a map of users and items in this and other ways.

    Examples
    --------
    >>> import ordinate as od
    >>> held_out = od.Ratings([0, 0, 1], [2, 3, 0], [1, 1, 1])
    >>> od.metrics.top_k([[2, 1], [1, 3]], held_out).recall
    0.25
    """
    lists = np.asarray(recommended)
    if lists.ndim != 2 or len(lists) != held_out.n_users or lists.shape[1] == 0:
        raise InputError(
            f"recommended must have a row for each of the {held_out.n_users} users and a column for"
            f" each rank; got shape {lists.shape}."
        )
    if lists.dtype.kind not in "iu" or lists.max() >= held_out.n_items:
        raise InputError(
            f"recommended must hold numbers of items below {held_out.n_items}; got dtype"
            f" {lists.dtype}, up to {lists.max()}."
        )
    chosen = np.ones(len(held_out), bool) if liked is None else np.asarray(liked, dtype=bool)
    users, items = held_out.users[chosen], held_out.items[chosen]
    n_liked = np.bincount(users, minlength=held_out.n_users)
    judged = np.flatnonzero(n_liked)
    if not len(judged):
        raise InputError("No user has a held-out rating that counts as liked; nothing to judge.")
    pairs = users.astype(np.int64) * held_out.n_items + items
    listed = judged[:, None] * held_out.n_items + lists[judged]
    hits, n_liked = np.isin(listed, pairs) & (lists[judged] >= 0), n_liked[judged]
    k = lists.shape[1]
    gains = 1 / np.log2(np.arange(2, k + 2))
    ideal = np.cumsum(gains)[np.minimum(n_liked, k) - 1]
    return TopK(
        k=k,
        n_users=len(hits),
        ndcg=float((hits @ gains / ideal).mean()),
        recall=float((hits.sum(axis=1) / n_liked).mean()),
        mrr=float((hits / np.arange(1, k + 1)).max(axis=1).mean()),
        coverage=len(np.unique(lists[lists >= 0])) / held_out.n_items,
    )
