"""One clustering experiment of Figures 5 and 7: the same answers for kernels and embeddings.

Kernel k-means moves objects by Hartigan's rule, as Ordinate does, and beside it by Lloyd's rule on
the shifted matrix, as the paper does.
"""

import time
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import euclidean_distances

import ordinate as od

EMBEDDINGS = {
    "GNMDS": od.GNMDS,
    "CKL": lambda dimension, **options: od.CKL(dimension, penalty=0, mu=0.1, **options),
    "t-STE": lambda dimension, **options: od.TSTE(dimension, penalty=0, **options),
}
"""As the paper has them: no penalty, and defaults except for CKL's µ."""
SETTINGS = {"k1": "landmark", "k2": "k2 landmark", "random": "random"}
"""What tables call the answers that embeddings are given."""


class Task(NamedTuple):
    """Points with known classes, and how answers about them are collected."""

    points: np.ndarray
    labels: np.ndarray
    n_triplets: int
    error_probability: float
    n_landmarks: int
    dimensions: tuple[int, ...]
    seed: int
    given: tuple[str, ...] = ("k1", "random")
    """The answers that embeddings are given: those of a kernel's landmark design, or random."""
    embedded: tuple[str, ...] = tuple(EMBEDDINGS)


def answers_of(task):
    """Return the answers to each design of questions, the landmarks, and the generator after."""
    rng = np.random.default_rng(task.seed)
    n_objects = len(task.points)
    distances = euclidean_distances(task.points)
    landmarks = od.sources.choose_landmarks(task.n_landmarks, n_objects=n_objects, random_state=rng)
    how = {
        "metric": "precomputed",
        "noise": od.sources.FlippedAnswers(task.error_probability),
        "random_state": rng,
    }
    answers = {
        design: od.sources.landmark_triplets(
            distances, landmarks, design=design, size=task.n_triplets, **how
        )
        for design in ("k1", "k2")
    }
    answers["random"] = od.sources.random_triplets(distances, task.n_triplets, **how)
    return answers, landmarks, rng


def measure(task):
    """Yield a row of results for each method."""
    answers, landmarks, rng = answers_of(task)
    n_objects = len(task.points)
    yield row(task, "k-means on the points", kmeans(task, task.points))
    yield row(task, "random", rng.integers(len(np.unique(task.labels)), size=n_objects))
    yield from kernels(task, answers, landmarks)
    for dimension in task.dimensions:
        for given in task.given:
            yield from embeddings(task, answers[given], dimension, SETTINGS[given])


def row(task, method, clusters, seconds=np.nan, setting="", dimension=0):
    return {
        "method": method,
        "setting": setting,
        "dimension": dimension,
        "purity": od.metrics.purity(task.labels, clusters),
        "seconds": seconds,
    }


def kernels(task, answers, landmarks):
    """Time the kernel matrix, as the paper does, and cluster by both rules."""
    n_clusters = len(np.unique(task.labels))
    for design, cls in (("k1", od.K1), ("k2", od.K2)):
        with warnings.catch_warnings(action="ignore", category=od.kernels.WithoutDataWarning):
            start = time.process_time()
            kernel = cls(landmarks=landmarks).fit(answers[design])
            matrix = kernel.kernel()
            seconds = time.process_time() - start
        clusters = od.kernels.kernel_kmeans(
            kernel, n_clusters, n_init=5, max_iter=100, random_state=task.seed
        )
        yield row(task, design, clusters, seconds, "landmark")
        # with more objects than features the smallest eigenvalue is 0, and so is the shift
        shifted = kernel.kernel(shift=True) if len(matrix) <= len(kernel.pairs_) else matrix
        clusters = lloyd(shifted, n_clusters, np.random.default_rng(task.seed))
        yield row(task, f"{design}, Lloyd", clusters, seconds, "landmark")


def lloyd(matrix, n_clusters, rng, n_init=5, max_iter=100):
    """Move every object to the nearest mean, its own weight included, from random partitions."""
    best, least = None, np.inf
    for _ in range(n_init):
        labels = rng.integers(n_clusters, size=len(matrix))
        for _ in range(max_iter):
            members = np.eye(n_clusters)[labels]
            shares = members / np.maximum(members.sum(axis=0), 1)
            products = matrix @ shares
            distances = matrix.diagonal()[:, None] - 2 * products + (shares * products).sum(axis=0)
            distances[:, members.sum(axis=0) == 0] = np.inf
            before, labels = labels, distances.argmin(axis=1)
            if np.array_equal(before, labels):
                break
        inertia = distances[np.arange(len(labels)), labels].sum()
        if inertia < least:
            best, least = labels, inertia
    return best


def embeddings(task, answers, dimension, setting):
    for name in task.embedded:
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            start = time.process_time()
            points = EMBEDDINGS[name](dimension, random_state=task.seed).fit(answers).embedding_
            seconds = time.process_time() - start
        yield row(task, name, kmeans(task, points), seconds, setting, dimension)


def kmeans(task, points):
    n_clusters = len(np.unique(task.labels))
    model = KMeans(n_clusters, n_init=5, max_iter=100, random_state=task.seed)
    return model.fit_predict(points)
