"""Figure 4: the dendrogram of the food data by k1, and the map of the cars by k2.

Dishes have no names but those of their pictures' files,
of which the first six letters are shown; cars have a number and a class.
"""

import time
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import fcluster

import ordinate as od
from papers._common import Run

N_CLUSTERS = 10


def best_time(act, repeats=5):
    """Return the shortest of several times, and what the act returned."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = act()
        times.append(time.process_time() - start)
    return min(times), result


def food(run):
    answers = od.datasets.load_food100().comparisons
    distinct = answers.merge_repeats()
    print(
        f"Food: {len(distinct):,} distinct triplets (paper 190,376),"
        f" {len(answers.contradictions()):,} contradicting pairs (paper 9,349)"
    )
    # the paper's set holds each triplet once, however often it was given
    once = od.Comparisons(distinct.rows, n_objects=answers.n_objects)
    for cls in (od.K1, od.K2):
        seconds, _ = best_time(lambda cls=cls: cls().fit(once).kernel())
        print(f"  {cls.__name__}: {seconds:.3f} processor seconds (paper 0.1 s)")
    gnmds = od.GNMDS(2, random_state=0)
    gnmds.fit(once)  # the first fit compiles
    seconds, _ = best_time(lambda: gnmds.fit(once), repeats=2)
    print(f"  GNMDS in two dimensions: {seconds:.2f} processor seconds (paper 18 s)")

    names = [Path(name).stem[:6] for name in answers.names]
    tree = od.kernels.kernel_linkage(od.K1().fit(once))
    ax = od.plots.plot_dendrogram(tree, names, n_clusters=N_CLUSTERS)
    ax.get_figure().savefig(run.path("figure4_food.png"), dpi=60, bbox_inches="tight")
    clusters = fcluster(tree, N_CLUSTERS, "maxclust")
    with run.table("figure4_food") as table:
        for dish, cluster in zip(answers.names, clusters, strict=True):
            table.row({"dish": dish}, lambda cluster=cluster: {"cluster": int(cluster)})
    print(f"  sizes of {N_CLUSTERS} clusters: {sorted(np.bincount(clusters)[1:].tolist())}")


def gnmds_map(run):
    """Figure 9: the map of the dishes by GNMDS."""
    answers = od.datasets.load_food100().comparisons
    points = od.GNMDS(2, random_state=run.seed).fit(answers).embedding_
    names = [Path(name).stem[:6] for name in answers.names]
    ax = od.plots.plot_map(points, names=names)
    ax.get_figure().savefig(run.path("figure9.png"), dpi=60, bbox_inches="tight")


def cars(run):
    data = od.datasets.load_cars60()
    answers = data.comparisons
    print(
        f"Cars: {len(answers):,} triplets (paper 13,514),"
        f" {len(answers.merge_repeats()):,} distinct (paper 12,502)"
    )
    kernel = od.K2().fit(answers).kernel(shift=True)
    points = od.kernels.kernel_pca(kernel, 2)
    classes = np.array(data.label_names)[data.labels]
    numbers = [str(number + 1) for number in range(answers.n_objects)]
    ax = od.plots.plot_map(points, names=numbers, labels=classes)
    ax.get_figure().savefig(run.path("figure4_cars.png"), dpi=80, bbox_inches="tight")
    with run.table("figure4_cars") as table:
        for number, kind, (x1, x2) in zip(numbers, classes, points.tolist(), strict=True):
            table.row({"car": number, "kind": str(kind)}, lambda x1=x1, x2=x2: {"x1": x1, "x2": x2})
    inside = classes != "outlier"
    clusters = od.kernels.kernel_kmeans(kernel, 3, n_init=20, random_state=0)
    purity = od.metrics.purity(classes[inside], clusters[inside])
    print(
        f"  three kernel k-means clusters against the authors' three classes: purity {purity:.2f}"
    )


def main(run: Run) -> None:
    """Draw both pictures; the quick version has the cars only."""
    if not run.quick:
        food(run)
        gnmds_map(run)
    cars(run)
