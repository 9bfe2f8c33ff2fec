"""Does one scale do? Circular triads, goodness of fit by simulation, and held-out answers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats
from ordinate._checks import InputError, check_integer, shortened
from ordinate._estimator import clone
from ordinate._notebooks import ShownAsTable
from ordinate._random import RandomState, as_generator
from ordinate._threads import one_blas_thread
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.comparisons.pairs import Pairs
from ordinate.scales.judges import judges_differ
from ordinate.scales.likelihood import Objective
from ordinate.scales.maximum import Maximum, Prior, maximize
from ordinate.scales.predictions import as_pairs
from ordinate.scales.ranking import Ranking
from ordinate.scales.ranking_fit import TRIAL

_MOST_TRIADS = 300
"""Triads of more items are not counted."""
_MOST_REFITTED = 200
"""Simulated studies with more parameters are fitted by one step, and folds without errors."""
_MANY_ANSWERS = 100
"""Answers per parameter from which one step of Newton leads to the fit of a simulated study."""
_FEWEST_SIMULATIONS, _MOST_ROWS = 39, 4_000_000
"""Pairs that all simulated studies have together, but for the fewest studies that a test takes."""


@dataclass(frozen=True)
class ScaleCheck(ShownAsTable):
    """Whether answers fit one scale.

    Attributes
    ----------
    circular, expected_circular : float
        Share of the triads of items, all three pairs of them compared, in which majorities go
        round in a circle; and that of answers simulated from the fit. NaN where there is none.
    p_circular : float
        Share of the simulations with as many circular triads.
    p_fit : float
        Share of the simulations whose deviance from their own fit is as large. NaN if ties count
        as halves, because such answers cannot be simulated, and where as few pairs were asked as
        the model has parameters. More than 200 parameters are refitted by one step of Newton, and
        of more than 40,000 pairs fewer studies are simulated, at least 39.
    p_judges : float
        Of the test that all judges share one scale, each with a reliability of their own. NaN if
        it is not known who answered.
    error, log_loss, guessed_log_loss : float
        Of held-out answers: the share in which the likelier item did not win, a tie counting one
        half; minus the mean log of their chance; and what the shares of the outcomes alone give.
        NaN where there are too few pairs to hold out.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Pairs([[i, j] for i in range(6) for j in range(i + 1, 6)] * 3)
    >>> od.check_scale(answers, random_state=0).circular
    0.0
    """

    n_triads: int
    circular: float
    expected_circular: float
    p_circular: float
    p_fit: float
    p_judges: float
    error: float
    log_loss: float
    guessed_log_loss: float

    @property
    def fits(self) -> bool:
        """Whether nothing speaks against one scale, at the 5 % level."""
        return not (self.p_fit < 0.05 or self.p_circular < 0.05)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, None where there is none."""
        figures = {**vars(self), "fits": self.fits}
        return {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in figures.items()}

    def __str__(self) -> str:
        reasons = []
        if not np.isnan(self.p_fit):
            reasons.append(f"goodness of fit p = {self.p_fit:.2g}")
        if not np.isnan(self.circular):
            reasons.append(
                f"circular triads: {self.circular * self.n_triads:,.0f} of {self.n_triads:,}"
                f" ({self.circular:.1%}), expected {self.expected_circular:.1%}"
            )
        says = "One scale fits the answers" if self.fits else "One scale does not fit the answers"
        lines = ["Whether one scale fits the answers was not tested."]
        if reasons:
            lines = [f"{says}: {'; '.join(reasons)}."]
        if not np.isnan(self.p_judges):
            lines.append(say_whether_judges_differ(self.p_judges))
        if not np.isnan(self.error):
            lines.append(
                f"Held-out answers: error {self.error:.1%}, log loss {self.log_loss:.3f}"
                f" ({self.guessed_log_loss:.3f} without scores, by the shares of outcomes)."
            )
        return "\n".join(lines)


def say_whether_judges_differ(p_value: float) -> str:
    """Return a sentence about the test that all judges share one scale."""
    if p_value < 0.05:
        return f"Judges differ in what they prefer (p = {p_value:.2g}), not only in reliability."
    return (
        "There is no evidence that judges differ in what they prefer; they may differ in"
        f" reliability (p = {p_value:.2g})."
    )


def check_scale(
    pairs: Pairs,
    model: Ranking | None = None,
    *,
    folds: int = 5,
    by: str | None = None,
    n_simulations: int = 100,
    random_state: RandomState = None,
) -> ScaleCheck:
    """Test whether answers fit one scale, and predict held-out ones.

    Parameters
    ----------
    pairs : Pairs
        The answers.
    model : Ranking, optional
        Fitted to them; by default one with default settings is.
    folds : int, default=5
        Parts of the answers, each held out in turn; all answers about a pair are in one part.
    by : str, optional
        A group, such as ``"participant"``, held out as a whole.
    n_simulations : int, default=100
        Simulated studies, each with a fit of its own.
    random_state : int, Generator or None, default=None
        Seed of folds and simulations.

    Returns
    -------
    ScaleCheck
        Prints as two or three sentences.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Pairs([[0, 1], [1, 2], [2, 0]] * 40)
    >>> od.check_scale(answers, random_state=0).fits
    False
    """
    check_integer("n_simulations", n_simulations, minimum=1)
    rng = as_generator(random_state)
    pairs = as_pairs(pairs)
    if model is None:
        model = Ranking(random_state=rng).fit(pairs)
    _refuse_other_fit(model, pairs)
    if by is not None and not isinstance(by, str):
        raise InputError(f"by must be the name of a group; got {shortened(by)}.")
    with one_blas_thread():
        p_judges = judges_differ(pairs, model, rng)
        return checked_scale(pairs, model, folds, by, n_simulations, rng, p_judges)


def _refuse_other_fit(model: object, pairs: Pairs) -> None:
    """Refuse what is no ranking of the items of the answers."""
    if not isinstance(model, Ranking) or not hasattr(model, "scores_"):
        raise InputError(
            f"model must be a fitted Ranking; got {shortened(model)}. Leave it out, or fit one."
        )
    if model.n_objects_ != pairs.n_objects:
        raise InputError(
            f"model ranks {model.n_objects_:,} items, and the answers are about"
            f" {pairs.n_objects:,}; fit it to these answers."
        )


def checked_scale(
    pairs: Pairs,
    model: Ranking,
    folds: int,
    by: str | None,
    n_simulations: int,
    rng: np.random.Generator,
    p_judges: float,
) -> ScaleCheck:
    """Test whether answers fit one scale, once it is known whether judges differ."""
    triads = _circular(model.counts_.wins()) if model.n_objects_ <= _MOST_TRIADS else (0, 0)
    seen, simulated = _simulations(model, n_simulations, rng)
    circular, expected, p_circular = np.nan, np.nan, np.nan
    if triads[1] and not np.isnan(simulated).any():
        circular = triads[0] / triads[1]
        shares = simulated[:, 1] / np.maximum(simulated[:, 2], 1)
        expected, p_circular = float(shares.mean()), _p_value(circular, shares)
    with warnings.catch_warnings():  # parts of the answers may not link what all of them do
        warnings.simplefilter("ignore", DoubtfulObjectsWarning)
        predicted = held_out(model, pairs, folds, by, rng)
    return ScaleCheck(
        int(triads[1]),
        float(circular),
        expected,
        p_circular,
        _p_value(seen, simulated[:, 0]) if not np.isnan(seen) else np.nan,
        p_judges,
        *predicted,
    )


def _p_value(seen: float, simulated: Floats) -> float:
    return float((1 + (simulated >= seen - 1e-9).sum()) / (1 + len(simulated)))


def _circular(wins: Floats) -> tuple[float, float]:
    """Count triads in which majorities go round, and triads with a majority in each pair."""
    beats = (wins > wins.T).astype(float)
    linked = beats + beats.T
    round_trips = float(np.einsum("ij,ji->", beats @ beats, beats)) / 3
    return round(round_trips), round(float(np.einsum("ij,ji->", linked @ linked, linked)) / 6)


def _deviance(objective: Objective, at: Floats) -> float:
    """Return how far counts of win, tie and loss are from the fit, per row of counts."""
    counts = objective.counts.counts
    total = counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.where(counts > 0, counts * np.log(counts / total), 0.0).sum()
    return 2 * float(best + objective.value(at))


def _simulations(
    model: Ranking, n_simulations: int, rng: np.random.Generator
) -> tuple[float, NDArray[np.float64]]:
    """Return the deviance, and for each simulation deviance, circular triads and all triads."""
    objective, at = model._objective, model._at
    # a simulated study may be separated
    prior = Prior(10.0) if model.prior_ is None else model._prior
    if model._rankings is not None:
        return _simulated_rankings(model, prior, n_simulations, rng)
    # answers of a pair with unlike covariates are no counts
    halves = objective.counts.covariates is not None or (
        not objective.answers.has_ties and objective.counts.counts[1].any()
    )
    untested = halves or _is_saturated(objective)
    chances = objective.chances(at)
    totals = np.rint(objective.counts.counts.sum(axis=0)).astype(np.int64)
    best = None if untested else maximize(objective, prior, at)
    n_rows = objective.counts.counts.shape[1]
    n_simulations = min(n_simulations, max(_FEWEST_SIMULATIONS, _MOST_ROWS // n_rows))
    found = np.zeros((n_simulations, 3))
    for number in range(n_simulations):
        drawn = rng.multinomial(totals, chances.T).T.astype(float)
        counts = objective.counts.with_counts(drawn)
        if best is not None:
            again = objective.of(counts)
            found[number, 0] = _deviance(again, _refitted(again, prior, at, best))
        if model.n_objects_ <= _MOST_TRIADS:
            found[number, 1:] = _circular(counts.wins())
    return (np.nan if best is None else _deviance(objective, best.at)), found


def _simulated_rankings(
    model: Ranking, prior: Prior, n_simulations: int, rng: np.random.Generator
) -> tuple[float, NDArray[np.float64]]:
    """Return the same of rankings: how far their pairs are from the fit, and triads.

    Rankings with ties, and of judges with slopes, are not simulated.
    """
    rankings, objective, at = model._rankings, model._objective, model._at
    found = np.full((n_simulations, 3), np.nan)
    if rankings is None or rankings.stages.orders or objective.n_judges:
        return np.nan, found
    best = maximize(objective, prior, at)
    for number in range(n_simulations):
        drawn = rankings.drawn(model.scores_[rankings.stages.items], rng)
        counts = drawn.record.counts()
        fitted = _refitted(objective.of(drawn.pairs.counts(), drawn.stages), prior, at, best)
        found[number, 0] = _deviance(objective.of(counts), fitted)
        if model.n_objects_ <= _MOST_TRIADS:
            found[number, 1:] = _circular(counts.wins())
    return _deviance(objective.of(model.counts_), best.at), found


def _refitted(objective: Objective, prior: Prior, at: Floats, best: Maximum) -> Floats:
    """Return the fit to a simulated study; of many parameters or answers, after one Newton step.

    The study was drawn at `at`, so that the step is short, and the curvature of the fit serves.
    """
    many = objective.counts.counts.sum() >= _MANY_ANSWERS * len(at)
    if len(at) <= _MOST_REFITTED and not many:
        return maximize(objective, prior, at).at
    gradient = replace(objective, sparse=True).derivatives(at)[1]  # the curvature is not needed
    gradient = gradient + best.precision * (at - prior.mean(objective.blocks))
    return np.asarray(at - best.solve(gradient))


def _is_saturated(objective: Objective) -> bool:
    """Whether there are as many parameters as shares of outcomes, so that any answers fit."""
    n_components = int(objective.counts.components().max(initial=0)) + 1
    n_shares = len(objective.counts.first) * (2 if objective.answers.has_ties else 1)
    return n_shares <= objective.blocks.size - n_components


def held_out(
    model: Ranking, pairs: Pairs, folds: int, by: str | None, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return error, log loss and log loss of guessing by shares, of held-out answers."""
    from ordinate.solvers.folds import make_folds, rows_to_fit

    if by is None and model._rankings is not None:
        by = TRIAL
    try:
        parts = make_folds(pairs, folds, by, rng)
    except InputError:
        if by not in (None, TRIAL):
            raise
        return np.nan, np.nan, np.nan
    plain = model.with_choices(
        pairs,
        slopes=model.slopes_ is not None,
        lapse_rate=model.lapse_rate_ is not None,
        prior=model._spread or 10.0,
    )
    fit = Ranking.fit if len(model._at) <= _MOST_REFITTED else Ranking.fit_mode
    sums = np.zeros(4)
    for part in parts:
        rest, test = pairs[rows_to_fit(pairs, part)], pairs[part.held_out]
        try:
            fitted = fit(plain, rest)
        except InputError:  # no ties left, or no second judge
            fitted = fit(clone(plain).set_params(ties="half", side=False, slopes=False), rest)
        weight = float(len(test) if test.weights is None else test.weights.sum())
        shares = rest.counts().counts.sum(axis=1) + 0.5
        if not rest.ordered:  # that the winner is written first is no side
            shares += shares[::-1]
        shares /= shares.sum()
        guessed = -np.log(shares)[1 - test.outcomes]
        if not fitted.answer_model.has_ties:
            guessed = np.full(len(test), np.log(2.0))
        sums += weight * np.array(
            [
                1 - fitted.score(test),
                fitted.log_loss(test),
                float(np.average(guessed, weights=test.weights)),
                1.0,
            ]
        )
    error, log_loss, guess = (sums[:3] / sums[3]).tolist()
    return error, log_loss, guess
