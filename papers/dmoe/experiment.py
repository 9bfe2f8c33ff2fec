"""The two experiments of the DMOE paper: what is fitted, to what, and how errors are counted."""

import time
from typing import NamedTuple

import numpy as np

import ordinate as od
from ordinate.engine.cpu import CPUObjective
from ordinate.gram.objective import GramObjective
from ordinate.gram.penalty import search_penalty
from ordinate.solvers.lbfgs import lbfgs


class Task(NamedTuple):
    """One training set of one experiment."""

    data: str
    n_train: int
    seed: int


DIMENSIONS = {"synthetic": 10, "music": 9}
N_SAMPLES = 2000
FACTORED_PENALTIES = 10.0 ** np.arange(1.0, -3.1, -0.5)


def split(task):
    """Draw the training answers as the authors' scripts do; all others are for testing."""
    rng = np.random.default_rng(task.seed)
    if task.data == "synthetic":
        points = rng.standard_normal((100, 10)) / np.sqrt(20)
        answers = od.sources.all_triplets(points)
        chosen = rng.integers(len(answers), size=task.n_train)  # with replacement
    else:
        answers = od.datasets.load_music400().comparisons
        chosen = rng.permutation(len(answers))[: task.n_train]
    held_out = np.ones(len(answers), dtype=bool)
    held_out[chosen] = False
    return answers[chosen], answers[held_out]


def gram_estimators(dimension, seed):
    """Name the estimators that learn a Gram matrix; penalties come from the training answers."""
    shared = {"n_components": dimension, "random_state": seed, "n_jobs": 1}
    return {
        "DMOE": od.DMOE(nu=1.0, **shared),
        "DMOE, nu = 0": od.DMOE(nu=0.0, **shared),
        "GNMDS-p": od.GramEmbedding(loss="gnmds", **shared),
        "STE-p": od.GramEmbedding(loss="ste", **shared),
        "TSTE-p": od.GramEmbedding(loss="tste", **shared),
        "PosteriorGram": od.PosteriorGram(n_samples=N_SAMPLES, **shared),
    }


FACTORED = {"SOE": od.losses.soe, "STE": od.losses.ste, "t-STE": od.losses.tste}
METHODS = (*gram_estimators(2, 0), "one gradient step", *FACTORED)


def measure(task, method):
    """Fit one method; return its errors and the processor time."""
    train, test = split(task)
    dimension = DIMENSIONS[task.data]
    start = time.process_time()
    if method in FACTORED:
        gram = factored(FACTORED[method], train, dimension, task.seed)
    elif method == "one gradient step":
        gram = gradient_step(train)
    else:
        gram = gram_estimators(dimension, task.seed)[method].fit(train).gram_
    return {**errors(test, gram), "processor seconds": time.process_time() - start}


def factored(loss, train, dimension, seed):
    """Fit coordinates with shrinkage towards one place, its weight from cross-validation."""

    def path(answers, penalties):
        parameters = [dimension - 1.0] if loss is od.losses.tste else []
        objective = CPUObjective(answers, loss, parameters)
        seedling = np.random.default_rng(seed).standard_normal((answers.n_objects, dimension))
        points = np.zeros_like(seedling)
        for penalty in penalties:

            def shrunken(x, penalty=penalty):
                value, gradient = objective(x)
                return value + penalty * np.sum(x**2), gradient + 2 * penalty * x

            # all points in one place is a stationary point; a little noise leads away from it
            points = lbfgs(shrunken, points + 0.1 * seedling, max_iter=1000, tol=1e-4).points
            yield points @ points.T

    search = search_penalty(
        train, path, np.random.default_rng(seed), n_jobs=1, strengths=FACTORED_PENALTIES
    )
    *_, gram = path(train, FACTORED_PENALTIES[search.best <= FACTORED_PENALTIES])
    return gram


def gradient_step(train):
    """Count near minus far: every loss's first step from zero, positive semidefinite or not."""
    return -GramObjective(train, od.losses.ste)(np.zeros((train.n_objects,) * 2))[1]


def errors(test, gram):
    """Return the share of answers denied, and of those left undecided, which count one half."""
    squares = np.diagonal(gram)
    i, j, k = test.rows.T
    margins = squares[k] - squares[j] - 2 * gram[i, k] + 2 * gram[i, j]
    undecided = float(np.mean(margins == 0))
    return {"error": float(np.mean(margins < 0)) + 0.5 * undecided, "undecided": undecided}
