"""Whether people see the same map, who does not, and whether it helps to know who answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, stdtr

from ordinate._arrays import Floats, Indices
from ordinate._checks import InputError, some_of
from ordinate._estimator import Estimator, clone
from ordinate._notebooks import ShownAsTable
from ordinate._random import RandomState, as_seed
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.metrics._triplets import expected_mistakes
from ordinate.people.participants import WITH_PROBABILITIES, participants_of
from ordinate.people.score_test import decisions
from ordinate.people.weighted_spaces import WeightedSpaces
from ordinate.selection._cross_validation import fit_all
from ordinate.selection._noise import nearer_to_reversed
from ordinate.solvers.folds import Fold, make_folds
from ordinate.solvers.intervals import CONFIDENCE, HeldOutMean, brier_scores, held_out_mean
from ordinate.solvers.stopping import without_convergence_warnings

_LEVEL = 0.05
"""Of the test, and of false discoveries among participants."""
_SURE = 0.99
"""Of the interval of the error: maps of different folds share answers, so that it is too narrow."""
_CAUTION = 2.0
"""Factor of the p-values of single people, as for that of all."""
_N_DRAWS = 199
"""Sets of answers that are drawn from one map for all."""


class ParticipantView(NamedTuple):
    """How one participant's answers stand to the map that all share.

    Attributes
    ----------
    label : str
        The participant.
    n_answers : int
        Answers that were held out.
    held_out_error : float
        Share of them that the shared map, fitted without them, gets wrong.
    p_value : float
        Of the test that the participant sees the shared map, with noise of their own.
    verdict : str
        ``"another view"`` where the answers are consistent with a view of their own, ``"guesses"``
        where they agree with the shared map no more than by chance and with no other view,
        ``"more errors"`` where they agree with it less than those of the others (such as by
        lapses), ``"reversed"`` where they say the opposite of it, or empty; at a false discovery
        rate of 5 % over participants.

    Examples
    --------
    >>> import ordinate as od
    >>> od.selection.ParticipantView("P07", 60, 0.52, 0.4, "guesses").verdict
    'guesses'
    """

    label: str
    n_answers: int
    held_out_error: float
    p_value: float
    verdict: str


@dataclass(frozen=True)
class PeopleComparison(ShownAsTable):
    """Whether people differ: a test, and held-out errors with one map for all and without.

    Attributes
    ----------
    method : str
        The model in which people differ.
    dimension : int
        Of its map.
    pooled_error, error : float
        Share of held-out answers that one map for all, with everybody's own noise, got wrong, and
        the model.
    low, high : float
        Ends of the 90 % interval of the difference, pooled error minus error.
    p_value : float
        Of the test that all see one map, with noise of their own.
    n_draws : int
        Sets of answers that were drawn for the test.
    n_answers, n_participants : int
        What was held out, and of how many people.
    folds : int
        Into how many folds the answers were split.
    participants : tuple of ParticipantView
        One per participant, in the order of their labels.
    predicts : bool
        Whether one map for all predicts surely better than guessing; if not, the answers show
        none that people could share.

    Examples
    --------
    >>> import ordinate as od
    >>> figures = 2, 0.12, 0.08, 0.03, 0.05, 0.01, 199, 900, 9, 5
    >>> found = od.selection.PeopleComparison("WeightedSpaces", *figures)
    >>> print(str(found).partition(". ")[0])
    People see the objects differently (p = 0.01)
    """

    method: str
    dimension: int
    pooled_error: float
    error: float
    low: float
    high: float
    p_value: float
    n_draws: int
    n_answers: int
    n_participants: int
    folds: int
    participants: tuple[ParticipantView, ...] = ()
    predicts: bool = True

    @property
    def gain(self) -> float:
        """By how much the error is smaller than that of one map for all."""
        return self.pooled_error - self.error

    @property
    def are_real(self) -> bool:
        """Whether differences between people were shown, at the level of 5 %."""
        return self.p_value <= _LEVEL

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        participants = [view._asdict() for view in self.participants]
        return {
            **vars(self),
            "participants": participants,
            "gain": self.gain,
            "are_real": self.are_real,
        }

    def __str__(self) -> str:
        return " ".join([self._finding(), *self._verdicts()])

    def _finding(self) -> str:
        measured = (
            f"Held-out error: {self.error:.1%} with everybody's own weights,"
            f" {self.pooled_error:.1%} with one map for all ({self.method} in"
            f" {self.dimension} dimensions, {self.folds} folds)."
        )
        change = f"{100 * self.gain:.1f} points ({100 * self.low:.1f} to {100 * self.high:.1f})"
        if not self.are_real and not self.predicts:
            return (
                "These answers carry no map that surely predicts better than guessing, so they do"
                f" not show whether people share one (p = {self.p_value:.2g}). {measured}"
            )
        if not self.are_real:
            named = any(view.verdict == "another view" for view in self.participants)
            who = "Apart from those named below, people" if named else "People"
            return f"{who} seem to share one map (p = {self.p_value:.2g}). {measured}"
        helps = f"Knowing who answered lowers held-out error by {change}."
        if self.low <= 0:
            helps = (
                "This may not help to predict answers: knowing who answered changes held-out"
                f" accuracy by {change}."
            )
        return f"People see the objects differently (p = {self.p_value:.2g}). {helps} {measured}"

    def _verdicts(self) -> list[str]:
        lines = []
        for verdict, words in _SAID.items():
            found = [view.label for view in self.participants if view.verdict == verdict]
            if found:
                lines.append(f"{words}: {some_of(found, _SHOWN)}.")
        return lines


_SAID = {
    "guesses": "Probably guessing",
    "more errors": "With more errors than the others",
    "another view": "With a view of their own",
    "reversed": "Probably reversed",
}
"""How verdicts about participants are announced."""
_SHOWN = 10
"""Participants that are named for a verdict."""


def compare_people(
    comparisons: Comparisons,
    model: Estimator | None = None,
    *,
    folds: int = 5,
    by: str | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> PeopleComparison:
    """Test whether people see the same map, and say who does not.

    The hypothesis is one map for all, allowing each person their own noise and lapse rate, fitted
    to all answers. The test asks whether people's answers point to views of their own:
    weights of the axes for `WeightedSpaces`, places of the objects for `GroupMaps`. Its level is
    that of answers drawn from the hypothesis, of the same people to the same questions. It says
    little where answers are nearly free of noise; there held-out answers tell. The p-value is
    twice the smaller one of this test and of a t-test of their Brier scores.

    Held-out answers show how much the differences matter. Each is predicted twice, by one
    map for all and by the model, both fitted to other answers of the same people. Answers of one
    person, or to one question, are not taken to be independent, whichever makes the interval wider.

    Parameters
    ----------
    comparisons : Comparisons
        Answers with a group that says who gave them.
    model : WeightedSpaces or GroupMaps, optional
        By default `WeightedSpaces` in two dimensions. Its features, if it has some, are a prior of
        all maps by which held-out answers are predicted; the test looks at answers alone.
    folds, by, random_state, n_jobs, verbose
        As for `compare`.

    Returns
    -------
    PeopleComparison
        The test, both errors, the difference with its interval, and a verdict on everybody.

    See Also
    --------
    ordinate.WeightedSpaces : The model of people who differ.

    References
    ----------
    Rao, Large sample tests of statistical hypotheses concerning several parameters, Proceedings of
    the Cambridge Philosophical Society 1948; Davison & Hinkley, Bootstrap Methods and their
    Application, 1997, chapter 4.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> points = np.random.default_rng(0).normal(size=(12, 2))
    >>> ann = od.sources.random_triplets(points * [3, 1], 300, random_state=1)
    >>> bob = od.sources.random_triplets(points * [1, 3], 300, random_state=2)
    >>> people = np.repeat(["Ann", "Bob"], 300)
    >>> answers = od.Comparisons(np.vstack([ann, bob]), groups={"participant": people})
    >>> od.compare_people(answers, random_state=0).are_real
    True
    """
    record = record_to_fit(comparisons)
    chosen: Any = WeightedSpaces() if model is None else model
    if not hasattr(chosen, "pooled_method"):
        raise InputError(
            f"model must be a WeightedSpaces or GroupMaps, in which people differ; got {chosen!r}."
        )
    labels, people = participants_of(record, chosen.by)
    _check_folds(people, folds, chosen.by, by)
    seed = as_seed(random_state)
    alike = _one_map_for_all(chosen).set_params(random_state=seed)
    held_out = _HeldOut(record, people, make_folds(record, folds, by, seed), n_jobs)
    margins = held_out.margins([alike, chosen], verbose=verbose)
    wrong = np.where(np.isnan(margins), np.nan, expected_mistakes(margins))
    pooled, own = (held_out_mean(row, people, record.weights) for row in wrong)
    questions = record.question_groups(by, largest=1 / folds)
    gain = max(
        (
            held_out_mean(wrong[0] - wrong[1], units, record.weights)
            for units in (people, questions)
        ),
        key=lambda found: found.standard_error,
    )
    scores = [brier_scores(row, record.weights) for row in margins]
    better = [
        held_out_mean(scores[0] - scores[1], units, record.weights) for units in (people, questions)
    ]
    with without_convergence_warnings():  # a score test begins anywhere near
        # a score test needs the likeliest map, which a prior is not
        hypothesis = clone(alike).set_params(features=None).fit(record).shared_map(record)
    views = hypothesis.own_views(_N_DRAWS, np.random.default_rng(seed))
    views_test = views.weights if isinstance(chosen, WeightedSpaces) else views.places
    of_gain = max(better[1].p_above_zero(), _t_test(better[0], len(labels)))
    return PeopleComparison(
        method=type(chosen).__name__,
        dimension=chosen.n_components,
        pooled_error=pooled.mean,
        error=own.mean,
        low=gain.interval(CONFIDENCE)[0],
        high=gain.interval(CONFIDENCE)[1],
        p_value=min(2.0 * min(views_test.p_value, of_gain), 1.0),
        n_draws=_N_DRAWS,
        n_answers=int(np.count_nonzero(~np.isnan(wrong[0]))),
        n_participants=len(labels),
        folds=folds,
        participants=_views(
            labels, held_out, wrong[0], views.p_values, partial(held_out.mistakes_of_own_map, alike)
        ),
        predicts=pooled.share_interval(_SURE)[1] < 0.5,
    )


def _t_test(gain: HeldOutMean, n_people: int) -> float:
    """Return the p-value of the test that there is no gain, of a sample of so many people."""
    if gain.standard_error == 0:
        return gain.p_above_zero()
    return float(stdtr(n_people - 1, -gain.mean / gain.standard_error))


@dataclass(frozen=True)
class _HeldOut:
    """Answers of people, and the folds in which they are held out."""

    record: Comparisons
    people: Indices
    splits: list[Fold]
    n_jobs: int | None

    def margins(self, methods: Sequence[Any], *, verbose: bool) -> Floats:
        """Return for each method the margins of held-out answers; NaN if never held out."""
        tasks = [(method, method.n_components, fold) for fold in self.splits for method in methods]
        margins = np.full((len(methods), len(self.record)), np.nan)
        outcomes = fit_all(self.record, tasks, _margins, n_jobs=self.n_jobs, verbose=verbose)
        for number, (found, _) in enumerate(outcomes):
            fold = self.splits[number // len(methods)]
            margins[number % len(methods), fold.held_out] = found
        return margins

    def mistakes_of_own_map(self, alike: WeightedSpaces, person: int) -> Floats:
        """Return which held-out answers of a person a map of their own answers gets wrong."""
        others = np.flatnonzero(self.people != person)
        method, dimension = alike.pooled_method(), alike.n_components
        parts = [
            replace(fold, held_out=np.setdiff1d(fold.held_out, others), left_out=others)
            for fold in self.splits
        ]
        tasks = [(method, dimension, part) for part in parts if len(part.held_out)]
        found = fit_all(self.record, tasks, _margins, n_jobs=self.n_jobs, verbose=False)
        return expected_mistakes(np.concatenate([margins for margins, _ in found])).astype(float)

    def n_decisions(self, n_people: int) -> Floats:
        """Count everybody's decisions, for rows of one trial are one."""
        decision = decisions(self.record, self.people)[0]
        whose = self.people[np.unique(decision, return_index=True)[1]]
        return np.bincount(whose, minlength=n_people).astype(np.float64)


def _one_map_for_all(model: Any) -> WeightedSpaces:
    """Return the model in which people differ in their noise alone, as probabilities need it."""
    if isinstance(model, WeightedSpaces):
        loss = model.loss if model.loss in WITH_PROBABILITIES else "STE"
        settings: dict[str, Any] = {"loss": loss, "tau": 0.0, "noise": "individual"}
        alike: WeightedSpaces = clone(model).set_params(**settings, verbose=False)
        return alike
    dimension = max(model.n_components, 2)
    return WeightedSpaces(
        dimension,
        loss=model.loss,
        tau=0.0,
        by=model.by,
        features=model.features,
        n_jobs=model.n_jobs,
    )


def _views(
    labels: NDArray[Any],
    held_out: _HeldOut,
    wrong: Floats,
    p_values: Floats,
    of_own_map: Callable[[int], Floats],
) -> tuple[ParticipantView, ...]:
    """Give a verdict on everybody.

    `wrong` are errors of a map for all, `p_values` of tests of own views, and `of_own_map` errors
    of a map of one's own.
    """
    people, total = held_out.people, held_out.n_decisions(len(labels))
    error = _mean_by(people, wrong, len(labels))
    deviates = np.zeros(len(labels), dtype=bool)
    for _ in range(2):  # those who deviate most do not hide others
        like = total * ~deviates
        usual = float((error @ like + 1.0) / (like.sum() + 2.0))
        p_usual = _at_least(error * total, total, usual)
        deviates = _discoveries(p_usual)
    opposite = deviates & (_at_least(error * total, total, 0.5) <= _LEVEL)
    opposite &= nearer_to_reversed(error, usual)
    follows = _at_least((1.0 - error) * total, total, 0.5) <= _LEVEL
    another = _discoveries(_CAUTION * p_values)
    verdicts = np.select([opposite, another], ["reversed", "another view"], "")
    for person in np.flatnonzero(deviates & ~follows & (verdicts == "")):
        own = float(np.nanmean(of_own_map(int(person))))
        n = float(total[person])
        consistent = _at_least(np.array((1.0 - own) * n), np.array(n), 0.5) <= _LEVEL
        verdicts[person] = "another view" if consistent else "guesses"
    verdicts[_discoveries(_CAUTION * p_usual) & follows & (verdicts == "")] = "more errors"
    n_answers = np.bincount(people[~np.isnan(wrong)], minlength=len(labels))
    return tuple(
        ParticipantView(str(label), int(n), float(share), float(p), str(verdict))
        for label, n, share, p, verdict in zip(
            labels, n_answers, error, p_values, verdicts, strict=True
        )
    )


def _mean_by(people: Indices, values: Floats, n_people: int) -> Floats:
    """Return everybody's mean of values that are known."""
    known = ~np.isnan(values)
    sums = np.bincount(people[known], values[known], minlength=n_people)
    means: Floats = sums / np.maximum(np.bincount(people[known], minlength=n_people), 1)
    return means


def _at_least(count: Floats, total: Floats, chance: float) -> Floats:
    """Return the probability of so many or more of a total, each by this chance."""
    tail: Floats = np.asarray(betainc(np.maximum(count, 1e-9), total - count + 1.0, chance))
    return np.where(count > 0, tail, 1.0)


def _discoveries(p_values: Floats) -> NDArray[np.bool_]:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(np.minimum(p_values, 1.0)) <= _LEVEL)


def _check_folds(people: Indices, folds: int, who: str, by: str | None) -> None:
    """Refuse folds after which too little is known of the people whose answers are held out."""
    if by == who:
        raise InputError(
            f"Whole groups of {by!r} cannot be held out here: other answers of the same people"
            " are needed to estimate how they differ."
        )
    if int((np.bincount(people) >= 2 * folds).sum()) < 2:
        raise InputError(
            f"{folds} folds need at least two participants with {2 * folds} answers each; use fewer"
            " folds or collect more answers."
        )


def _margins(model: Any, held_out: Comparisons) -> Floats:
    return np.asarray(model.decision_function(held_out), dtype=np.float64)
