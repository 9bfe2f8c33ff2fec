"""What the experiments of the t-ETE paper share: digits, triplets drawn from points, methods."""

import numpy as np
from sklearn.metrics import pairwise_distances

import ordinate as od

PER_POINT = 100
N_INLIERS = 20
"""The anchor itself counts, so 19 neighbours can be the near object."""


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


def methods(dimension, t, device="cpu"):
    """Name the methods of the paper, t-ETE with t = t' as there, and with our default."""
    return {
        "GNMDS": od.GNMDS(dimension, device=device),
        "CKL": od.CKL(dimension, penalty=0, device=device),
        "STE": od.STE(dimension, penalty=0, device=device),
        "t-STE": od.TSTE(dimension, penalty=0, device=device),
        "t-ETE, t = t'": od.TETE(dimension, t=t, t_prime=t, penalty=0, device=device),
        "t-ETE, default": od.TETE(dimension, penalty=0, device=device),
    }
