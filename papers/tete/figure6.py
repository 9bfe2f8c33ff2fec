"""Figure 6 of the t-ETE paper: eight data sets, reduced by t-SNE and by Weighted t-ETE.

Each data set is mapped by t-SNE with the defaults of scikit-learn, by `WeightedTETE` with weights
and numbers of the paper (m = 20, COIL-20: m = 10) and by `WeightedTETE` with its defaults. The
paper shows pictures only; here they come with figures, in figure6.csv and on the screen. "Torn" is
the share of the 10 nearest neighbours in the data that are farther apart on the map than half of
its standard deviation.
"""

import time
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

import ordinate as od
from papers._common import Run, print_table, ranged
from papers.tete.protocol import digits

QUICK = 300
N_FACES = 400


def small_sets(quick, seed):
    """Name, points and colours of each data set, which are classes if they are whole numbers."""
    wine = load_wine()
    yield "Wine", (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0), wine.target
    sphere = od.datasets.make_sphere(QUICK if quick else 1000, random_state=seed).points
    yield "Sphere", sphere, sphere[:, 2]
    roll = od.datasets.make_swiss_roll(QUICK if quick else 3000, random_state=seed)
    yield "Swiss roll", roll.points, roll.attributes["position"]
    if quick:
        return
    faces = od.datasets.load_isomap_faces()
    some = np.random.default_rng(seed).choice(len(faces.points), N_FACES, replace=False)
    yield "Faces", faces.points[some], next(iter(faces.attributes.values()))[some, 0]
    coil = od.datasets.load_coil20()
    yield "COIL-20", coil.points / 255, coil.labels


def large_sets(seed):
    """Return those of about 10,000 rows, which take minutes of t-SNE."""
    usps = od.datasets.load_usps()
    yield "USPS", usps.points, usps.labels
    yield "MNIST", *digits(10_000, seed)
    try:
        letters = od.datasets.load_letters()
    except od.datasets.DownloadError as error:
        print(f"Without letters: {error}")
        return
    chosen = np.random.default_rng(seed).permutation(len(letters.points))[:10_000]
    yield "Letters", letters.points[chosen], letters.labels[chosen]


def methods(name, seed):
    m = 10 if name == "COIL-20" else 20
    return {
        "t-SNE": TSNE(random_state=seed, n_jobs=-1),
        "Weighted t-ETE, paper": od.WeightedTETE(
            weights="published", n_neighbors=m, random_state=seed
        ),
        "Weighted t-ETE": od.WeightedTETE(random_state=seed),
    }


def torn(points, embedding):
    """Share of neighbours that the map tears apart."""
    nearest = NearestNeighbors(n_neighbors=10).fit(points).kneighbors(return_distance=False)
    gaps = np.linalg.norm(embedding[:, None] - embedding[nearest], axis=2)
    spread = np.sqrt(embedding.var(axis=0).sum())
    return float((gaps > spread / 2).mean())


def quality(points, embedding, colors, seconds):
    """Measure one map."""
    classes = colors if np.issubdtype(colors.dtype, np.integer) else None
    found = od.metrics.map_quality(points, embedding, classes, random_state=0).to_dict()
    found = {name: "" if value is None else value for name, value in found.items()}
    return {**found, "torn": torn(points, embedding), "processor seconds": seconds}


def reduce(run: Run, table, name, points, colors):
    """Map one data set by each method; fill in a row of figures for each and return the maps."""
    maps = {}
    for method, estimator in methods(name, run.seed).items():

        def mapped(method=method, estimator=estimator):
            file = f"figure6-{name}-{method}"
            return run.points(file, lambda: estimator.fit_transform(np.float32(points)))

        def measured(mapped=mapped):
            start = time.process_time()
            embedding = mapped()
            return quality(points, embedding, colors, time.process_time() - start)

        table.row({"seed": run.seed, "data": name, "method": method}, measured)
        maps[method] = mapped()
    return maps


def draw(results):
    figure = Figure(figsize=(2.2 * len(results), 6.6), layout="constrained")
    axes = figure.subplots(3, len(results), squeeze=False)
    for column, (name, (maps, colors)) in zip(axes.T, results.items(), strict=True):
        classes = np.issubdtype(colors.dtype, np.integer)
        for ax, (method, points) in zip(column, maps.items(), strict=True):
            colours = {"c": colors, "cmap": "tab20" if classes else "viridis"}
            ax.scatter(*points.T, s=1, linewidths=0, rasterized=True, **colours)
            ax.set_axis_off()
            ax.set_aspect("equal", adjustable="datalim")
            title = f"{name}\n{method}" if ax is column[0] else method
            ax.set_title(title, fontsize=8)
    return figure


def page_rows(rows):
    """Yield the columns that the page discusses."""
    columns = {
        "trust": "trustworthiness",
        "1-NN": "accuracy_1",
        "10-NN": "accuracy_10",
        "triplets": "triplets",
        "global": "global_score",
        "torn": "torn",
        "processor seconds": "processor seconds",
    }
    for key in dict.fromkeys((row["data"], row["method"]) for row in rows):
        found = [row for row in rows if (row["data"], row["method"]) == key]
        line = {"data": key[0], "method": key[1], "draws": len(found)}
        for title, name in columns.items():
            values = [row[name] for row in found if row[name] != ""]
            line[title] = ranged(values, ".2g" if "seconds" in title else ".3f")
        yield line


def main(run: Run) -> None:
    """Print figures of every map, and draw all."""
    results, seeds = {}, run.seeds(1, 3)
    with run.table("figure6", total=run.size(9, 72)) as table:
        sets = [(seed, small_sets(run.quick, seed)) for seed in seeds]
        sets += [] if run.quick else [(seed, large_sets(seed)) for seed in seeds]
        for seed, these in sets:
            for name, points, colors in these:
                maps = reduce(replace(run, seed=seed), table, name, points, np.asarray(colors))
                if seed == run.seed:
                    results[name] = maps, np.asarray(colors)
    draw(results).savefig(run.path("figure6.png"), dpi=90)
    rows = list(page_rows(table.found))
    print_table(rows)
    run.page(table, "figures of the maps: mean (range) over draws", rows)
