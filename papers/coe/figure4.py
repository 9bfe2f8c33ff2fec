"""Figure 4: three users of MovieLens and the films that all three have rated."""

from __future__ import annotations

import json

import numpy as np
from experiment import arguments
from table3 import movielens

import ordinate as od
from ordinate.plots import plot_map, save_figure

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


def main() -> None:
    chosen = arguments(__doc__)
    ratings = movielens()
    model = od.COE(random_state=0).fit(ratings)
    films = common_films(ratings)
    users = model.user_embedding_[[ratings.user_number(user) for user in USERS]]
    titles = [str(ratings.item_names[film]) for film in films]
    axes = plot_map(
        np.concatenate([users, model.item_embedding_[films]]),
        names=[f"user {user}" for user in USERS] + titles,
        labels=["user"] * len(USERS) + ["film"] * len(films),
    )
    save_figure(axes, chosen.output / "figure4.png")
    print(f"{len(films)} films rated by all three (paper: 17)")
    figures = {"films": titles}
    for (one, other), published in PUBLISHED.items():
        found = correlation(ratings, films, one, other)
        a, b = (users[USERS.index(user)] for user in (one, other))
        distance = float(np.linalg.norm(a - b))
        figures[f"{one}-{other}"] = {"correlation": found, "distance": distance}
        print(
            f"users {one} and {other}: correlation {found:.2f} (paper {published}),"
            f" distance on the map {distance:.2f}"
        )
    (chosen.output / "figure4.json").write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
