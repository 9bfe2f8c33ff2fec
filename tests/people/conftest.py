"""Studies with people who are known to differ."""

import numpy as np
import pytest
from scipy.special import expit

import ordinate as od


def ask(points, weights, n_answers, seed, sharpness=2.0):
    """Let everybody answer questions of their own; a row of weights per person."""
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(len(weights)), n_answers)
    rows = np.argsort(rng.random((len(people), len(points))), axis=1)[:, :3]
    anchor, first, second = points[rows.T]
    squares = np.square(anchor - second) - np.square(anchor - first)
    margin = sharpness * (weights[people] * squares).sum(axis=1)
    holds = rng.random(len(people)) < expit(margin)
    labels = np.array([f"P{person:02d}" for person in people])
    return od.Comparisons(rows, holds, n_objects=len(points), groups={"participant": labels})


@pytest.fixture(scope="session")
def study():
    """Ten people who differ: the points, log weights, answers to learn from and held-out ones."""
    rng = np.random.default_rng(3)
    points = rng.standard_normal((15, 2))
    logs = 0.9 * rng.standard_normal((10, 2))
    train = ask(points, np.exp(logs), 150, seed=4)
    return points, logs, train, ask(points, np.exp(logs), 200, seed=5, sharpness=1e6)
