"""What the experiments of the t-ETE paper share: digits, triplets drawn from points, methods."""

import argparse
import csv
from pathlib import Path

import numpy as np
from sklearn.metrics import pairwise_distances

import ordinate as od

PER_POINT = 100
N_INLIERS = 20
"""The anchor itself counts, so 19 neighbours can be the near object."""


def arguments(description, results="results/tete"):
    """Read --output and --quick from the command line; the folder exists afterwards."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path(results), help="folder for results")
    parser.add_argument("--quick", action="store_true", help="a small version, in seconds")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    return given


def digits(n_objects, seed=0):
    """Draw MNIST digits: pixels and classes."""
    data = od.datasets.load_mnist()
    chosen = np.random.default_rng(seed).choice(len(data.points), n_objects, replace=False)
    return data.points[chosen].astype(np.float64), data.labels[chosen]


def neighbor_order(points):
    """Sort, for each point, all points by distance; the point itself comes first."""
    distances = pairwise_distances(points)
    np.fill_diagonal(distances, -1)
    return np.argsort(distances, axis=1, kind="stable")


def draw_triplets(order, rng, *, outliers, per_point=PER_POINT):
    """Compare a near neighbour of each point with an outlier.

    Outliers are drawn as in the authors' program ("release"), where about half of them are the one
    farthest point, or as the paper's text says ("text"), uniformly from all beyond the neighbour.
    """
    n = len(order)
    anchors = np.repeat(np.arange(n), per_point)
    near = rng.integers(1, N_INLIERS, size=len(anchors))
    if outliers == "release":
        far = np.minimum(near + n // 2 + rng.integers(1, n + 1, size=len(anchors)), n - 1)
    else:
        far = rng.integers(near + 1, n)
    rows = np.column_stack([anchors, order[anchors, near], order[anchors, far]])
    return od.Comparisons(rows, n_objects=n)


def flip(answers, share, rng):
    """Reverse exactly this share of the answers."""
    holds = np.ones(len(answers), dtype=bool)
    holds[rng.choice(len(answers), round(share * len(answers)), replace=False)] = False
    return od.Comparisons(answers.rows, holds, n_objects=answers.n_objects)


def temperature(dimension):
    """Return t = t' as the authors' program sets it: 2 in the plane, less in more dimensions."""
    return min(1.45 + 1.1 / dimension, 2.0)


def methods(dimension, t):
    """Name the methods of the paper, t-ETE with t = t' as there, and with our default t' = 1."""
    return {
        "GNMDS": od.GNMDS(dimension),
        "CKL": od.CKL(dimension),
        "STE": od.STE(dimension),
        "t-STE": od.TSTE(dimension),
        "t-ETE, t = t'": od.TETE(dimension, t=t, t_prime=t),
        "t-ETE, t' = 1": od.TETE(dimension, t=2.0, t_prime=1.0),
    }


def write_csv(path, rows):
    """Write dictionaries with the same keys, one per line."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
