"""Centres, outliers, density and classes without a kernel or a map: what statements say directly.

The related work of the triplet-kernels paper. Statements "which of three is the most central?" or
"which is the odd one out?" about random triples, a tenth of them answered at random; and the cars,
whose classes are known.
"""

import warnings

import numpy as np
from scipy.stats import gaussian_kde, rankdata, spearmanr
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import ordinate as od
from papers._common import Run, print_table, summarise

N_OBJECTS, N_OUTLIERS, N_KNOWN = 100, 5, 30
WRONG = 0.1
NEIGHBOURS = 15


def statements(points, n_statements, rng):
    """Ask for the most central and for the odd one of random triples; some answers are random."""
    shown = np.array([rng.choice(len(points), 3, replace=False) for _ in range(n_statements)])
    sides = np.linalg.norm(points[shown][:, :, None] - points[shown][:, None], axis=-1)
    guess = rng.random(n_statements) < WRONG
    makers = (od.sources.from_most_central, np.argmin), (od.sources.from_odd_one_out, np.argmax)
    for make, choose in makers:
        chosen = choose(sides.sum(axis=2), axis=1)
        chosen[guess] = rng.integers(3, size=guess.sum())
        yield make(shown, shown[np.arange(n_statements), chosen], n_objects=len(points))


def centrality(central, odd, seed):
    """Return how central objects are by the shares of both statements, by k1 and by a map."""
    with warnings.catch_warnings():  # of few statements some objects are never an anchor
        warnings.simplefilter("ignore", od.kernels.WithoutDataWarning)
        kernel = od.K1().fit(central).kernel()
    placed = od.STE(2, penalty=0.5, random_state=seed).fit(central).embedding_
    return {
        "lens depth": np.nan_to_num(od.kernels.lens_depth(central)),
        "outlier share": -np.nan_to_num(od.kernels.outlier_share(odd)),
        "k1": kernel.sum(axis=1),
        "STE map": -np.linalg.norm(placed[:, None] - placed, axis=2).sum(axis=1),
    }


def medoid_and_outliers(n_statements, seed):
    """Compare the object found with the true medoid, and the last ones with planted outliers."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(N_OBJECTS, 2))
    planted = rng.choice(N_OBJECTS, N_OUTLIERS, replace=False)  # anywhere, as depths may tie
    points[planted] *= 6 / np.linalg.norm(points[planted], axis=1, keepdims=True)
    totals = np.linalg.norm(points[:, None] - points, axis=2).sum(axis=1)
    dense = gaussian_kde(points.T)(points.T)
    for method, depth in centrality(*statements(points, n_statements, rng), seed).items():
        yield {
            "method": method,
            "rank of its medoid": float(rankdata(totals)[np.argmax(depth)]),
            "outliers found": float(np.isin(np.argsort(depth)[:N_OUTLIERS], planted).mean()),
            "correlation with density": float(spearmanr(depth, dense).statistic),
        }


def classes_of_cars(seed):
    """Predict the classes of half of the cars from those of the others."""
    data = od.datasets.load_cars60()
    answers, labels = data.comparisons, np.asarray(data.labels)
    rng = np.random.default_rng(seed)
    known = rng.permutation(len(labels)) < N_KNOWN
    given = np.where(known, labels, None)
    depths = np.nan_to_num(od.kernels.lens_depth(answers, labels=given))
    graph = od.kernels.relative_neighborhood_graph(answers, NEIGHBOURS).toarray()
    votes = np.stack([graph[:, known] @ (labels[known] == c) for c in np.unique(labels)], axis=1)
    kernel = od.K1().fit(answers).kernel()
    placed = od.STE(2, penalty=0.5, random_state=seed).fit(answers).embedding_
    machine = SVC(kernel="precomputed").fit(kernel[np.ix_(known, known)], labels[known])
    found = {
        "lens depth": KNeighborsClassifier(5).fit(depths[known], labels[known]).predict(depths),
        "neighbourhood graph": votes.argmax(axis=1),
        "k1": machine.predict(kernel[:, known]),
        "STE map": KNeighborsClassifier(5).fit(placed[known], labels[known]).predict(placed),
    }
    for method, classes in found.items():
        yield {"method": method, "cars right": float(np.mean(classes[~known] == labels[~known]))}


def main(run: Run) -> None:
    """Measure, print, and write both tables."""
    with run.table("lenses") as table:
        for seed in run.seeds(1, 20):
            for size in run.size((1000,), (300, 1000, 3000, 10_000)):
                table.rows(
                    {"statements": size, "seed": seed},
                    lambda size=size, seed=seed: medoid_and_outliers(size, seed),
                )
    measures = ["rank of its medoid", "outliers found", "correlation with density"]
    rows = summarise(table.found, ["statements", "method"], measures)
    print_table(rows)
    run.page(table, "the most central of 100 objects and the 5 farthest; means over draws", rows)
    with run.table("lenses_cars") as table:
        for seed in run.seeds(1, 20):
            table.rows({"seed": seed}, lambda seed=seed: classes_of_cars(seed))
    rows = summarise(table.found, ["method"], ["cars right"])
    print_table(rows)
    run.page(table, "share of 30 cars whose class is found from 30 others; means over draws", rows)
