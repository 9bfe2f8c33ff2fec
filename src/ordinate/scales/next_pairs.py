"""Which pairs to ask next: those whose answers are expected to say most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, expit

from ordinate._arrays import Floats
from ordinate._checks import (
    InputError,
    begins_with_text,
    check_choice,
    check_integer,
    check_names,
    check_real,
    shortened,
)
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.pairs import PairCounts, Pairs
from ordinate.scales.likelihood import MOST_DENSE, Objective, normal_nodes
from ordinate.scales.outcomes import AnswerModel
from ordinate.scales.posterior import find_posterior
from ordinate.scales.predictions import as_pairs
from ordinate.scales.rank_intervals import normal_draws

GOALS = ("scores", "top")
_N_DRAWS = 1_000
_NODES = normal_nodes(7)
_AT_RANDOM = 1.5
"""Answers per item before which pairs are random: until then nothing says how far items differ."""

_TRIES = 20
"""Random lists of pairs, of which the one that repeats fewest pairs is taken."""


def next_pairs(
    answers: Pairs | None = None,
    n_pairs: int = 20,
    *,
    items: Sequence[object] | None = None,
    goal: str = "scores",
    prior: float | str = "auto",
    waiting: ArrayLike | None = None,
    random_state: RandomState = None,
) -> NDArray[np.intp]:
    """Choose pairs whose answers are expected to say most, given the answers so far.

    Scores so far have a posterior. Each pair is chosen so that its answer lowers the summed
    variance of all scores most, or is most informative about which item is best. Later pairs of
    the batch take into account what the earlier ones will say. Until each item has had three
    answers on average, pairs are random, with all items equally often.

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
    prior : float or "auto", default="auto"
        Standard deviation of the scores, if it is known from an earlier study; fewer answers do
        then. By default it is estimated.
    waiting : array-like of int or str, shape (n, 2), optional
        Pairs that were asked and not answered yet; what they will say is counted on.
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
    if answers is None and items is None:
        raise InputError("next_pairs needs the answers so far, or the names of the items.")
    given = None if answers is None else as_pairs(answers)
    is_list = isinstance(items, Iterable) and not isinstance(items, str)
    if items is not None and (not is_list or getattr(items, "ndim", 1) == 0):
        raise InputError(f"items must list the names of the items; got {shortened(items)}.")
    names = None if items is None else check_names(list(items))
    n = len(names or ()) if given is None else given.n_objects
    if given is not None and names is not None and len(names) != n:
        raise InputError(
            f"items names {len(names):,} items, and the answers are about {n:,}; leave items out."
        )
    if waiting is not None:
        waiting = _check_waiting(waiting, n, names if given is None else given.names)
    counts = None if given is None else given.counts()
    return choose_pairs(counts, n, n_pairs, goal, prior, waiting, random_state).pairs


def _check_waiting(
    waiting: ArrayLike, n_objects: int, names: Sequence[str] | None
) -> NDArray[np.intp]:
    """Return pairs that wait for an answer as numbers; they may be labels."""
    if len(np.atleast_1d(np.asarray(waiting, dtype=object))) == 0:
        return np.empty((0, 2), dtype=np.intp)
    said = "waiting must be pairs of items, in two columns"
    try:
        pairs = Pairs(waiting, n_objects=None if begins_with_text(waiting) else n_objects)
    except InputError as error:
        raise InputError(f"{said}: {error}") from None
    rows = pairs.rows.astype(np.intp)
    if pairs.names is None:
        return rows
    place = {name: at for at, name in enumerate(names or ())}
    unknown = [name for name in pairs.names if name not in place]
    if unknown:
        raise InputError(f"{said}; there is no item {unknown[0]!r}.")
    return np.array([place[name] for name in pairs.names], dtype=np.intp)[rows]


class ChosenPairs(NamedTuple):
    """Pairs in the order in which to ask them, what each is expected to say, and by which rule."""

    pairs: NDArray[np.intp]
    gains: Floats
    rule: str


def choose_pairs(
    counts: PairCounts | None,
    n_objects: int,
    n_pairs: int,
    goal: str = "scores",
    prior: float | str = "auto",
    waiting: ArrayLike | None = None,
    random_state: RandomState = None,
) -> ChosenPairs:
    """Choose pairs as `next_pairs` does, from counts of the answers so far."""
    check_choice("goal", goal, GOALS)
    check_integer("n_pairs", n_pairs, minimum=1)
    if not (isinstance(prior, str) and prior == "auto"):
        check_real("prior", prior, minimum=0, open_minimum=True)
    rng = as_generator(random_state)
    if not 2 <= n_objects <= MOST_DENSE:
        raise InputError(
            f"Pairs are chosen among 2 to {MOST_DENSE:,} items; there are {n_objects:,}."
        )
    asked = np.asarray([] if waiting is None else waiting, dtype=np.intp).reshape(-1, 2)
    if counts is None or counts.counts.sum() < _AT_RANDOM * n_objects:
        if counts is not None:
            asked = np.concatenate([asked, np.column_stack([counts.first, counts.second])])
        chosen = _balanced_pairs(n_objects, n_pairs, asked, rng)
        return ChosenPairs(chosen, np.full(n_pairs, np.nan), "random")
    mean, covariance = score_posterior(counts, prior)
    if len(asked):
        covariance = _answered(mean, covariance, asked)
    chosen, gains = (_for_scores if goal == "scores" else _for_top)(mean, covariance, n_pairs, rng)
    is_reversed = rng.random(len(chosen)) < 0.5
    return ChosenPairs(np.where(is_reversed[:, None], chosen[:, ::-1], chosen), gains, goal)


def score_posterior(counts: PairCounts, prior: float | str = "auto") -> tuple[Floats, Floats]:
    """Return mean and covariance of the scores; a tie is half a win of each."""
    objective = Objective(counts, AnswerModel())
    found = find_posterior(objective, prior)
    assert found.covariance is not None  # callers have few items
    return objective.centred_scores(found.mean), objective.score_covariance(found.covariance)


def _of_differences(covariance: Floats) -> Floats:
    """Return for all pairs the variance of the difference, or the same of another matrix."""
    variance = np.diag(covariance)
    return np.asarray(variance[:, None] + variance - 2 * covariance)


def _expected_information(mean: Floats, covariance: Floats) -> Floats:
    """Return for all pairs what one answer says about the difference.

    The information p(1 - p) is averaged over what is likely. At the mean alone a rule believes
    early scores too much, and leaves out pairs that are not as clear as they seem.
    """
    spread = np.maximum(_of_differences(covariance), 0.0)
    gap, size = mean[:, None] - mean, np.sqrt(spread)
    weight = np.zeros_like(gap)
    for node, share in _NODES:
        chance = expit(gap + node * size)
        weight += share * chance * (1 - chance)
    return weight


def _answered(mean: Floats, covariance: Floats, pairs: NDArray[np.intp]) -> Floats:
    """Return the covariance once pairs that were asked are answered."""
    weight = _expected_information(mean, covariance)
    for i, j in pairs.tolist():
        moved, by = _lowered(covariance, i, j, float(weight[i, j]))
        covariance = covariance - by * np.outer(moved, moved)
    return covariance


def _lowered(covariance: Floats, i: int, j: int, weight: float) -> tuple[Floats, float]:
    """Return in which direction, and by how much, an answer about a pair lowers the covariance."""
    moved = covariance[i] - covariance[j]
    return moved, weight / (1 + weight * float(moved[i] - moved[j]))


def _balanced_pairs(
    n_objects: int, n_pairs: int, asked: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw random pairs in which all items occur equally often, and few pairs twice."""
    size = n_objects - n_objects % 2
    found, known = np.empty((0, 2), dtype=np.intp), _codes(asked, n_objects)
    while len(found) < n_pairs:
        rounds = (rng.permutation(n_objects)[:size].reshape(-1, 2) for _ in range(_TRIES))
        left = n_pairs - len(found)
        new = min(
            (pairs[:left] for pairs in rounds),
            key=lambda pairs: int(np.isin(_codes(pairs, n_objects), known).sum()),
        )
        found, known = np.concatenate([found, new]), np.append(known, _codes(new, n_objects))
    return found


def _codes(pairs: NDArray[np.intp], n_objects: int) -> NDArray[np.intp]:
    """Return a number per pair, the same in either order."""
    return np.asarray(pairs.min(axis=1) * n_objects + pairs.max(axis=1))


def _for_scores(
    mean: Floats, covariance: Floats, n_pairs: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], Floats]:
    """Choose pairs one after another, each lowering the summed variance of the scores most."""
    chosen, gains = [], []
    weight = _expected_information(mean, covariance)
    jitter = 1 + 1e-6 * rng.random(covariance.shape)
    square = covariance @ covariance
    for _ in range(n_pairs):
        spread, reach = _of_differences(covariance), _of_differences(square)
        gain = np.triu(weight * reach / (1 + weight * spread) * jitter, 1)
        i, j = map(int, np.unravel_index(int(np.argmax(gain)), gain.shape))
        chosen.append((i, j))
        gains.append(gain[i, j])
        moved, by = _lowered(covariance, i, j, float(weight[i, j]))
        across = np.outer(covariance @ moved, moved)
        square = (
            square - by * (across + across.T) + by**2 * (moved @ moved) * np.outer(moved, moved)
        )
        covariance = covariance - by * np.outer(moved, moved)
    return np.array(chosen, dtype=np.intp), np.array(gains)


def _for_top(
    mean: Floats, covariance: Floats, n_pairs: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], Floats]:
    """Choose the pairs that are most informative about which item is best."""
    draws = mean + normal_draws(covariance, _N_DRAWS, rng)
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
    chosen, gains = [], []
    for _ in range(n_pairs):
        left = told / (1 + times)
        at = int(np.argmax(left + 1e-9 * rng.random(len(i))))
        times[at] += 1
        chosen.append((i[at], j[at]))
        gains.append(left[at])
    return np.array(chosen, dtype=np.intp), np.array(gains)


def _entropy(chance: Floats) -> Floats:
    return np.asarray(entr(chance) + entr(1 - chance))
