"""Which dimensions are found again: fits to halves of the answers, beside the fit to all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from ordinate.dimensions.answers import Answers
from ordinate.dimensions.objective import Loadings
from ordinate.dimensions.sparse_fit import (
    PARTNER,
    SEARCH_TOL,
    Penalty,
    carrying,
    fit_loadings,
    match_dimensions,
    random_loadings,
)
from ordinate.engine.objective import resolve_device
from ordinate.solvers.intervals import CONFIDENCE, HeldOutMean, held_out_mean

LEVEL = 0.05
"""Of the test against chance, and of the agreement that dimensions of unrelated fits reach."""
FEWEST_PEOPLE = 10
"""From so many participants on, halves are halves of the people."""
_FEWEST_UNITS = 4
"""Questions or people that two halves with a standard error need."""
_SPLITS = 5
_SHARES_OF_PENALTY = (0.25, 1.0)
"""A half is fitted under a weak penalty first: under all of it, a random start may lose a dimension
that is there before it has taken shape."""
_FEW_ANSWERS = 100_000
"""Up to so many answers there are several splits, of more one: their fits are of one mind."""
_PERMUTATIONS = 100
_POOLED = 4.0
"""How many splits the mean error of a dimension is worth beside the errors of a single loading."""


@dataclass(frozen=True, eq=False)
class SplitHalves:
    """How well fits to halves of the answers predict each other, and which dimensions both find."""

    accuracy: HeldOutMean
    """Share of the answers of one half that a fit to the other one predicts."""
    chance: float
    p_value: float
    agreement: NDArray[np.float64]
    """Correlation of each dimension of the whole fit between the halves, the mean of all splits."""
    least_agreement: float
    """What one in twenty dimensions of unrelated fits reaches."""
    errors: NDArray[np.float64]
    """Standard error of each loading of the whole fit."""
    of_people: bool

    @property
    def is_above_chance(self) -> bool:
        """Whether the answers have a structure that predicts other answers."""
        return self.p_value < LEVEL

    @property
    def supported(self) -> NDArray[np.bool_]:
        """Mark the dimensions that both halves find."""
        return (self.agreement > self.least_agreement) & self.is_above_chance

    @property
    def reproducibility(self) -> NDArray[np.float64]:
        """Return how dimensions would correlate with those of as many new answers.

        Halves agree less than wholes; Spearman and Brown's formula says by how much.
        """
        agreement = np.clip(self.agreement, 0, 1)
        stepped_up: NDArray[np.float64] = 2 * agreement / (1 + agreement)
        return stepped_up


def fit_halves(
    answers: Answers,
    penalty: Penalty,
    whole: Loadings,
    n_dimensions: int,
    rng: np.random.Generator,
    *,
    max_iter: int,
    tol: float,
    device: str,
    n_jobs: int,
) -> SplitHalves:
    """Fit halves of the answers, apart from each other, and compare them with the whole fit."""
    units, of_people = _units(answers)
    sides = list(_halves(units, 1 if len(answers) > _FEW_ANSWERS else _SPLITS, rng))
    parts = [part for side in sides for part in (side, ~side)]
    shape = answers.n_objects, n_dimensions
    starts = [random_loadings(*shape, rng) for _ in parts]
    n_at_once = min(n_jobs, len(parts)) if parts and resolve_device(device) == "cpu" else 1

    def fit(part: NDArray[np.bool_], start: Loadings) -> Loadings:
        objective = _weighing_as_much(answers, part).objective(device, n_jobs // n_at_once)
        found = start
        for share in _SHARES_OF_PENALTY:
            weights = Penalty(share * penalty.linear, share * penalty.squared)
            steps: dict[str, Any] = {"max_iter": max_iter, "tol": max(tol, SEARCH_TOL)}
            found = fit_loadings(objective, weights, found, **steps).points
        return found[:, carrying(found)]

    fits = Parallel(n_jobs=n_at_once, prefer="threads")(
        delayed(fit)(part, start) for part, start in zip(parts, starts, strict=True)
    )
    judged = [_judge(answers[~part], f, units[~part]) for part, f in zip(parts, fits, strict=True)]
    agreement, differences, chance_agreement = [], [], []
    for one, other in zip(fits[::2], fits[1::2], strict=True):
        pairs = _pairs(whole, one, other)
        agreement.append(pairs.correlation)
        differences.append(pairs.one - pairs.other)
        chance_agreement.append(_agreement_by_chance(one, other, rng))
    accuracy, p_value = _together(judged, answers, n_units=len(np.unique(units)) // 2)
    return SplitHalves(
        accuracy,
        answers.chance,
        p_value,
        np.mean(agreement, axis=0) if agreement else np.zeros(whole.shape[1]),
        float(np.mean(chance_agreement)) if chance_agreement else 1.0,
        _standard_errors(differences, whole),
        of_people,
    )


def _units(answers: Answers) -> tuple[NDArray[np.intp], bool]:
    """Return which answers stay together: those of a person or, if people are few, a question."""
    people = answers.people
    if people is not None and len(np.unique(people)) >= FEWEST_PEOPLE:
        return np.unique(people, return_inverse=True)[1], True
    return answers.questions(), False


def _halves(
    units: NDArray[np.intp], n_splits: int, rng: np.random.Generator
) -> Iterator[NDArray[np.bool_]]:
    """Yield which answers are in the first half; units of about one size lie on both sides."""
    size = np.bincount(units)
    for _ in range(n_splits if len(size) >= _FEWEST_UNITS else 0):
        order = rng.permutation(len(size))
        order = order[np.argsort(-size[order], kind="stable")]
        first = np.empty(len(size), dtype=bool)
        first[order] = (np.arange(len(size)) % 4) % 3 == 0  # first, second, second, first, …
        yield first[units]


def _weighing_as_much(answers: Answers, part: NDArray[np.bool_]) -> Answers:
    """Return a part with the weight of the whole, beside which the penalty is what it is there."""
    weights = np.ones(len(answers)) if answers.weights is None else answers.weights
    half = answers[part]
    factor = weights.sum() / max(float(weights[part].sum()), 1e-300)
    return replace(half, weights=weights[part] * factor)


def _judge(answers: Answers, loadings: Loadings, units: NDArray[np.intp]) -> list[HeldOutMean]:
    """Return the share of answers predicted, and by how much it exceeds chance."""
    nothing = answers.right(answers.similarities(np.zeros((answers.n_objects, 1))))
    right = nothing
    if loadings.size:
        right = answers.right(answers.similarities(loadings))
    return [held_out_mean(values, units, answers.weights) for values in (right, right - nothing)]


def _together(
    judged: list[list[HeldOutMean]], answers: Answers, n_units: int
) -> tuple[HeldOutMean, float]:
    """Average what the halves of all splits predict of each other, and test it against chance.

    If one half happens to be like the other, both predict each other, in every split. So the
    standard error is that of a single half: it is exact if all depend on each other fully, and
    too large otherwise.
    """
    if not judged:
        return HeldOutMean(answers.chance, 0.0, 1.0), 1.0
    share, gain = (
        HeldOutMean(*np.mean([entry[which] for entry in judged], axis=0).tolist())
        for which in (0, 1)
    )
    if gain.standard_error == 0:
        return share, 0.0 if gain.mean > 0 else 1.0
    return share, float(stdtr(max(n_units - 1, 1), -gain.mean / gain.standard_error))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """For each dimension of the whole fit, a dimension of one half and its partner in the other."""

    one: Loadings
    other: Loadings
    correlation: NDArray[np.float64]


def _pairs(whole: Loadings, one: Loadings, other: Loadings) -> _Pairs:
    """Pair the halves without the whole, which both know, and then the pairs with the whole."""
    mine, theirs, together = match_dimensions(one, other)
    of_whole, pair, _ = match_dimensions(whole, one[:, mine])
    first, second = np.zeros_like(whole), np.zeros_like(whole)
    correlation = np.zeros(whole.shape[1])
    first[:, of_whole] = one[:, mine[pair]]
    second[:, of_whole] = other[:, theirs[pair]]
    correlation[of_whole] = together[pair]
    return _Pairs(first, second, correlation)


def _agreement_by_chance(one: Loadings, other: Loadings, rng: np.random.Generator) -> float:
    """Return the agreement that one in twenty pairs has if the objects of one half are shuffled."""
    if not (one.size and other.size):
        return 1.0
    found = [
        match_dimensions(one, other[rng.permutation(len(other))])[2] for _ in range(_PERMUTATIONS)
    ]
    # of a handful of objects shuffled ones often agree entirely
    return min(float(np.quantile(np.concatenate(found), 1 - LEVEL)), PARTNER)


def _standard_errors(differences: list[Loadings], whole: Loadings) -> NDArray[np.float64]:
    """Return errors of the loadings of all answers, by how halves differ.

    The whole is about the mean of two halves, so its variance is a quarter of that of their
    difference. Few splits tell little of a single loading; the mean of its dimension helps.
    """
    if not differences:
        return np.full(whole.shape, np.nan)
    own = np.square(differences).sum(axis=0) / 4
    pooled = own.mean(axis=0, keepdims=True) / len(differences)
    variance = (own + _POOLED * pooled) / (len(differences) + _POOLED)
    errors: NDArray[np.float64] = np.sqrt(variance)
    return errors


def loading_intervals(loadings: Loadings, errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of intervals, shape (2, n_objects, n_dimensions), none of them negative."""
    half = float(stdtrit(_SPLITS + _POOLED, 0.5 + CONFIDENCE / 2)) * errors
    return np.stack([np.maximum(loadings - half, 0), loadings + half])
