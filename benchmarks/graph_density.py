"""What of the density is left in nearest-neighbour graphs that were made symmetric.

    python benchmarks/graph_density.py --output rows.csv
    python benchmarks/graph_density.py --publish --output rows.csv

Eight clouds of 500 points: the rank correlation of local radii with the true ones, on LOE's maps
of the directed and of the symmetric graph, and for radii estimated from degrees. An annulus is
also turned inside out, and its graphs before and after are compared.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from pages import write_table
from scipy.sparse import diags_array, eye_array
from scipy.sparse.linalg import spsolve
from scipy.spatial import cKDTree
from scipy.stats import spearmanr

import ordinate as od

N, NEIGHBORS = 500, (10, 30)
COLUMNS = ["what", "seed", "k", "directed", "symmetric", "degrees"]


def clouds(rng, n):
    """Return points whose density varies, by name."""
    spread = np.array([0.3, 0.6, 1.0, 1.6])
    of = rng.integers(4, size=n)
    squares = rng.random((n, 2)) * [4, 2]
    for k, left in enumerate((0.6, 2.6)):
        part = slice(k * n // 4, (k + 1) * n // 4)
        squares[part] = [left, 0.6] + 0.7 * rng.random((n // 4, 2))
    side = rng.uniform(-1, 1, size=n)
    turn = 3 * np.pi * rng.random(n) ** 2
    return {
        "Gaussian": rng.normal(size=(n, 2)),
        "four Gaussians": rng.normal(size=(4, 2))[of] * 3
        + spread[of, None] * rng.normal(size=(n, 2)),
        "density falls to one side": np.column_stack([3 * rng.random(n) ** 2.5, rng.random(n)]),
        "two dense squares": squares,
        "annulus": annulus(rng, n),
        "Student's t, 4 degrees": rng.standard_t(4, size=(n, 2)),
        "dense in the middle": np.column_stack([3 * np.sign(side) * side**2, rng.random(n)]),
        "spiral band": (1 + turn)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
        + 0.5 * rng.random((n, 2)),
    }


def annulus(rng, n):
    """Draw points between the radii .1 and 1 with a density of 1/r²."""
    radius, angle = 10.0 ** rng.uniform(-1, 0, size=n), rng.uniform(0, 2 * np.pi, size=n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def graphs_of(points, k):
    """Return the directed graph of nearest neighbours and the same made symmetric."""
    directed = od.NeighborGraph.from_points(points, k)
    joined = directed.adjacency + directed.adjacency.T
    return directed, od.NeighborGraph.from_adjacency(joined > 0)


def radii(points):
    return cKDTree(points).query(points, 11)[0][:, -1]


def radii_from_degrees(graph, k):
    """Estimate the logarithm of the reach: degrees beyond k are edges that only the others have.

    To first order in the differences of u = log r, their number at an object is a constant plus a
    multiple of Σ u_j − u_i over its neighbours; the Laplacian is inverted, with a penalty of Σ
    (u_i − u_j)² over edges.
    """
    beyond = graph.degrees - k
    laplacian = diags_array(graph.degrees.astype(float)) - graph.adjacency
    system = laplacian.T @ laplacian + laplacian + 1e-6 * eye_array(graph.n_objects)
    return spsolve(system.tocsc(), -laplacian.T @ (beyond - beyond.mean()))


def shared(one, other):
    """Return the Jaccard index of two sets of edges."""
    common = one.adjacency.multiply(other.adjacency).nnz
    return common / (one.n_edges + other.n_edges - common)


def measure(output, seeds):
    """Write a row per cloud, draw and number of neighbours, and those of the annulus."""
    with output.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for seed in seeds:
            rng = np.random.default_rng([seed])
            for k in NEIGHBORS:
                for name, points in clouds(rng, N).items():
                    both, true = graphs_of(points, k), radii(points)
                    maps = [od.LOE(random_state=0, n_jobs=1).fit(one).embedding_ for one in both]
                    found = [radii(each) for each in maps] + [radii_from_degrees(both[1], k)]
                    writer.writerow([name, seed, k, *(spearmanr(each, true)[0] for each in found)])
                    file.flush()
                points = annulus(rng, 1000)
                turned = points / np.square(points).sum(axis=1, keepdims=True)
                pairs = zip(graphs_of(points, k), graphs_of(turned, k), strict=True)
                agree = spearmanr(radii(points), radii(turned))[0]
                writer.writerow(["turned", seed, k, *(shared(*pair) for pair in pairs), agree])


def publish(rows):
    """Write correlations by cloud, and what turning an annulus inside out leaves."""
    seeds = sorted({int(row["seed"]) for row in rows})
    command = f"python benchmarks/graph_density.py --seeds {' '.join(map(str, seeds))}"
    names = [what for what in dict.fromkeys(row["what"] for row in rows) if what != "turned"]

    def values(what, k, column):
        its = (row for row in rows if (row["what"], row["k"]) == (what, str(k)))
        return np.array([float(row[column]) for row in its])

    def cell(*key):
        return f"{values(*key).mean():.2f} ± {values(*key).std():.2f}"

    titles = {"directed": "LOE, directed", "symmetric": "LOE, symmetric", "degrees": "degrees"}
    columns = {f"{titles[column]}, k = {k}": (k, column) for column in titles for k in NEIGHBORS}
    shown = [
        {"cloud": name} | {title: cell(name, *key) for title, key in columns.items()}
        for name in names
    ]
    means = {
        title: np.mean([values(name, *key) for name in names]) for title, key in columns.items()
    }
    shown.append(
        {"cloud": "**mean**"} | {title: f"**{each:.2f}**" for title, each in means.items()}
    )
    draws = f"means of {len(seeds)} draws ± standard deviation"
    write_table("loe-symmetric", f"correlation of radii, {draws}", shown, command)
    titles = {
        "directed": "directed edges in common",
        "symmetric": "symmetric edges in common",
        "degrees": "correlation of radii",
    }
    turned = [
        {"k": k} | {title: cell("turned", k, column) for column, title in titles.items()}
        for k in NEIGHBORS
    ]
    write_table("loe-inside-out", f"before and after, {draws}", turned, command)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--output", type=Path, default=Path("rows.csv"))
    parser.add_argument("--publish", action="store_true", help="write the tables of the page")
    warnings.simplefilter("ignore")
    asked = parser.parse_args()
    if asked.publish:
        with asked.output.open(newline="") as file:
            publish(list(csv.DictReader(file)))
    else:
        measure(asked.output, asked.seeds)


if __name__ == "__main__":
    main()
