"""Draw users and items on one map, and what chosen users rated."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_points
from ordinate.plots._colors import COLORS, QUIET
from ordinate.plots._figures import new_axes
from ordinate.plots._layout import CROWDED_FROM, lay_out
from ordinate.plots._map import plot_map
from ordinate.ratings.record import Ratings

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_LINES = 12
"""More lines than this from one user hide what is below them."""


@dataclass(frozen=True)
class Taste:
    """What one user rated."""

    user: int
    liked: NDArray[np.int32]
    others: NDArray[np.int32]


def taste_of(ratings: Ratings, user: Hashable) -> Taste:
    """Part the items that a user rated by whether they were rated above the user's average."""
    number = ratings.user_number(user)
    rated = ratings.users == number
    order = np.argsort(-ratings.values[rated], kind="stable")
    items, values = ratings.items[rated][order], ratings.values[rated][order]
    liked = values > values.mean()
    return Taste(number, items[liked], items[~liked][::-1])


def spokes_of(
    ratings: Ratings, users: Sequence[Hashable]
) -> dict[int, tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Return lines from users to what they rated, on a map where items follow the users."""
    tastes = [taste_of(ratings, user) for user in users]
    return {
        taste.user: (
            taste.liked[:MOST_LINES] + ratings.n_users,
            taste.others[:MOST_LINES] + ratings.n_users,
        )
        for taste in tastes
    }


def plot_coembedding(
    user_embedding: ArrayLike,
    item_embedding: ArrayLike,
    ratings: Ratings,
    users: Sequence[Hashable] = (),
    labels: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw items with their names among the users, and lines from chosen users to what they like.

    Parameters
    ----------
    user_embedding : array-like of float, shape (n_users, n_components)
        Where the users are; drawn as small crosses.
    item_embedding : array-like of float, shape (n_items, n_components)
        Where the items are; drawn as points, with names where there is room.
    ratings : Ratings
        Who rated what.
    users : sequence, default=()
        Names of users to highlight: full lines lead to items they rated above their own average,
        dotted ones to the others they rated; of many, to the 12 highest and the 12 lowest.
    labels : array-like, shape (n_items,), optional
        Classes or numbers that colour the items.
    ax : matplotlib Axes, optional
        Where to draw, with ``projection="3d"`` for three dimensions; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    ordinate.COE : Users and items on one map.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 1, 1, 5], user_names=["Ann", "Bob"])
    >>> coe = od.COE(draws_per_object=100, random_state=0).fit(ratings)
    >>> ax = od.plots.plot_coembedding(
    ...     coe.user_embedding_, coe.item_embedding_, ratings, users=["Ann"]
    ... )
    """
    people, things = (
        check_points(name, points)
        for name, points in (("user_embedding", user_embedding), ("item_embedding", item_embedding))
    )
    if (len(people), len(things)) != (ratings.n_users, ratings.n_items):
        raise InputError(
            f"ratings has {ratings.n_users} users and {ratings.n_items} items; got coordinates of"
            f" {len(people)} and {len(things)}."
        )
    tastes = [taste_of(ratings, user) for user in users]
    layout = lay_out(np.concatenate([people, things]))
    people, things = np.split(layout.positions, [len(people)])
    if ax is None:
        ax = new_axes(9, 7.5, spatial=layout.spatial)
    size = float(np.clip(20_000 / len(people), 4, 30))
    look = {"marker": "+", "linewidths": 0.6, "s": size, "label": "user", "zorder": 0.6}
    _scatter(ax, people, color=QUIET, rasterized=len(people) >= CROWDED_FROM, alpha=0.6, **look)
    plot_map(things, [str(name) for name in ratings.item_names], labels, ax)
    if layout.ordered:
        ax.set_aspect("auto")
        ax.set_xlabel(layout.axis_names[0])
    for number, (name, taste) in enumerate(zip(users, tastes, strict=True)):
        _draw_taste(ax, people[taste.user], things, taste, COLORS[(number + 1) % len(COLORS)])
        _scatter(
            ax, people[[taste.user]], color=COLORS[(number + 1) % len(COLORS)], marker="*", s=160,
            edgecolors="white", label=str(name), zorder=4,
        )  # fmt: skip
    ax.legend(*_legend(ax), loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def _draw_taste(
    ax: Any, user: NDArray[np.float64], items: NDArray[np.float64], taste: Taste, color: str
) -> None:
    for numbers, style, width in ((taste.liked, "-", 1.0), (taste.others, ":", 0.6)):
        for item in items[numbers[:MOST_LINES]]:
            ends = np.stack([user, item]).T
            ax.plot(*ends, color=color, linestyle=style, linewidth=width, alpha=0.6, zorder=0.8)


def _scatter(ax: Any, positions: NDArray[np.float64], **look: Any) -> None:
    ax.scatter(*positions.T, **look)


def _legend(ax: Axes) -> tuple[list[Any], list[str]]:
    """Name what is drawn; all items alike are called items."""
    handles, names = ax.get_legend_handles_labels()
    return handles, ["item" if name == "recovered" else name for name in names]
