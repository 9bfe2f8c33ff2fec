"""Which pairs to ask next: those whose answers are expected to say most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from ordinate._arrays import Floats
from ordinate._checks import InputError, check_choice, check_integer, check_names
from ordinate._random import RandomState, as_generator
from ordinate.scales.outcomes import (
    AnswerModel,
)
from ordinate.scales.pairs import PairCounts, Pairs
from ordinate.scales.posterior import MOST_DENSE, Objective, find_posterior, score_transform

GOALS = ("scores", "top")
_N_DRAWS = 1_000
_AT_RANDOM = 1.5
"""Answers per item before which pairs are random: until then nothing says how far items differ."""


def next_pairs(
    answers: Pairs | None = None,
    n_pairs: int = 20,
    *,
    items: Sequence[object] | None = None,
    goal: str = "scores",
    random_state: RandomState = None,
) -> NDArray[np.intp]:
    """Choose pairs whose answers are expected to say most, given the answers so far.

    Scores so far have a posterior. Each pair is chosen so that its answer lowers the summed
    variance of all scores most, or tells most about which item is best; later pairs of the batch
    take into account what the earlier ones will say. Until each item has had three answers on
    average, pairs are random, with all items equally often.

    Parameters
    ----------
    answers : Pairs, optional
        Answers so far; without any, all pairs are equally good.
    n_pairs : int, default=20
        How many to choose.
    items : sequence, optional
        Names of all items in their order, if there are no answers yet.
    goal : {"scores", "top"}, default="scores"
        Precise scores, or knowing which item is best.
    random_state : int, Generator or None, default=None
        Seed of draws, of equally good pairs, and of who is shown first.

    Returns
    -------
    ndarray of int, shape (n_pairs, 2)
        Numbers of the two items, in the order in which to show them.

    See Also
    --------
    Ranking : Scores from the answers.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Pairs([[0, 1], [1, 0], [1, 2], [2, 1]] * 9, n_objects=4)
    >>> 3 in od.next_pairs(answers, 1, random_state=0)
    True
    """
    check_choice("goal", goal, GOALS)
    check_integer("n_pairs", n_pairs, minimum=1)
    rng = as_generator(random_state)
    if answers is None:
        if items is None:
            raise InputError("next_pairs needs the answers so far, or the names of the items.")
        n = len(check_names(items))
        nobody = np.empty(0, dtype=np.intp)
        counts = PairCounts(nobody, nobody, np.empty((3, 0)), n, False)
    else:
        counts = answers.counts()
    if not 2 <= counts.n_objects <= MOST_DENSE:
        raise InputError(
            f"Pairs are chosen among 2 to {MOST_DENSE:,} items; there are {counts.n_objects:,}."
        )
    if counts.counts.sum() < _AT_RANDOM * counts.n_objects:
        return balanced_pairs(counts.n_objects, n_pairs, rng)
    mean, covariance = score_posterior(counts)
    choose = _for_scores if goal == "scores" else _for_top
    chosen = choose(mean, covariance, n_pairs, rng)
    turned = rng.random(len(chosen)) < 0.5
    return np.where(turned[:, None], chosen[:, ::-1], chosen)


def score_posterior(counts: PairCounts, prior: float | str = "auto") -> tuple[Floats, Floats]:
    """Return mean and covariance of the scores; a tie is half a win of each."""
    objective = Objective(counts, AnswerModel())
    found = find_posterior(objective, prior)
    assert found.covariance is not None  # callers have few items
    transform = score_transform(objective)
    return transform @ found.mean, transform @ found.covariance @ transform.T


def _expected_information(mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Return for all pairs the variance of the difference, and what one answer says about it."""
    variance = np.diag(covariance)
    spread = np.maximum(variance[:, None] + variance - 2 * covariance, 0.0)
    gap = mean[:, None] - mean
    return spread, expit(gap) * expit(-gap)


def balanced_pairs(n_objects: int, n_pairs: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw random pairs in which all items occur equally often."""
    rounds = -(-2 * n_pairs // (n_objects - n_objects % 2))
    orders = [rng.permutation(n_objects)[: n_objects - n_objects % 2] for _ in range(rounds)]
    return np.concatenate(orders).reshape(-1, 2)[:n_pairs]


def _for_scores(
    mean: Floats, covariance: Floats, n_pairs: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Choose pairs one after another, each lowering the summed variance of the scores most."""
    chosen = []
    covariance = covariance.copy()
    jitter = 1 + 1e-6 * rng.random(covariance.shape)
    for _ in range(n_pairs):
        spread, weight = _expected_information(mean, covariance)
        square = covariance @ covariance
        reach = np.diag(square)[:, None] + np.diag(square) - 2 * square
        gain = np.triu(weight * reach / (1 + weight * spread) * jitter, 1)
        i, j = np.unravel_index(int(np.argmax(gain)), gain.shape)
        chosen.append((i, j))
        moved = covariance[i] - covariance[j]
        factor = weight[i, j] / (1 + weight[i, j] * spread[i, j])
        covariance -= factor * np.outer(moved, moved)
    return np.array(chosen, dtype=np.intp)


def _for_top(
    mean: Floats, covariance: Floats, n_pairs: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Choose pairs whose answers tell most about which item is best."""
    values, vectors = np.linalg.eigh(covariance)
    half = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = mean + rng.standard_normal((_N_DRAWS, len(mean))) @ half.T
    best = np.argmax(draws, axis=1)
    share = np.bincount(best, minlength=len(mean)) / _N_DRAWS
    likely = np.flatnonzero(share >= min(0.005, np.sort(share)[-2:].min()))
    i, j = (likely[at] for at in np.triu_indices(len(likely), 1))
    chance = expit(draws[:, i] - draws[:, j])
    known = np.zeros(len(i))
    for item in np.unique(best):
        known += share[item] * _entropy(chance[best == item].mean(axis=0))
    told = _entropy(chance.mean(axis=0)) - known
    # a pair that is asked again says less each time
    times = np.zeros(len(i))
    chosen = []
    for _ in range(n_pairs):
        at = int(np.argmax(told / (1 + times) + 1e-9 * rng.random(len(i))))
        times[at] += 1
        chosen.append((i[at], j[at]))
    return np.array(chosen, dtype=np.intp)


def _entropy(chance: Floats) -> Floats:
    return np.asarray(entr(chance) + entr(1 - chance))
