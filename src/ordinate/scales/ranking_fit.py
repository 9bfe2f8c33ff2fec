"""The fit of a ranking: options chosen by held-out answers, and whose answers belong together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._arrays import Floats
from ordinate._checks import InputError, some_of
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.comparisons.pairs import PairCounts, Pairs
from ordinate.scales.likelihood import MOST_DENSE, Objective
from ordinate.scales.maximum import Prior, maximize
from ordinate.scales.outcomes import AnswerModel
from ordinate.scales.posterior import Posterior, find_posterior
from ordinate.scales.rankings import Rankings, find_rankings

if TYPE_CHECKING:
    from ordinate.scales.ranking import Ranking

TRIAL = "trial"
"""The group whose answers come from one ranking, or one choice of the best and the worst."""
_MANY_JUDGES = 8
"""From so many on, answers of one judge are taken to belong together."""
_FEWEST_PER_JUDGE = 5
_MOST_SLOPES = 500
_FOLDS = 5
_GOOD_ENOUGH = 1e-7
"""How closely fits that choose options find their maximum, in log likelihood per answer."""
_N_BOOTSTRAPS = 200


class Options(NamedTuple):
    """What a model of the answers has besides scores."""

    ties: str
    side: bool
    slopes: bool
    lapse_rate: bool


class RankingFit:
    """One fit: its answers as counts, what is chosen, whose answers belong together."""

    def __init__(
        self, model: Ranking, pairs: Pairs, covariates: Floats, rng: np.random.Generator
    ) -> None:
        self.model, self.pairs, self.covariates, self.rng = model, pairs, covariates, rng
        self.choices: dict[str, tuple[float, float]] = {}
        self._starts: dict[Options, Floats] = {}
        self.judge_labels: NDArray[Any] | None = None
        self.judge: NDArray[np.intp] | None = None
        if model.judges in pairs.groups:
            labels, judge = np.unique(pairs.groups[model.judges], return_inverse=True)
            self.judge_labels, self.judge = labels, judge.astype(np.intp)
        self.n_judges = 0 if self.judge_labels is None else len(self.judge_labels)
        self.trial: NDArray[np.intp] | None = None
        self.n_trials = 0
        self.rankings: Rankings | None = None
        if TRIAL in pairs.groups:
            trials, trial = np.unique(pairs.group_codes(TRIAL), return_inverse=True)
            if len(trials) < len(pairs):
                self.trial, self.n_trials = trial.astype(np.intp), len(trials)
                if self._may_rank():
                    self.rankings = find_rankings(pairs, self.trial)
        self.effect_sizes = np.sqrt((pairs.covariates**2).mean(axis=0))
        self.pairs = pairs._with(covariates=pairs.covariates / self.effect_sizes)
        self.errors = self._errors()
        self.df = np.inf
        if self.errors != "answers":
            self.df = float((self.n_trials if self.errors == "trials" else self.n_judges) - 1)

    def _may_rank(self) -> bool:
        """Whether rankings are fitted as such, and not as pairs."""
        model = self.model
        return (
            model.model == "bradley-terry"
            and model.ties in ("auto", "davidson")
            and model.lapse_rate is False
            and not self.pairs.covariates.size
            and self.pairs.n_objects + self.n_judges <= MOST_DENSE
        )

    @cached_property
    def counts(self) -> PairCounts:
        """All answers."""
        return self.pairs.counts()

    @cached_property
    def judged(self) -> PairCounts:
        """All answers, those of different judges apart."""
        return self.pairs.counts(self.judge)

    def _errors(self) -> str:
        errors = self.model.errors
        if errors == "auto":
            large = self.pairs.n_objects > MOST_DENSE
            if self.n_judges >= _MANY_JUDGES and not large:
                return "judges"
            as_pairs = self.n_trials > 1 and self.rankings is None
            return "trials" if as_pairs and not large else "answers"
        if errors == "trials":
            if self.n_trials < 2:
                raise InputError(
                    f"{argument('errors', errors)} needs the group {TRIAL!r}, with several pairs in"
                    f" a trial, as of rankings. Use {argument('errors', 'answers')}."
                )
            return errors
        if errors != "answers" and self.n_judges < 2:
            raise InputError(
                f"{argument('errors', errors)} needs at least two judges in the group"
                f" {self.model.judges!r}; there are {self.n_judges}. Use"
                f" {argument('errors', 'answers')}."
            )
        return errors

    def objective(self, options: Options, counts: PairCounts | None = None) -> Objective:
        """Return the likelihood of the answers, or of other ones, under some options."""
        if counts is None:
            counts = self.judged if options.slopes else self.counts
            if not options.side:  # fewer rows say the same then
                counts = counts.without_order()
        return Objective(
            counts,
            AnswerModel(self.model.model, options.ties),
            options.side,
            options.lapse_rate,
            self.n_judges if options.slopes else 0,
            self.covariates,
        )

    def whole_objective(
        self,
        options: Options,
        by: NDArray[np.intp] | None = None,
        rankings: Rankings | None = None,
    ) -> Objective:
        """Return the likelihood in which rankings are choices one after another, if there are any.

        `by` keeps answers apart, as those of judges, and `rankings` are others to be fitted.
        """
        rankings = rankings or self.rankings
        if rankings is None:
            counts = None if by is None else self.pairs.counts(by)
            return self.objective(options, counts)
        if by is None and options.slopes:
            by = self.judge
        of_pairs, of_stages = (None if by is None else by[at] for at in rankings.origin)
        stages = replace(rankings.stages, judge=of_stages)
        objective = self.objective(options, rankings.pairs.counts(of_pairs))
        pair_ties = "davidson" if 2 in stages.orders else "half"
        return replace(objective, stages=stages, answers=AnswerModel(self.model.model, pair_ties))

    def choose(self) -> Options:
        """Return the options asked for; what is left open is decided by held-out answers."""
        model, counts = self.model, self.counts.counts
        has_ties = bool(counts[1].any())
        can_side = self.pairs.ordered and bool(counts[[0, 2]].any(axis=1).all())
        self._refuse_unknowable(has_ties, can_side)
        few = self.n_judges * _FEWEST_PER_JUDGE > len(self.pairs)
        can_slope = 2 <= self.n_judges <= _MOST_SLOPES and not few
        chosen = Options(
            ("davidson" if has_ties else "half") if model.ties == "auto" else model.ties,
            model.side is True,
            model.slopes is True,
            model.lapse_rate is True,
        )
        rivals: list[tuple[str, dict[str, Any]]] = []
        if model.ties == "auto" and has_ties and self.rankings is None:
            rivals.append(("ties", {"ties": "rao-kupper"}))
        for name, can in (("side", can_side), ("slopes", can_slope), ("lapse_rate", True)):
            if getattr(model, name) == "auto" and can:
                rivals.append((name, {name: True}))
        return self._by_held_out(chosen, rivals) if rivals else chosen

    def _refuse_unknowable(self, has_ties: bool, can_side: bool) -> None:
        """Refuse options that the answers say nothing about."""
        model = self.model
        if model.side is True and not can_side:
            reason = f"name the column of that item with {argument('shown_first')}"
            if self.pairs.ordered:
                reason = "all answers are for one side"
            raise InputError(
                f"{argument('side', True)} needs to know which item was shown first, and answers"
                f" for both sides; {reason}."
            )
        if model.slopes is True and self.n_judges < 2:
            raise InputError(
                f"slopes=True needs at least two judges in the group {model.judges!r}; there are"
                f" {self.n_judges}."
            )
        if model.ties in ("davidson", "rao-kupper") and not has_ties:
            raise InputError(
                f"{argument('ties', model.ties)} estimates how often items tie, but no answer is a"
                " tie; leave it out."
            )

    def _by_held_out(
        self, chosen: Options, rivals: Sequence[tuple[str, dict[str, Any]]]
    ) -> Options:
        from ordinate.solvers.folds import split_folds

        counts = self.counts
        rows = np.column_stack([counts.first, counts.second]).astype(np.int32)
        n_objects = counts.n_objects
        asked = Pairs(rows, weights=counts.counts.sum(axis=0), n_objects=n_objects)
        try:
            folds = split_folds(asked, _FOLDS, random_state=self.rng)
        except InputError:  # too few pairs to hold any out
            return chosen
        held_out = [np.unique(counts.pair_codes()[fold]) for fold in folds]
        losses = self._losses(chosen, held_out)
        for name, change in rivals:
            other = chosen._replace(**change)
            others = self._losses(other, held_out)
            gain = losses - others
            total = float(counts.counts.sum())
            error = float(np.sqrt(gain.var() * len(gain))) / total
            self.choices[name] = (float(gain.sum()) / total, error)
            if gain.sum() / total > error:
                chosen, losses = other, others
        return chosen

    def _losses(self, options: Options, held_out: Sequence[NDArray[np.intp]]) -> Floats:
        """Return minus the log likelihood of each pair when it is held out."""
        counts = self.objective(options).counts
        codes = counts.pair_codes()
        losses = np.zeros(int(codes.max()) + 1)
        prior, start = self._some_fit(options)
        for part in held_out:
            out = np.isin(codes, part)
            rest = self.objective(options, counts[~out])
            found = maximize(rest, prior, start, tolerance=_GOOD_ENOUGH)
            test = self.objective(options, counts[out])
            values = -(test.counts.counts * test.log_chances(found.at)[0]).sum(axis=0)
            losses += np.bincount(codes[out], values, len(losses))
        return losses

    def _some_fit(self, options: Options) -> tuple[Prior, Floats]:
        """Return a prior to choose options with, and a fit to all answers to begin with."""
        objective, given = self.objective(options), self.model.prior
        if options.slopes:
            whole = find_posterior(objective, 10.0 if given is None else given)
            self._starts[options] = whole.mean
            return Prior(whole.prior.scores, whole.prior.slopes), whole.mean
        at, spread = objective.start(), given if isinstance(given, (int, float)) else 10.0
        for before, known in self._starts.items():
            if before == options._replace(side=before.side):
                at[: len(known)] = known
        for _ in range(3 if given == "auto" else 1):
            at = maximize(objective, Prior(spread), at, tolerance=_GOOD_ENOUGH).at
            if given == "auto":
                spread = max(float(np.sqrt((at[objective.blocks.scores] ** 2).mean())), 0.05)
        self._starts[options] = at
        return Prior(spread), at

    def posterior(self, objective: Objective, options: Options) -> Posterior:
        """Return scores and covariance with the errors asked for."""
        if self.model.prior is None:
            _refuse_separated(self.counts, self.pairs)
        if self.errors != "answers" and objective.blocks.size > MOST_DENSE:
            raise InputError(
                f"{argument('errors', self.errors)} is for up to {MOST_DENSE:,} items and judges;"
                f" use {argument('errors', 'answers')}."
            )
        meat = None
        if self.errors != "answers":
            by, number = self.judge, self.n_judges
            if self.errors == "trials":
                by, number = self.trial, self.n_trials
            meat = partial(_meat, self.whole_objective(options, by), number)
        start = None if self.rankings else self._starts.get(options)
        found = find_posterior(objective, self.model.prior, meat, start)
        if self.errors != "bootstrap":
            return found
        return self._resampled(objective, found, self.whole_objective(options, self.judge))

    def _resampled(self, objective: Objective, found: Posterior, judged: Objective) -> Posterior:
        """Replace the covariance by that of fits to resampled judges."""
        draws = []
        for _ in range(_N_BOOTSTRAPS):
            times = np.bincount(
                self.rng.integers(self.n_judges, size=self.n_judges), minlength=self.n_judges
            )
            drawn = judged.weighted(times.astype(float))
            draws.append(maximize(drawn, found.prior, found.mean).at)
        spread = np.cov(np.array(draws).T)
        best = maximize(objective, found.prior, found.mean)
        inverse = best.inverse()
        covariance = spread + inverse @ np.diag(best.precision) @ inverse
        of_scores = objective.score_covariance(covariance)
        errors = np.sqrt(np.diag(of_scores))
        assert found.marginals is not None
        marginals = found.marginals.stretched(of_scores)
        return replace(found, covariance=covariance, errors=errors, marginals=marginals)


def _meat(objective: Objective, n_judges: int, at: Floats) -> Floats:
    """Return the sum over judges of the outer products of their gradients."""
    slopes = objective.group_slopes(at, n_judges)
    slopes -= slopes.mean(axis=0)
    return np.asarray(slopes.T @ slopes * (n_judges / (n_judges - 1)))


def _listed(pairs: Pairs, items: NDArray[np.intp], most: int = 3) -> str:
    return some_of([pairs.name_of(int(item)) for item in items], most)


def _refuse_separated(counts: PairCounts, pairs: Pairs) -> None:
    """Refuse answers whose likelihood has no maximum."""
    parts = counts.components(strong=True)
    if parts.max(initial=0) > 0:
        smallest = np.flatnonzero(parts == np.argmin(np.bincount(parts)))
        raise InputError(
            f"Without a prior the scores of {_listed(pairs, smallest)} are infinite: between them"
            " and the others all answers go one way, or there are none. Use"
            f" {argument('prior', 'auto')}."
        )


def notes_about(counts: PairCounts, pairs: Pairs, prior: object) -> list[str]:
    """Say what leaves scores to the prior alone."""
    notes = []
    parts = counts.components()
    n_parts = int(parts.max(initial=0)) + 1
    if n_parts > 1:
        sentence = (
            f"The answers link the items into {n_parts:,} groups that were never compared with one"
            " another; how those compare rests on the prior alone."
        )
        notes.append(sentence)
        warnings.warn(sentence, DoubtfulObjectsWarning, stacklevel=3)
    wins, ties, losses = counts.per_item
    for sure, word, where in ((losses, "lost", "ahead"), (wins, "won", "behind")):
        never = np.flatnonzero((sure + ties == 0) & (wins + ties + losses > 0))
        if len(never):
            notes.append(
                f"Never {word}: {_listed(pairs, never)}. How far {where} rests on the prior."
            )
    return notes
