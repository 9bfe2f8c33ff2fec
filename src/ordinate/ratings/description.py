"""What is in a table of ratings, and what of it says nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordinate._notebooks import ShownAsTable
from ordinate.ratings.normalization import Normalization, UserItemValues


@dataclass(frozen=True)
class RatingsDescription(ShownAsTable):
    """Figures of a table of ratings; printing it gives a short report."""

    n_ratings: int
    n_users: int
    n_items: int
    lowest: float
    highest: float
    n_user_anchored: int
    n_item_anchored: int
    users_without_triples: int
    items_without_triples: int

    @property
    def one_value(self) -> bool:
        """Whether all values are the same, as for visits or purchases."""
        return self.lowest == self.highest

    def __str__(self) -> str:
        filled = self.n_ratings / (self.n_users * self.n_items)
        table = f"{self.n_users:,} users, {self.n_items:,} items ({filled:.2%} filled)"
        if self.one_value:
            return (
                f"{self.n_ratings:,} values, all of them {self.lowest:g}, {table}\n"
                "  Items that a user has are compared with items that it has not."
            )
        return "\n".join(
            [
                f"{self.n_ratings:,} values from {self.lowest:g} to {self.highest:g}, {table}",
                f"  user-anchored      {self.n_user_anchored:,} triples: a user prefers an item to"
                f" another ({self.users_without_triples:,} users make none)",
                f"  item-anchored      {self.n_item_anchored:,} triples: a user prefers an item"
                f" more than another user ({self.items_without_triples:,} items make none)",
            ]
        )


def describe_ratings(ratings: UserItemValues, normalize: str) -> RatingsDescription:
    """Count what is in a table of ratings."""
    scores = Normalization.of(normalize, ratings).scores(ratings)
    per_user = _untied_pairs(ratings.users, scores, ratings.n_users)
    per_item = _untied_pairs(ratings.items, scores, ratings.n_items)
    return RatingsDescription(
        n_ratings=len(ratings.values),
        n_users=ratings.n_users,
        n_items=ratings.n_items,
        lowest=float(ratings.values.min()),
        highest=float(ratings.values.max()),
        n_user_anchored=int(per_user.sum()),
        n_item_anchored=int(per_item.sum()),
        users_without_triples=int((per_user == 0).sum()),
        items_without_triples=int((per_item == 0).sum()),
    )


def _untied_pairs(
    owners: NDArray[np.int32], scores: NDArray[np.float64], n_owners: int
) -> NDArray[np.int64]:
    """Count for each owner the pairs of its ratings with different scores."""
    order = np.lexsort((scores, owners))
    owner, score = owners[order], scores[order]
    starts = np.flatnonzero(np.append(True, (np.diff(owner) != 0) | (np.diff(score) != 0)))
    sizes = np.diff(np.append(starts, len(owner)))
    squares = np.bincount(owner[starts], sizes.astype(np.float64) ** 2, minlength=n_owners)
    counts = np.bincount(owners, minlength=n_owners).astype(np.float64)
    return ((counts**2 - squares) / 2).astype(np.int64)
