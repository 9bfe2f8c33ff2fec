"""Judges: who follows the common scale, who guesses, who has a taste of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from ordinate._arrays import Floats
from ordinate._checks import InputError
from ordinate._person_effects import PersonEffectTest
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.pairs import Pairs
from ordinate.scales.maximum import dense_factor
from ordinate.scales.rank_intervals import quantile
from ordinate.scales.ranking import Ranking
from ordinate.scales.ranking_fit import TRIAL
from ordinate.scales.rankings import Rankings
from ordinate.solvers.intervals import holm

_N_DRAWS = 400
"""Drawn studies that show how far judges depart from a common scale by chance."""
_MOST_ENTRIES = 2_000_000
"""Residuals that are drawn at a time."""
_MOST_TESTED = 1_000
"""Judges and items up to which a check of the scale tests whether judges differ."""
_MOST_DIRECTIONS = 200
"""With more judges and items than this, a direction that judges share is not looked for."""


def judge_columns(
    pairs: Pairs, by: str = "participant", *, level: float = 0.95, **settings: Any
) -> tuple[Ranking, dict[str, NDArray[Any]], float]:
    """Return a ranking with a slope per judge, a table of the judges, and whether they differ.

    The table has the least reliable judge first. A judge has a taste of their own if the answers
    depart from the common scale by more than chance in a direction of their own; the level holds
    for all judges together (Holm). The last is the p-value of the test that nobody has one.
    """
    model = _with_slopes(pairs, by, **settings)
    assert model.slopes_ is not None
    assert model.judges_ is not None
    assert model.log_slope_errors_ is not None
    order = np.argsort(model.slopes_, kind="stable")
    judge = np.searchsorted(model.judges_, pairs.groups[by])
    weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    right = 0.5 + 0.5 * model.predict(pairs) * pairs.outcomes
    total = np.bincount(judge, weights, len(order))
    agreement = np.bincount(judge, weights * right, len(order)) / total
    half = quantile(level, np.inf) * model.log_slope_errors_
    p_values, p_differ = own_tastes(pairs, model, settings.get("random_state"))
    p_taste = holm(p_values)
    from_half = (agreement - 0.5) * 2 * np.sqrt(total)
    behind = holm(norm.cdf(_behind(model, pairs, judge, weights * right)))
    guesses = (behind < 1 - level) & (from_half < norm.ppf(level))
    verdict = np.where(guesses, "hardly follows the scale", "")
    verdict = np.where(p_taste < 1 - level, "own taste", verdict)
    backwards = holm(norm.cdf(from_half)) < 1 - level
    verdict = np.where(backwards, "answers the other way round", verdict)
    table = {
        "judge": np.asarray(model.judges_)[order],
        "answers": total[order],
        "agreement": agreement[order],
        "reliability": model.slopes_[order],
        "lower": (model.slopes_ * np.exp(-half))[order],
        "upper": (model.slopes_ * np.exp(half))[order],
        "p_own_taste": p_taste[order],
        "verdict": verdict[order],
    }
    return model, table, p_differ


def judges_differ(pairs: Pairs, model: Ranking, random_state: RandomState = None) -> float:
    """Return the p-value of the test that all judges of a ranking's answers share its scale.

    NaN where the answers do not say who gave them, or nearly each is of somebody else.
    """
    if model.judges not in pairs.groups:
        return np.nan
    n_judges = len(np.unique(pairs.groups[model.judges]))
    if not 2 <= n_judges <= len(pairs) / 2 or n_judges + pairs.n_objects > _MOST_TESTED:
        return np.nan
    return own_tastes(pairs, model, random_state)[1]


def _with_slopes(pairs: Pairs, by: str, **settings: Any) -> Ranking:
    """Fit a ranking with a slope per judge."""
    if len(np.unique(pairs.group_codes(by))) < 2:  # it also says which groups there are
        raise InputError(
            f"All answers are by one judge of {by!r}; at least two are needed to see how judges"
            " differ."
        )
    return Ranking(judges=by, slopes=True, errors="answers", **settings).fit(pairs)


def _behind(
    model: Ranking, pairs: Pairs, judge: NDArray[np.intp], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how far each judge agrees less than the average judge would, in standard errors."""
    weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    win, tie, loss = model.predict_proba(pairs._with(weights=None, groups={})).T
    likelier = np.maximum(win, loss)
    mean = likelier + 0.5 * tie
    variance = likelier + 0.25 * tie - mean**2
    n_judges = int(judge.max()) + 1
    gap = np.bincount(judge, right - weights * mean, n_judges)
    spread = np.bincount(judge, weights * variance, n_judges)
    return np.asarray(gap / np.sqrt(np.maximum(spread, 1e-12)))


def own_tastes(
    pairs: Pairs, model: Ranking, random_state: RandomState = None
) -> tuple[Floats, float]:
    """Test whether judges have scores of their own, each and all together; return p-values.

    Everybody has a slope of their own. Residuals of a judge's answers, as far as scores, slopes and
    sides do not explain them, are added up for each item. Answers drawn from the ranking, of the
    same judges about the same pairs, show how large the squares of such sums are by chance. Ties
    are left out: how often judges call a tie is no taste.
    """
    labels, judge = np.unique(pairs.groups[model.judges], return_inverse=True)
    decided = pairs.outcomes != 0
    p_values, known = np.ones(len(labels)), np.unique(judge[decided])
    if len(known) < 2:
        return p_values, np.nan
    one_sided = len(np.unique(pairs.outcomes[decided])) < 2
    rankings = model._rankings
    if rankings is not None and not rankings.are_whole:
        return p_values, np.nan
    alone = {name: labels for name, labels in pairs.groups.items() if name != TRIAL}
    fitted = _with_slopes(
        pairs[decided]._with(groups={name: labels[decided] for name, labels in alone.items()}),
        model.judges,
        model=model.model,
        side=model.side_ is not None and not one_sided,
        prior=model._spread or "auto",
    )
    views = _person_effects(_TasteTest(fitted, rankings), as_generator(random_state))
    p_values[known] = views.p_values
    return p_values, views.p_value


def _person_effects(test: _TasteTest, rng: np.random.Generator) -> PersonEffectTest:
    """Compute the statistics of the answers and of drawn ones."""
    found = [test.statistics(counts) for counts in (test.counts, *test.drawn(_N_DRAWS, rng))]
    own, together = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
    return PersonEffectTest(own[:, 0], own[:, 1:], together)


class _TasteTest:
    """The ranking with slopes as null hypothesis, and what its parameters explain."""

    def __init__(self, model: Ranking, rankings: Rankings | None = None) -> None:
        objective, at = model._objective, model._at
        self.model, self.rankings = model, rankings
        assert objective.counts.judge is not None
        self.counts, self.judge = objective.counts.counts[:, :, None], objective.counts.judge
        self.n_items, self.n_judges = objective.counts.n_objects, int(self.judge.max()) + 1
        self.first, self.second = objective.counts.first, objective.counts.second
        self.slopes, self.chances = objective.log_chances(at)[1], objective.chances(at)
        self.total = objective.counts.counts.sum(axis=0)
        slopes = self.slopes
        self.information = self.total * np.einsum(
            "or,or,oer->er", self.chances, slopes[:, 0], slopes
        )
        self.jacobians = objective.jacobians(at)
        _, gradient, hessian = objective.derivatives(at)
        precision = model._prior.precision(objective.blocks)
        self.solve = dense_factor(hessian, precision, objective.blocks.scores)[0]
        # what pulls the parameters besides the answers: the prior, and the mean of the slopes
        pull = gradient + precision * (at - model._prior.mean(objective.blocks))
        self.pull = pull[:, None] + self._upwards(self._pushes(self.counts))
        self.expected = np.maximum(2 * self._per_judge(self.information[0][:, None]), 1e-12)

    def statistics(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return sums of squares for each judge, and two of all judges, of one or more studies."""
        pushes = self._pushes(counts)
        moved = self.solve(self._upwards(pushes) - self.pull)
        left = pushes[0]
        for jacobian, information in zip(self.jacobians, self.information, strict=True):
            left = left - information[:, None] * (jacobian @ moved)
        # a common scale may not fit the answers: larger residuals alone are no taste
        size = np.maximum(2 * self._per_judge(left**2), self.expected)
        own, together = np.empty((self.n_judges, left.shape[1])), np.empty((2, left.shape[1]))
        for number, column in enumerate(left.T):
            sums = self._sums(column) / np.sqrt(size[:, number, None])
            squares = np.square(sums).sum(axis=1)
            own[:, number] = squares
            small = sums @ sums.T if self.n_judges < self.n_items else sums.T @ sums
            few = len(small) <= _MOST_DIRECTIONS
            together[:, number] = (
                squares.sum(),
                np.linalg.eigvalsh(small)[-1] if few else squares.max(),
            )
        return own, together

    def drawn(self, n_draws: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Draw counts of answers from the ranking, some studies at a time."""
        if self.rankings is not None:
            yield from self._drawn_rankings(self.rankings, n_draws, rng)
            return
        times = np.maximum(np.rint(self.total), 1).astype(np.int64)
        scale = (self.total / times)[:, None]
        at_once = max(_MOST_ENTRIES // len(times), 1)
        for begin in range(0, n_draws, at_once):
            size = (min(at_once, n_draws - begin), len(times))
            found = rng.multinomial(times, self.chances.T, size=size)
            yield np.moveaxis(found, 2, 0).transpose(0, 2, 1) * scale

    def _drawn_rankings(
        self, rankings: Rankings, n_draws: int, rng: np.random.Generator
    ) -> Iterator[Floats]:
        """Draw whole rankings, whose pairs depend on one another."""
        slopes, labels = self.model.slopes_, rankings.record.groups[self.model.judges]
        assert slopes is not None
        judge = np.unique(labels, return_inverse=True)[1]
        of_place = np.empty(len(rankings.trial), dtype=np.intp)
        of_place[rankings.ends] = judge[:, None]
        felt = slopes[of_place] * self.model.scores_[rankings.stages.items]
        for _ in range(n_draws):
            yield rankings.drawn(felt, rng).record.counts(judge).counts[:, :, None]

    def _pushes(self, counts: Floats) -> Floats:
        """Return derivatives of the log likelihood in d, t and the lapse, row by row."""
        return np.asarray(np.einsum("orb,oer->erb", counts, self.slopes))

    def _upwards(self, pushes: Floats) -> Floats:
        """Return derivatives of the log likelihood in all parameters."""
        return np.asarray(sum(j.T @ p for j, p in zip(self.jacobians, pushes, strict=True)))

    def _per_judge(self, values: Floats) -> Floats:
        return np.stack([np.bincount(self.judge, v, self.n_judges) for v in values.T], axis=1)

    def _sums(self, values: Floats) -> Floats:
        """Add up values of rows for each judge and item, with a minus for the second item."""
        size = self.n_judges * self.n_items
        ahead = np.bincount(self.judge * self.n_items + self.first, values, size)
        behind = np.bincount(self.judge * self.n_items + self.second, values, size)
        return np.asarray(ahead - behind).reshape(self.n_judges, self.n_items)
