"""Landmark methods of the evaluation, which ask questions of their own; as many as others get.

LSOE and LLOE (after Anderton and Aslam, ICML 2019): soft ordinal embedding of some objects, then
places for the others, each by which of two of those it finds nearer. Answers about the first ones
are random with LSOE; with LLOE they come from sorting: landmarks sort the objects by distance, and
objects the landmarks, and neighbours in the order are compared. LOE (Ghosh, Chen and Yue, NeurIPS
2019): the distances of all objects to a few landmarks by a logistic model, one landmark at a time,
then landmark MDS.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics import euclidean_distances

import ordinate as od
from ordinate.sources._noise import Noise

SHARE = 0.25
"""Of objects that LSOE embeds first, and of answers that it embeds them by."""
RIDGE = 1e-3
"""Weight of squared scores: without noise the likelihood has no maximum."""


def ask(
    points: np.ndarray,
    anchors: np.ndarray,
    others: np.ndarray,
    size: int,
    noise: Noise,
    rng: np.random.Generator,
) -> od.Comparisons:
    """Let anchors compare two of the others, as often as given or a little less."""
    rows = np.column_stack([rng.choice(anchors, size), *rng.choice(others, (2, size))])
    i, j, k = rows.T
    rows = rows[(i != j) & (i != k) & (j != k)]
    return od.sources.answer_questions(rows, points, noise=noise, random_state=rng)


def sortable(most: int, size: int) -> int:
    """Return how many objects two landmarks can sort, by so many questions, and be sorted by."""
    counts = np.arange(2, most + 1)
    return min(most, int(counts[2 * counts * (np.log2(counts) + 1) <= size].max(initial=3)))


def sort_by_landmarks(
    points: np.ndarray, size: int, noise: Noise, rng: np.random.Generator
) -> od.Comparisons:
    """Let as many landmarks as questions allow, two at least, sort all objects and be sorted.

    A sort of m objects is taken to need m log₂ m questions; the answers to those between
    neighbours go wrong like others, the order is the true one.
    """
    m = len(points)
    counts = np.arange(2, m + 1)
    affordable = counts[counts * m * (np.log2(m) + np.log2(counts)) <= size]
    landmarks = rng.choice(m, affordable.max(initial=2), replace=False)
    distances = euclidean_distances(points[landmarks], points)
    of_objects = np.argsort(distances, axis=1)
    of_landmarks = landmarks[np.argsort(distances.T, axis=1)]
    rows = [
        np.column_stack([np.repeat(anchors, order.shape[1] - 1), *_neighbours(order)])
        for anchors, order in ((landmarks, of_objects), (np.arange(m), of_landmarks))
    ]
    i, j, k = np.concatenate(rows).T
    questions = np.column_stack([i, j, k])[(i != j) & (i != k)]
    return od.sources.answer_questions(questions, points, noise=noise, random_state=rng)


def _neighbours(order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return order[:, :-1].ravel(), order[:, 1:].ravel()


def lsoe(points: np.ndarray, size: int, noise: Noise, seed: int, *, sort=False) -> np.ndarray:
    """Embed the first quarter of the objects; place the others, which compare pairs of those."""
    n, d = points.shape
    rng = np.random.default_rng([seed, 1])
    n_first, n_asked = min(n - 1, max(round(SHARE * n), 4 * d)), round(SHARE * size)
    if sort:
        n_first = sortable(n_first, n_asked)
        among = sort_by_landmarks(points[:n_first], n_asked, noise, rng)
    else:
        among = ask(points[:n_first], np.arange(n_first), np.arange(n_first), n_asked, noise, rng)
    first, rest = np.split(np.arange(n), [n_first])
    model = od.SOE(d, random_state=seed, n_jobs=1).fit(among)
    answers = ask(points, rest, first, round((1 - SHARE) * size), noise, rng)
    heard = np.concatenate([first, np.unique(answers.rows[:, 0])])
    places = np.tile(model.embedding_.mean(axis=0), (n, 1))  # where who said nothing stays
    places[heard] = model.transform(np.searchsorted(heard, answers.rows))
    return places


lloe = partial(lsoe, sort=True)


def landmark_oe(points: np.ndarray, size: int, noise: Noise, seed: int) -> np.ndarray:
    """Estimate squared distances to d + 3 landmarks up to a number each; then landmark MDS."""
    n, d = points.shape
    k = d + 3
    landmarks = np.arange(k)  # the points are drawn at random, so their first ones are
    answers = ask(points, landmarks, np.arange(n), size, noise, np.random.default_rng([seed, 1]))
    far = np.column_stack([farness(answers.rows[answers.rows[:, 0] == i], n) for i in landmarks])
    far += shifts(far[:k])
    between = 0.5 * (far[:k] + far[:k].T)
    np.fill_diagonal(between, 0.0)
    centring = np.eye(k) - 1 / k
    values, vectors = np.linalg.eigh(-0.5 * centring @ between @ centring)
    values, vectors = np.maximum(values[-d:], 1e-12), vectors[:, -d:]
    far[:k] = between
    return -0.5 * (far - between.mean(axis=0)) @ centring @ vectors / np.sqrt(values)


def farness(rows: np.ndarray, n: int) -> np.ndarray:
    """Return scores whose differences are the log odds of who is farther from one anchor."""
    near, far = rows[:, 1], rows[:, 2]

    def loss(scores: np.ndarray) -> tuple[float, np.ndarray]:
        margin = scores[far] - scores[near]
        slope = expit(-margin)
        gradient = np.bincount(near, slope, n) - np.bincount(far, slope, n) + 2 * RIDGE * scores
        return np.logaddexp(0, -margin).sum() + RIDGE * scores @ scores, gradient

    return minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B").x


def shifts(scores: np.ndarray) -> np.ndarray:
    """Return what makes landmark columns distances: alike from both ends, and Euclidean."""
    k = len(scores)
    s = (scores - scores.T).mean(axis=1)  # least squares of s_j - s_i over all pairs
    even = 0.5 * (scores + s + (scores + s).T)
    np.fill_diagonal(even, 0.0)
    mean = even.sum() / (k * (k - 1))
    even -= mean * (1 - np.eye(k))
    return s - mean + np.sort(np.abs(np.linalg.eigvalsh(even)))[-2]
