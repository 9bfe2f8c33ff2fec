"""Tables 1 and 2, Figures 2 and 3: held-out error against the number of training answers.

    python papers/dmoe/tables.py synthetic --output results/dmoe
    python papers/dmoe/tables.py music --output results/dmoe

Writes every fit to a CSV file, draws the medians and prints them beside the paper's. The music
data are read from ORDINATE_DATA. With --quick two repeats of the small sizes run in a minute.
"""

import os

# one thread of linear algebra per process: the fits themselves run side by side
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import csv
from pathlib import Path

import numpy as np
from experiment import METHODS, Task, run
from joblib import Parallel, delayed

SIZES = {"synthetic": (200, 500, 1000, 10_000), "music": (200, 500, 1000, 5000)}
PAPER = {
    "synthetic": {
        "DMOE": {200: 0.390, 1000: 0.298, 10_000: 0.146},
        "GNMDS-p": {200: 0.447, 1000: 0.341, 10_000: 0.147},
        "STE-p": {200: 0.426, 1000: 0.385, 10_000: 0.234},
        "TSTE-p": {200: 0.468, 1000: 0.441, 10_000: 0.257},
    },
    "music": {
        "DMOE": {200: 0.385, 1000: 0.291, 5000: 0.227},
        "GNMDS-p": {200: 0.403, 1000: 0.317, 5000: 0.239},
        "STE-p": {200: 0.455, 1000: 0.415, 5000: 0.275},
        "TSTE-p": {200: 0.436, 1000: 0.389, 5000: 0.259},
    },
}
"""Medians that the paper prints."""


def collect(data, sizes, n_repeats, n_jobs, methods):
    # the largest first, so that no core waits for one of them at the end
    tasks = [Task(data, size, seed) for size in sizes[::-1] for seed in range(n_repeats)]
    found = Parallel(n_jobs=n_jobs)(delayed(run)(task, methods) for task in tasks)
    return [row for rows in found for row in rows]


def summarise(path):
    """Return all errors by method and size."""
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = row["method"], int(row["n_train"])
            found.setdefault(key, []).append(float(row["error"]))
    return {key: np.array(errors) for key, errors in found.items()}


def print_table(data, summary, sizes, methods):
    print(f"{data}: median held-out error (min-max; the paper's median in brackets)")
    print("method".ljust(18) + "".join(f"{size:>30,}" for size in sizes))
    for method in methods:
        cells = ""
        for size in sizes:
            errors = summary[method, size]
            paper = PAPER[data].get(method, {}).get(size)
            printed = f" [{paper:.3f}]" if paper else ""
            cells += (
                f"{np.median(errors):.3f} ({errors.min():.3f}-{errors.max():.3f}){printed}".rjust(
                    30
                )
            )
        print(method.ljust(18) + cells)


def draw(data, summary, sizes, methods, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
    colours = dict(zip(METHODS, plt.get_cmap("tab10").colors, strict=True))
    for method in methods:
        errors = [summary[method, size] for size in sizes]
        bold = method == "PosteriorGram"
        style = {"color": colours[method], "linewidth": 2.8 if bold else 1.1}
        medians = [np.median(found) for found in errors]
        ax.plot(sizes, medians, "o-", label=method, markersize=5 if bold else 3, **style)
        paper = PAPER[data].get(method, {})
        ax.plot(list(paper), list(paper.values()), "x", color=colours[method], markersize=7)
        if bold:
            low, high = [found.min() for found in errors], [found.max() for found in errors]
            ax.fill_between(sizes, low, high, color=colours[method], alpha=0.2, linewidth=0)
    ax.plot([], [], "kx", label="the paper's median")
    ax.set(xscale="log", yscale="log", xlabel="training triplets", ylabel="median held-out error")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ticks = [tick for tick in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5) if tick >= 0.9 * ax.get_ylim()[0]]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    fig.legend(loc="outside right center", fontsize=8, frameon=False)
    fig.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", choices=SIZES)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--output", type=Path, default=Path("results/dmoe"))
    parser.add_argument("--quick", action="store_true", help="two repeats of the small sizes")
    parser.add_argument("--redraw", action="store_true", help="use the fits of an earlier run")
    options = parser.parse_args(arguments)
    sizes = SIZES[options.data][:2] if options.quick else SIZES[options.data]
    n_repeats = 2 if options.quick else options.repeats
    path = options.output / f"{options.data}.csv"
    if not options.redraw:
        options.output.mkdir(parents=True, exist_ok=True)
        rows = collect(options.data, sizes, n_repeats, options.jobs, tuple(options.methods))
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    summary = summarise(path)
    print_table(options.data, summary, sizes, options.methods)
    draw(options.data, summary, sizes, options.methods, options.output / f"{options.data}.png")


if __name__ == "__main__":
    main()
