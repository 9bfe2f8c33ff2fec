"""Fit sparse, non-negative loadings; choose their penalty; match the runs of several seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment, minimize_scalar
from scipy.sparse.linalg import eigsh

from ordinate._checks import weighted_mean
from ordinate.dimensions.answers import Answers
from ordinate.dimensions.objective import Loadings
from ordinate.engine.objective import resolve_device
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Result

_SMALL = 500
"""Below this many objects a dense eigenvalue is quicker, and surer."""
_EMPTY_SHARE = 0.15
"""A run goes on without its empty dimensions when this share of them is empty."""
CARRIES_NOTHING = 0.1
"""A dimension whose largest loading is below this moves no similarity by more than 0.01."""
PARTNER = 0.8
"""Correlation from which dimensions of two runs are the same."""


@dataclass(frozen=True)
class Penalty:
    """What loadings cost: linear · Σ x + Σ over dimensions of n/2 · log(1 + squared · mean x²).

    The second term is that of half normal loadings with a variance per dimension that is not
    known. Near zero it is squared/2 · Σ x²: weak dimensions shrink by it until they are empty, but
    strong ones hardly do.
    """

    linear: float
    squared: float

    def added_to(self, objective: Callable[[Loadings], tuple[float, Any]]) -> Any:
        """Return the cost of trials and loadings together, with its gradient."""

        def penalized(loadings: Loadings) -> tuple[float, NDArray[np.float64]]:
            cost, gradient = objective(loadings)
            size = 1 + self.squared * np.square(loadings).mean(axis=0)
            cost += self.linear * loadings.sum() + len(loadings) / 2 * np.log(size).sum()
            return float(cost), gradient + (self.linear + self.squared / size * loadings)

        return penalized


def random_loadings(
    n_objects: int, n_dimensions: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return a start with similarities near 1, whose few large loadings make dimensions differ."""
    return rng.exponential(np.sqrt(1 / n_dimensions), (n_objects, n_dimensions))


def fit_loadings(
    objective: Callable[[Loadings], tuple[float, Any]],
    penalty: Penalty,
    start: Loadings,
    *,
    max_iter: int,
    tol: float,
) -> Result:
    """Minimise the cost of trials and loadings over loadings that are not negative.

    A dimension that is empty stays so, as nothing pulls at it. Where a part of the dimensions has
    become empty, the run goes on without them, which is quicker and ends at the same place.
    """
    points, history = start, np.empty(0)
    while True:
        many_are_empty = False

        def leave_out(number: int, value: float, now: Loadings) -> bool:
            nonlocal many_are_empty
            many_are_empty = bool((now.max(axis=0) > 0).mean() < 1 - _EMPTY_SHARE)
            return many_are_empty

        found = lbfgs(
            penalty.added_to(objective),
            points,
            max_iter=max_iter - max(len(history) - 1, 0),
            tol=tol,
            callback=leave_out,
            minimum=0,
        )
        points = found.points[:, found.points.max(axis=0) > 0]
        history = np.concatenate([history, found.history[1 if len(history) else 0 :]])
        if not (many_are_empty and points.size and len(history) <= max_iter):
            ended = found.converged and not many_are_empty
            return replace(found, points=points, history=history, converged=ended)


def carrying(loadings: Loadings) -> NDArray[np.bool_]:
    """Mark the dimensions that carry something."""
    return np.asarray(loadings.max(axis=0, initial=0) >= CARRIES_NOTHING)


def partners(one: Loadings, other: Loadings) -> NDArray[np.float64]:
    """Return how each dimension of a run correlates with its partner in another run.

    Partners are one to one, chosen for the largest sum of correlations.
    """
    found = np.zeros(one.shape[1])
    mine, _, together = match_dimensions(one, other)
    found[mine] = together
    return found


def match_dimensions(
    one: Loadings, other: Loadings
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Return dimensions of a run, their partners in another run, and how they correlate."""
    together = _standardized(one).T @ _standardized(other)
    mine, theirs = linear_sum_assignment(together, maximize=True)
    return mine, theirs, together[mine, theirs]


def pooled_start(best: Loadings, runs: Sequence[Loadings]) -> NDArray[np.float64]:
    """Return the means of dimensions that at least two runs share, and what else the best run has.

    A run gets stuck with some dimensions that mix two; another run mixes others.
    """
    pooled = np.hstack([best, *runs])
    owner = np.repeat(np.arange(len(runs) + 1), [run.shape[1] for run in (best, *runs)])
    standardized = _standardized(pooled)
    alike = standardized.T @ standardized >= PARTNER
    owners = np.eye(len(runs) + 1)[owner]
    left = np.ones(len(owner), dtype=bool)
    found = []
    while True:
        n_runs = ((alike & left) @ owners > 0).sum(axis=1) * left
        if n_runs.max(initial=0) < 2:
            break
        members = alike[n_runs.argmax()] & left
        found.append(pooled[:, members].mean(axis=1))
        left &= ~members
    return np.column_stack([*found, pooled[:, left & (owner == 0)]])


def _standardized(loadings: Loadings) -> NDArray[np.float64]:
    centred = loadings - loadings.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    standardized: NDArray[np.float64] = centred / np.where(length > 0, length, 1)
    return standardized


LINEAR = (0.0, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 4.5, 6.5)
SQUARED = tuple(0.2 * 1.25**step for step in range(24))
"""Weights among which the search climbs, the second up to 34. Loadings are in units of log-odds,
however many trials there are, and so are these."""
_FIRST_SHARE = 0.8
_LARGEST_FIRST = 9.0
"""The search begins with no linear weight, and with this share of the squared weight that would
empty all dimensions, but not above this weight; or well below it, where noise inflates that."""
SEARCH_TOL = 1e-3
"""Fits that only serve to choose a penalty need not be exact; they order penalties alike."""
_SCALES = (0.01, 2.0)
"""Multiples of the similarities that held-out answers may ask for."""
_FOLDED = 100_000
"""Of up to this many trials three tenths are held out in turn, of more a tenth once. A smaller part
to fit needs another penalty than all trials do."""


@dataclass(frozen=True)
class PenaltySearch:
    """Penalties that were compared on held-out answers, and the one to use.

    That is the penalty with the largest linear weight whose loss is within one standard error of
    the lowest. The loss of an answer, minus the log of its probability, says more than whether it
    was predicted: accuracies of some thousand answers favour weak penalties, and noise as
    dimensions. Similarities are scaled first, as the held-out answers ask: fits to few answers
    exaggerate them, and would lose to a fit that says nothing.
    """

    penalties: tuple[Penalty, ...]
    losses: NDArray[np.float64]
    accuracies: NDArray[np.float64]
    best: Penalty


@dataclass(frozen=True)
class _Judged:
    """Held-out answers of all splits under one penalty: the loss of each, and means."""

    losses: NDArray[np.float64]
    mean: float
    accuracy: float
    is_empty: bool

    @property
    def loss(self) -> float:
        """The mean loss; a penalty that leaves no dimension in some split is no candidate."""
        return np.inf if self.is_empty else self.mean

    def is_as_good_as(self, best: _Judged, *, errors: float = 1.0) -> bool:
        """Whether the loss exceeds the best one by less than so many standard errors."""
        difference = self.losses - best.losses
        error = float(difference.std()) / max(len(difference), 1) ** 0.5
        return bool(self.loss - best.loss <= errors * error)


def search_penalty(
    answers: Answers,
    n_dimensions: int,
    rng: np.random.Generator,
    *,
    max_iter: int,
    tol: float,
    device: str = "cpu",
    n_jobs: int,
) -> PenaltySearch:
    """Climb on the grid of both weights to where held-out answers are predicted best."""
    splits = list(_splits(answers, rng))
    start = random_loadings(answers.n_objects, n_dimensions, rng)
    n_at_once = min(n_jobs, len(splits)) if resolve_device(device) == "cpu" else 1

    def fit(penalty: Penalty, train: Answers) -> Loadings:
        objective = train.objective(device, n_jobs // n_at_once)
        roughly = max(tol, SEARCH_TOL)
        found = fit_loadings(objective, penalty, start, max_iter=max_iter, tol=roughly)
        return found.points[:, carrying(found.points)]

    known: dict[tuple[int, int], _Judged] = {}

    def judged(at: tuple[int, int]) -> _Judged:
        if at not in known:
            penalty = Penalty(LINEAR[at[0]], SQUARED[at[1]])
            fits = Parallel(n_jobs=n_at_once, prefer="threads")(
                delayed(fit)(penalty, train) for train, _ in splits
            )
            known[at] = _judged(fits, [test for _, test in splits])
        return known[at]

    first = min(max(_FIRST_SHARE * emptying_weight(answers), SQUARED[0]), _LARGEST_FIRST)
    at = int(np.argmin(np.abs(np.log(np.divide(SQUARED, first)))))
    best = min(
        ((0, max(at - step, 0)) for step in (0, 2, 4, 6)), key=lambda near: judged(near).loss
    )
    while True:
        for step in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
            near = best[0] + step[0], best[1] + step[1]
            inside = 0 <= near[0] < len(LINEAR) and 0 <= near[1] < len(SQUARED)
            if inside and judged(near).loss < judged(best).loss:
                best = near
                break
        else:
            break
    lowest = judged(best)
    for linear in range(best[0] + 1, len(LINEAR)):
        found = judged((linear, best[1]))
        if found.is_as_good_as(lowest):
            best = linear, best[1]
        elif not found.is_as_good_as(lowest, errors=3.0):
            break
    penalties = {at: Penalty(LINEAR[at[0]], SQUARED[at[1]]) for at in known}
    return PenaltySearch(
        tuple(penalties.values()),
        np.array([found.mean for found in known.values()]),
        np.array([found.accuracy for found in known.values()]),
        penalties[best],
    )


def _judged(fits: Sequence[Loadings], tests: Sequence[Answers]) -> _Judged:
    """Judge the fit of each split by its held-out answers."""
    similar = [test.similarities(loadings) for loadings, test in zip(fits, tests, strict=True)]
    weight = np.concatenate(
        [np.ones(len(test)) if test.weights is None else test.weights for test in tests]
    )

    def losses(scale: float) -> NDArray[np.float64]:
        return np.concatenate(
            [test.losses(scale * found) for test, found in zip(tests, similar, strict=True)]
        )

    scale = minimize_scalar(
        lambda scale: weighted_mean(losses(scale), weight),
        bounds=_SCALES,
        method="bounded",
        options={"xatol": 0.02},
    ).x
    right = [test.right(found) for test, found in zip(tests, similar, strict=True)]
    return _Judged(
        losses(scale) * weight / max(float(weight.mean()), 1e-300),
        weighted_mean(losses(scale), weight),
        weighted_mean(np.concatenate(right), weight),
        is_empty=not all(loadings.size for loadings in fits),
    )


def emptying_weight(answers: Answers) -> float:
    """Return the squared weight from which no dimension is worth its cost, however it begins."""
    reward = answers.reward()
    if answers.n_objects < _SMALL:
        return float(np.linalg.eigvalsh(reward.toarray())[-1])
    start = np.ones(answers.n_objects)
    return float(eigsh(reward, 1, which="LA", v0=start, tol=1e-3, return_eigenvectors=False)[0])


def _splits(answers: Answers, rng: np.random.Generator) -> Iterator[tuple[Answers, Answers]]:
    """Hold out answers, all to the same question together."""
    question = answers.questions()
    fold = rng.permutation(np.arange(int(question.max()) + 1) % 10)[question]
    for held_out in range(3 if len(answers) <= _FOLDED else 1):
        yield answers[fold != held_out], answers[fold == held_out]
