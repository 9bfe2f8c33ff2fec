"""Figure 3, top row: errors of six methods on MNIST digits, without and with flipped triplets.

1000 digits, 100 triplets each. (a) Ten-fold cross-validated error and (b) leave-one-out 1-NN error
against dimension, with t = t' falling from 2 as in the authors' program; (c) accuracy on as many
clean triplets not fitted and (d) 1-NN accuracy against the share of training triplets that were
flipped, with t = t' = 1.7. The paper does not say the dimension of (c) and (d); here it is 2.
Triplets are drawn as in the authors' program and, for (c) and (d), also as the paper's text says.

Needs MNIST (ORDINATE_DATA).
"""

from collections import defaultdict
from itertools import product

import numpy as np
from matplotlib.figure import Figure
from sklearn.base import clone

import ordinate as od
from ordinate.plots._colors import class_style
from papers._common import Run, Table, ranged
from papers.tete.protocol import digits, draw_triplets, flip, methods, neighbor_order

SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
NOISE_T = 1.7


def against_dimension(
    table: Table, n_objects, dimensions, folds, seed, objects=digits, device="cpu"
):
    """Fill in panels (a) and (b) for each method and dimension."""
    points, labels = objects(n_objects, seed)
    answers = draw_triplets(neighbor_order(points), np.random.default_rng(seed), outliers="release")
    for dimension in dimensions:
        for name, method in methods(dimension, "published", device).items():
            table.row(
                {"seed": seed, "n": n_objects, "dimension": dimension, "method": name},
                lambda method=method, dimension=dimension: errors(
                    answers, labels, method, dimension, folds, seed
                ),
            )


def errors(answers, labels, method, dimension, folds, seed):
    """Return the held-out error with its interval, and the 1-NN error of the whole map."""
    # every method sees the same folds: they are split by the seed
    measured = od.compare(
        answers, [method], [dimension], folds=folds, repeats=1, random_state=seed
    ).rows[0]
    model = clone(method).set_params(random_state=seed).fit(answers)
    return {
        "held_out_error": measured.error,
        "low": measured.low,
        "high": measured.high,
        "nn_error": od.metrics.nearest_neighbor_error(model.embedding_, labels),
        "seconds": measured.seconds,
    }


def neighbours(table: Table, n_objects, dimensions, seeds, objects=digits, device="cpu"):
    """Fill in panel (b) for several draws, without the ten fits of a cross-validation."""
    for seed in seeds:
        points, labels = objects(n_objects, seed)
        rng = np.random.default_rng(seed)
        answers = draw_triplets(neighbor_order(points), rng, outliers="release")
        for dimension in dimensions:
            for name, method in methods(dimension, "published", device).items():
                table.row(
                    {"seed": seed, "n": n_objects, "dimension": dimension, "method": name},
                    lambda method=method, answers=answers, labels=labels, seed=seed: nn_error(
                        method, answers, labels, seed
                    ),
                )


def nn_error(method, answers, labels, seed):
    """Return the 1-NN error of the map of all answers."""
    model = method.set_params(random_state=seed).fit(answers)
    return {"nn_error": od.metrics.nearest_neighbor_error(model.embedding_, labels)}


def against_noise(
    table: Table, n_objects, shares, seeds, outliers, objects=digits, dimension=2, device="cpu"
):
    """Fill in panels (c) and (d) for each method, share of flips and run."""
    for seed in seeds:
        points, labels = objects(n_objects, seed)
        rng = np.random.default_rng([seed, 1])
        order = neighbor_order(points)
        train, test = (draw_triplets(order, rng, outliers=outliers) for _ in range(2))
        for share in shares:
            noisy = flip(train, share, rng)
            for name, method in methods(dimension, NOISE_T, device).items():
                key = {"outliers": outliers, "n": n_objects, "method": name, "flipped": share}
                table.row(
                    {**key, "seed": seed},
                    lambda method=method, noisy=noisy, test=test, labels=labels, seed=seed: (
                        accuracies(method, noisy, test, labels, seed)
                    ),
                )


def accuracies(method, noisy, test, labels, seed):
    """Fit to noisy answers; return the accuracy on clean ones and that of nearest neighbours."""
    model = method.set_params(random_state=seed, n_jobs=1).fit(noisy)
    return {
        "accuracy": model.score(test),
        "nn_accuracy": 1 - od.metrics.nearest_neighbor_error(model.embedding_, labels),
    }


def curves(rows, x, y):
    """Average y over runs: for each method its values of x and the means."""
    values = defaultdict(lambda: defaultdict(list))
    for row in rows:
        values[row["method"]][row[x]].append(row[y])
    return {
        name: (list(by_x), [float(np.mean(found)) for found in by_x.values()])
        for name, by_x in values.items()
    }


def print_table(title, rows, x, y):
    """Print the means, methods down and x across, in percent."""
    found = curves(rows, x, y)
    if not found:
        return  # time was up before the first
    across = next(iter(found.values()))[0]
    print(f"\n{title}\n{'':16}" + "".join(f"{value:>8g}" for value in across))
    for name, (_, means) in found.items():
        print(f"{name:16}" + "".join(f"{100 * mean:8.1f}" for mean in means))


def print_claim(rows):
    """Print what 15 % of flips cost; the paper says next to nothing for t-ETE."""
    print("\nAccuracy lost from 0 to 15 % flips, in points (paper: 'almost unaffected' for t-ETE)")
    for name, (shares, means) in curves(rows, "flipped", "accuracy").items():
        lost = means[shares.index(0.0)] - means[shares.index(0.15)]
        print(f"{name:16}{100 * lost:8.1f}")


def noise_rows(rows):
    """Yield the means in percent, a row for each method, way of drawing far objects and measure."""
    for outliers, measure in product(("release", "text"), ("accuracy", "nn_accuracy")):
        chosen = [row for row in rows if row["outliers"] == outliers]
        for name, (shares, means) in curves(chosen, "flipped", measure).items():
            drawn = {"far objects": f"as in the {'program' if outliers == 'release' else outliers}"}
            percent = {
                f"{100 * share:g} %": f"{100 * mean:.1f}"
                for share, mean in zip(shares, means, strict=True)
            }
            what = {"accuracy": "answers", "nn_accuracy": "1-NN"}[measure]
            yield {**drawn, "accuracy of": what, "method": name, **percent}


def dimension_rows(rows):
    """Yield both errors in percent, a row for each method."""
    measured = {"held out": "held_out_error", "1-NN": "nn_error"}
    found = {name: curves(rows, "dimension", column) for name, column in measured.items()}
    for method in dict.fromkeys(row["method"] for row in rows):
        yield {"method": method} | {
            f"{name}, d = {dimension}": f"{100 * mean:.{2 if name == 'held out' else 1}f}"
            for name, of_method in found.items()
            for dimension, mean in zip(*of_method[method], strict=True)
        }


def neighbour_rows(rows):
    """Yield 1-NN errors in percent, a row for each method: mean and range over draws."""
    for method in dict.fromkeys(row["method"] for row in rows):
        found = [row for row in rows if row["method"] == method]
        line = {"method": method, "draws": len({row["seed"] for row in found})}
        for dimension in sorted({row["dimension"] for row in found}):
            errors = [100 * row["nn_error"] for row in found if row["dimension"] == dimension]
            line[f"d = {dimension}"] = ranged(errors, ".1f")
        yield line


PANELS = (
    ("dimension", "held_out_error", "(a) held-out error, %"),
    ("dimension", "nn_error", "(b) 1-NN error, %"),
    ("flipped", "accuracy", "(c) accuracy under flips, %"),
    ("flipped", "nn_accuracy", "(d) 1-NN accuracy under flips, %"),
)


def draw(by_dimension, by_noise):
    figure = Figure(figsize=(11, 6.6), layout="constrained")
    for ax, (x, y, title) in zip(figure.subplots(2, 2).flat, PANELS, strict=True):
        rows = by_dimension if x == "dimension" else by_noise
        for number, (name, (places, means)) in enumerate(curves(rows, x, y).items()):
            color, marker = class_style(number)[0], "osD^vP"[number]
            wide = 2.2 if name.startswith("t-ETE") else 1.2
            ax.plot(places, 100 * np.array(means), color=color, marker=marker, lw=wide, label=name)
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel("dimension" if x == "dimension" else "share of training triplets flipped")
        if x == "dimension":
            ax.set_xscale("log")
            ax.set_xticks(places, places)
            ax.minorticks_off()
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25)
    figure.axes[0].legend(frameon=False, fontsize="small")
    return figure


def main(run: Run) -> None:
    """Print and draw the top row of the figure."""
    draw_row(run, "figure3", digits, run.size(60, 1000))


def draw_row(run: Run, name, objects, n_objects):
    """Print the four panels as tables, and draw them.

    `objects` draws as many points as asked for, with their classes, from a seed.
    """
    folds = run.size(3, 10)
    dimensions = run.size((2, 5), (2, 5, 10))
    shares, seeds = run.size((0.0, 0.15), SHARES), run.seeds(1, 2)
    total = 2 * len(seeds) * len(shares) * len(methods(2, 2))
    with run.table(f"{name}_noise", total=total) as table:
        for outliers in ("release", "text"):
            against_noise(table, n_objects, shares, seeds, outliers, objects, device=run.device)
    by_noise = table.found
    run.page(table, "accuracy in percent, by the share of flipped answers", noise_rows(by_noise))
    for outliers in ("release", "text"):
        rows = [row for row in by_noise if row["outliers"] == outliers]
        print(f"\nOutliers drawn as in the {outliers}:")
        print_table("(c) Accuracy, %, by share flipped", rows, "flipped", "accuracy")
        print_table("(d) 1-NN accuracy, %, by share flipped", rows, "flipped", "nn_accuracy")
        print_claim(rows)
    with run.table(f"{name}_dimensions", total=len(dimensions) * len(methods(2, 2))) as table:
        against_dimension(table, n_objects, dimensions, folds, run.seed, objects, run.device)
    by_dimension = table.found
    run.page(table, "error in percent, by dimension", dimension_rows(by_dimension))
    print_table("(a) Held-out error, %, by dimension", by_dimension, "dimension", "held_out_error")
    print_table("(b) 1-NN error, %, by dimension", by_dimension, "dimension", "nn_error")
    with run.table(f"{name}_neighbours") as table:
        neighbours(table, n_objects, dimensions, run.seeds(1, 5), objects, run.device)
    caption = "1-NN error in percent, by dimension: mean (range) over draws"
    run.page(table, caption, neighbour_rows(table.found))
    release = [row for row in by_noise if row["outliers"] == "release"]
    draw(by_dimension, release).savefig(run.path(f"{name}.png"), dpi=70)
