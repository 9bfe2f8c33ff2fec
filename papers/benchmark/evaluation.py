"""The systematic evaluation of ordinal embedding (Vankadara et al., JMLR 2023) with our methods.

From c n d log2(n) random triplets of points with a uniform density, one thing is varied at a time:
the number of triplets (c), the share of flipped answers, the deviation of Gaussian noise on the
differences of distances, the dimension, the number of points. A map is judged by 10,000 other
triplets with right answers, by its Procrustes distance to the points, and by the share of the
log2(n) nearest neighbours that it misses; times are processor seconds and, as a GPU has none, those
of the clock. Sizes are such that it takes some minutes; `benchmark.large` goes on to a million
points. FORTE of that evaluation is `od.GramEmbedding(loss="ste", penalty=0)` and is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

import ordinate as od
from ordinate.plots._colors import class_style
from papers._common import Run, Table, missing, print_table, summarise
from papers.benchmark.landmarks import landmark_oe, lloe, lsoe
from papers.benchmark.network import oenn

FITTED = {
    "GNMDS": od.GNMDS,
    "CKL": partial(od.CKL, penalty=0),
    "STE": partial(od.STE, penalty=0),
    "t-STE": partial(od.TSTE, penalty=0),
    "SOE": od.SOE,
    "t-ETE": partial(od.TETE, penalty=0),
}
ASKING = {"LSOE": lsoe, "LLOE": lloe, "LOE, landmarks": landmark_oe}
"""These ask questions of their own."""
METHODS = (*FITTED, *ASKING, "OENN")
N_TEST = 10_000


class Setting(NamedTuple):
    """What a set of answers is drawn from."""

    n: int = 300
    d: int = 2
    c: float = 2.0
    flips: float = 0.0
    noise: float = 0.0

    @property
    def size(self) -> int:
        """The number of training triplets."""
        return max(10, round(self.c * self.n * self.d * np.log2(self.n)))

    @property
    def errors(self) -> Callable[..., Any] | None:
        """How answers go wrong."""
        if self.flips:
            return od.sources.FlippedAnswers(self.flips)
        return od.sources.GaussianNoise(self.noise) if self.noise else None


SWEEPS = {
    "c": (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8),
    "flips": (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
    "noise": (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0),
    "d": (2, 5, 10),
    "n": (100, 300, 1000),
}
QUICK = {"c": (0.5, 8), "flips": (0.2,), "d": (5,)}
MOST_JUDGED = 20_000
"""Beyond as many points neighbours and Procrustes distance are those of a sample."""


@lru_cache(maxsize=1)
def draw(setting: Setting, seed: int) -> tuple[np.ndarray, od.Comparisons, od.Comparisons]:
    """Return points, training triplets and test triplets; all methods get the same ones in turn."""
    rng = np.random.default_rng([seed, 23])
    points = rng.uniform(size=(setting.n, setting.d))
    how = {"noise": setting.errors, "random_state": rng}
    train = od.sources.random_triplets(points, setting.size, **how)
    return points, train, od.sources.random_triplets(points, N_TEST, random_state=rng)


def embed(
    method: str,
    setting: Setting,
    points: np.ndarray,
    train: od.Comparisons,
    seed: int,
    device: str,
) -> np.ndarray:
    """Return the map of one method."""
    if method in ASKING:
        return ASKING[method](points, setting.size, setting.errors, seed)
    if method == "OENN":
        return oenn(train, setting.d, seed, device)
    model = FITTED[method](setting.d, random_state=seed, n_jobs=1, device=device)
    return model.fit(train).embedding_


def measure(method: str, setting: Setting, seed: int, device: str = "cpu") -> dict[str, float]:
    """Fit one method to one draw and judge the map."""
    points, train, test = draw(setting, seed)
    begin = np.array([time.process_time(), time.perf_counter()])
    embedding = embed(method, setting, points, train, seed, device)
    processor, clock = np.array([time.process_time(), time.perf_counter()]) - begin
    # objects that no answer names may share a place: their ties are decided by chance
    rng = np.random.default_rng(seed)
    embedding = embedding + 1e-9 * embedding.std() * rng.standard_normal(embedding.shape)
    some = np.arange(setting.n)
    if setting.n > MOST_JUDGED:
        some = rng.choice(setting.n, MOST_JUDGED, replace=False)
    found, truth = embedding[some], points[some]
    k = max(1, int(np.log2(setting.n)))
    return {
        "triplets": setting.size,
        "triplet error": od.metrics.triplet_error(test, embedding),
        "procrustes": od.metrics.procrustes_distance(found, truth),
        "neighbours missed": 1 - od.metrics.knn_overlap(found, truth, k),
        "processor seconds": float(processor),
        "seconds": float(clock),
    }


CAPTION = "share of 10,000 new triplets that a map denies, in percent"


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
            # rows of a run that was stopped and went on are in the order in which they came
            chosen.sort(key=lambda row, varied=varied: row[varied])
            x, y = [row[varied] for row in chosen], [row["triplet error"] for row in chosen]
            ax.plot(x, y, "o-", ms=3, color=class_style(number)[0], label=method)
        ax.set(xlabel=varied, xscale="log", ylabel="error on new triplets")
        if varied in ("d", "n"):
            values = sorted({row[varied] for row in rows if row["varied"] == varied})
            ax.set_xticks(values, [f"{value:,}" for value in values])
            ax.minorticks_off()
        ax.spines[["top", "right"]].set_visible(False)
    lines, names = chart.axes[0].get_legend_handles_labels()
    chart.legend(lines, names, loc="outside lower center", ncols=5, frameon=False, fontsize=8)
    return chart


def page_rows(
    rows: list[dict[str, Any]], of: str = "triplet error", scale: float = 100
) -> list[dict[str, str]]:
    """Return means, such as errors in percent, a row for each setting, its lowest in bold."""
    lines: dict[str, dict[str, Any]] = {}
    rows = sorted(rows, key=lambda row: METHODS.index(row["method"]))
    rows.sort(key=lambda row: (list(SWEEPS).index(row["varied"]), row[row["varied"]]))
    for row in summarise(rows, ["varied", *Setting._fields, "method"], [of]):
        value = row[row["varied"]]
        named = f"{value:,}" if isinstance(value, int) else f"{value:g}"
        line = lines.setdefault(f"{row['varied']} = {named}", {})
        line.setdefault("draws", []).append(row["runs"])
        line[row["method"]] = round(scale * row[of], 1)
    for line in lines.values():
        fewest, most = min(line["draws"]), max(line["draws"])
        line["draws"] = f"{fewest} to {most}" if fewest < most else most
        errors = {name: value for name, value in line.items() if name != "draws"}
        least = min(errors.values())
        bold = {name: f"**{x:.1f}**" if x == least else f"{x:.1f}" for name, x in errors.items()}
        line.update(bold)
    return [{"": setting, **line} for setting, line in lines.items()]


def evaluate(
    run: Run,
    name: str,
    base: Setting,
    sweeps: dict[str, Any],
    seeds: range,
    largest: Mapping[str, int] | None = None,
) -> Table:
    """Vary one thing at a time; print means and draw the errors.

    A method that is named in `largest` is given no more points than stand there.
    """
    methods = [name for name in METHODS if name != "OENN" or not missing(["torch"])]
    settings = [
        (varied, base._replace(**{varied: value}))
        for varied, values in sweeps.items()
        for value in values
    ]
    cells = [
        (varied, setting, method)
        for (varied, setting), method in product(settings, methods)
        if setting.n <= (largest or {}).get(method, setting.n)
    ]
    for d, method in product({setting.d for _, setting in settings}, FITTED):
        measure(method, Setting(n=d + 30, d=d), run.seed, run.device)  # compiles
    with run.table(name, total=len(cells) * len(seeds)) as table:
        for seed, (varied, setting, method) in product(seeds, cells):
            table.row(
                {"varied": varied, **setting._asdict(), "method": method, "seed": seed},
                lambda setting=setting, method=method, seed=seed: measure(
                    method, setting, seed, run.device
                ),
            )
    by = ["varied", *Setting._fields, "method"]
    of = ["triplet error", "procrustes", "neighbours missed", "processor seconds", "seconds"]
    print_table(summarise(table.found, by, of))
    draw_figure(table.found).savefig(run.path(f"{name}.png"), dpi=70)
    return table


def main(run: Run) -> None:
    """Do so for sizes that take minutes."""
    base, sweeps = run.size((Setting(n=50), QUICK), (Setting(), SWEEPS))
    table = evaluate(run, "evaluation", base, sweeps, run.seeds(1, 3))
    run.page(table, CAPTION, page_rows(table.found))
