"""The systematic evaluation of ordinal embedding (Vankadara et al., JMLR 2023) with our methods.

From c n d log2(n) random triplets of points with a uniform density, one thing is varied at a time:
the number of triplets (c), the share of flipped answers, the deviation of Gaussian noise on the
differences of distances, the dimension, the number of points. A map is judged by 10,000 other
triplets with right answers, by its Procrustes distance to the points, and by the share of the
log2(n) nearest neighbours that it misses; times are processor seconds. FORTE, LSOE, LLOE and OENN
of that evaluation are not built (docs/results/coverage.rst).
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

import ordinate as od
from ordinate.plots._colors import class_style
from papers._common import Run, print_table, summarise

METHODS = {
    "GNMDS": od.GNMDS,
    "CKL": od.CKL,
    "STE": od.STE,
    "t-STE": od.TSTE,
    "SOE": od.SOE,
    "t-ETE": od.TETE,
}
N_TEST = 10_000


class Setting(NamedTuple):
    """What a set of answers is drawn from."""

    n: int = 1000
    d: int = 2
    c: float = 2.0
    flips: float = 0.0
    noise: float = 0.0


SWEEPS = {
    "c": (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8),
    "flips": (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
    "noise": (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0),
    "d": (2, 5, 10, 20, 50),
    "n": (100, 300, 1000, 3000, 10_000, 100_000, 1_000_000),
}
QUICK = {"c": (0.1, 0.5, 2, 8), "flips": (0.05, 0.2, 0.4), "noise": (0.01, 0.1, 1.0), "d": (5, 10)}
MOST_JUDGED = 20_000
"""Beyond as many points neighbours and Procrustes distance are those of a sample."""


def draw(setting: Setting, seed: int) -> tuple[np.ndarray, od.Comparisons, od.Comparisons]:
    """Return points, training triplets and test triplets."""
    rng = np.random.default_rng([seed, 23])
    points = rng.uniform(size=(setting.n, setting.d))
    size = max(10, round(setting.c * setting.n * setting.d * np.log2(setting.n)))
    noise = None
    if setting.flips:
        noise = od.sources.FlippedAnswers(setting.flips)
    elif setting.noise:
        noise = od.sources.GaussianNoise(setting.noise)
    train = od.sources.random_triplets(points, size, noise=noise, random_state=rng)
    return points, train, od.sources.random_triplets(points, N_TEST, random_state=rng)


def measure(method: str, setting: Setting, seed: int) -> dict[str, float]:
    """Fit one method to one draw and judge the map."""
    points, train, test = draw(setting, seed)
    begin = time.process_time()
    model = METHODS[method](setting.d, random_state=seed, n_jobs=1).fit(train)
    seconds = time.process_time() - begin
    some = np.arange(setting.n)
    if setting.n > MOST_JUDGED:
        some = np.random.default_rng(seed).choice(setting.n, MOST_JUDGED, replace=False)
    found, truth = model.embedding_[some], points[some]
    k = max(1, int(np.log2(setting.n)))
    return {
        "triplets": len(train),
        "triplet error": 1 - model.score(test),
        "procrustes": od.metrics.procrustes_distance(found, truth),
        "neighbours missed": 1 - od.metrics.knn_overlap(found, truth, k),
        "processor seconds": seconds,
    }


def draw_figure(rows: list[dict[str, Any]]) -> Figure:
    """Draw the triplet error against what was varied."""
    sweeps = list(dict.fromkeys(row["varied"] for row in rows))
    chart = Figure(figsize=(3.4 * len(sweeps), 3.2), layout="constrained")
    for ax, varied in zip(chart.subplots(1, len(sweeps), squeeze=False)[0], sweeps, strict=True):
        for number, method in enumerate(METHODS):
            chosen = summarise(
                [row for row in rows if row["varied"] == varied and row["method"] == method],
                [varied],
                ["triplet error"],
            )
            x, y = [row[varied] for row in chosen], [row["triplet error"] for row in chosen]
            ax.plot(x, y, "o-", ms=3, color=class_style(number)[0], label=method)
        ax.set(xlabel=varied, xscale="log", ylabel="error on new triplets")
        ax.spines[["top", "right"]].set_visible(False)
    chart.axes[0].legend(frameon=False, fontsize=8)
    return chart


def main(run: Run) -> None:
    """Vary one thing at a time; print means and draw the errors."""
    base = run.size(Setting(n=60), Setting())
    sweeps, seeds = run.size(QUICK, SWEEPS), run.seeds(2, 5)
    total = sum(len(values) for values in sweeps.values()) * len(seeds) * len(METHODS)
    with run.table("evaluation", total=total) as table:
        for varied, values in sweeps.items():
            for value in values:
                setting = base._replace(**{varied: value})
                for method in METHODS:
                    for seed in seeds:
                        table.row(
                            {"varied": varied, **setting._asdict(), "method": method, "seed": seed},
                            lambda method=method, setting=setting, seed=seed: measure(
                                method, setting, seed
                            ),
                        )
    by = ["varied", *Setting._fields, "method"]
    print_table(summarise(table.found, by, ["triplet error", "procrustes", "neighbours missed"]))
    draw_figure(table.found).savefig(run.path("evaluation.png"), dpi=70)
