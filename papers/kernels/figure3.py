"""Figures 3 and 6: kernel matrices of five toy data sets, from a tenth of all triplets.

The paper does not say how its five sets were drawn; here: three Gaussian groups, two moons, two
circles, points all over a square, and the vertices of a stochastic block model under shortest-path
distance.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.datasets import make_blobs, make_circles, make_moons

import ordinate as od
from ordinate.plots._colors import INK
from papers._common import Run, print_table, ranged


def groups(n_objects, seed):
    sizes = np.diff(np.linspace(0, n_objects, 4).astype(int))
    centers = [[0, 0], [6, 1], [2, 5]]
    points, labels = make_blobs(
        sizes, centers=centers, cluster_std=[0.6, 1.0, 0.8], random_state=seed
    )
    order = np.argsort(labels, kind="stable")
    return points[order], cdist(points[order], points[order])


def moons(n_objects, seed):
    points, labels = make_moons(n_objects, noise=0.07, random_state=seed)
    order = np.lexsort((points[:, 0], labels))
    return points[order], cdist(points[order], points[order])


def circles(n_objects, seed):
    points, labels = make_circles(n_objects, noise=0.05, factor=0.4, random_state=seed)
    order = np.lexsort((np.arctan2(*points.T), labels))
    return points[order], cdist(points[order], points[order])


def square(n_objects, seed):
    points = np.random.default_rng(seed).uniform(size=(n_objects, 2))
    points = points[np.argsort(points[:, 0])]
    return points, cdist(points, points)


def block_model(n_objects, seed):
    """Four communities, which have distances but no coordinates."""
    rng = np.random.default_rng(seed)
    community = np.arange(n_objects) * 4 // n_objects
    joined = np.where(community[:, None] == community, 0.3, 0.02)
    edges = np.triu(rng.random((n_objects, n_objects)) < joined, 1)
    distances = shortest_path(edges | edges.T, unweighted=True)
    distances[np.isinf(distances)] = n_objects
    return None, distances


SETS = {
    "three groups": groups,
    "two moons": moons,
    "two circles": circles,
    "square": square,
    "stochastic block model": block_model,
}


def answers_to(distances, share, seed):
    """Draw a share of all triplets without replacement; ties have no answer."""
    everything = od.sources.all_triplets(distances, metric="precomputed")
    return everything.sample(round(share * len(everything)), random_state=seed)


def measure(distances, kernels):
    """How well similarity falls with distance, over all pairs of objects."""
    pairs = np.triu_indices(len(distances), 1)
    return {
        kernel: float(-spearmanr(distances[pairs], matrix[pairs]).statistic)
        for kernel, matrix in kernels.items()
    }


def draw(axes, points, distances, kernels):
    fixed = len(distances) // 6
    for ax, (title, matrix) in zip(
        axes[1:4], {"distances": distances, **kernels}.items(), strict=True
    ):
        shown = np.array(matrix, dtype=float)
        if title != "distances":
            np.fill_diagonal(shown, np.nan)
        ax.imshow(shown, cmap="viridis")
        ax.set_title(title)
    for ax in axes:
        ax.set_xticks([])
        ax.set_yticks([])
    if points is None:
        axes[0].axis("off")
        axes[4].axis("off")
        return
    axes[0].scatter(*points.T, s=6, color=INK)
    others = np.arange(len(points)) != fixed
    axes[4].scatter(*points[others].T, s=6, c=kernels["k1"][fixed, others], cmap="viridis")
    axes[4].scatter(*points[fixed], marker="x", s=60, color="black")
    axes[4].set_title("k1 to the cross")


def one_draw(run, seed, n_objects):
    """Yield the correlations of each set; those of the first seed are drawn."""
    chart = Figure(figsize=(12, 2.5 * len(SETS)), layout="constrained")
    for axes, (name, make) in zip(chart.subplots(len(SETS), 5), SETS.items(), strict=True):
        points, distances = make(n_objects, seed)
        answers = answers_to(distances, 0.1, seed)
        kernels = {"k1": od.K1().fit(answers).kernel(), "k2": od.K2().fit(answers).kernel()}
        draw(axes, points, distances, kernels)
        yield {"data": name, **measure(distances, kernels)}
    if seed == run.seed:
        chart.savefig(run.path("figure3.jpg"), dpi=70, pil_kwargs={"quality": 80})


def page_rows(found):
    """Yield the correlations of each set."""
    for name in SETS:
        rows = [row for row in found if row["data"] == name]
        line = {"set": name, "draws": len(rows)}
        yield line | {kernel: ranged([row[kernel] for row in rows]) for kernel in ("k1", "k2")}


def main(run: Run) -> None:
    """Draw the matrices; print the rank correlation of similarity with nearness."""
    n_objects = run.size(60, 400)
    with run.table("figure3") as table:
        for seed in run.seeds(1, 3):
            table.rows(
                {"seed": seed, "n_objects": n_objects},
                lambda seed=seed: one_draw(run, seed, n_objects),
            )
    rows = list(page_rows(table.found))
    print_table(rows)
    caption = "rank correlation of similarity with nearness over all pairs: mean (range) over draws"
    run.page(table, caption, rows)
