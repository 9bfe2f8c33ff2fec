"""The estimator of a scale: Bradley-Terry or Thurstone, with ties, sides, judges and intervals."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ordinate._arguments import argument
from ordinate._arrays import Floats
from ordinate._checks import (
    InputError,
    as_frame,
    check_choice,
    check_points,
    check_real,
    check_weights,
    refuse_zero_weights,
)
from ordinate._random import RandomState, as_generator, as_seed
from ordinate.comparisons.answers import in_fit
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.scales.outcomes import (
    LINKS,
    TIES,
    AnswerModel,
)
from ordinate.scales.pairs import PairCounts, Pairs
from ordinate.scales.posterior import (
    MOST_DENSE,
    Objective,
    Posterior,
    Prior,
    find_posterior,
    maximize,
    score_transform,
)
from ordinate.scales.rank_intervals import (
    RankIntervals,
    groups_not_told_apart,
    letters,
    quantile,
    rank_intervals,
)

MANY_JUDGES = 8
"""From so many on, answers of one judge are taken to belong together."""
_FEWEST_PER_JUDGE = 5
_MOST_SLOPES = 500
_FOLDS = 5
_GOOD_ENOUGH = 1e-7
"""How closely fits that choose options find their maximum, in log likelihood per answer."""
_N_BOOTSTRAPS = 200
ERRORS = ("auto", "answers", "judges", "bootstrap")
SCALES = ("logit", "elo", "probability")
"""How scores may be shown."""


class Options(NamedTuple):
    """What a model of the answers has besides scores."""

    ties: str
    side: bool
    slopes: bool
    lapse: bool


class PredictsPairs:
    """What follows from the chances of win, tie and loss."""

    _has_ties: bool
    """Whether a tie is an outcome of its own."""

    def predict_proba(self, X: Pairs | ArrayLike) -> NDArray[np.float64]:
        """Return how likely the first item wins, ties and loses."""
        raise NotImplementedError

    def predict(self, X: Pairs | ArrayLike) -> NDArray[np.int64]:
        """Return the likelier winner of each pair: 1 for the first item, -1 for the second.

        Parameters
        ----------
        X : Pairs or array-like of shape (n_pairs, 2)
            Pairs of items.

        Returns
        -------
        ndarray of int, shape (n_pairs,)
            1 or -1; 0 where both are equally likely.
        """
        chances = self.predict_proba(X)
        return np.sign(chances[:, 0] - chances[:, 2]).astype(np.int64)

    def score(
        self,
        X: Pairs | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the share of answers in which the likelier item won; a tie counts one half.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        float
            Between 0 and 1.
        """
        pairs = as_pairs(X, y, sample_weight)
        right = 0.5 + 0.5 * self.predict(pairs) * pairs.outcomes
        return float(np.average(right, weights=pairs.weights))

    def log_loss(self, X: Pairs | ArrayLike, y: ArrayLike | None = None) -> float:
        """Return minus the mean logarithm of the chance that the answers had.

        Parameters
        ----------
        X, y
            As for `fit`.

        Returns
        -------
        float
            In natural logarithms; a tie in a model without ties counts half a win, half a loss.
        """
        pairs = as_pairs(X, y)
        return float(np.average(self._losses(pairs), weights=pairs.weights))

    def _losses(self, pairs: Pairs) -> Floats:
        with np.errstate(divide="ignore"):
            logs = np.log(self.predict_proba(pairs))
        if not self._has_ties:
            logs[:, 1] = 0.5 * (logs[:, 0] + logs[:, 2])
        return np.asarray(-logs[np.arange(len(pairs)), 1 - pairs.outcomes])


class Ranking(PredictsPairs, BaseEstimator):
    """Scores of items from answers to "which of the two is more …?", with intervals.

    The chance that an item wins grows with how far its score is ahead of the other's. Scores are
    centred: their mean is 0, and in a Bradley-Terry model their differences are log odds.

    Parameters
    ----------
    model : {"bradley-terry", "thurstone"}, default="bradley-terry"
        Logistic or normal noise.
    ties : {"auto", "davidson", "rao-kupper", "half"}, default="auto"
        How ties come about; "half" counts a tie as half a win of each. By default the one of
        Davidson and of Rao and Kupper that predicts held-out answers better.
    side : bool or "auto", default="auto"
        Whether the item shown first has an advantage, which is estimated. "auto" here and below
        means: if held-out answers are predicted better with it.
    slopes : bool or "auto", default=False
        Whether each judge has a slope of their own: how strongly their answers follow the scores.
        The geometric mean of the slopes is 1.
    lapse : bool or "auto", default=False
        Whether a share of the answers is given without looking.
    prior : float, "auto" or None, default="auto"
        Standard deviation of the scores before any answer; estimated by default. It keeps scores
        finite where an item never lost. None is maximum likelihood.
    errors : {"auto", "answers", "judges", "bootstrap"}, default="auto"
        Where errors come from: the curvature, which takes all answers as independent; the
        sandwich of judges, whose answers belong together; or 200 resamples of whole judges. By
        default judges if there are at least eight of them.
    judges : str, default="participant"
        The group of the record that says who answered.
    random_state : int, Generator or None, default=None
        Seed of folds, resamples and simultaneous intervals.

    Attributes
    ----------
    scores_ : ndarray of shape (n_objects,)
        The scores; their mean is 0.
    standard_errors_ : ndarray of shape (n_objects,)
        Their standard errors.
    covariance_ : ndarray of shape (n_objects, n_objects) or None
        Their covariance; None for more than 3,000 items.
    prior_ : float or None
        Standard deviation of the prior.
    ties_, side_, slopes_, lapse_ : str, float or None, ndarray or None, float or None
        What was chosen and estimated: the model of ties, the advantage of the side shown first,
        the slope of each judge, the lapse rate.
    tie_ : float or None
        Davidson's ν, or the threshold of Rao and Kupper.
    judges_ : ndarray or None
        Labels of the judges, in the order of `slopes_`.
    coefficients_ : ndarray or None
        Effects of the covariates.
    choices_ : dict
        For each option that was left open, how much better held-out answers were predicted with
        it: log loss per answer, and its standard error.
    notes_ : list of str
        What to know about the answers, such as that an item never lost.
    names_ : tuple or None
        Names of the items.

    See Also
    --------
    Pairs : The record of answers.
    read_pairs : Reads it from a file.

    References
    ----------
    Bradley & Terry, Rank analysis of incomplete block designs, Biometrika 1952.
    Davidson, On extending the Bradley-Terry model to accommodate ties, JASA 1970.
    Rao & Kupper, Ties in paired-comparison experiments, JASA 1967.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Pairs([["tea", "milk"], ["tea", "wine"], ["milk", "wine"]] * 4)
    >>> model = od.Ranking(random_state=0).fit(answers)
    >>> list(model.to_frame().index)
    ['tea', 'milk', 'wine']
    """

    def __init__(
        self,
        model: str = "bradley-terry",
        *,
        ties: str = "auto",
        side: bool | str = "auto",
        slopes: bool | str = False,
        lapse: bool | str = False,
        prior: float | str | None = "auto",
        errors: str = "auto",
        judges: str = "participant",
        random_state: RandomState = None,
    ) -> None:
        self.model = model
        self.ties = ties
        self.side = side
        self.slopes = slopes
        self.lapse = lapse
        self.prior = prior
        self.errors = errors
        self.judges = judges
        self.random_state = random_state

    def fit(
        self,
        X: Pairs | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        covariates: ArrayLike | None = None,
    ) -> Self:
        """Find the scores.

        Parameters
        ----------
        X : Pairs or array-like of shape (n_pairs, 2)
            The answers, or the two items of each.
        y : array-like of {1, 0, -1}, shape (n_pairs,), optional
            Outcomes that replace those of the record: first, tie, second.
        sample_weight : array-like of shape (n_pairs,), optional
            Weights that replace those of the record.
        covariates : array-like of shape (n_objects, n_covariates), optional
            Properties of the items that may explain their scores.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        pairs = as_pairs(X, y, sample_weight)
        rng = as_generator(as_seed(self.random_state))
        self._seed = int(rng.integers(2**31))
        self.names_, self.n_objects_ = pairs.names, pairs.n_objects
        fit = _Fit(self, pairs, _standardized(covariates, pairs.n_objects), rng)
        options = fit.choose()
        self.choices_ = fit.choices
        self._objective = fit.objective(options)
        self.counts_ = fit.counts
        self.notes_ = _notes(self.counts_, pairs, self.prior)
        posterior = fit.posterior(self._objective, options)
        self._keep(posterior, options, fit)
        return self

    def _check_parameters(self) -> None:
        check_choice("model", self.model, LINKS)
        check_choice("ties", self.ties, ("auto", *TIES))
        check_choice("errors", self.errors, ERRORS)
        for name in ("side", "slopes", "lapse"):
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)) and value != "auto":
                raise InputError(f"{name} must be True, False or 'auto'; got {value!r}.")
        if self.prior is not None and self.prior != "auto":
            check_real("prior", self.prior, minimum=0, open_minimum=True)

    def _keep(self, posterior: Posterior, options: Options, fit: _Fit) -> None:
        blocks, at = self._objective.blocks, posterior.mean
        self.scores_, self.covariance_, errors = at[blocks.scores], None, None
        if posterior.covariance is not None:
            transform = score_transform(self._objective)
            self.scores_ = transform @ at
            self.covariance_ = transform @ posterior.covariance @ transform.T
            errors = np.sqrt(np.diag(posterior.covariance))
        self.standard_errors_ = posterior.errors
        self.df_ = fit.df
        self.errors_ = fit.errors
        self._prior = posterior.prior
        self.prior_ = posterior.prior.scores
        self.ties_ = options.ties
        self._has_ties = self.answer_model.has_ties
        self._at = at
        extra = {block: at[getattr(blocks, block)] for block in ("tie", "side", "lapse", "slopes")}
        self.tie_ = float(np.exp(extra["tie"][0])) if extra["tie"].size else None
        self.side_ = float(extra["side"][0]) if options.side else None
        self.side_error_ = (
            float(errors[blocks.side][0]) if options.side and errors is not None else None
        )
        self.lapse_ = float(expit(extra["lapse"][0])) if options.lapse else None
        self.slopes_ = np.exp(extra["slopes"]) if options.slopes else None
        self.log_slope_errors_ = (
            errors[blocks.slopes] if options.slopes and errors is not None else None
        )
        self.judges_ = fit.judge_labels
        self.coefficients_ = (
            at[blocks.coefficients] if blocks.coefficients.stop > blocks.scores.stop else None
        )

    @property
    def answer_model(self) -> AnswerModel:
        """How answers come about in the fit."""
        return self._objective.answers

    def predict_proba(self, X: Pairs | ArrayLike) -> NDArray[np.float64]:
        """Return how likely the first item wins, ties and loses.

        Parameters
        ----------
        X : Pairs or array-like of shape (n_pairs, 2)
            Pairs of items of the fit; matched by label where both have labels. Judges of the fit
            answer with their own slope.

        Returns
        -------
        ndarray of shape (n_pairs, 3)
            Chances of win, tie and loss.
        """
        check_is_fitted(self, "scores_")
        record: Any = as_pairs(X)
        pairs: Pairs = in_fit(record, self.n_objects_, self.names_)
        ahead = self.scores_[pairs.rows[:, 0]] - self.scores_[pairs.rows[:, 1]]
        if self.slopes_ is not None and self.judges_ is not None and self.judges in pairs.groups:
            labels = pairs.groups[self.judges]
            place = np.searchsorted(self.judges_, labels).clip(max=len(self.judges_) - 1)
            ahead = ahead * np.where(self.judges_[place] == labels, self.slopes_[place], 1.0)
        if self.side_ is not None and pairs.ordered:
            ahead = ahead + self.side_
        tie = 0.0 if self.tie_ is None else float(np.log(self.tie_))
        lapse = None if self.lapse_ is None else float(np.log(self.lapse_ / (1 - self.lapse_)))
        return self.answer_model.chances(ahead, tie, lapse).T

    def intervals(self, level: float = 0.95) -> NDArray[np.float64]:
        """Return an interval of each score.

        Parameters
        ----------
        level : float, default=0.95
            How often an interval holds the score, each by itself.

        Returns
        -------
        ndarray of shape (n_objects, 2)
            Lower and upper ends.
        """
        check_is_fitted(self, "scores_")
        half = quantile(_check_level(level), self.df_) * self.standard_errors_
        return np.column_stack([self.scores_ - half, self.scores_ + half])

    def rank_intervals(self, level: float = 0.95) -> NDArray[np.intp]:
        """Return the ranks that each item may have, simultaneously for all items.

        Up to 300 items by tests of all pairs (Mogstad, Romano, Shaikh & Wilhelm, Review of
        Economic Studies 2024), beyond by simultaneous intervals of the scores (Klein, Wright &
        Wieczorek, JRSS C 2020).

        Parameters
        ----------
        level : float, default=0.95
            The chance that all intervals hold at once.

        Returns
        -------
        ndarray of int, shape (n_objects, 2)
            Best and worst rank; 1 is the highest score.
        """
        found = self._ranks(level)
        return np.column_stack([found.lowest, found.highest])

    def told_apart(self, level: float = 0.95) -> NDArray[np.bool_]:
        """Return which items differ, at one family-wise level for all pairs.

        Parameters
        ----------
        level : float, default=0.95
            One less the chance that any two items of equal strength are distinguished.

        Returns
        -------
        ndarray of bool, shape (n_objects, n_objects)
            True where two items are distinguished.
        """
        found = self._ranks(level).told_apart
        if found is None:
            raise InputError(
                f"Pairs are tested up to 300 items; there are {self.n_objects_:,}. Compare their"
                " intervals instead."
            )
        return found

    def groups(self, level: float = 0.95) -> list[str]:
        """Return letters: two items share one exactly if they cannot be distinguished.

        Parameters
        ----------
        level : float, default=0.95
            Family-wise level, as in `told_apart`.

        Returns
        -------
        list of str
            The letters of each item, "a" for the group of the best.
        """
        order = np.argsort(-self.scores_, kind="stable")
        return letters(groups_not_told_apart(self.told_apart(level), order), self.n_objects_)

    def _ranks(self, level: float) -> RankIntervals:
        check_is_fitted(self, "scores_")
        level = _check_level(level)
        known: dict[float, RankIntervals] = self.__dict__.setdefault("_rank_intervals", {})
        if level not in known:
            parts = (self.scores_, self.standard_errors_, self.covariance_)
            known[level] = rank_intervals(
                *parts, level, self.df_, np.random.default_rng(self._seed)
            )
        return known[level]

    @property
    def ranks_(self) -> NDArray[np.intp]:
        """Rank of each item by score, from 1."""
        order = np.argsort(-self.scores_, kind="stable")
        ranks = np.empty(len(order), dtype=np.intp)
        ranks[order] = np.arange(1, len(order) + 1)
        return ranks

    def scaled(self, values: NDArray[np.float64], scale: str = "logit") -> NDArray[np.float64]:
        """Return scores on another scale.

        Parameters
        ----------
        values : ndarray
            Scores, or ends of their intervals.
        scale : {"logit", "elo", "probability"}, default="logit"
            As they are; as ratings with 400 points for odds of ten to one around 1500; or as the
            chance to beat the average item.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        check_choice("scale", scale, SCALES)
        if scale == "logit":
            return values
        link = LINKS[self.model]
        if scale == "probability":
            return np.asarray(link.chance(values))
        log_odds = link.log_chance(values) - link.log_chance(-values)
        return np.asarray(1500 + 400 / np.log(10) * log_odds)

    def to_frame(self, level: float = 0.95, scale: str = "logit") -> Any:
        """Return the table of items, best first.

        Parameters
        ----------
        level : float, default=0.95
            Level of the intervals; of ranks and groups, for all items at once.
        scale : {"logit", "elo", "probability"}, default="logit"
            As in `scaled`.

        Returns
        -------
        pandas.DataFrame
            Indexed by item: rank, score, lower, upper, rank_low, rank_high, wins, losses, ties
            and, up to 300 items, the groups. Without pandas, a PyArrow table.
        """
        return as_frame(self.columns(level, scale), ["object"])

    def columns(self, level: float = 0.95, scale: str = "logit") -> dict[str, NDArray[Any]]:
        """Return the columns of `to_frame`, best item first.

        Parameters
        ----------
        level, scale
            As in `to_frame`.

        Returns
        -------
        dict of str to ndarray
            By name.
        """
        check_is_fitted(self, "scores_")
        order = np.argsort(-self.scores_, kind="stable")
        interval, ranks = self.intervals(level)[order], self._ranks(level)
        wins, ties, losses = self.counts_.per_item[:, order]
        names = np.arange(self.n_objects_) if self.names_ is None else np.array(self.names_)
        found: dict[str, NDArray[Any]] = {
            "object": names[order],
            "rank": np.arange(1, len(order) + 1),
            "score": self.scaled(self.scores_[order], scale),
            "lower": self.scaled(interval[:, 0], scale),
            "upper": self.scaled(interval[:, 1], scale),
            "rank_low": ranks.lowest[order],
            "rank_high": ranks.highest[order],
            "wins": wins,
            "losses": losses,
            "ties": ties,
        }
        if ranks.told_apart is not None:
            found["groups"] = np.array(self.groups(level))[order]
        return found


class _Fit:
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
        self.errors = self._errors()
        self.df = np.inf if self.errors == "answers" else float(self.n_judges - 1)

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
            return "judges" if self.n_judges >= MANY_JUDGES and not large else "answers"
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
            options.lapse,
            self.n_judges if options.slopes else 0,
            self.covariates,
        )

    def choose(self) -> Options:
        """Return the options asked for; what is left open is decided by held-out answers."""
        model, counts = self.model, self.counts.counts
        decided = counts[[0, 2]].sum(axis=1)
        can_side = self.pairs.ordered and bool(decided.all())
        if model.side is True and not can_side:
            raise InputError(
                f"{argument('side', True)} needs to know which item was shown first, and answers"
                " for both sides; "
                + ("all answers are for one side." if self.pairs.ordered else "it is not known.")
            )
        if model.slopes is True and self.n_judges < 2:
            raise InputError(
                f"slopes=True needs at least two judges in the group {model.judges!r}; there are"
                f" {self.n_judges}."
            )
        has_ties = counts[1].any()
        if model.ties in ("davidson", "rao-kupper") and not has_ties:
            raise InputError(
                f"{argument('ties', model.ties)} estimates how often items tie, but no answer is a"
                " tie; leave it out."
            )
        few = self.n_judges * _FEWEST_PER_JUDGE > len(self.pairs)
        can_slope = 2 <= self.n_judges <= _MOST_SLOPES and not few
        chosen = Options(
            ("davidson" if has_ties else "half") if model.ties == "auto" else model.ties,
            model.side is True,
            model.slopes is True,
            model.lapse is True,
        )
        rivals: list[tuple[str, dict[str, Any]]] = []
        if model.ties == "auto" and has_ties:
            rivals.append(("ties", {"ties": "rao-kupper"}))
        for name, can in (("side", can_side), ("slopes", can_slope), ("lapse", True)):
            if getattr(model, name) == "auto" and can:
                rivals.append((name, {name: True}))
        return self._by_held_out(chosen, rivals) if rivals else chosen

    def _by_held_out(
        self, chosen: Options, rivals: Sequence[tuple[str, dict[str, Any]]]
    ) -> Options:
        from ordinate.selection._cross_validation import split_folds

        counts = self.counts
        rows = np.column_stack([counts.first, counts.second]).astype(np.int32)
        asked = Pairs._trusted(
            rows, np.ones(len(rows), np.int8), counts.counts.sum(axis=0), {}, None,
            counts.n_objects, counts.ordered,
        )  # fmt: skip
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
        if self.errors == "judges":
            judged = objective if objective.n_judges else objective.of(self.judged)
            meat = _Meat(judged, self.n_judges)
        found = find_posterior(objective, self.model.prior, meat, self._starts.get(options))
        return self._resampled(objective, found) if self.errors == "bootstrap" else found

    def _resampled(self, objective: Objective, found: Posterior) -> Posterior:
        """Replace the covariance by that of fits to resampled judges."""
        judged = objective if objective.n_judges else objective.of(self.judged)
        assert judged.counts.judge is not None
        draws = []
        for _ in range(_N_BOOTSTRAPS):
            times = np.bincount(
                self.rng.integers(self.n_judges, size=self.n_judges), minlength=self.n_judges
            )
            weighted = judged.counts.counts * times[judged.counts.judge]
            drawn = judged.counts.with_counts(weighted)
            start = found.mean
            draws.append(maximize(objective.of(drawn), found.prior, start).at)
        spread = np.cov(np.array(draws).T)
        best = maximize(objective, found.prior, found.mean)
        inverse = best.solve(np.eye(len(found.mean)))
        covariance = spread + inverse @ np.diag(best.precision) @ inverse
        transform = score_transform(objective)
        errors = np.sqrt(np.diag(transform @ covariance @ transform.T))
        return Posterior(found.mean, covariance, errors, found.prior, found.log_evidence)


class _Meat:
    """Sum over judges of the outer products of their gradients."""

    def __init__(self, objective: Objective, n_judges: int) -> None:
        self.objective, self.n_judges = objective, n_judges

    def __call__(self, at: Floats) -> Floats:
        judge = self.objective.counts.judge
        assert judge is not None
        places = (judge, np.arange(len(judge)))
        shape = (self.n_judges, len(judge))
        sums = csr_array(coo_array((np.ones(len(judge)), places), shape=shape))
        slopes = (sums @ self.objective.row_slopes(at)).toarray()
        slopes -= slopes.mean(axis=0)
        return np.asarray(slopes.T @ slopes * (self.n_judges / (self.n_judges - 1)))


def as_pairs(
    X: Pairs | ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> Pairs:
    """Return the record itself, one with other outcomes and weights, or one made of arrays."""
    if not isinstance(X, Pairs):
        return Pairs(X, y, weights=sample_weight)
    if y is None and sample_weight is None:
        return X
    weights = X.weights if sample_weight is None else check_weights(sample_weight, len(X))
    refuse_zero_weights(weights)
    outcomes = X.outcomes if y is None else Pairs(X.rows, y, n_objects=X.n_objects).outcomes
    sizes = (X.names, X.n_objects, X.ordered)
    return Pairs._trusted(X.rows, outcomes, weights, X.groups, *sizes)


def _standardized(covariates: ArrayLike | None, n_objects: int) -> Floats:
    if covariates is None:
        return np.empty((0, 0))
    return check_points("covariates", covariates, n_rows=n_objects)


def _check_level(level: float) -> float:
    return check_real("level", level, minimum=0, maximum=1, open_minimum=True, open_maximum=True)


def _listed(pairs: Pairs, items: NDArray[np.intp], most: int = 3) -> str:
    names = ", ".join(str(pairs.name_of(int(item))) for item in items[:most])
    return names + (f" and {len(items) - most:,} more" if len(items) > most else "")


def _refuse_separated(counts: PairCounts, pairs: Pairs) -> None:
    """Refuse answers whose likelihood has no maximum."""
    parts = counts.components(strong=True)
    if parts.max(initial=0) > 0:
        smallest = np.flatnonzero(parts == np.argmin(np.bincount(parts)))
        raise InputError(
            f"Without a prior the scores of {_listed(pairs, smallest)} are infinite: between them"
            " and the others all answers go one way, or there are none. Use prior='auto'."
        )


def _notes(counts: PairCounts, pairs: Pairs, prior: object) -> list[str]:
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
