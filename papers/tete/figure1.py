"""Figure 1: maps of 6000 digits by t-STE and t-ETE, without noise and with a fifth of it reversed.

A near object is one of the 20 nearest neighbours, a far one is drawn from those beyond it (100
triplets for each digit). The paper shows the maps; here leave-one-out 1-NN accuracies stand beside
them, for t-ETE as in the paper (t = t' = 2) and with our default.
"""

import numpy as np
from matplotlib.figure import Figure

import ordinate as od
from papers._common import Run, print_table, ranged
from papers.tete.protocol import digits, draw_triplets, flip, neighbor_order

METHODS = {
    "t-STE": od.TSTE(2, penalty=0),
    "t-ETE, t = t' = 2": od.TETE(2, penalty=0, t=2, t_prime=2),
    "t-ETE, default": od.TETE(2, penalty=0),
}
SHARES = (0.0, 0.2)
DRAWS = {1000: 10, 3000: 3, 6000: 3}
"""How often digits and answers are drawn, by the number of digits; the paper has 6000."""


def fits(n_objects, seed, device="cpu"):
    """Yield the map of every method from clean answers and from those with a fifth reversed."""
    points, labels = digits(n_objects, seed)
    rng = np.random.default_rng([seed, 6])
    clean = draw_triplets(neighbor_order(points), rng, outliers="text")
    for share in SHARES:
        answers = flip(clean, share, rng)
        for name, method in METHODS.items():
            found = method.set_params(random_state=seed, device=device).fit(answers).embedding_
            accuracy = 1 - od.metrics.nearest_neighbor_error(found, labels)
            yield share, name, found, labels, accuracy, od.metrics.triplet_accuracy(clean, found)


def measure(run, n_objects, seed):
    """Yield a row for each map, and draw those of the first seed."""
    chart = Figure(figsize=(4 * len(METHODS), 8), layout="constrained")
    axes = chart.subplots(len(SHARES), len(METHODS))
    for ax, (share, name, found, labels, accuracy, kept) in zip(
        axes.flat, fits(n_objects, seed, run.device), strict=True
    ):
        yield {"flipped": share, "method": name, "1-NN accuracy": accuracy, "answers kept": kept}
        ax.scatter(*found.T, c=labels, cmap="tab10", s=2, linewidths=0)
        ax.set_axis_off()
        ax.set_title(f"{name}, {share:.0%} reversed: {accuracy:.0%}")
    if seed == run.seed:
        chart.savefig(run.path("figure1.png"), dpi=70)


def page_rows(found):
    """Yield the accuracies of each method without and with noise, in percent."""
    for n_objects in sorted({row["n"] for row in found}):
        for name in METHODS:
            rows = [row for row in found if (row["n"], row["method"]) == (n_objects, name)]
            line = {"digits": n_objects, "method": name, "draws": len(rows) // len(SHARES)}
            for column in ("1-NN accuracy", "answers kept"):
                for share in SHARES:
                    values = [100 * row[column] for row in rows if row["flipped"] == share]
                    line[f"{column}, {share:.0%} reversed"] = ranged(values, ".1f")
            yield line


def main(run: Run) -> None:
    """Print accuracies and draw the maps."""
    with run.table("figure1") as table:
        for n_objects, draws in run.size({150: 1}, DRAWS).items():
            for seed in run.seeds(1, draws):
                table.rows(
                    {"seed": seed, "n": n_objects},
                    lambda n=n_objects, seed=seed: measure(run, n, seed),
                )
    rows = list(page_rows(table.found))
    print_table(rows)
    run.page(table, "percent, mean (minimum to maximum) over draws", rows)
    print("Paper: t-ETE is almost unaffected by the noise, t-STE fails (pictures).")
