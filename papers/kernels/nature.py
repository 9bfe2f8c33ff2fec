"""Figures 10 to 14: kernel PCA and trees of the nature data (Heikinheimo and Ukkonen 2013).

The 3355 statements "A is the outlier within (A, B, C)" about 120 landscapes are not among the data
sets at hand. Put them into ``nature.csv`` in the folder ORDINATE_DATA, one statement per row with
the columns ``odd``, ``other`` and ``another``; the script then draws all five figures.
"""

import csv
import os
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import fcluster

import ordinate as od
from papers._common import Run, print_table

PUBLISHED = {"triplets": 6710, "distinct": 2994, "contradicting pairs": 636}


def statements(run):
    """Read the statements, or in a quick run make some about points of the plane."""
    if run.quick:
        rng = np.random.default_rng(run.seed)
        points = rng.normal(size=(30, 2))
        trials = np.array([rng.choice(30, 3, replace=False) for _ in range(600)])
        far = [
            int(np.linalg.norm(points[trial] - points[trial].mean(axis=0), axis=1).argmax())
            for trial in trials
        ]
        return trials, np.take_along_axis(trials, np.array(far)[:, None], axis=1)[:, 0]
    path = Path(os.environ.get("ORDINATE_DATA", "."), "nature.csv")
    if not path.exists():
        raise SystemExit(f"kernels.nature needs {path}, which is not there: {__doc__}")
    with path.open(newline="") as file:
        rows = [(row["odd"], row["other"], row["another"]) for row in csv.DictReader(file)]
    return np.array(rows), np.array([row[0] for row in rows])


def main(run: Run) -> None:
    """Draw maps and trees; print the counts beside the paper's."""
    trials, odd = statements(run)
    answers = od.sources.from_odd_one_out(trials, odd)
    with run.table("nature") as table:
        table.row(
            {"seed": run.seed},
            lambda: {
                "triplets": len(answers),
                "distinct": len(answers.merge_repeats()),
                "contradicting pairs": len(answers.contradictions()),
            },
        )
    print_table([*table.found, {"seed": "paper", **PUBLISHED}])
    kernels = {"k1": od.K1().fit(answers), "k2": od.K2().fit(answers)}
    names = [str(name) for name in answers.names or range(answers.n_objects)]
    for number, (name, kernel) in zip((10, 11), kernels.items(), strict=True):
        ax = od.plots.plot_map(od.kernels.kernel_pca(kernel, 2), names=names)
        ax.get_figure().savefig(run.path(f"figure{number}.png"), dpi=70, bbox_inches="tight")
        tree = od.kernels.kernel_linkage(kernel)
        ax = od.plots.plot_dendrogram(tree, names, n_clusters=10)
        ax.get_figure().savefig(run.path(f"figure{number + 3}.png"), dpi=60, bbox_inches="tight")
        sizes = sorted(np.bincount(fcluster(tree, 10, "maxclust"))[1:].tolist())
        print(f"{name}: sizes of ten clusters {sizes}")
    ax = od.plots.plot_map(od.GNMDS(2, random_state=run.seed).fit(answers).embedding_, names=names)
    ax.get_figure().savefig(run.path("figure12.png"), dpi=70, bbox_inches="tight")
