"""Figure 4: three users of MovieLens and the films that all three have rated."""

from __future__ import annotations

import numpy as np

import ordinate as od
from ordinate.plots import plot_map, save_figure
from papers._common import Run, print_table
from papers.coe.table3 import movielens

USERS = ("887", "222", "903")
"""Users whose ratings of common films the paper describes."""
PUBLISHED = {("222", "903"): 0.31, ("222", "887"): -0.21}
"""Pearson correlations of their ratings, as printed."""


def common_films(ratings: od.Ratings) -> list[int]:
    """Return the films that all three users have rated."""
    rated = [set(ratings.items[ratings.users == ratings.user_number(user)]) for user in USERS]
    return sorted(set.intersection(*rated))


def correlation(ratings: od.Ratings, films: list[int], one: str, other: str) -> float:
    """Correlate two users' ratings of the common films."""
    rows = []
    for user in (one, other):
        mine = ratings.users == ratings.user_number(user)
        value = dict(zip(ratings.items[mine], ratings.values[mine], strict=True))
        rows.append([value[film] for film in films])
    return float(np.corrcoef(rows)[0, 1])


def main(run: Run) -> None:
    """Draw the three users and their common films; print correlations and distances."""
    ratings = movielens()
    films = common_films(ratings)
    draws = run.size(500, 16_000)
    points = run.points(
        "figure4",
        lambda: od.COE(random_state=run.seed, draws_per_object=draws).fit(ratings).embedding_,
    )
    users = points[[ratings.user_number(user) for user in USERS]]
    titles = [str(ratings.item_names[film]) for film in films]
    axes = plot_map(
        np.concatenate([users, points[ratings.n_users :][films]]),
        names=[f"user {user}" for user in USERS] + titles,
        labels=["user"] * len(USERS) + ["film"] * len(films),
    )
    save_figure(axes, run.path("figure4.png"))
    print(f"{len(films)} films rated by all three (paper: 17)")
    with run.table("figure4") as table:
        for (one, other), published in PUBLISHED.items():
            a, b = (users[USERS.index(user)] for user in (one, other))
            table.row(
                {"seed": run.seed, "user": int(one), "other": int(other)},
                lambda one=one, other=other, published=published, a=a, b=b: {
                    "correlation": correlation(ratings, films, one, other),
                    "paper": published,
                    "distance on the map": float(np.linalg.norm(a - b)),
                },
            )
    print_table(table.found)
