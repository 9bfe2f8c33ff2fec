"""Figure 3 (and 6): kernel matrices of toy data, from a tenth of all triplets.

    python papers/kernels/figure3.py --output results/kernels [--quick]

The paper does not say how its five sets were drawn; here: three Gaussian groups, two moons, and the
vertices of a stochastic block model under shortest-path distance.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.datasets import make_blobs, make_moons

import ordinate as od
from ordinate.plots._colors import INK


def groups(n_objects):
    sizes = np.diff(np.linspace(0, n_objects, 4).astype(int))
    centers = [[0, 0], [6, 1], [2, 5]]
    points, labels = make_blobs(sizes, centers=centers, cluster_std=[0.6, 1.0, 0.8], random_state=0)
    order = np.argsort(labels, kind="stable")
    return points[order], cdist(points[order], points[order])


def moons(n_objects):
    points, labels = make_moons(n_objects, noise=0.07, random_state=0)
    order = np.lexsort((points[:, 0], labels))
    return points[order], cdist(points[order], points[order])


def block_model(n_objects):
    """Four communities, which have distances but no coordinates."""
    rng = np.random.default_rng(0)
    community = np.arange(n_objects) * 4 // n_objects
    joined = np.where(community[:, None] == community, 0.3, 0.02)
    edges = np.triu(rng.random((n_objects, n_objects)) < joined, 1)
    distances = shortest_path(edges | edges.T, unweighted=True)
    distances[np.isinf(distances)] = n_objects
    return None, distances


SETS = {"three groups": groups, "two moons": moons, "stochastic block model": block_model}


def answers_to(distances, share):
    """Draw a share of all triplets without replacement; ties have no answer."""
    everything = od.sources.all_triplets(distances, metric="precomputed")
    return everything.sample(round(share * len(everything)), random_state=0)


def measure(name, distances, kernels):
    """How well similarity falls with distance, over all pairs of objects."""
    pairs = np.triu_indices(len(distances), 1)
    correlation = {
        kernel: -spearmanr(distances[pairs], matrix[pairs]).statistic
        for kernel, matrix in kernels.items()
    }
    return {"data": name, "n_objects": len(distances)} | correlation


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("results/kernels"))
    parser.add_argument("--quick", action="store_true", help="60 objects instead of 400")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    chart = Figure(figsize=(12, 7.5), layout="constrained")
    rows = []
    for axes, (name, make) in zip(chart.subplots(3, 5), SETS.items(), strict=True):
        points, distances = make(60 if options.quick else 400)
        answers = answers_to(distances, 0.1)
        kernels = {"k1": od.K1().fit(answers).kernel(), "k2": od.K2().fit(answers).kernel()}
        draw(axes, points, distances, kernels)
        rows.append(measure(name, distances, kernels))
    with (options.output / "figure3.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    chart.savefig(options.output / "figure3.jpg", dpi=70, pil_kwargs={"quality": 80})
    print("Rank correlation of similarity with nearness, over all pairs")
    for row in rows:
        print(f"{row['data']:<24}{row['n_objects']:>5}  k1 {row['k1']:.3f}  k2 {row['k2']:.3f}")


if __name__ == "__main__":
    main()
