"""How many answers are wrong, who disagrees with the rest, and which answers look wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import betainc, expit

from ordinate._arrays import Floats, Indices
from ordinate._checks import check_integer
from ordinate._estimator import Estimator
from ordinate._notebooks import ShownAsTable, in_dimensions
from ordinate._random import RandomState, as_seed
from ordinate.comparisons.inputs import as_comparisons, record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.metrics._triplets import expected_mistakes
from ordinate.selection._compare import choose
from ordinate.selection._held_out import HeldOutError, HeldOutMargins, MethodSpec, held_out_margins
from ordinate.selection._method_table import GUESSING
from ordinate.solvers.intervals import HeldOutMean, held_out_mean

_SCALES = np.geomspace(1e-3, 10, 200)
"""Scales s to choose from, for margins relative to the size of the map."""
_SHARES = np.linspace(0, 0.5, 51)
"""No more than half of the answers can be wrong: then their opposites would be the answers."""
_BINS = 500
"""Answers of nearly the same margin are counted together; the likelihood hardly notices."""


def map_error(margins: Floats, scale: float | Floats) -> Floats:
    """Return the chance that a map errs where its margin is this large."""
    chance: Floats = expit(-np.abs(margins) / scale)
    return chance


def fit_flips(margins: Floats, weights: Floats) -> tuple[float, float]:
    """Estimate the share of wrong answers together with the scale of the map's own errors."""
    sizes, agreeing, differing = _pooled(margins, weights)
    errs = map_error(sizes, _SCALES[:, None])

    def of_scales(share: float) -> Floats:
        return _log_likelihood(share, errs, agreeing, differing)

    first = int(np.argmax([of_scales(share).max() for share in _SHARES]))
    around = _SHARES[max(first - 1, 0)], _SHARES[min(first + 1, len(_SHARES) - 1)]
    found = minimize_scalar(
        lambda share: -float(of_scales(share).max()), bounds=around, method="bounded"
    )
    share = float(found.x)
    return share, float(_SCALES[np.argmax(of_scales(share))])


def _pooled(margins: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Sizes of margins, and the weight of the answers of that size that agree and that differ."""
    order = np.argsort(np.abs(margins), kind="stable")
    signed, weight = margins[order], weights[order]
    starts = np.unique(np.linspace(0, len(order), _BINS, endpoint=False).astype(np.intp))
    agrees = signed > 0
    counts = np.diff(starts, append=len(order))
    return (
        np.add.reduceat(np.abs(signed), starts) / counts,
        np.add.reduceat(weight * agrees, starts),
        np.add.reduceat(weight * ~agrees, starts),
    )


def _log_likelihood(share: float, errs: Floats, agreeing: Floats, differing: Floats) -> Floats:
    chance = np.clip(share + (1 - 2 * share) * errs, 1e-12, 1 - 1e-12)
    value: Floats = np.log(chance) @ differing + np.log1p(-chance) @ agreeing
    return value


FALSE_DISCOVERIES = 0.05
"""Share of those said to disagree with the rest that may be so by chance."""
_SHOWN = 10
"""Labels of a group that the report lists."""


@dataclass(frozen=True)
class RepeatedQuestions:
    """How often two answers to the same question differ.

    Attributes
    ----------
    n_pairs : int
        Pairs of answers to the same question.
    n_questions : int
        Questions that were answered more than once.
    disagreement : float or None
        Share of the pairs of a question that differ, mean over these questions, whether asked
        twice or a hundred times. None if there are none, or if no two answers agree: a file that
        has each answer once, however often it was given, cannot tell.
    standard_error : float
        Of the disagreement, over questions.
    n_differing : int
        Pairs of answers to the same question that differ.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Comparisons([[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2]])
    >>> print(od.estimate_noise(answers, n_components=1, folds=2, random_state=0).repeated)
    two answers to the same question differ in 66.7% of cases (1 question asked more than once)
    """

    n_pairs: int
    n_questions: int
    disagreement: float | None
    standard_error: float = 0.0
    n_differing: int = 0

    @property
    def implied_share(self) -> float | None:
        """The share of wrong answers that would explain the disagreement.

        Two independent answers, each wrong with the probability ε, differ with the probability
        2ε(1 − ε). Where ε varies between questions, its mean is higher than this formula gives.
        """
        return None if self.disagreement is None else _share_behind(self.disagreement)

    @property
    def least_share(self) -> float | None:
        """The same at the lower end of the disagreement's 90 % interval: so many are wrong."""
        if self.disagreement is None:
            return None
        # one question, or several that agree to a bit, do not show how far others differ
        most = self.n_pairs if self.standard_error > 0 else self.n_questions
        found = HeldOutMean(self.disagreement, self.standard_error, most)
        return _share_behind(found.share_interval()[0])

    def __str__(self) -> str:
        if self.n_questions == 0:
            return "no question was asked twice"
        if self.disagreement is None:
            return "no answer occurs twice, as if repeats had been left out"
        asked = f"{self.n_questions:,} question{'s' * (self.n_questions > 1)} asked more than once"
        share = self.n_differing / self.n_pairs
        return f"two answers to the same question differ in {share:.1%} of cases ({asked})"


@dataclass(frozen=True)
class Retest:
    """Whether people answer a question in a later wave as they did in an earlier one."""

    n_people: int
    repeated: RepeatedQuestions

    def to_dict(self) -> dict[str, Any]:
        """Return the figures."""
        own = {"n_people": self.n_people, "implied_share": self.repeated.implied_share}
        return asdict(self.repeated) | own

    def __str__(self) -> str:
        same = 1 - self.repeated.n_differing / self.repeated.n_pairs
        implied = self.repeated.implied_share
        who = f"{self.n_people:,} participant{'s' * (self.n_people > 1)}"
        return (
            f"Test–retest: {same:.1%} of {self.repeated.n_pairs:,} answers of"
            f" {who} are the same in another wave (50% by chance)"
            + ("." if implied is None else f", as if {implied:.1%} of all answers were wrong.")
        )


def retest_agreement(answers: Comparisons) -> Retest | None:
    """Compare answers of one person to one question in different waves; None if there are none."""
    if not {"participant", "wave"} <= set(answers.groups):
        return None
    who, wave = (answers.groups[name].astype(str) for name in ("participant", "wave"))
    own = np.char.add(np.char.add(who, "\n"), wave)
    all_waves = answers._with(groups={"participant": who}).repeated_answers()
    within = answers._with(groups={"participant": own}).repeated_answers()
    same = {name: agree for name, (agree, _) in all_waves.items()}
    pairs = {name: n for name, (_, n) in all_waves.items()}
    for name, (agree, n) in within.items():
        person = name.partition("\n")[0]
        same[person] -= agree
        pairs[person] -= n
    people = [name for name, n in pairs.items() if n]
    if not people:
        return None
    total, agreeing = (sum(count[name] for name in people) for count in (pairs, same))
    rates = np.array([1 - same[name] / pairs[name] for name in people])
    error = float(rates.std(ddof=1) / sqrt(len(rates))) if len(rates) > 1 else 0.0
    share = 1 - agreeing / total
    return Retest(len(people), RepeatedQuestions(total, total, share, error, total - agreeing))


def repeated_questions(comparisons: Comparisons) -> RepeatedQuestions:
    """Count pairs of answers to the same question, and those that differ."""
    near, far = comparisons.pair_codes()
    question = comparisons.question_groups()
    times = _times_given(comparisons)
    asked = np.bincount(question, weights=times)
    one_way = np.bincount(question, weights=times * (near < far))
    pairs = asked * (asked - 1) / 2
    differing = one_way * (asked - one_way)
    again = pairs > 0
    n_pairs, n_questions = round(pairs.sum()), int(np.count_nonzero(again))
    # two independent answers differ at most every other time
    if n_questions == 0 or (differing == pairs).all():
        return RepeatedQuestions(n_pairs, n_questions, None)
    shares = differing[again] / pairs[again]
    standard_error = float(shares.std(ddof=min(n_questions - 1, 1))) / sqrt(n_questions)
    return RepeatedQuestions(
        n_pairs, n_questions, float(shares.mean()), standard_error, round(differing.sum())
    )


def _times_given(comparisons: Comparisons) -> Floats:
    """Return how often each row was given, as its weight says if all weights are whole numbers."""
    weights = comparisons.weights
    if weights is None or (weights != np.round(weights)).any():
        return np.ones(len(comparisons))
    return weights


def _share_behind(disagreement: float) -> float:
    """Solve 2ε(1 − ε) = disagreement for the smaller ε."""
    return (1 - sqrt(max(1 - 2 * disagreement, 0))) / 2


@dataclass(frozen=True)
class AnswerNoise:
    """How well the answers of one participant, or of everybody, are predicted.

    Attributes
    ----------
    label : str
        Whose answers: a label of the group, or ``"all"``.
    n_answers : int
        Answers that were held out.
    held_out_error : float
        Share of them that maps fitted to other answers get wrong.
    low, high : float
        Ends of its 90 % interval.
    expected_error : float
        What it would be if these answers were like all others: the share of all answers of the
        same margins that the maps get wrong.
    p_value : float
        One-sided, of the test whether the error is above the expected one.
    verdict : str
        ``"disagrees"`` where the error is too high even after the correction of Benjamini and
        Hochberg for the number of participants (false discovery rate 5 %), ``"probably reversed"``
        where it is also surely above one half and nearer to that of reversed answers, or empty.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> noise = od.estimate_noise(answers, "SOE", 2, random_state=0).overall
    >>> noise.low < noise.held_out_error < noise.high
    True
    """

    label: str
    n_answers: int
    held_out_error: float
    low: float
    high: float
    expected_error: float
    p_value: float = 1.0
    verdict: str = ""


@dataclass(frozen=True, eq=False)
class NoiseEstimate(ShownAsTable):
    """What held-out maps say about the answers; prints as a short report.

    Attributes
    ----------
    overall : AnswerNoise
        All answers together.
    per_group : tuple of AnswerNoise
        One entry per label of the group asked for, who most surely disagrees first.
    repeated : RepeatedQuestions
        How often people gave different answers to the same question.
    lapse_rate : float
        Estimated share of wrong answers among those to plain questions: slips and carelessness,
        not doubt at near ties. It is a rough figure without an interval.
    margins : ndarray of shape (n_comparisons,)
        By how much the far distance exceeds the near one on a map that was not fitted to this
        answer, relative to the size of the map; NaN for answers never held out.
    contradicted : ndarray of int
        Numbers of the rows that such a map contradicts, the clearest contradictions first.
    method : str
        The method that made the maps.
    dimension : int
        Their dimension.
    folds : int
        Into how many folds the answers were split.
    by : str or None
        The group that was held out whole.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> estimate = od.estimate_noise(answers, "SOE", 2, random_state=0)
    >>> bool((estimate.margins[estimate.contradicted[:10]] < -1).all())
    True
    """

    overall: AnswerNoise
    per_group: tuple[AnswerNoise, ...]
    repeated: RepeatedQuestions
    lapse_rate: float
    margins: Floats
    contradicted: Indices
    method: str
    dimension: int
    folds: int
    by: str | None

    @property
    def trustworthy(self) -> bool:
        """Whether the maps predict well enough to tell wrong answers from wrong maps."""
        return self.overall.held_out_error < GUESSING

    @property
    def at_least(self) -> float | None:
        """So many answers are wrong: repeated ones differ. None if no question was repeated."""
        least = self.repeated.least_share
        return None if least is None else min(least, self.at_most)

    @property
    def at_most(self) -> float:
        """No more answers are wrong: the map is right about the others, held out."""
        return self.overall.high

    @property
    def deviating_groups(self) -> tuple[AnswerNoise, ...]:
        """Participants whose answers the map of all predicts worse than their questions explain."""
        return tuple(one for one in self.per_group if one.verdict)

    @property
    def bracket(self) -> str:
        """How many answers are wrong, in a sentence."""
        if self.at_least is None:
            most = f"at most {self.at_most:.1%} of the answers are wrong (the held-out error)"
            return f"{most}; {self.repeated}, so a lower limit is not known"
        return (
            f"between {self.at_least:.1%} (repeated answers differ) and {self.at_most:.1%} (the"
            " held-out error) of the answers are wrong"
        )

    @property
    def held_out(self) -> HeldOutError:
        """The error of the maps, as `held_out_error` measures it."""
        one = self.overall
        return HeldOutError(
            one.held_out_error, one.low, one.high, one.n_answers, self.folds, self.by
        )

    def to_dict(self, most: int = 20) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON.

        Parameters
        ----------
        most : int, default=20
            How many of the answers that disagree most with the map to list.

        Returns
        -------
        dict
            Overall and per group, repeated questions, and rows with their margins.
        """
        listed = self.contradicted[: check_integer("most", most, minimum=0)]
        return {
            "method": self.method,
            "dimension": self.dimension,
            "folds": self.folds,
            "by": self.by,
            "trustworthy": self.trustworthy,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "overall": asdict(self.overall),
            "lapse_rate": self.lapse_rate,
            "per_group": [asdict(noise) for noise in self.per_group],
            "repeated": asdict(self.repeated),
            "contradicted": [
                {"row": int(row), "margin": float(self.margins[row])} for row in listed
            ],
        }

    def __str__(self) -> str:
        return self.report()

    def report(self, *, everyone: bool = False) -> str:
        """Return the figures as lines for people.

        Parameters
        ----------
        everyone : bool, default=False
            Whether to list all participants, not only the first ten.

        Returns
        -------
        str
            Several lines.
        """
        lines = [
            f"Wrong answers, by {self.method} in {in_dimensions(self.dimension)}",
            f"  {self.bracket}",
            f"  held-out error    {self.held_out}",
            f"  repeated answers  {self.repeated}",
            f"  lapse rate        about {self.lapse_rate:.1%}: wrong answers to questions that"
            " are easy on the map",
        ]
        if not self.trustworthy:
            lines.append("→ The maps hardly predict new answers: do not rely on these estimates.")
        return "\n".join([*lines, *self._people(everyone)])

    def _people(self, everyone: bool) -> Iterator[str]:
        if not self.per_group:
            return
        yield (
            f"{len(self.deviating_groups):,} of {len(self.per_group):,} disagree with the rest"
            f" (false discovery rate {FALSE_DISCOVERIES:.0%})"
        )
        shown = self.per_group if everyone else self.per_group[:_SHOWN]
        width = max(len("label"), *(len(one.label) for one in shown))
        yield f"  {'label':{width}}  answers  held-out error            expected"
        for one in shown:
            error = f"{one.held_out_error:.1%} ({one.low:.1%} – {one.high:.1%})"
            line = f"  {one.label:{width}}  {one.n_answers:7,}  {error:24}"
            yield f"{line}  {one.expected_error:8.1%}  {one.verdict}".rstrip()
        if len(shown) < len(self.per_group):
            yield f"  and {len(self.per_group) - len(shown):,} more, better predicted"


def estimate_noise(
    comparisons: Comparisons | ArrayLike,
    method: str | Estimator | None = None,
    n_components: int | None = None,
    *,
    per: str | None = None,
    folds: int | None = None,
    by: str | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> NoiseEstimate:
    """Bracket the share of wrong answers, and list those that disagree most with the map.

    Each answer is compared with a map fitted to other answers. The two differ where the answer is
    wrong or where the map is, so fewer answers are wrong than differ. Where a question was asked
    more than once, answers that differ from one another cannot all be right, so more are wrong
    than that takes. The *lapse rate* is another thing: the share of wrong answers that remains
    where the map's margin is large. People who are merely unsure about near ties have none.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    method : str or estimator, optional
        How maps are made; by default what `compare` chooses.
    n_components : int, optional
        Dimension of the maps; by default what `compare` chooses.
    per : str, optional
        Name of a group, such as ``"participant"``, to judge each of its labels.
    folds : int, optional
        Number of folds, each held out in turn; by default as `held_out_error` has it. Method and
        dimension, if not given, are chosen by five.
    by, random_state, n_jobs, verbose
        As for `compare`.

    Returns
    -------
    NoiseEstimate
        Print it, or take ``at_least``, ``at_most``, ``per_group`` and ``contradicted``.

    See Also
    --------
    ordinate.plots.plot_agreement : Draws how far participants agree.
    held_out_error : The error of one method.

    References
    ----------
    Benjamini & Hochberg, Controlling the False Discovery Rate, Journal of the Royal Statistical
    Society B 57, 1995.
    Wichmann & Hill, The Psychometric Function I, Perception & Psychophysics 63, 2001 (lapse rate).

    Examples
    --------
    One in twenty answers about European cities is wrong:

    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> noise = od.estimate_noise(answers, "SOE", 2, random_state=0)
    >>> noise.at_least < 0.05 < noise.at_most
    True
    """
    whole = as_comparisons(comparisons)
    record = record_to_fit(whole)
    if per is not None:
        record.group_codes(per)  # refuses a group that is not there, before a fit
    seed = as_seed(random_state)
    shared: dict[str, Any] = {"by": by, "n_jobs": n_jobs, "verbose": verbose}
    spec = MethodSpec(
        *choose(record, method, n_components, folds=folds or 5, random_state=seed, **shared)
    )
    margins = held_out_margins(record, spec, folds=folds, seed=seed, **shared)
    return noise_on(whole, spec, margins, per)


def noise_on(
    answers: Comparisons, spec: MethodSpec, margins: HeldOutMargins, per: str | None
) -> NoiseEstimate:
    """Judge answers by their margins on maps that were not fitted to them."""
    record = margins.record
    judged = _Judged(record, margins.values, margins.units)
    # rows are numbered as they were given, those that do not count among them
    weights = answers.weights
    counts = np.arange(len(answers)) if weights is None else np.flatnonzero(weights)
    all_margins = np.full(len(answers), np.nan)
    all_margins[counts] = margins.values
    contradicted = counts[margins.values < 0]
    people = () if per is None else judged.people(record.group_codes(per), record.groups[per])
    return NoiseEstimate(
        overall=judged.noise("all", judged.rows, margins.factor),
        per_group=people,
        repeated=repeated_questions(record),
        lapse_rate=fit_flips(margins.values[judged.rows], judged.weights[judged.rows])[0],
        margins=all_margins,
        contradicted=contradicted[np.argsort(all_margins[contradicted], kind="stable")],
        method=spec.method,
        dimension=spec.dimension,
        folds=margins.folds,
        by=margins.by,
    )


class _Judged:
    """Answers beside what maps that were not fitted to them say."""

    def __init__(self, record: Comparisons, margins: Floats, units: Indices) -> None:
        from sklearn.isotonic import IsotonicRegression

        self.weights = np.ones(len(record)) if record.weights is None else record.weights
        self.rows = np.flatnonzero(~np.isnan(margins))
        self._units = units
        self._wrong = expected_mistakes(margins)
        # the chance that an answer is denied falls with the size of the margin, for all alike
        sizes, wrong = np.abs(margins[self.rows]), self._wrong[self.rows]
        falling = IsotonicRegression(increasing=False)
        self._expected = np.full(len(record), np.nan)
        self._expected[self.rows] = falling.fit_transform(
            sizes, wrong, sample_weight=self.weights[self.rows]
        )

    def noise(self, label: str, rows: Indices, factor: float = 1.0) -> AnswerNoise:
        """Judge some of the answers, whose variance is this many times that of independent ones."""
        weights = self.weights[rows]
        error = held_out_mean(self._wrong[rows], self._units[rows], weights, factor)
        expected = float(np.average(self._expected[rows], weights=weights))
        return AnswerNoise(label, len(rows), error.mean, *error.share_interval(), expected)

    def people(self, group: Indices, labels: NDArray[Any]) -> tuple[AnswerNoise, ...]:
        """Judge the answers of each label, and correct for the number of tests."""
        from scipy.stats import false_discovery_control

        spread = self._overdispersion(group)
        found = []
        for rows in _parts(self.rows, group[self.rows]):
            noise = self.noise(str(labels[rows[0]]), rows)
            weights = self.weights[rows]
            n_independent = weights.sum() ** 2 / (weights @ weights) / spread
            n_wrong = noise.held_out_error * n_independent
            if n_wrong > 0:
                # the chance of so many wrong answers or more; for whole numbers the binomial tail
                p = betainc(n_wrong, n_independent - n_wrong + 1, noise.expected_error)
                noise = replace(noise, p_value=float(p))
            found.append(noise)
        adjusted = false_discovery_control([noise.p_value for noise in found])
        judged = [
            replace(noise, verdict=_verdict(noise) if p <= FALSE_DISCOVERIES else "")
            for noise, p in zip(found, adjusted, strict=True)
        ]
        return tuple(sorted(judged, key=lambda noise: (noise.p_value, -noise.held_out_error)))

    def _overdispersion(self, group: Indices) -> float:
        """Return how many answers that one person gives together count as one."""
        rows = self.rows
        together = np.unique(
            np.column_stack([group[rows], self._units[rows]]), axis=0, return_inverse=True
        )[1].ravel()
        chance = self._expected[rows]
        variance = float((chance * (1 - chance)).sum())
        sums = np.bincount(together, weights=self._wrong[rows] - chance)
        return max(float(sums @ sums) / variance, 1.0) if variance > 0 else 1.0


def _verdict(noise: AnswerNoise) -> str:
    is_reversed = noise.low > 0.5 and nearer_to_reversed(noise.held_out_error, noise.expected_error)
    return "probably reversed" if is_reversed else "disagrees"


def nearer_to_reversed(error: Any, expected: float) -> Any:
    """Say whether an error is nearer to that of reversed answers than to that of random ones."""
    return error > (0.5 + (1.0 - expected)) / 2


def _parts(rows: Indices, codes: Indices) -> list[Indices]:
    """Deal row numbers by code."""
    order = np.argsort(codes, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(codes[order])) + 1)
