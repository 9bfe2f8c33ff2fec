"""Judges: who follows the common scale, who guesses, who has a taste of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.stats import gamma, norm

from ordinate._checks import InputError
from ordinate.scales.pairs import Pairs
from ordinate.scales.rank_intervals import quantile
from ordinate.scales.ranking import Ranking


def judge_columns(
    pairs: Pairs, by: str = "participant", *, level: float = 0.95, **settings: Any
) -> tuple[Ranking, dict[str, NDArray[Any]]]:
    """Return a ranking with a slope per judge, and a table of the judges, least reliable first.

    A judge has a taste of their own if the answers depart from the common scale by more than
    chance in a direction of their own: the score test of a variance component, whose level holds
    for all judges together (Holm).
    """
    if by not in pairs.groups:
        pairs.group_codes(by)  # says which groups there are
    model = Ranking(judges=by, slopes=True, errors="answers", **settings).fit(pairs)
    if model.slopes_ is None or model.judges_ is None or model.log_slope_errors_ is None:
        raise InputError(f"There are too many judges in {by!r} for a slope each.")
    order = np.argsort(model.slopes_, kind="stable")
    judge = np.searchsorted(model.judges_, pairs.groups[by])
    weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    right = 0.5 + 0.5 * model.predict(pairs) * pairs.outcomes
    total = np.bincount(judge, weights, len(order))
    agreement = np.bincount(judge, weights * right, len(order)) / total
    half = quantile(level, np.inf) * model.log_slope_errors_
    p_taste = _holm(_taste(model))
    from_half = (agreement - 0.5) * 2 * np.sqrt(total)
    behind = _holm(norm.cdf(_behind(model, pairs, judge, weights * right)))
    guesses = (behind < 1 - level) & (from_half < norm.ppf(level))
    verdict = np.where(guesses, "hardly follows the scale", "")
    verdict = np.where(p_taste < 1 - level, "own taste", verdict)
    backwards = _holm(norm.cdf(from_half)) < 1 - level
    verdict = np.where(backwards, "answers the other way round", verdict)
    return model, {
        "judge": np.asarray(model.judges_)[order],
        "answers": total[order],
        "agreement": agreement[order],
        "reliability": model.slopes_[order],
        "lower": (model.slopes_ * np.exp(-half))[order],
        "upper": (model.slopes_ * np.exp(half))[order],
        "p_own_taste": p_taste[order],
        "verdict": verdict[order],
    }


def _behind(
    model: Ranking, pairs: Pairs, judge: NDArray[np.intp], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how far each judge agrees less than the average judge would, in standard errors."""
    weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    nobody = Pairs._trusted(
        pairs.rows, pairs.outcomes, None, {}, pairs.names, pairs.n_objects, pairs.ordered
    )
    win, tie, loss = model.predict_proba(nobody).T
    likelier = np.maximum(win, loss)
    mean = likelier + 0.5 * tie
    variance = likelier + 0.25 * tie - mean**2
    n_judges = int(judge.max()) + 1
    gap = np.bincount(judge, right - weights * mean, n_judges)
    spread = np.bincount(judge, weights * variance, n_judges)
    return np.asarray(gap / np.sqrt(np.maximum(spread, 1e-12)))


def _taste(model: Ranking) -> NDArray[np.float64]:
    """Return for each judge how likely chance gives a gradient as large: a gamma distribution."""
    objective, at = model._objective, model._at
    judge = objective.counts.judge
    assert judge is not None
    values, slopes, _ = objective.log_chances(at)
    chances, total = np.exp(values), objective.counts.counts.sum(axis=0)
    if not objective.answers.has_ties:
        chances[1] = 0.0
    push = (objective.counts.counts * slopes[:, 0]).sum(axis=0)
    information = total * (chances * slopes[:, 0] ** 2).sum(axis=0)
    n, n_judges = objective.counts.n_objects, int(judge.max()) + 1
    first, second = objective.counts.first, objective.counts.second
    places = (np.tile(judge, 2), np.concatenate([first, second]))
    shape = (n_judges, n)
    gradient = csr_array(coo_array((np.concatenate([push, -push]), places), shape=shape))
    diagonal = csr_array(coo_array((np.tile(information, 2), places), shape=shape))
    code = objective.counts.pair_codes()
    between = csr_array(coo_array((information, (judge, code)), shape=(n_judges, code.max() + 1)))
    seen = np.asarray(gradient.power(2).sum(axis=1)).ravel()
    mean = np.maximum(np.asarray(diagonal.sum(axis=1)).ravel(), 1e-12)
    squares = diagonal.power(2).sum(axis=1) + 2 * between.power(2).sum(axis=1)
    variance = np.maximum(2 * np.asarray(squares).ravel(), 1e-12)
    return np.asarray(gamma.sf(seen, mean**2 / variance, scale=variance / mean))


def _holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return p values adjusted for all of them (Holm)."""
    order = np.argsort(p_values)
    factors = np.arange(len(order), 0, -1)
    adjusted = np.maximum.accumulate(np.minimum(p_values[order] * factors, 1.0))
    found = np.empty(len(order))
    found[order] = adjusted
    return found
