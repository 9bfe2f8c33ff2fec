"""From a snapshot of a study to its next questions: a pure function, for any thread or process."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ordinate._arrays import Floats
from ordinate.comparisons.record import Comparisons
from ordinate.questions.model import (
    FIRST_LAPSE,
    N_DRAWS,
    MapDraws,
    compare_dimensions,
    draw_maps,
    flatten,
)
from ordinate.questions.rules import RULES, Candidates
from ordinate.tasks import Items, Key, Task

N_CANDIDATES = 30_000
"""For two choices; tasks with more choices cost more per question and have fewer."""
_FEWEST_CANDIDATES = 3000
_MOST_DRAWS = 256
_LARGE = 500
"""Objects above which candidates come from neighbourhoods as well."""
_NEIGHBORS = 20
_JUDGED = 2000
"""Random questions over which the certainty of a map is taken."""
_FIRST_CHECK = 6
"""Comparisons per object before the dimension of the map is questioned."""
_NEXT_CHECK = 1.3
"""How far answers grow from one check to the next."""
_TOO_FEW = 1.5
"""Standard errors by which a map with one dimension more must predict better."""
_MORE = 2
"""Dimensions more from which it is flattened then: with only one more it may still lack one."""


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
    n_told: int
    last: Fit | None = None


@dataclass(frozen=True, eq=False)
class Fit:
    """What is kept of a fit."""

    version: int
    n_told: int
    n_answers: int
    points: Floats
    ends: Floats
    lapse: float
    left_open: float
    n_checked: int = 0
    too_few_dimensions: bool = False


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
    maps = draw_maps(
        answers,
        snapshot.n_components,
        rng,
        ends=None if last is None else last.ends,
        lapse=FIRST_LAPSE if last is None else last.lapse,
        n_draws=int(np.clip(2 * snapshot.size, N_DRAWS, _MOST_DRAWS)),
    )
    n_checked, too_few = check_dimension(
        answers,
        snapshot.n_components,
        rng,
        n_checked=0 if last is None else last.n_checked,
        verdict=last is not None and last.too_few_dimensions,
    )
    points = maps.mean
    if too_few:
        larger = draw_maps(answers, snapshot.n_components + _MORE, rng, lapse=maps.lapse)
        points = flatten(larger, snapshot.n_components, rng)
    fit = Fit(
        snapshot.version,
        snapshot.n_told,
        len(answers),
        points,
        maps.ends,
        maps.lapse,
        expected_error(snapshot.task, maps, rng),
        n_checked,
        too_few,
    )
    rule = None if fit.too_few_dimensions else RULES[snapshot.rule]
    if rule is None:
        return Prepared(fit, snapshot.out[:0], np.empty(0))
    items = _untaken(snapshot.task, draw_candidates(snapshot.task, maps.mode, rng), snapshot.taken)
    candidates = Candidates(snapshot.task, items, snapshot.out, answers, maps)
    choice = rule(candidates, min(snapshot.size, len(items)))
    return Prepared(fit, items[choice.chosen], choice.scores)


def check_dimension(
    answers: Comparisons,
    n_components: int,
    rng: np.random.Generator,
    *,
    n_checked: int,
    verdict: bool,
) -> tuple[int, bool]:
    """Say whether a map has too few dimensions, by answers held out, from time to time.

    Questions that a rule chooses lie near ties of the map. If the map lacks a dimension, it is
    that one which decides them, and a map of such answers is worse for all other questions than
    one of as many random answers.
    """
    if len(answers) < max(_FIRST_CHECK * answers.n_objects, _NEXT_CHECK * n_checked):
        return n_checked, verdict
    better = compare_dimensions(answers, n_components, rng)
    return len(answers), better > (0 if verdict else _TOO_FEW)


def draw_candidates(task: Task, mode: Floats, rng: np.random.Generator) -> Items:
    """Draw questions to choose from; among many objects half of them about neighbours."""
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
