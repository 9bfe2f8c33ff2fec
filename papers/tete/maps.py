"""Figures 4 and 5: maps of dishes and of music artists by t-STE and t-ETE.

All methods begin at the same coordinates, as in the paper: small random ones ("tiny"), or random
and spectral ones at the scale where the loss is lowest. The paper reports, for one run on the
artists, a leave-one-out 1-NN error of .63 (t-STE) and .52 (t-ETE) in nine genres.

Needs the Food and music data (ORDINATE_DATA).
"""

from itertools import product

import numpy as np
from matplotlib.figure import Figure
from sklearn.cluster import KMeans

import ordinate as od
from papers._common import Run, print_table

METHODS = {
    "t-STE": od.TSTE(2, penalty=0),
    "t-ETE, t = t' = 2": od.TETE(2, penalty=0, t=2, t_prime=2),
    "t-ETE, t = t' = 1.7": od.TETE(2, penalty=0, t=1.7, t_prime=1.7),
    "t-ETE, t = 2, t' = 1": od.TETE(2, penalty=0, t=2.0, t_prime=1.0),
}
PUBLISHED = {"t-STE": 0.63, "t-ETE, t = t' = 2": 0.52}
TINY = 1e-4
"""Scale of the start in the authors' program."""


def fit(method, answers, start, seed):
    """Fit one method from a start that depends on the seed alone."""
    init = start
    if start == "tiny":
        size = (answers.n_objects, method.n_components)
        init = TINY * np.random.default_rng(seed).standard_normal(size)
    return method.set_params(init=init, random_state=seed).fit(answers)


def music_row(data, method, start, seed):
    """Return 1-NN error, answers violated and held-out error of one method from one start."""
    train, test = data.comparisons.train_test_split(0.1, random_state=seed)
    held_out = 1 - fit(method, train, start, seed).score(test)
    model = fit(method, data.comparisons, start, seed)
    return {
        "nn_error": od.metrics.nearest_neighbor_error(model.embedding_, data.labels),
        "violated": 1 - model.score(data.comparisons),
        "held_out_error": held_out,
    }


def music_summary(rows):
    """Yield a row for each method and start: means over seeds, and the range of the 1-NN error."""
    keys = dict.fromkeys((row["method"], row["start"]) for row in rows)
    for method, start in keys:
        chosen = [row for row in rows if (row["method"], row["start"]) == (method, start)]
        errors = np.array([row["nn_error"] for row in chosen])
        violated, held_out = (
            np.mean([row[what] for row in chosen]) for what in ("violated", "held_out_error")
        )
        spread = f"{errors.mean():.3f} ({errors.min():.2f}–{errors.max():.2f})"
        yield {
            "method": method,
            "start": start,
            "seeds": len(chosen),
            "1-NN error, mean (range)": spread,
            "paper": PUBLISHED.get(method, "") if start == "tiny" else "",
            "answers violated": f"{violated:.3f}",
            "held-out error": f"{held_out:.3f}",
        }


def picture(answers, names, labels):
    """Draw the maps of t-STE, and of t-ETE with t' = 2 and with t' = 1, beside one another."""
    shown = ("t-STE", "t-ETE, t = t' = 2", "t-ETE, t = 2, t' = 1")
    maps = {name: fit(METHODS[name], answers, "spectral", 0).embedding_ for name in shown}
    if labels is None:  # dishes have no classes: tell three groups of t-ETE's map apart in all maps
        groups = KMeans(3, n_init=10, random_state=0).fit_predict(maps[shown[1]])
        labels = [f"group {group + 1} of t = t' = 2" for group in groups]
    figure = Figure(figsize=(18, 7), layout="constrained")
    for ax, (name, points) in zip(figure.subplots(1, len(shown)), maps.items(), strict=True):
        od.plots.plot_map(points, names=names, labels=labels, ax=ax)
        violated = od.metrics.triplet_error(answers, points)
        ax.set_title(f"{name}: {violated:.1%} of the answers violated", fontsize="x-large")
        if name != shown[-1]:
            ax.get_legend().remove()
    return figure


def main(run: Run) -> None:
    """Print errors on the artists, and draw both data sets."""
    music = od.datasets.load_music400()
    starts, seeds = run.size(("spectral",), ("tiny", "random", "spectral")), run.seeds(1, 16)
    with run.table("music", total=len(starts) * len(seeds) * len(METHODS)) as table:
        for seed, start, (name, method) in product(seeds, starts, METHODS.items()):
            table.row(
                {"method": name, "start": start, "seed": seed},
                lambda method=method, start=start, seed=seed: music_row(music, method, start, seed),
            )
    summary = list(music_summary(table.found))
    print_table(summary)
    run.page(table, "music", summary)
    genres = np.array(music.label_names)[music.labels]
    names = music.names and [name.replace("_", " ") for name in music.names]
    picture(music.comparisons, names, genres).savefig(run.path("music.png"), dpi=80)
    food = od.datasets.load_food100().comparisons
    answers = food.sample(10_000, random_state=0) if run.quick else food
    picture(answers, None, None).savefig(run.path("food.png"), dpi=80)
