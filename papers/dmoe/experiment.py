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
        "PosteriorGram": od.PosteriorGram(n_draws=N_SAMPLES, **shared),
    }


FACTORED = {"SOE": od.losses.soe, "STE": od.losses.ste, "t-STE": od.losses.tste}
SEVERAL_VIEWS = {"MTE": "mixture", "MTE, authors' weights": "published"}
"""Which the paper names among its competitors; two views, though there is one in the answers."""
METHODS = (*gram_estimators(2, 0), "one gradient step", *FACTORED, *SEVERAL_VIEWS)


def measure(task, method):
    """Fit one method; return its errors and the processor time."""
    train, test = split(task)
    start = time.process_time()
    if method in SEVERAL_VIEWS:
        views = several_views(method, DIMENSIONS[task.data], task.seed).fit(train)
        margins = views.decision_function(test)
    else:
        margins = margins_of(test, learned_gram(train, method, DIMENSIONS[task.data], task.seed))
    return {**errors(margins), "processor seconds": time.process_time() - start}


def several_views(method, dimension, seed):
    """Return MTE with two views, the authors' default, and t-STE, which they use."""
    weights = SEVERAL_VIEWS[method]
    return od.MTE(dimension, weights=weights, loss="TSTE", random_state=seed, n_jobs=1)


def learned_gram(train, method, dimension, seed):
    """Fit a Gram matrix, or coordinates whose inner products are one."""
    if method in FACTORED:
        return factored(FACTORED[method], train, dimension, seed)
    if method == "one gradient step":
        return gradient_step(train)
    return gram_estimators(dimension, seed)[method].fit(train).gram_


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


def margins_of(test, gram):
    """Return far minus near squared distance of every answer."""
    squares = np.diagonal(gram)
    i, j, k = test.rows.T
    return squares[k] - squares[j] - 2 * gram[i, k] + 2 * gram[i, j]


def errors(margins):
    """Return the share of answers denied, and of those left undecided, which count one half."""
    undecided = float(np.mean(margins == 0))
    return {"error": float(np.mean(margins < 0)) + 0.5 * undecided, "undecided": undecided}
