"""Simulate ratings of 90 films by 300 people; writes ratings.csv and genres.csv."""

import csv

import numpy as np

GENRES = {"comedy": (0.0, 2.0), "drama": (-2.0, -1.0), "horror": (2.0, -1.0)}

rng = np.random.default_rng(0)
genre_of = np.repeat(list(GENRES), 30)
films = [f"{genre} {number:02}" for genre in GENRES for number in range(1, 31)]
places = np.array([GENRES[genre] for genre in genre_of]) + 0.6 * rng.normal(size=(90, 2))
tastes = 1.5 * rng.normal(size=(300, 2))
generosity = 0.5 * rng.normal(size=300)

with open("ratings.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["user", "item", "rating"])
    for user, item in np.argwhere(rng.random((300, 90)) < 0.3):
        distance = np.linalg.norm(tastes[user] - places[item])
        stars = 5.5 + generosity[user] - distance + 0.3 * rng.normal()
        table.writerow([f"user {user:03}", films[item], int(np.clip(round(stars), 1, 5))])

with open("genres.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["item", "genre"])
    table.writerows(zip(films, genre_of, strict=True))
