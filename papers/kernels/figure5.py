"""Figure 5 (and 7): purity and time of clusterings, through kernels and through embeddings.

    python papers/kernels/figure5.py --output results/kernels [--quick]

USPS: 1000 digits 1, 2 and 3, 15 landmarks, against the number of triplets. MNIST: 30 landmarks and
150 triplets per object, against the number of objects. Needs the two data sets (ORDINATE_DATA).
Rows are kept in CSV files; ``--data`` recomputes one of them, and table and picture show both.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from clustering import Task, run
from matplotlib.figure import Figure

import ordinate as od
from ordinate.plots._colors import COLORS, QUIET

USPS_SIZES = (5_000, 10_000, 20_000, 40_000, 80_000)
MNIST_SIZES = (1_000, 2_000, 5_000, 10_000)
LOOKS = {
    "k1": COLORS[0],
    "k2": COLORS[4],
    "GNMDS": COLORS[1],
    "CKL": COLORS[2],
    "t-STE": COLORS[3],
    "k-means on the points": QUIET,
    "random": "#BBBBBB",
}


def usps_tasks(n_runs, sizes, n_objects, dimensions):
    data = od.datasets.load_usps()
    wanted = np.flatnonzero(np.isin(data.labels, [1, 2, 3]))
    for seed in range(n_runs):
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


def mnist_tasks(n_runs, sizes):
    data = od.datasets.load_mnist()
    for seed in range(n_runs):
        for n_objects in sizes:
            rng = np.random.default_rng([seed, n_objects])
            chosen = rng.choice(len(data.points), n_objects, replace=False)
            points = data.points[chosen].astype(float)
            yield Task(points, data.labels[chosen], 150 * n_objects, 0.15, 30, (5,), seed)


def collect(tasks, path):
    """Run all tasks, writing each row as soon as it is known."""
    with path.open("w", newline="") as file:
        writer = None
        for task in tasks:
            for found in run(task):
                if writer is None:
                    writer = csv.DictWriter(file, list(found))
                    writer.writeheader()
                writer.writerow(found)
                file.flush()


def read(path):
    """Read what `collect` wrote; none if that has not run yet."""
    if not path.exists():
        return []
    words = {"method": str, "setting": str}
    with path.open(newline="") as file:
        return [
            {key: words.get(key, float)(value) for key, value in row.items()}
            for row in csv.DictReader(file)
        ]


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
        shown = [f"{mean(cell, 'purity'):.3f} {mean(cell, 'seconds'):8.3f}" for cell in cells]
        print(f"{key[0]:>5g}{key[1]:>4g}  {key[2]:<22}{key[3]:<10}", *(f"{s:>15}" for s in shown))


def mean(rows, key):
    return np.mean([row[key] for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("results/kernels"))
    parser.add_argument("--data", nargs="+", choices=["usps", "mnist"], default=["usps", "mnist"])
    parser.add_argument("--runs", type=int, default=10, help="repetitions")
    parser.add_argument("--quick", action="store_true", help="a small version, in seconds")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.quick:
        plans = {"usps": usps_tasks(1, (2_000,), 80, (2,)), "mnist": mnist_tasks(1, (60, 80))}
    else:
        plans = {
            "usps": usps_tasks(options.runs, USPS_SIZES, 1000, (2, 10)),
            "mnist": mnist_tasks(options.runs, MNIST_SIZES),
        }
    for name in options.data:
        collect(plans[name], options.output / f"figure5_{name}.csv")
    usps, mnist = (read(options.output / f"figure5_{name}.csv") for name in plans)
    print_table("USPS digits 1, 2, 3", usps, "n_triplets")
    print_table("MNIST", mnist, "n_objects")
    print("\nThe paper at 10,000 MNIST digits: k1 100 s, k2 180 s, the fastest embedding 2000 s")
    figure(usps, mnist, options.output / "figure5.png")


if __name__ == "__main__":
    main()
