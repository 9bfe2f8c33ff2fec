"""From a snapshot of a study to its next questions: a pure function, for any thread or process."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ordinate.comparisons.record import Comparisons
from ordinate.questions.model import N_DRAWS, MapDraws, draw_maps
from ordinate.questions.rules import RULES, Candidates
from ordinate.questions.tasks import Items, Key, Task

Floats: TypeAlias = NDArray[np.float64]

N_CANDIDATES = 10_000
"""For two choices; tasks with more choices cost more per question and have fewer."""
_FEWEST_CANDIDATES = 3000
_MOST_DRAWS = 256
_LARGE = 500
"""Objects above which candidates come from neighbourhoods as well."""
_NEIGHBORS = 20
_JUDGED = 2000
"""Random questions over which the certainty of a map is taken."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that the next questions depend on.

    Attributes
    ----------
    task : Task
        What is asked.
    n_components : int
        Dimension of the map.
    rule : str
        One of RULES that needs a map.
    answers : Comparisons
        The answers so far.
    out : ndarray of int, shape (n_out, n_items)
        Questions that are asked and not answered yet.
    taken : collection of tuple
        Keys of questions that are not to be asked again.
    size : int
        How many questions to prepare.
    seed : sequence of int
        Of this fit.
    version : int
        Number of this fit.
    n_told : int
        Answers that had come in.
    ends : ndarray of shape (n_chains, n_known, n_components), optional
        Where the chains of the last fit ended.
    lapse : float
        Lapse rate of the last fit.
    """

    task: Task
    n_components: int
    rule: str
    answers: Comparisons
    out: Items
    taken: Collection[Key]
    size: int
    seed: tuple[int, ...]
    version: int
    n_told: int
    ends: Floats | None = None
    lapse: float = 0.1


@dataclass(frozen=True, eq=False)
class Fit:
    """What is kept of a fit.

    Attributes
    ----------
    version : int
        Number of the fit.
    n_told : int
        Answers that had come in.
    n_answers : int
        Comparisons it was fitted to.
    points : ndarray of shape (n_objects, n_components)
        The map: the mean of the draws, laid over each other.
    ends : ndarray of shape (n_chains, n_objects, n_components)
        Where the chains ended, to go on from.
    lapse : float
        Share of answers given by coin.
    left_open : float
        Share of random questions that the map is expected to answer against the truth.
    """

    version: int
    n_told: int
    n_answers: int
    points: Floats
    ends: Floats
    lapse: float
    left_open: float


@dataclass(frozen=True, eq=False)
class Prepared:
    """A new fit, and the questions it leads to.

    Attributes
    ----------
    fit : Fit
        What is kept of it.
    items : ndarray of int, shape (n_questions, n_items)
        Questions, the best first.
    scores : ndarray of float, shape (n_questions,)
        What the rule says they are worth.
    """

    fit: Fit
    items: Items
    scores: Floats


def prepare(snapshot: Snapshot) -> Prepared:
    """Fit the answers of a snapshot and choose the next questions.

    Parameters
    ----------
    snapshot : Snapshot
        What is known; nothing else enters, so the same snapshot gives the same questions.

    Returns
    -------
    Prepared
        The fit and its questions, fewer than asked for if no others are left.
    """
    rng = np.random.default_rng(snapshot.seed)
    task, answers = snapshot.task, snapshot.answers
    maps = draw_maps(
        answers,
        snapshot.n_components,
        rng,
        ends=snapshot.ends,
        lapse=snapshot.lapse,
        n_draws=int(np.clip(2 * snapshot.size, N_DRAWS, _MOST_DRAWS)),
    )
    items = _untaken(task, draw_candidates(task, maps.mode, rng), snapshot.taken)
    rule = RULES[snapshot.rule]
    assert rule is not None
    choice = rule(
        Candidates(task, items, snapshot.out, answers, maps), min(snapshot.size, len(items))
    )
    fit = Fit(
        snapshot.version,
        snapshot.n_told,
        len(answers),
        maps.mean,
        maps.ends,
        maps.lapse,
        expected_error(task, maps, rng),
    )
    return Prepared(fit, items[choice.chosen], choice.scores)


def draw_candidates(task: Task, mode: Floats, rng: np.random.Generator) -> Items:
    """Draw questions to choose from; among many objects half of them about neighbours.

    Parameters
    ----------
    task : Task
        What is asked.
    mode : ndarray of shape (n_objects, n_components)
        A map.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray of int, shape (n_candidates, n_items)
        Questions, some of them perhaps twice.
    """
    n_objects = len(mode)
    size = max(N_CANDIDATES // (task.n_choices - 1), _FEWEST_CANDIDATES)
    if n_objects <= _LARGE:
        return task.draw(n_objects, size, rng)
    far = task.draw(n_objects, size // 2, rng)
    near = task.draw(n_objects, size // 2, rng)
    _, neighbors = cKDTree(mode).query(mode[near[:, 0]], k=_NEIGHBORS + 1)
    order = rng.permuted(np.arange(1, _NEIGHBORS + 1)[None].repeat(len(near), axis=0), axis=1)
    others = np.take_along_axis(neighbors, order, axis=1)[:, : task.n_items - 1]
    near[:, 1:] = np.where(others == near[:, :1], near[:, 1:], others)
    distinct = (np.diff(np.sort(near, axis=1), axis=1) > 0).all(axis=1)
    return np.concatenate([far, near[distinct]])


def expected_error(task: Task, maps: MapDraws, rng: np.random.Generator) -> float:
    """Return the share of random questions that draws of the map do not agree on.

    Parameters
    ----------
    task : Task
        What is asked.
    maps : MapDraws
        Draws from the posterior.
    rng : Generator
        Source of randomness.

    Returns
    -------
    float
        How often the most frequent answer of the draws differs from that of a draw.
    """
    items = task.draw(len(maps.mode), _JUDGED, rng)
    margins = task.margins(items, maps.draws)
    best = np.argmax(np.pad(margins, ((0, 0), (0, 1), (0, 0))), axis=1)
    shares = [(best == choice).mean(axis=1) for choice in range(task.n_choices)]
    return float(1 - np.max(shares, axis=0).mean())


def _untaken(task: Task, items: Items, taken: Collection[Key]) -> Items:
    """Leave out questions that are taken or come twice."""
    seen = set(taken)
    kept = []
    for number, key in enumerate(task.keys(items)):
        if key not in seen:
            seen.add(key)
            kept.append(number)
    return items[kept]
