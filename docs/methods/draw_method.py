"""Draw the picture of a method: its map of 125 cities, and what an answer costs by its loss.

python docs/methods/draw_method.py SOE
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from ordinate import losses

FOUND, OTHERS = "#d1495b", "#9aa7b0"
NEAR = 1.0  # the near distance at which losses are drawn
COSTS = {
    "SOE": (losses.soe, (1.0,)),
    "GNMDS": (losses.gnmds, ()),
    "CKL": (losses.ckl, (0.05,)),
    "STE": (losses.ste, ()),
    "TSTE": (losses.tste, (1.0,)),
    "TETE": (losses.tete, (1.5, 1.5)),
}


def draw_map(name, ax):
    """Draw the cities where the method puts them, joined to their true places."""
    cities = od.datasets.load_cities(20_000, wrong=0.05, random_state=0)
    train, test = cities.comparisons.train_test_split(0.2, random_state=0)
    model = getattr(od, name)(n_components=2, random_state=0).fit(train)
    found = od.metrics.procrustes_align(model.embedding_, cities.points)
    ax.plot(*np.stack([cities.points, found], axis=1).T, color=FOUND, linewidth=1)
    ax.scatter(*cities.points.T, s=18, facecolor="none", edgecolor="#1b4965", label="true place")
    ax.scatter(*found.T, s=8, color=FOUND, label="found", zorder=3)
    ax.set(aspect="equal", title=f"predicts {model.score(test):.1%} of held-out answers")
    ax.axis("off")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncol=2, fontsize=8, frameon=False)


def draw_cost(name, ax):
    """Draw what an answer costs as the far object moves away, beside the other methods."""
    far = np.linspace(0, 3, 200)
    for other, (loss, parameters) in COSTS.items():
        value = loss(np.full_like(far, NEAR**2), far**2, *parameters)[0]
        mine = other == name
        value = value / np.interp(NEAR, far, value)  # 1 at a tie
        ax.plot(far, value, color=FOUND if mine else OTHERS, linewidth=3 if mine else 1)
    ax.axvline(NEAR, color="#1b4965", linewidth=0.8, linestyle=":")
    ax.annotate("tie", (NEAR, 2.9), (3, 0), textcoords="offset points", fontsize=8)
    ax.set(xlabel="far distance (near distance = 1)", ylabel="cost (tie = 1)", ylim=(0, 3.1))
    ax.set_title(f"{name}; other methods in grey")
    ax.spines[["top", "right"]].set_visible(False)


def main():
    name = sys.argv[1]
    plt.rcParams.update({"axes.titlesize": 10, "axes.labelsize": 9})
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained")
    draw_map(name, axes[0])
    draw_cost(name, axes[1])
    figure.savefig(f"{name.lower()}.png", dpi=130)


if __name__ == "__main__":
    main()
