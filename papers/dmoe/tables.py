"""Tables 1 and 2, Figures 2 and 3: held-out error against the number of training answers.

Prints minimum, median, maximum and standard deviation over ten draws beside the paper's, and draws
the medians. `dmoe.synthetic` and `dmoe.music` call it for one of the two data sets each.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from papers._common import Run, print_table
from papers.dmoe.experiment import METHODS, Task, measure

CAPTION = "median (minimum to maximum; standard deviation), by the number of training answers"
SIZES = {"synthetic": (200, 500, 1000, 10_000), "music": (200, 500, 1000, 5000)}
PAPER = {
    "synthetic": {
        "GNMDS-p": {
            200: (0.419, 0.447, 0.476, 0.016),
            1000: (0.318, 0.341, 0.359, 0.009),
            10_000: (0.143, 0.147, 0.154, 0.007),
        },
        "STE-p": {
            200: (0.397, 0.426, 0.461, 0.016),
            1000: (0.375, 0.385, 0.401, 0.007),
            10_000: (0.219, 0.234, 0.251, 0.007),
        },
        "TSTE-p": {
            200: (0.440, 0.468, 0.498, 0.014),
            1000: (0.426, 0.441, 0.466, 0.011),
            10_000: (0.238, 0.257, 0.271, 0.011),
        },
        "DMOE": {
            200: (0.372, 0.390, 0.410, 0.011),
            1000: (0.281, 0.298, 0.305, 0.008),
            10_000: (0.142, 0.146, 0.151, 0.008),
        },
    },
    "music": {
        "GNMDS-p": {
            200: (0.391, 0.403, 0.416, 0.007),
            1000: (0.307, 0.317, 0.332, 0.007),
            5000: (0.225, 0.239, 0.257, 0.006),
        },
        "STE-p": {
            200: (0.444, 0.455, 0.475, 0.008),
            1000: (0.397, 0.415, 0.429, 0.007),
            5000: (0.252, 0.275, 0.294, 0.011),
        },
        "TSTE-p": {
            200: (0.416, 0.436, 0.458, 0.011),
            1000: (0.377, 0.389, 0.406, 0.007),
            5000: (0.243, 0.259, 0.297, 0.013),
        },
        "DMOE": {
            200: (0.372, 0.385, 0.400, 0.007),
            1000: (0.281, 0.291, 0.307, 0.007),
            5000: (0.216, 0.227, 0.244, 0.007),
        },
    },
}
"""Minimum, median, maximum and standard deviation as printed."""


def errors_by_method(rows):
    """Return all errors by method and size, in the order of `METHODS`."""
    found = {}
    for row in sorted(rows, key=lambda row: METHODS.index(row["method"])):
        found.setdefault((row["method"], row["n_train"]), []).append(row["error"])
    return {key: np.array(errors) for key, errors in found.items()}


def table_of(data, summary):
    """Yield the rows of the table, each with the paper's below it."""
    names = ("min", "median", "max", "sd")
    for (method, size), errors in sorted(summary.items(), key=lambda entry: entry[0][::-1]):
        found = errors.min(), np.median(errors), errors.max(), errors.std()
        values = [f"{value:.3f}" for value in found]
        line = {"training": size, "method": method, "draws": len(errors)}
        yield {**line, **dict(zip(names, values, strict=True))}
        printed = PAPER[data].get(method, {}).get(size)
        if printed:
            values = [f"{value:.3f}" for value in printed]
            yield {
                **line,
                "method": "  paper",
                "draws": "",
                **dict(zip(names, values, strict=True)),
            }


def page_rows(data, summary, sizes):
    """Return a row for each method: median (minimum to maximum; deviation) by training answers."""
    for method in dict.fromkeys(method for method, _ in summary):
        of_method = {size: summary[method, size] for size in sizes if (method, size) in summary}
        draws = [str(len(errors)) for errors in of_method.values()]
        figures = {
            f"{size:,}": _figures(np.min(e), np.median(e), np.max(e), np.std(e))
            if len(e) > 1
            else f"{e[0]:.3f}"
            for size, e in of_method.items()
        }
        yield {
            "method": method,
            "draws": ", ".join(draws if len(set(draws)) > 1 else draws[:1]),
            **figures,
        }
        printed = PAPER[data].get(method)
        if printed:
            figures = {f"{size:,}": _figures(*values) for size, values in printed.items()}
            yield {"method": "in the paper", "draws": "", **figures}


def _figures(least, median, most, deviation):
    return f"{median:.3f} ({least:.3f} to {most:.3f}; {deviation:.3f})"


def draw(data, summary, sizes, path):
    fig, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
    palette = plt.get_cmap("tab10").colors + plt.get_cmap("Dark2").colors
    colours = dict(zip(METHODS, palette, strict=False))
    for method in dict.fromkeys(method for method, _ in summary):
        known = [size for size in sizes if (method, size) in summary]
        errors = [summary[method, size] for size in known]
        bold = method == "PosteriorGram"
        style = {"color": colours[method], "linewidth": 2.8 if bold else 1.1}
        medians = [np.median(found) for found in errors]
        ax.plot(known, medians, "o-", label=method, markersize=5 if bold else 3, **style)
        paper = PAPER[data].get(method, {})
        ax.plot(
            list(paper),
            [printed[1] for printed in paper.values()],
            "x",
            color=colours[method],
            markersize=7,
        )
        if bold:
            low, high = [found.min() for found in errors], [found.max() for found in errors]
            ax.fill_between(known, low, high, color=colours[method], alpha=0.2, linewidth=0)
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


def run_tables(run: Run, data: str) -> None:
    """Fit, print and draw one of the two data sets."""
    sizes, seeds = run.size(SIZES[data][:2], SIZES[data]), run.seeds(2, 10)
    methods = run.size(QUICK_METHODS[data], METHODS)
    with run.table(data, total=len(sizes) * len(seeds) * len(methods)) as table:
        # draw by draw: a run that is cut short has all methods of those it made
        for size, seed, method in product(sizes, seeds, methods):
            task = Task(data, size, seed)
            table.row(
                {"n_train": size, "method": method, "seed": seed},
                lambda task=task, method=method: measure(task, method),
            )
    summary = errors_by_method(table.found)
    print_table(table_of(data, summary))
    run.page(table, CAPTION, page_rows(data, summary, sizes))
    draw(data, summary, sizes, run.path(f"{data}.png"))


QUICK_METHODS = {
    "synthetic": ("DMOE", "GNMDS-p", "one gradient step", "MTE"),
    "music": ("one gradient step",),  # 400 objects: a search for the penalty takes minutes
}
