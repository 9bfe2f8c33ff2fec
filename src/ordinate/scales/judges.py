"""Judges: who follows the common scale, who guesses, who leans to a side, a tie or themselves."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri, softmax

from ordinate._arrays import Floats
from ordinate._checks import InputError
from ordinate._person_effects import PersonEffectTest
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.comparisons.pairs import Pairs
from ordinate.scales.maximum import dense_factor
from ordinate.scales.rank_intervals import quantile
from ordinate.scales.ranking import Ranking
from ordinate.scales.ranking_fit import TRIAL
from ordinate.scales.rankings import Rankings
from ordinate.solvers.intervals import holm, wilson

_N_DRAWS = 400
"""Drawn studies that show how far judges depart from a common scale by chance."""
_MOST_ENTRIES = 2_000_000
"""Residuals that are drawn at a time."""
_MOST_TESTED = 1_000
"""Judges and items up to which a check of the scale tests whether judges differ."""
_MOST_DIRECTIONS = 200
"""With more judges and items than this, a direction that judges share is not looked for."""
_MOST_LEFT_OUT = 60
"""Judges up to which each is compared with a ranking by the others alone."""
_FEWEST_EACH = 5
"""Answers per judge from which judges are looked at unasked."""
_LEANING = 2.0
"""Prior standard deviation of a judge's leaning to a side or to themselves, in logits."""
_GUESSERS = 0.05
"""Share of judges who are taken to guess, when it is asked how the others differ."""
_SLOPES = np.append(0.0, np.geomspace(0.02, 20, 40))
"""Reliabilities at which answers of a judge are looked at; 0 is a guesser's."""
_FAMILY = 0.05
"""Chance that any judge is named if all are alike."""
GUESSES = "seems to guess: the answers hardly follow the scale"
BACKWARDS = "answers the other way round"


@dataclass(frozen=True, eq=False)
class JudgeAudit:
    """What is known about each judge, and the ranking in which reliable ones count more.

    Attributes
    ----------
    weighted : Ranking
        With a slope per judge.
    table : dict of str to ndarray
        The judges, the least reliable first.
    p_tastes : float
        Of the test that all judges share one scale.
    named : dict of str to list
        Each verdict, the worst first, with the judges who are not like the others.
    """

    weighted: Ranking
    table: dict[str, NDArray[Any]]
    p_tastes: float
    named: dict[str, list[Any]]

    @property
    def scores(self) -> Floats:
        """Scores weighted by reliability, as the average judge feels them."""
        assert self.weighted.slopes_ is not None
        return np.asarray(self.weighted.scores_ * self.weighted.slopes_.mean())


def audit_judges(
    pairs: Pairs,
    model: Ranking,
    *,
    level: float = 0.95,
    random_state: RandomState = None,
) -> JudgeAudit:
    """Look at each judge of a ranking's answers.

    All tests of all judges together name anybody in at most 5 % of studies in which all follow one
    scale, reliable or less so (Holm). Reliabilities are slopes, divided by their mean: the average
    judge has 1.
    """
    weighted = model.with_choices(pairs, slopes=True, lapse_rate=False).fit(pairs)
    labels, slopes, errors = weighted.judges_, weighted.slopes_, weighted.log_slope_errors_
    assert labels is not None
    assert slopes is not None
    assert errors is not None
    judge = np.searchsorted(labels, pairs.groups[model.judges])
    answers = _Answers(pairs, weighted, judge)
    scores = _scores_by_others(pairs, model, judge)
    right, decided = (counts / answers.dependence for counts in answers.agreeing(scores))
    half = np.exp(quantile(level, np.inf) * errors)
    table: dict[str, NDArray[Any]] = {
        "judge": np.asarray(labels),
        "answers": answers.total,
        "reliability": slopes / slopes.mean(),
        "reliability_lower": slopes / half / slopes.mean(),
        "reliability_upper": slopes * half / slopes.mean(),
    }
    _add(table, "agreement", 2 * right / decided - 1, *(2 * wilson(right, decided, level) - 1))
    tastes, p_tastes = own_tastes(pairs, weighted, random_state)
    from_zero, p_slope = answers.slope_tests(scores)
    guessing = np.where(from_zero < ndtri(level), p_slope, 1.0)
    taste = "ranks the items differently from the others"
    p_values = {taste: tastes}
    if (answers.own_item >= 0).any():
        own, error = answers.own_preference(scores)
        half_own = ndtri(0.5 + level / 2) * error
        _add(table, "self", own, own - half_own, own + half_own)
        _add_leanings(p_values, np.nan_to_num(own / error), "{} items of the same name",
                      ("favours", "disfavours"))  # fmt: skip
    if pairs.ordered:
        common = weighted.side_ or 0.0
        _add(table, "first", *answers.leaning(level, common))
        _add_leanings(p_values, answers.to_first(),
                      "leans more than the others to the side shown {}",
                      ("first", "second"))  # fmt: skip
    n_ties = np.bincount(judge, answers.weights * (pairs.outcomes == 0), len(labels))
    if n_ties.any():
        _add(table, "ties", n_ties / answers.total, *wilson(n_ties, answers.total, level))
    if n_ties.any() and weighted.answer_model.has_ties:  # as halves, none is expected
        _add_leanings(p_values, answers.ties(), "calls {} ties than the others", ("more", "fewer"))
    # half of the level is for guessers, who are looked for most
    adjusted = holm(np.concatenate(list(p_values.values()))).reshape(len(p_values), -1)
    sure = dict(zip(p_values, adjusted < _FAMILY / 2, strict=True))
    lost = holm(guessing) < _FAMILY / 2
    # of those who do not follow the scale some go against it, and others follow one of their own
    backwards = lost & (from_zero < ndtri(1 - level))
    sure[taste] &= ~backwards
    for verdict in sure:
        if "same name" in verdict:
            sure[verdict] &= ~backwards
    sure = {GUESSES: lost & ~backwards & ~sure[taste], BACKWARDS: backwards} | sure
    table["p_own_taste"] = holm(tastes)
    order = np.argsort(slopes, kind="stable")
    table = {name: column[order] for name, column in table.items()}
    named = {verdict: table["judge"][found[order]].tolist() for verdict, found in sure.items()}
    table["verdict"] = np.array(
        ["; ".join(verdict for verdict in named if one in named[verdict]) for one in table["judge"]]
    )
    return JudgeAudit(weighted, table, p_tastes, {v: who for v, who in named.items() if who})


def refuse_one_judge(pairs: Pairs, by: str) -> None:
    """Refuse answers of nobody else; it also says which groups there are."""
    if len(np.unique(pairs.group_codes(by))) < 2:
        raise InputError(
            f"All answers are by one judge of {by!r}; at least two are needed to see how judges"
            " differ."
        )


def can_audit(pairs: Pairs, model: Ranking) -> bool:
    """Whether judges can be looked at unasked: several with several answers each, and not many."""
    if model.judges not in pairs.groups:
        return False
    n_judges = len(np.unique(pairs.groups[model.judges]))
    few = n_judges + pairs.n_objects <= _MOST_TESTED
    return few and 2 <= n_judges <= len(pairs) / _FEWEST_EACH


def _add(
    table: dict[str, NDArray[Any]], name: str, value: Floats, lower: Floats, upper: Floats
) -> None:
    """Add a column with its interval."""
    table |= {name: value, f"{name}_lower": lower, f"{name}_upper": upper}


def _add_leanings(
    p_values: dict[str, Floats], surplus: Floats, text: str, words: tuple[str, str]
) -> None:
    """Add p-values for more and for less than the ranking expects, in standard errors."""
    for word, sign in zip(words, (1, -1), strict=True):
        p_values[text.format(word)] = ndtr(-sign * surplus)


def _scores_by_others(pairs: Pairs, model: Ranking, judge: NDArray[np.intp]) -> Floats:
    """Return for each judge the scores by all others; of many judges, those by all."""
    n_judges = int(judge.max()) + 1
    if n_judges > _MOST_LEFT_OUT:
        return np.tile(model.scores_, (n_judges, 1))
    found, settings = [], {"prior": model._spread or 10.0, "slopes": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulObjectsWarning)
        for number in range(n_judges):
            rest = pairs[judge != number]
            found.append(model.with_choices(rest, **settings).fit_mode(rest).scores_)
    return np.array(found)


def dependence(pairs: Pairs, model: Ranking) -> float:
    """Return how many times as much sums of answers vary as if they were independent.

    Pairs of one ranking depend on one another.
    """
    if TRIAL not in pairs.groups:
        return 1.0
    win, _, loss = model.predict_proba(pairs).T
    weights = 1.0 if pairs.weights is None else pairs.weights
    gap = model.scores_[pairs.rows] @ [1.0, -1.0]
    left = weights * gap * (pairs.outcomes - (win - loss))
    by_trial = np.bincount(np.unique(pairs.group_codes(TRIAL), return_inverse=True)[1], left)
    return max(float(np.sum(by_trial**2) / max(np.sum(left**2), 1e-300)), 1.0)


class _Answers:
    """Answers of judges beside what a ranking with slopes expects of them."""

    def __init__(self, pairs: Pairs, model: Ranking, judge: NDArray[np.intp]) -> None:
        self.pairs, self.model, self.judge = pairs, model, judge
        self.n_judges = int(judge.max()) + 1
        self.weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
        self.win, self.tie, self.loss = model.predict_proba(pairs).T
        self.total = self._summed(np.ones(len(pairs)))
        self.dependence = dependence(pairs, model)

    def _summed(self, values: Floats) -> Floats:
        return np.bincount(self.judge, self.weights * values, self.n_judges).astype(float)

    def agreeing(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return how many decided answers go with scores, a row per judge, and how many there are.

        Pairs of equal scores count one half.
        """
        gap = scores[self.judge, self.pairs.rows[:, 0]] - scores[self.judge, self.pairs.rows[:, 1]]
        right = 0.5 + 0.5 * np.sign(gap) * self.pairs.outcomes
        decided = self.pairs.outcomes != 0
        return self._summed(decided * right), np.maximum(self._summed(decided), 1e-12)

    def slope_tests(self, scores: Floats) -> tuple[Floats, Floats]:
        """Test each judge's slope on scores by all others.

        Return how far it is above zero in standard errors, and the chance that a judge like the
        others, whose log slopes are normal but for a few guessers, follows the scores as little.
        """
        gap = scores[self.judge, self.pairs.rows[:, 0]] - scores[self.judge, self.pairs.rows[:, 1]]
        toward = gap * self.pairs.outcomes
        found = self._summed(toward)
        log_likelihood, z = np.empty((2, self.n_judges, len(_SLOPES)))
        for k, slope in enumerate(_SLOPES):
            mean = np.tanh(slope * gap / 2) * (self.pairs.outcomes != 0)
            log_likelihood[:, k] = self._summed(-np.logaddexp(0, -slope * toward)) / self.dependence
            variance = self._summed(gap * np.where(self.pairs.outcomes, gap, 0) * (1 - mean**2))
            z[:, k] = _ratio(found - self._summed(gap * mean), self.dependence * variance)
        likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
        others = _populations()
        of_all = np.log((1 - _GUESSERS) * likelihood @ others.T + _GUESSERS * likelihood[:, :1])
        likely = softmax(of_all.sum(axis=0) - of_all, axis=1) @ others
        return z[:, 0], np.sum(likely * ndtr(z), axis=1)

    def ties(self) -> Floats:
        """Return by how much each calls more ties than expected, in standard errors."""
        surplus = self._summed((self.pairs.outcomes == 0) - self.tie)
        return _ratio(surplus, self._summed(self.tie * (1 - self.tie)))

    @property
    def own_item(self) -> NDArray[np.intp]:
        """The item that is called as each judge, -1 if there is none."""
        names = [str(self.pairs.name_of(item)).casefold() for item in range(self.pairs.n_objects)]
        place = {name: item for item, name in enumerate(names)}
        judges = self.model.judges_
        assert judges is not None
        return np.array([place.get(str(judge).casefold(), -1) for judge in judges])

    def own_preference(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return how far each prefers the item of their name, in logits, and its standard error.

        Expected is what all others prefer, at a slope of the judge's own: who follows their own
        item alone would seem the most reliable judge of a scale that their answers made.
        """
        own, rows = self.own_item, self.pairs.rows
        by = (rows[:, 0] == own[self.judge]) * 1.0 - (rows[:, 1] == own[self.judge])
        decided = self.pairs.outcomes != 0
        gap = scores[self.judge, rows[:, 0]] - scores[self.judge, rows[:, 1]]
        slope, found = np.ones(self.n_judges), np.zeros(self.n_judges)
        for _ in range(50):
            moved = expit(slope[self.judge] * gap + found[self.judge] * by)
            left = decided * (self.pairs.outcomes > 0) - decided * moved
            spread = decided * moved * (1 - moved)
            along = self._summed(gap * left) - (slope - 1)
            push = self._summed(by * left) - found / _LEANING**2
            curve = self._summed(gap**2 * spread) + 1
            mixed, own_curve = self._summed(gap * by * spread), self._summed(by**2 * spread)
            own_curve += _LEANING**-2
            size = curve * own_curve - mixed**2
            slope = slope + np.clip((own_curve * along - mixed * push) / size, -1, 1)
            found = found + np.clip((curve * push - mixed * along) / size, -1, 1)
        errors = np.zeros(self.n_judges)
        for number in np.flatnonzero(own >= 0):
            rest = self.pairs[self.judge != number]
            fitted = self.model.with_choices(rest, slopes=False, prior=self.model._spread or 10.0)
            errors[number] = slope[number] * fitted.fit(rest).standard_errors_[own[number]]
        known = np.where(self._summed(decided * by**2) > 0, 1.0, np.nan)
        return found * known, np.sqrt(self.dependence * curve / size + errors**2)

    def _decided(self) -> tuple[Floats, Floats, Floats]:
        """Return the chance that the first wins if one does, whether it did, whether one did."""
        chance: Floats = self.win / np.maximum(self.win + self.loss, 1e-12)
        outcomes: Floats = self.pairs.outcomes.astype(np.float64)
        return chance, np.maximum(outcomes, 0), np.abs(outcomes)

    def to_first(self) -> Floats:
        """Return by how much each prefers the first more than expected, in standard errors."""
        chance, won, decided = self._decided()
        variance = self._summed(decided * chance * (1 - chance))
        return _ratio(self._summed(decided * (won - chance)), variance)

    def leaning(self, level: float, common: float) -> tuple[Floats, Floats, Floats]:
        """Return how far each leans to the first besides the scores, in logits, with an interval.

        `common` is what all judges lean by, which the ranking knows. NaN where a judge has no such
        answer.
        """
        chance, won, decided = self._decided()
        logit = np.log(np.maximum(chance, 1e-12)) - np.log(np.maximum(1 - chance, 1e-12))
        found = np.full(self.n_judges, common)
        for _ in range(50):
            moved = expit(logit + (found - common)[self.judge])
            push = self._summed(decided * (won - moved)) - (found - common) / _LEANING**2
            curve = self._summed(decided * moved * (1 - moved)) + _LEANING**-2
            found = found + np.clip(push / curve, -1.0, 1.0)
        half = ndtri(0.5 + level / 2) / np.sqrt(curve)
        known = np.where(self._summed(decided) > 0, 1.0, np.nan)
        return found * known, (found - half) * known, (found + half) * known


def _populations() -> Floats:
    """Return how likely each slope is where log slopes are normal, a row per mean and spread."""
    mean, spread = np.meshgrid(np.linspace(-2, 2, 17), [0.1, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0])
    away = (np.log(_SLOPES[1:]) - mean.reshape(-1, 1)) / spread.reshape(-1, 1)
    return np.asarray(np.pad(softmax(-0.5 * away**2, axis=1), ((0, 0), (1, 0))))


def _ratio(surplus: Floats, variance: Floats) -> Floats:
    return np.asarray(surplus / np.sqrt(np.maximum(variance, 1e-12)))


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
    rankings = model._rankings
    if rankings is not None and not rankings.are_whole:
        return p_values, np.nan
    alone = {name: labels for name, labels in pairs.groups.items() if name != TRIAL}
    answers = pairs[decided]._with(groups={name: own[decided] for name, own in alone.items()})
    settings = {"slopes": True, "lapse_rate": False, "prior": model._spread or "auto"}
    fitted = model.with_choices(answers, **settings).fit(answers)
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
        self.solve = dense_factor(hessian, precision, objective.blocks.scores).solve
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
