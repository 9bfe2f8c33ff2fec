"""Figure 1: how nu gathers the margins of training answers around the one aimed at.

The paper sketches the distribution (a); here it is measured, on 1,000 triplets of its synthetic
data. (b) is the loss (16) for several nu.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from papers._common import Run, print_table, ranged
from papers.dmoe.experiment import DIMENSIONS, Task, split

NUS = (0.0, 0.1, 1.0)


def loss(margins: np.ndarray, nu: float, aim: float = 1.0) -> np.ndarray:
    """Return equation (16): what a margin costs that falls short of the aim, or exceeds it."""
    return np.maximum(aim - margins, 0) + nu * np.maximum(margins - aim, 0)


def fitted(size, seed, nu):
    """Return the model of one draw, with the answers it was fitted to and all others."""
    train, test = split(Task("synthetic", size, seed))
    return od.DMOE(DIMENSIONS["synthetic"], nu=nu, penalty=3.0, n_jobs=1).fit(train), train, test


def figures(model, train, test):
    """Describe the margins, and count what the map denies."""
    found = model.margin_distribution(train)
    return {
        "mean": found.mean,
        "variance": found.variance,
        "training error": 1 - model.score(train),
        "test error": 1 - model.score(test),
    }


def main(run: Run) -> None:
    """Print the moments of the margins for each nu, and draw margins and losses."""
    size, seeds = run.size(200, 1000), run.seeds(1, 10)
    with run.table("figure1", total=len(seeds) * len(NUS)) as table:
        for seed, nu in product(seeds, NUS):
            table.row(
                {"seed": seed, "training": size, "nu": nu},
                lambda seed=seed, nu=nu: figures(*fitted(size, seed, nu)),
            )
    rows = list(page_rows(table.found))
    print_table(rows)
    run.page(table, f"margins of {size:,} training answers: mean (range) over draws", rows)
    draw(run, size)


def page_rows(found):
    """Yield moments and errors for each nu."""
    for nu in NUS:
        rows = [row for row in found if row["nu"] == nu]
        line = {"ν": f"{nu:g}", "draws": len(rows)}
        names = ("mean", "variance", "training error", "test error")
        yield line | {name: ranged([row[name] for row in rows]) for name in names}


def draw(run, size):
    """Draw the margins of the first draw, and losses."""
    fig, axes = plt.subplots(1, 4, figsize=(11, 2.7), layout="constrained")
    for ax, nu in zip(axes, NUS, strict=False):
        model, train, _ = fitted(size, run.seed, nu)
        margins = model.margin_distribution(train).margins
        ax.hist(margins, bins=np.arange(-2, 5.01, 0.2), color="tab:blue")
        ax.axvline(1.0, color="tab:red", linewidth=1)
        ax.set(title=f"(a) ν = {nu:g}", xlabel="margin of a training answer")
    margins = np.linspace(-1, 3, 200)
    for nu in (0.0, 0.25, 0.5, 1.0):
        axes[-1].plot(margins, loss(margins, nu), label=f"ν = {nu:g}")
    axes[-1].set(title="(b) loss", xlabel="margin")
    axes[-1].legend(frameon=False, fontsize=8)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("answers")
    fig.savefig(run.path("figure1.png"), dpi=80)
    plt.close(fig)
