"""The estimator of a scale: Bradley-Terry or Thurstone, with ties, sides, judges and intervals."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ordinate._checks import (
    InputError,
    as_frame,
    check_choice,
    check_points,
    check_real,
    check_share,
)
from ordinate._estimator import BaseEstimator, check_is_fitted, clone
from ordinate._random import RandomState, as_generator, as_seed
from ordinate._threads import one_blas_thread
from ordinate.comparisons.answers import in_fit
from ordinate.comparisons.pairs import Pairs
from ordinate.scales.maximum import Prior, maximize
from ordinate.scales.outcomes import LINKS, TIES, AnswerModel
from ordinate.scales.posterior import Posterior
from ordinate.scales.predictions import PredictsPairs, as_pairs
from ordinate.scales.rank_intervals import (
    RankIntervals,
    indistinguishable_groups,
    name_groups_by_letters,
    quantile,
    rank_intervals,
)
from ordinate.scales.ranking_fit import Options, RankingFit, notes_about

ERRORS = ("auto", "answers", "trials", "judges", "bootstrap")
SCALES = ("logit", "elo", "probability")
"""How scores may be shown."""


@dataclass(eq=False, repr=False)
class Ranking(PredictsPairs, BaseEstimator):
    """Scores of items from pairs, rankings, or choices of the best and the worst, with intervals.

    The chance that an item wins grows with how far its score is ahead of the other's. Scores are
    centred: their mean is 0, and in a Bradley-Terry model their differences are log odds. A
    ranking is a choice of its best item, then of the best of those left, and so on (Plackett and
    Luce); the worst item is chosen after the best.

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
    lapse_rate : bool or "auto", default=False
        Whether a share of the answers is given without looking.
    prior : float, "auto" or None, default="auto"
        Standard deviation of the scores before any answer; estimated by default. It keeps scores
        finite where an item never lost. None is maximum likelihood.
    errors : {"auto", "answers", "trials", "judges", "bootstrap"}, default="auto"
        Where errors come from: the curvature, which takes all answers as independent; the
        sandwich of trials, or of judges, whose answers belong together; or 200 resamples of whole
        judges. By default judges if there are at least eight of them, else trials if they have
        several pairs each and are not fitted as rankings.
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
    prior_df_ : float
        Degrees of freedom of the prior: infinite for a Gaussian; 2 for Student's t with heavy
        tails, which answers about outlying items call for. `prior_` is its scale then.
    ties_, side_, slopes_, lapse_rate_ : str, float or None, ndarray or None, float or None
        What was chosen and estimated: the model of ties, the advantage of the side shown first,
        the slope of each judge, the lapse rate.
    tie_ : float or None
        Davidson's ν, or the threshold of Rao and Kupper.
    judges_ : ndarray or None
        Labels of the judges, in the order of `slopes_`.
    effect_names_ : tuple of str
        Names of the record's covariates.
    effects_, effect_errors_ : ndarray of shape (n_covariates,)
        What one unit of each is worth, in units of the scores, and the standard errors.
    effect_sizes_ : ndarray of shape (n_covariates,)
        Root mean squares of the differences between the two items.
    coefficients_ : ndarray or None
        Effects of the properties of items.
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
    Turner, van Etten, Firth & Kosmidis, Modelling rankings in R, Computational Statistics 2020.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Pairs([["tea", "milk"], ["tea", "wine"], ["milk", "wine"]] * 4)
    >>> model = od.Ranking(random_state=0).fit(answers)
    >>> list(model.to_frame().index)
    ['tea', 'milk', 'wine']
    """

    model: str = "bradley-terry"
    _: KW_ONLY
    ties: str = "auto"
    side: bool | str = "auto"
    slopes: bool | str = False
    lapse_rate: bool | str = False
    prior: float | str | None = "auto"
    errors: str = "auto"
    judges: str = "participant"
    random_state: RandomState = None

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
        X : Pairs, path, data frame or array-like of shape (n_pairs, 2)
            The answers, which are read as `read_pairs` does, or the two items of each.
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
        pairs = as_pairs(X, y, sample_weight)
        with one_blas_thread():
            fit, options = self._prepare(pairs, covariates)
            self._keep(fit.posterior(self._objective, options), options, fit)
        return self

    def fit_mode(self, pairs: Pairs) -> Self:
        """Find the most probable scores alone, without errors: quick for many items."""
        fit, options = self._prepare(pairs, None)
        objective = replace(self._objective, sparse=not options.slopes)
        found = maximize(objective, Prior(float(self.prior or 10.0)), objective.start(), 1e-8)
        unknown = np.full(self.n_objects_, np.nan)
        self._keep(Posterior(found.at, None, unknown, found.prior, np.nan), options, fit)
        return self

    def _prepare(self, pairs: Pairs, covariates: ArrayLike | None) -> tuple[RankingFit, Options]:
        """Check parameters, choose what is left open, and write the likelihood down."""
        self._check_parameters()
        rng = as_generator(as_seed(self.random_state))
        self._seed = int(rng.integers(2**31))
        self.names_, self.n_objects_ = pairs.names, pairs.n_objects
        given = np.empty((0, 0))
        if covariates is not None:
            given = check_points("covariates", covariates, n_rows=pairs.n_objects)
        fit = RankingFit(self, pairs, given, rng)
        options = fit.choose()
        self.choices_ = fit.choices
        self._objective = fit.whole_objective(options)
        self._rankings = fit.rankings
        self.counts_ = fit.counts
        self.notes_ = notes_about(self.counts_, pairs, self.prior)
        return fit, options

    def _check_parameters(self) -> None:
        check_choice("model", self.model, LINKS)
        check_choice("ties", self.ties, ("auto", *TIES))
        check_choice("errors", self.errors, ERRORS)
        for name in ("side", "slopes", "lapse_rate"):
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)) and value != "auto":
                raise InputError(f"{name} must be True, False or 'auto'; got {value!r}.")
        if self.prior is not None and self.prior != "auto":
            check_real("prior", self.prior, minimum=0, open_minimum=True)

    def _keep(self, posterior: Posterior, options: Options, fit: RankingFit) -> None:
        blocks, at = self._objective.blocks, posterior.mean
        self.scores_, self.covariance_, errors = at[blocks.scores], None, None
        if posterior.covariance is not None:
            self.scores_ = self._objective.centred_scores(at)
            self.covariance_ = self._objective.score_covariance(posterior.covariance)
            errors = np.sqrt(np.diag(posterior.covariance))
        self.standard_errors_ = posterior.errors
        self._marginals = posterior.marginals
        self.df_ = fit.df
        self.errors_, self._n_trials = fit.errors, fit.n_trials
        self._prior = posterior.prior
        self.prior_, self.prior_df_ = posterior.prior.scores, posterior.prior.df
        self.ties_ = options.ties
        self._has_ties = self.answer_model.has_ties
        self._at = at
        extra = {
            block: at[getattr(blocks, block)] for block in ("tie", "effects", "lapse", "slopes")
        }
        self.tie_ = float(np.exp(extra["tie"][0])) if self._has_ties else None
        effects, own = extra["effects"], slice(int(options.side), None)
        self.side_ = float(effects[0]) if options.side else None
        self.side_error_, self.effect_errors_ = None, np.full(len(effects[own]), np.nan)
        self.effects_ = effects[own] / fit.effect_sizes
        if errors is not None:
            of_effects = errors[blocks.effects]
            self.side_error_ = float(of_effects[0]) if options.side else None
            self.effect_errors_ = of_effects[own] / fit.effect_sizes
        self.effect_names_, self.effect_sizes_ = fit.pairs.covariate_names, fit.effect_sizes
        self.lapse_rate_ = float(expit(extra["lapse"][0])) if options.lapse_rate else None
        self.slopes_ = np.exp(extra["slopes"]) if options.slopes else None
        self.log_slope_errors_ = (
            errors[blocks.slopes] if options.slopes and errors is not None else None
        )
        self.judges_ = fit.judge_labels
        self.coefficients_ = (
            at[blocks.coefficients] if blocks.coefficients.stop > blocks.scores.stop else None
        )

    def with_choices(self, pairs: Pairs, **settings: Any) -> Ranking:
        """Return an unfitted ranking with what was chosen here, as far as other answers tell."""
        kinds = set(pairs.outcomes.tolist())
        ties = self.ties_ if 0 in kinds else "half"
        chosen = {
            "ties": "auto" if self._rankings is not None else ties,  # rankings stay rankings
            "side": self.side_ is not None and {1, -1} <= kinds,
            "errors": "answers",
        }
        found: Ranking = clone(self).set_params(**chosen | settings)
        return found

    @property
    def _spread(self) -> float | None:
        """Standard deviation of a Gaussian prior that comes close to that of the fit."""
        if self.prior_ is None or np.isinf(self.prior_df_):
            return self.prior_
        return float(np.sqrt(np.mean(self.scores_**2)))

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
        check_is_fitted(self)
        record: Any = as_pairs(X)
        pairs: Pairs = in_fit(record, self.n_objects_, self.names_)
        ahead = self.scores_[pairs.rows[:, 0]] - self.scores_[pairs.rows[:, 1]]
        if self.slopes_ is not None and self.judges_ is not None and self.judges in pairs.groups:
            labels = pairs.groups[self.judges]
            place = np.searchsorted(self.judges_, labels).clip(max=len(self.judges_) - 1)
            ahead = ahead * np.where(self.judges_[place] == labels, self.slopes_[place], 1.0)
        if self.side_ is not None and pairs.ordered:
            ahead = ahead + self.side_
        if self.effect_names_ and pairs.covariate_names == self.effect_names_:
            ahead = ahead + pairs.covariates @ self.effects_
        tie = 0.0 if self.tie_ is None else float(np.log(self.tie_))
        lapse = (
            None
            if self.lapse_rate_ is None
            else float(np.log(self.lapse_rate_ / (1 - self.lapse_rate_)))
        )
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
        check_is_fitted(self)
        level = check_share("level", level)
        if self._marginals is not None:
            return self._marginals.intervals(level, self.df_)
        half = quantile(level, self.df_) * self.standard_errors_
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

    def distinguishable(self, level: float = 0.95) -> NDArray[np.bool_]:
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
        found = self._ranks(level).distinguishable
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
            Family-wise level, as in `distinguishable`.

        Returns
        -------
        list of str
            The letters of each item, "a" for the group of the best.
        """
        order = np.argsort(-self.scores_, kind="stable")
        return name_groups_by_letters(
            indistinguishable_groups(self.distinguishable(level), order), self.n_objects_
        )

    def _ranks(self, level: float) -> RankIntervals:
        check_is_fitted(self)
        level = check_share("level", level)
        known: dict[float, RankIntervals] = self.__dict__.setdefault("_rank_intervals", {})
        if level not in known:
            known[level] = rank_intervals(
                self.intervals,
                self.covariance_,
                self._gaps,
                level,
                self.df_,
                np.random.default_rng(self._seed),
            )
        return known[level]

    def _gaps(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how far items i are above items j, as quantiles of the normal or t."""
        assert self._marginals is not None
        return self._marginals.gaps(i, j, self.df_)

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
        check_is_fitted(self)
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
        if ranks.distinguishable is not None:
            found["groups"] = np.array(self.groups(level))[order]
        return found
