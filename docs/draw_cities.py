"""Draw the picture of the first page, `_static/cities.png`: legible at the width of a phone.

python docs/draw_cities.py
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from PIL import Image

import ordinate as od
from ordinate.datasets._cities import project

DOCS = Path(__file__).parent
SEA, LAND, COAST, FOUND, TRUE = "#e6eef4", "#fbfaf6", "#b9c6cf", "#d1495b", "#1b4965"
# cities with room for a name, and the side on which it stands
NAMED = {
    "Reykjavík": "below",
    "Tórshavn": "left",
    "Tromsø": "left",
    "Murmansk": "right",
    "Arkhangelsk": "left",
    "Trondheim": "left",
    "Bergen": "left",
    "Helsinki": "above",
    "Stockholm": "below",
    "Moscow": "left",
    "Edinburgh": "right",
    "Manchester": "right",
    "Cork": "left",
    "Berlin": "above",
    "Prague": "above",
    "Warsaw": "right",
    "Kyiv": "right",
    "Paris": "left",
    "Madrid": "above",
    "Lisbon": "right",
    "Rome": "above",
    "Palermo": "left",
    "Bucharest": "right",
    "Odesa": "right",
    "Athens": "right",
    "Ankara": "right",
    "Nicosia": "below",
    "Marseille": "below",
}
BESIDE = {  # shift of a name in points, and how it is aligned
    "right": ((5, 0), "left", "center"),
    "left": ((-7, 0), "right", "center"),
    "above": ((0, 5), "center", "bottom"),
    "below": ((0, -5), "center", "top"),
}


def recover():
    """Return the cities, and where the answers put them, as `ordinate demo` does."""
    cities = od.datasets.load_cities(50_000, wrong=0.1, random_state=0)
    train, _ = cities.comparisons.train_test_split(0.2, random_state=0)
    model = od.TETE(n_components=2, t=2.0, t_prime=1.0, random_state=0).fit(train)
    return cities, od.metrics.procrustes_align(model.embedding_, cities.points)


def land():
    """Return the outlines of land on the map."""
    rings = [line for line in (DOCS / "land.txt").read_text().splitlines() if line[0] != "#"]
    for ring in rings:
        degrees = np.array([point.split(",") for point in ring.split()], dtype=float)
        yield project(degrees[:, 1], degrees[:, 0])


def draw(cities, points):
    """Draw true and recovered places over the coastline."""
    figure = plt.figure(figsize=(4.8, 4.6), facecolor=SEA)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.add_collection(PolyCollection(list(land()), facecolor=LAND, edgecolor=COAST, linewidth=0.6))
    lines = np.stack([cities.points, points], axis=1)
    ax.add_collection(LineCollection(lines, colors=FOUND, linewidths=0.9))
    ax.scatter(*cities.points.T, s=26, facecolor="none", edgecolor=TRUE, linewidth=0.9, zorder=3)
    ax.scatter(*points.T, s=11, color=FOUND, linewidth=0, zorder=4)
    for name, side in NAMED.items():
        shift, ha, va = BESIDE[side]
        place = points[cities.names.index(name)]
        style = {"ha": ha, "va": va, "fontsize": 8.5, "color": "#222", "zorder": 5}
        ax.annotate(name, place, shift, textcoords="offset points", **style)
    low, high = cities.points.min(axis=0), cities.points.max(axis=0)
    ax.set(xlim=(low[0] - 200, high[0] + 150), ylim=(low[1] - 320, high[1] + 120), aspect="equal")
    ax.axis("off")
    ax.scatter([], [], s=11, color=FOUND, label="found from the answers")
    ax.scatter([], [], s=26, facecolor="none", edgecolor=TRUE, label="true place")
    ax.legend(loc="lower left", fontsize=8.5, framealpha=0.9, edgecolor="none", handletextpad=0.2)
    return figure


def main():
    path = DOCS / "_static" / "cities.png"
    draw(*recover()).savefig(path, dpi=220)
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)
    print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
