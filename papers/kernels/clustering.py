"""One clustering experiment of Figure 5: the same answers for kernels and embeddings."""

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
    "CKL": lambda dimension, **options: od.CKL(dimension, mu=0.1, **options),
    "t-STE": od.TSTE,
}
"""As the paper has them: defaults, except for CKL's µ."""


class Task(NamedTuple):
    """Points with known classes, and how answers about them are collected."""

    points: np.ndarray
    labels: np.ndarray
    n_triplets: int
    error_probability: float
    n_landmarks: int
    dimensions: tuple[int, ...]
    seed: int


def run(task):
    """Yield a row of results for each method."""
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
    anything = od.sources.random_triplets(distances, task.n_triplets, **how)

    yield row(task, "k-means on the points", kmeans(task, task.points))
    yield row(task, "random", rng.integers(len(np.unique(task.labels)), size=n_objects))
    yield from kernels(task, answers, landmarks)
    for dimension in task.dimensions:
        for setting, given in (("landmark", answers["k1"]), ("random", anything)):
            yield from embeddings(task, given, dimension, setting)


def row(task, method, clusters, seconds=np.nan, setting="", dimension=0):
    return {
        "n_objects": len(task.points),
        "n_triplets": task.n_triplets,
        "error_probability": task.error_probability,
        "seed": task.seed,
        "method": method,
        "setting": setting,
        "dimension": dimension,
        "purity": od.metrics.purity(task.labels, clusters),
        "seconds": seconds,
    }


def kernels(task, answers, landmarks):
    """Time the kernel matrix, as the paper does, and cluster through the features."""
    n_clusters = len(np.unique(task.labels))
    for design, cls in (("k1", od.K1), ("k2", od.K2)):
        with warnings.catch_warnings(action="ignore", category=od.kernels.WithoutDataWarning):
            start = time.perf_counter()
            kernel = cls(landmarks=landmarks).fit(answers[design])
            kernel.kernel()
            seconds = time.perf_counter() - start
        clusters = od.kernels.kernel_kmeans(
            kernel, n_clusters, n_init=5, max_iter=100, random_state=task.seed
        )
        yield row(task, design, clusters, seconds, "landmark")


def embeddings(task, answers, dimension, setting):
    for name, make in EMBEDDINGS.items():
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            start = time.perf_counter()
            points = make(dimension, random_state=task.seed).fit(answers).embedding_
            seconds = time.perf_counter() - start
        yield row(task, name, kmeans(task, points), seconds, setting, dimension)


def kmeans(task, points):
    n_clusters = len(np.unique(task.labels))
    model = KMeans(n_clusters, n_init=5, max_iter=100, random_state=task.seed)
    return model.fit_predict(points)
