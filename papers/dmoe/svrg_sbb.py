"""SVRG-SBB beside L-BFGS: what a stochastic solver costs until it has the same loss.

The DMOE paper cites Ma et al. (AAAI 2018): variance-reduced stochastic gradients whose step is
the stabilised one of Barzilai and Borwein. Both solvers minimise the mean loss of STE from the
same start. A pass is one look at every answer: an epoch of SVRG takes three, a full gradient and
one pass of two gradients each, an iteration of L-BFGS one and seldom two.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numba import njit

import ordinate as od
from papers._common import Row, Run, print_table

EPSILON = 0.005
"""What keeps the step bounded where the gradient hardly changes."""
FIRST_STEP = 1.0
"""Of the first epoch, in units of one over the number of answers."""


def svrg_sbb(rows: np.ndarray, start: np.ndarray, n_epochs: int, seed: int) -> list[np.ndarray]:
    """Return the map before and after each epoch.

    Parameters
    ----------
    rows : ndarray of int, shape (n_answers, 3)
        Triplets (anchor, near, far).
    start : ndarray of shape (n_objects, n_components)
        Where to begin.
    n_epochs : int
        How many epochs of `n_answers` random steps.
    seed : int
        Seed of the draws.
    """
    rng = np.random.default_rng(seed)
    snapshots = [start]
    step = FIRST_STEP / len(rows)
    before = None
    for _ in range(n_epochs):
        here = snapshots[-1]
        full = full_gradient(here, rows)
        if before is not None:
            moved, changed = here - snapshots[-2], full - before
            length2 = np.sum(moved**2)
            curvature = abs(np.sum(moved * changed)) + EPSILON * length2
            step = length2 / (curvature * len(rows))
        order = rng.integers(len(rows), size=len(rows))
        snapshots.append(_epoch(here, full, rows, order, step))
        before = full
    return snapshots


@njit(cache=True, error_model="numpy")
def slope(points: Any, row: Any) -> float:
    """Return the derivative of log(1 + exp(near² − far²)) by near² − far²."""
    gap = 0.0
    for s in range(points.shape[1]):
        gap += (points[row[0], s] - points[row[1], s]) ** 2
        gap -= (points[row[0], s] - points[row[2], s]) ** 2
    return 1.0 / (1.0 + np.exp(-gap))


@njit(cache=True, error_model="numpy")
def add_gradient(points: Any, row: Any, factor: float, target: Any) -> None:
    """Add the gradient of one answer, times a factor."""
    pull = 2.0 * factor * slope(points, row)
    for s in range(points.shape[1]):
        near = points[row[0], s] - points[row[1], s]
        far = points[row[0], s] - points[row[2], s]
        target[row[0], s] += pull * (near - far)
        target[row[1], s] -= pull * near
        target[row[2], s] += pull * far


@njit(cache=True, error_model="numpy")
def full_gradient(points: Any, rows: Any) -> Any:
    """Gradient of the mean loss."""
    total = np.zeros_like(points)
    for r in range(len(rows)):
        add_gradient(points, rows[r], 1.0 / len(rows), total)
    return total


@njit(cache=True, error_model="numpy")
def _epoch(snapshot: Any, full: Any, rows: Any, order: Any, step: float) -> Any:
    """Take one step for each drawn answer.

    The full gradient is part of every step of every object; an object's share of it is taken when
    the object is next drawn, which changes nothing and saves n_objects moves a step.
    """
    points = snapshot.copy()
    taken = np.zeros(len(points), dtype=np.int64)
    change = np.zeros_like(points)
    for number in range(len(order)):
        row = rows[order[number]]
        for at in row:
            for s in range(points.shape[1]):  # a row at once would take seconds to compile
                points[at, s] -= step * (number - taken[at]) * full[at, s]
                change[at, s] = 0.0
            taken[at] = number
        add_gradient(points, row, 1.0, change)
        add_gradient(snapshot, row, -1.0, change)
        for at in row:
            for s in range(points.shape[1]):
                points[at, s] -= step * change[at, s]
    for at in range(len(points)):
        for s in range(points.shape[1]):
            points[at, s] -= step * (len(order) - taken[at]) * full[at, s]
    return points


def mean_loss(points: np.ndarray, rows: np.ndarray) -> float:
    """Return the mean of log(1 + exp(near² − far²))."""
    near2 = np.square(points[rows[:, 0]] - points[rows[:, 1]]).sum(axis=1)
    far2 = np.square(points[rows[:, 0]] - points[rows[:, 2]]).sum(axis=1)
    return float(np.logaddexp(0, near2 - far2).mean())


def answers_of(run: Run) -> dict[str, od.Comparisons]:
    """Two sets of answers: one made up with a tenth of it wrong, one of people."""
    n_objects = run.size(50, 500)
    points = np.random.default_rng(run.seed).normal(size=(n_objects, 2))
    drawn = od.sources.random_triplets(points, 100 * n_objects, random_state=run.seed)
    wrong = np.random.default_rng(run.seed + 1).random(len(drawn)) < 0.1
    made_up = od.Comparisons(drawn.rows, np.where(wrong, -1, 1), n_objects=n_objects)
    sets = {f"{n_objects} points, 10 % wrong": made_up}
    if not run.quick:
        sets["music"] = od.datasets.load_music400().comparisons
    return sets


def compare(answers: od.Comparisons, n_epochs: int, seed: int) -> list[Row]:
    """Measure both solvers: loss against passes and processor seconds."""
    rows = np.ascontiguousarray(answers.rows)
    start = 0.1 * np.random.default_rng(seed).normal(size=(answers.n_objects, 2))
    svrg_sbb(rows[:10], start, 2, seed)  # compiled before the clock starts
    found = []
    for epochs in sorted({1, 3, 10, n_epochs}):
        begun = time.process_time()
        points = svrg_sbb(rows, start, epochs, seed)[-1]
        seconds = time.process_time() - begun
        found.append(_row("SVRG-SBB", 3 * epochs, points, rows, seconds))
    steps = od.STE(2, penalty=0, init=start, n_init=1, tol=1e-12, n_jobs=1)
    steps.set_params(max_iter=1).fit(answers)
    for n_iter in sorted({3, 10, 30, 3 * n_epochs}):
        begun = time.process_time()
        fit = steps.set_params(max_iter=n_iter).fit(answers)
        seconds = time.process_time() - begun
        found.append(_row("L-BFGS", fit.n_iter_, fit.embedding_, rows, seconds))
    return found


def _row(solver: str, passes: int, points: np.ndarray, rows: np.ndarray, seconds: float) -> Row:
    return {
        "solver": solver,
        "passes": passes,
        "mean loss": mean_loss(points, rows),
        "processor seconds": seconds,
    }


def main(run: Run) -> None:
    """Print a table for each set."""
    sets = answers_of(run)
    with run.table("svrg_sbb", total=len(sets)) as table:
        for name, answers in sets.items():
            table.rows(
                {"seed": run.seed, "answers": name},
                lambda answers=answers: compare(
                    answers, run.size(30, 200), run.seed, random_state=0
                ),
            )
    print_table(table.found)
    shown = ("answers", "solver", "passes", "mean loss", "processor seconds")
    caption = "mean loss of STE and processor seconds of one core, from one start"
    run.page(table, caption, ({name: row[name] for name in shown} for row in table.found))
