"""Figures 5 and 7: purity and time of clusterings, through kernels and through embeddings.

USPS: 1000 digits 1, 2 and 3, 15 landmarks, against the number of triplets. MNIST: 30 landmarks and
150 triplets per object, against the number of objects. Means over ten runs, as in the paper.
"""

from collections import defaultdict

import numpy as np
from matplotlib.figure import Figure

import ordinate as od
from ordinate.plots._colors import COLORS, QUIET
from papers._common import Run
from papers.kernels.clustering import Task, measure

USPS_SIZES = (5_000, 10_000, 20_000, 40_000, 80_000)
MNIST_SIZES = (1_000, 2_000, 5_000, 10_000)
CAPTION = "{}: mean purity (deviation over runs) and processor seconds, by the number of {}"
LOOKS = {
    "k1": COLORS[0],
    "k2": COLORS[4],
    "k1, Lloyd": COLORS[5],
    "k2, Lloyd": COLORS[6],
    "GNMDS": COLORS[1],
    "CKL": COLORS[2],
    "t-STE": COLORS[3],
    "k-means on the points": QUIET,
    "random": "#BBBBBB",
}


def usps_tasks(seeds, sizes, n_objects, dimensions):
    data = od.datasets.load_usps()
    wanted = np.flatnonzero(np.isin(data.labels, [1, 2, 3]))
    for seed in seeds:
        chosen = np.random.default_rng([seed, 5]).choice(wanted, n_objects, replace=False)
        for error_probability in (0.0, 0.3):
            for size in sizes:
                yield Task(
                    data.points[chosen].astype(float),
                    data.labels[chosen],
                    size,
                    error_probability,
                    15,
                    dimensions,
                    seed,
                )


def mnist_tasks(seeds, sizes):
    data = od.datasets.load_mnist()
    for seed in seeds:
        for n_objects in sizes:
            rng = np.random.default_rng([seed, n_objects])
            chosen = rng.choice(len(data.points), n_objects, replace=False)
            points = data.points[chosen].astype(float)
            yield Task(points, data.labels[chosen], 150 * n_objects, 0.15, 30, (5,), seed)


def collect(table, tasks):
    """Run all tasks, writing the rows of each as soon as they are known."""
    for task in tasks:
        key = {
            "n_objects": len(task.points),
            "n_triplets": task.n_triplets,
            "error_probability": task.error_probability,
            "seed": task.seed,
        }
        table.rows(key, lambda task=task: measure(task))


def means(rows, against, **chosen):
    """Average over runs: (method, setting) -> x, purity, seconds."""
    cells = defaultdict(list)
    for found in rows:
        if all(found[key] in value for key, value in chosen.items()):
            cells[found["method"], found["setting"], found[against]].append(
                (found["purity"], found["seconds"])
            )
    curves = defaultdict(list)
    for (method, setting, x), values in sorted(cells.items()):
        curves[method, setting].append((x, *np.mean(values, axis=0)))
    return {key: np.array(curve) for key, curve in curves.items()}


def draw(axes, curves, title, xlabel):
    purity, seconds = axes
    for (method, setting), curve in curves.items():
        look = {
            "color": LOOKS[method],
            "linestyle": "--" if setting == "random" else "-",
            "marker": "." if setting else None,
            "label": f"{method} (random triplets)" if setting == "random" else method,
        }
        purity.plot(curve[:, 0], curve[:, 1], **look)
        if setting:
            seconds.plot(curve[:, 0], curve[:, 2], **look)
    purity.set(title=title, ylabel="purity", xlabel=xlabel, ylim=(0, 1))
    seconds.set(title=title, ylabel="seconds", xlabel=xlabel, yscale="log")
    ticks = sorted({x for curve in curves.values() for x in curve[:, 0]})
    for ax in axes:
        ax.set_xscale("log")
        ax.set_xticks(ticks, [f"{x:,.0f}" for x in ticks])
        ax.tick_params(axis="x", which="minor", length=0, labelleft=False, labelbottom=False)


def figure(usps, mnist, path):
    chart = Figure(figsize=(15, 10), layout="constrained")
    grid = chart.subplots(3, 4)
    panels = sorted({(row["dimension"]) for row in usps if row["dimension"]})
    for line, dimension in enumerate(panels):
        for column, error_probability in enumerate((0.0, 0.3)):
            curves = means(
                usps,
                "n_triplets",
                error_probability=[error_probability],
                dimension=[0, dimension],
            )
            title = f"USPS, ep = {error_probability:g}, dimension {dimension:g}"
            draw((grid[line, column], grid[line, column + 2]), curves, title, "triplets")
    draw((grid[2, 0], grid[2, 2]), means(mnist, "n_objects"), "MNIST, ep = 0.15", "objects")
    grid[2, 1].axis("off")
    grid[2, 3].axis("off")
    handles, labels = grid[2, 0].get_legend_handles_labels()
    grid[2, 1].legend(handles, labels, loc="center", frameon=False)
    chart.savefig(path, dpi=52)


def print_table(name, rows, against):
    print(f"\n{name}: mean purity, and seconds for the kernel or embedding")
    keys = ("error_probability", "dimension", "method", "setting")
    xs = sorted({row[against] for row in rows})
    print(f"{'ep':>5}{'dim':>4}  {'method':<22}{'triplets':<10}", *(f"{x:>15,.0f}" for x in xs))
    for key in sorted({tuple(row[k] for k in keys) for row in rows}):
        chosen = [row for row in rows if tuple(row[k] for k in keys) == key]
        cells = [[row for row in chosen if row[against] == x] for x in xs]
        shown = [
            f"{mean(cell, 'purity'):.3f} {mean(cell, 'seconds'):8.3f}" if cell else "-"
            for cell in cells
        ]
        print(f"{key[0]:>5g}{key[1]:>4g}  {key[2]:<22}{key[3]:<10}", *(f"{s:>15}" for s in shown))


def page_rows(rows, against):
    """Yield mean purity, its deviation and the time of each method, by what is varied."""
    keys = ("error_probability", "dimension", "method", "setting")
    every = sorted({row[against] for row in rows})
    for key in sorted({tuple(row[k] for k in keys) for row in rows}):
        line = {"ep": key[0], "dimension": key[1] or "", "method": key[2], "triplets": key[3]}
        of_key = [row for row in rows if tuple(row[k] for k in keys) == key]
        cells = {x: [row for row in of_key if row[against] == x] for x in every}
        runs = sorted({len(cell) for cell in cells.values() if cell})
        line["runs"] = " to ".join(dict.fromkeys([str(runs[0]), str(runs[-1])]))
        for x, cell in cells.items():
            if not cell:
                continue
            text = f"{mean(cell, 'purity'):.2f} ({np.std([r['purity'] for r in cell]):.2f})"
            seconds = mean(cell, "seconds")
            line[f"{x:,}"] = text if np.isnan(seconds) else f"{text} {seconds:.2g} s"
        yield line


def mean(rows, key):
    return np.mean([row[key] for row in rows])


def main(run: Run) -> None:
    """Print and draw both data sets."""
    seeds = run.seeds(1, 10)
    usps_sizes, n_usps, dimensions = run.size(((2_000,), 80, (2,)), (USPS_SIZES, 1000, (2, 10)))
    mnist_sizes = run.size((60, 80), MNIST_SIZES)
    with run.table("figure5_usps", total=2 * len(seeds) * len(usps_sizes)) as table:
        collect(table, usps_tasks(seeds, usps_sizes, n_usps, dimensions))
    usps = table.found
    run.page(table, CAPTION.format("USPS", "triplets"), page_rows(usps, "n_triplets"))
    with run.table("figure5_mnist", total=len(seeds) * len(mnist_sizes)) as table:
        collect(table, mnist_tasks(seeds, mnist_sizes))
    mnist = table.found
    run.page(table, CAPTION.format("MNIST", "digits"), page_rows(mnist, "n_objects"))
    print_table("USPS digits 1, 2, 3", usps, "n_triplets")
    print_table("MNIST", mnist, "n_objects")
    print("\nThe paper at 10,000 MNIST digits: k1 100 s, k2 180 s, the fastest embedding 2000 s")
    figure(usps, mnist, run.path("figure5.png"))
