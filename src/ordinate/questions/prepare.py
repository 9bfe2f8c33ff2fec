"""From a snapshot of a study to its next questions: a pure function, for any thread or process."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import expit

from ordinate._arrays import Floats
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.questions.model import FIRST_LAPSE, N_DRAWS, MapDraws, choose_root, draw_maps
from ordinate.questions.rules import RULES, Candidates, posterior
from ordinate.tasks import Items, Key, Task

PER_QUESTION = 15
"""Candidates for each question, drawn at random: people follow no model exactly, and what is most
informative of very many questions is where the model is wrong."""
_MOST_DRAWS = 256
_LARGE = 500
"""Objects above which candidates come from neighbourhoods as well."""
_NEIGHBORS = 20
_JUDGED = 2000
"""Random questions over which the certainty of a map is taken."""
_CHOOSING = 8
"""Dimensions of half of the draws that questions are chosen by, at least: people see more than a
map shows. Questions chosen by a flat map lie near its ties, which the missing dimensions decide."""
_LEAST_SHARE = 0.1
"""Of the draws in either dimension, however badly they predict."""
_SCORED = 5000
"""Answers by which the dimensions are compared, at most."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that the next questions depend on."""

    task: Task
    n_components: int
    rule: str
    answers: Comparisons
    out: Items
    taken: Collection[Key]
    size: int
    seed: tuple[int, ...]
    version: int
    n_answered: int
    last: Fit | None = None
    among: Items | None = None
    """What can be asked; anything if None."""
    features: Floats | None = None
    """Features of the objects, a row each."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What is kept of a fit."""

    version: int
    n_answered: int
    n_answers: int
    points: Floats
    ends: Floats
    choosing_ends: Floats
    lapse: float
    left_open: float


@dataclass(frozen=True, eq=False)
class Prepared:
    """A new fit, and the questions it leads to."""

    fit: Fit
    items: Items
    scores: Floats


def prepare(snapshot: Snapshot) -> Prepared:
    """Fit the answers of a snapshot and choose the next questions."""
    rng = np.random.default_rng(snapshot.seed)
    answers, last = snapshot.answers, snapshot.last
    lapse = FIRST_LAPSE if last is None else last.lapse
    ends = None if last is None else last.ends
    rule = RULES[snapshot.rule]
    n_draws = int(np.clip(2 * snapshot.size, 2 * N_DRAWS, _MOST_DRAWS))
    root = None
    if snapshot.features is not None:
        root = choose_root(answers, snapshot.n_components, snapshot.features)
    given: dict[str, Any] = {"lapse": lapse, "n_draws": n_draws, "root": root}
    maps = draw_maps(answers, snapshot.n_components, rng, ends=ends, **given)
    choosing = more = maps
    n_components = choosing_dimension(snapshot.n_components, answers.n_objects)
    if rule is posterior and n_components > snapshot.n_components:
        ends = None if last is None else last.choosing_ends
        more = draw_maps(answers, n_components, rng, ends=ends, **given)
        choosing = mixture(maps, more, answers, rng) if len(answers) else more
    fit = Fit(
        snapshot.version,
        snapshot.n_answered,
        len(answers),
        maps.mean,
        maps.ends,
        more.ends,
        maps.lapse,
        expected_error(snapshot.task, maps, rng),
    )
    if rule is None:
        return Prepared(fit, snapshot.out[:0], np.empty(0))
    items, n_candidates = snapshot.among, PER_QUESTION * snapshot.size
    if items is None:
        items = draw_candidates(snapshot.task, maps.mode, n_candidates, rng)
    items = rng.permutation(_untaken(snapshot.task, items, snapshot.taken))[:n_candidates]
    candidates = Candidates(snapshot.task, items, snapshot.out, answers, choosing)
    choice = rule(candidates, min(snapshot.size, len(items)))
    return Prepared(fit, items[choice.chosen], choice.scores)


def choosing_dimension(n_components: int, n_objects: int) -> int:
    """Return the dimension of the draws that questions are chosen by."""
    return max(n_components, min(_CHOOSING, n_objects - 1))


def mixture(
    maps: MapDraws, more: MapDraws, answers: Comparisons, rng: np.random.Generator
) -> MapDraws:
    """Return draws in two dimensions, in proportion to how well each predicts answers left out."""
    scores = np.array([left_out_score(answers, each) for each in (maps, more)])
    share = float(np.clip(expit(scores[1] - scores[0]), _LEAST_SHARE, 1 - _LEAST_SHARE))
    n_draws = min(len(maps.draws), len(more.draws))
    n_more = round(share * n_draws)
    flat = rng.permutation(maps.draws)[: n_draws - n_more]
    wider = [(0, 0), (0, 0), (0, more.draws.shape[2] - flat.shape[2])]
    draws = np.concatenate([np.pad(flat, wider), rng.permutation(more.draws)[:n_more]])
    lapse = share * more.lapse + (1 - share) * maps.lapse
    return replace(maps, draws=draws, lapse=lapse)


def left_out_score(answers: Comparisons, maps: MapDraws) -> float:
    """Return the log probability of answers, each left out of those that made the draws.

    By importance weights, the inverse probabilities of the answer, truncated (Ionides, JCGS 2008).
    """
    answers = answers[:: -(-len(answers) // _SCORED)]
    margins = np.array([np.subtract(*squared_distances(x, answers.rows)) for x in maps.draws])
    chances = maps.lapse / 2 + (1 - maps.lapse) * expit(-margins)
    weights = 1 / chances
    weights = np.minimum(weights, np.sqrt(len(chances)) * weights.mean(axis=0))
    scores = np.log((weights * chances).sum(axis=0) / weights.sum(axis=0))
    return float(scores.sum() if answers.weights is None else scores @ answers.weights)


def draw_candidates(task: Task, mode: Floats, size: int, rng: np.random.Generator) -> Items:
    """Draw questions to choose from; among many objects half of them about neighbours."""
    n_objects = len(mode)
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
    """Return the share of random questions that draws of the map do not agree on."""
    items = task.draw(len(maps.mode), _JUDGED, rng)
    margins = task.margins(items, maps.draws)
    best = np.argmax(np.pad(margins, ((0, 0), (0, 1), (0, 0))), axis=1)
    shares = [(best == choice).mean(axis=1) for choice in range(task.n_choices)]
    return float(1 - np.max(shares, axis=0).mean())


def _untaken(task: Task, items: Items, taken: Collection[Key]) -> Items:
    """Leave out questions that are taken or come twice."""
    codes = task.codes(items)
    known = np.array(list(taken), dtype=np.int64).reshape(-1, codes.shape[1])
    both = np.concatenate([known, codes])
    order = np.lexsort(both.T)
    ordered = both[order]
    is_first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(both)]
    first = order[is_first]
    kept: Items = items[np.sort(first[first >= len(known)]) - len(known)]
    return kept
