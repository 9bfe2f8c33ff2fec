"""Figure 6 of the t-ETE paper: eight data sets, reduced by t-SNE and by Weighted t-ETE.

Each data set is mapped by t-SNE with the defaults of scikit-learn, by `WeightedTETE` with weights
and numbers of the paper (m = 20, COIL-20: m = 10) and by `WeightedTETE` with its defaults. The
paper shows pictures only; here they come with figures, in figure6.csv and on the screen. "Torn" is
the share of the 10 nearest neighbours in the data that are farther apart on the map than half of
its standard deviation.
"""

import time

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

import ordinate as od
from papers._common import Run, print_table
from papers.tete.protocol import digits

QUICK = 300


def data_sets(quick):
    """Name, points and colours of each data set, which are classes if they are whole numbers."""
    wine = load_wine()
    yield "Wine", (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0), wine.target
    sphere = od.datasets.make_sphere(QUICK if quick else 1000, random_state=0).points
    yield "Sphere", sphere, sphere[:, 2]
    roll = od.datasets.make_swiss_roll(QUICK if quick else 3000, random_state=0)
    yield "Swiss roll", roll.points, roll.attributes["position"]
    if quick:
        return
    faces = od.datasets.load_isomap_faces()
    yield "Faces", faces.points, next(iter(faces.attributes.values()))[:, 0]
    coil = od.datasets.load_coil20()
    yield "COIL-20", coil.points / 255, coil.labels
    usps = od.datasets.load_usps()
    yield "USPS", usps.points, usps.labels
    yield "MNIST", *digits(10_000)
    try:
        letters = od.datasets.load_letters()
    except od.datasets.DownloadError as error:
        print(f"Without letters: {error}")
        return
    chosen = np.random.default_rng(0).permutation(len(letters.points))[:10_000]
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
        start = time.process_time()
        maps[method] = run.points(
            f"figure6-{name}-{method}",
            lambda estimator=estimator: estimator.fit_transform(
                np.asarray(points, dtype=np.float32)
            ),
        )
        seconds = time.process_time() - start
        table.row(
            {"seed": run.seed, "data": name, "method": method},
            lambda method=method, seconds=seconds: quality(points, maps[method], colors, seconds),
        )
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
    for row in rows:
        shown = {title: row[name] for title, name in columns.items()}
        texts = {title: f"{x:.3f}" if isinstance(x, float) else x for title, x in shown.items()}
        yield {"data": row["data"], "method": row["method"], **texts}


def main(run: Run) -> None:
    """Print figures of every map, and draw all."""
    results = {}
    with run.table("figure6", total=run.size(9, 24)) as table:
        for name, points, colors in data_sets(run.quick):
            maps = reduce(run, table, name, points, np.asarray(colors))
            results[name] = maps, np.asarray(colors)
            draw(results).savefig(run.path("figure6.png"), dpi=90)
    print_table(table.found)
    run.page(table, "figures of the maps", page_rows(table.found))
