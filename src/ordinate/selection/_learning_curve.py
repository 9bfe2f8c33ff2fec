"""Would more answers help? The error on held-out answers against the number fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError
from ordinate._estimator import Estimator
from ordinate._notebooks import ShownAsTable, in_dimensions
from ordinate._random import RandomState, as_generator, as_seed
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.metrics._triplets import expected_mistakes
from ordinate.selection._compare import choose
from ordinate.selection._cross_validation import Judge, fit_all, from_one_start
from ordinate.selection._method_table import GUESSING, MIN_RELEVANT_ERROR
from ordinate.solvers.folds import make_folds
from ordinate.solvers.intervals import CONFIDENCE, HeldOutAnswers, HeldOutMean, variance_factor


@dataclass(frozen=True)
class LearningPoint:
    """The error of maps of one number of answers.

    Attributes
    ----------
    n_answers : int
        Answers a map was fitted to, mean over the folds.
    error : float
        Share of the answers held out that the map got wrong, mean over the folds.
    low, high : float
        Ends of its 90 % interval.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> point = od.learning_curve(answers, "SOE", 2, folds=3, random_state=0).points[0]
    >>> point.low < point.error < point.high
    True
    """

    n_answers: int
    error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class LearningCurve(ShownAsTable):
    """Held-out error against the number of answers; prints as a table with advice.

    Attributes
    ----------
    points : tuple of LearningPoint
        From the fewest answers to all of them.
    held_out : HeldOutAnswers
        Which answers the maps of each point got wrong.
    folds : int
        Into how many folds the answers were split.
    method : str
        The method that made the maps.
    dimension : int
        Their dimension.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(5000).comparisons
    >>> curve = od.learning_curve(answers, "SOE", 2, folds=3, random_state=0)
    >>> curve.points[0].error > curve.points[-1].error
    True
    """

    points: tuple[LearningPoint, ...]
    held_out: HeldOutAnswers
    folds: int
    method: str
    dimension: int

    @property
    def gain(self) -> HeldOutMean:
        """By how much the error fell from the last number of answers but one to all of them.

        Its standard error is that of two answers more, one of which the maps disagree about
        (Agresti & Min, Simple Improved Confidence Intervals for Comparing Matched Proportions,
        Statistics in Medicine 24, 2005): where they make the same mistakes in a few answers, that
        is no proof that they always would.
        """
        mean, standard_error, n = self.held_out.difference(-2, -1)
        return HeldOutMean(mean, sqrt((standard_error * n) ** 2 + 1) / (n + 2), n)

    @property
    def doubling_gain(self) -> HeldOutMean:
        """By how much the error would fall with twice the answers.

        As many answers again gain a share of what the last ones did: the share that these gained
        of what those before them did, as errors that fall with a power of their number do. No
        more can be gained than there is. The share is known no better than the gain, so that the
        standard error is not multiplied by it.
        """
        steps = [np.log2(b.n_answers / a.n_answers) for a, b in pairwise(self.points)]
        last = self.gain.mean / steps[-1]
        slower = 1.0
        if len(steps) > 1:
            before = self.held_out.difference(-3, -2).mean / steps[-2]
            slower = float(np.clip(last / before, 0, 1)) if before > 0 else 1.0
        gain = min(last * slower, self.points[-1].error)
        return self.gain._replace(mean=gain, standard_error=self.gain.standard_error / steps[-1])

    @property
    def verdict(self) -> Literal["yes", "perhaps", "hardly", "unknown"]:
        """Whether more answers would help: whether twice as many would gain a point (0.01)."""
        last = self.points[-1]
        if last.high >= 0.5 or (last.error >= GUESSING and self.gain.interval()[0] <= 0):
            return "unknown"
        low, high = self.doubling_gain.interval()
        if high < MIN_RELEVANT_ERROR:
            return "hardly"
        return "yes" if low > 0 and self.doubling_gain.mean >= MIN_RELEVANT_ERROR else "perhaps"

    @property
    def advice(self) -> str:
        """Whether to collect more answers, in a sentence."""
        if self.verdict == "unknown":
            return "No map predicts new answers yet, so the curve cannot tell whether more help."
        begin = {
            "yes": "More answers would help",
            "perhaps": "More answers might help",
            "hardly": "More answers would hardly help",
        }[self.verdict]
        low, high = self.doubling_gain.interval()
        most = min(high, self.points[-1].error)
        if self.verdict == "perhaps" and self.doubling_gain.mean < _NO_GAIN:
            return (
                "It is unclear whether more answers would help: doubling them may change the error"
                f" by anything from {-100 * most:+z.1f} to {-100 * low:+z.1f} points."
            )
        if self.verdict == "hardly":
            return (
                f"{begin}: doubling them would lower the error by at most {100 * most:.1f} points."
            )
        return (
            f"{begin}: doubling them would lower the error by about"
            f" {100 * self.doubling_gain.mean:z.1f} points ({100 * low:z.1f} to {100 * most:z.1f})."
        )

    @property
    def forecast(self) -> str:
        """The error to expect now and with twice the answers, in a sentence."""
        now, gain = self.points[-1], self.doubling_gain
        if self.verdict == "unknown":
            return (
                f"Enough? It cannot be known yet: maps of these answers predict new ones no better"
                f" than guessing ({now.error:.0%} wrong, {now.low:.0%} to {now.high:.0%})."
            )
        low, high = (min(max(now.error - one, 0.0), 0.5) for one in gain.interval()[::-1])
        return (
            f"Enough? A map in {in_dimensions(self.dimension)} should get {now.error:.0%} of new"
            f" answers wrong ({now.low:.0%} to {now.high:.0%}); with twice as many answers about"
            f" {max(now.error - gain.mean, 0):.0%} ({low:.0%} to {high:.0%})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        figures = {name: value for name, value in vars(self).items() if name != "held_out"}
        return figures | {
            "points": [asdict(point) for point in self.points],
            "doubling_gain": self.doubling_gain._asdict(),
            "verdict": self.verdict,
            "advice": self.advice,
            "forecast": self.forecast,
        }

    def __str__(self) -> str:
        made = f"{self.method} in {in_dimensions(self.dimension)}, {self.folds} folds"
        lines = [self.advice, made, f"  answers  held-out error  {CONFIDENCE:.0%} interval"]
        for point in self.points:
            interval = f"{point.low:.1%} – {point.high:.1%}"
            lines.append(f"  {point.n_answers:7,}  {point.error:14.1%}  {interval}")
        return "\n".join(lines)


def learning_curve(
    comparisons: Comparisons | ArrayLike,
    method: str | Estimator | None = None,
    n_components: int | None = None,
    *,
    shares: Sequence[float] = (0.125, 0.25, 0.5, 1.0),
    folds: int = 5,
    by: str | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> LearningCurve:
    """Fit maps to more and more of the answers, and judge all by the same answers held out.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    method : str or estimator, optional
        How maps are made; a name such as ``"SOE"`` or an estimator with its parameters. By default
        what `compare` chooses.
    n_components : int, optional
        Dimension of the maps; by default what `compare` chooses.
    shares : sequence of float, default=(0.125, 0.25, 0.5, 1.0)
        Shares of the training part to fit to, at least two, each above 0 and at most 1.
    folds, by, random_state, n_jobs, verbose
        As for `compare`.

    Returns
    -------
    LearningCurve
        Print it, draw it with `ordinate.plots.plot_learning_curve`, or take its ``advice``.

    See Also
    --------
    held_out_error : With all answers there are.
    ordinate.plots.plot_learning_curve : Draws it.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> curve = od.learning_curve(answers, "SOE", 2, folds=3, random_state=0)
    >>> [point.n_answers for point in curve.points]
    [1667, 3333, 6667, 13333]
    """
    record = record_to_fit(comparisons)
    steps = _check_shares(shares)
    seed = as_seed(random_state)
    shared: dict[str, Any] = {"n_jobs": n_jobs, "verbose": verbose}
    label, estimator, dimension = choose(
        record, method, n_components, folds=folds, by=by, random_state=seed, **shared
    )
    rng = as_generator(seed)
    splits = make_folds(record, folds, by, rng)
    # one order for all shares: what a smaller one is fitted to, a larger one is too
    place = rng.permutation(len(record)) / len(record)
    tasks = []
    for share in steps:
        beyond = np.flatnonzero(place >= share)
        parts = [replace(fold, left_out=np.union1d(fold.left_out, beyond)) for fold in splits]
        tasks += [(from_one_start(estimator), dimension, part) for part in parts]
    fitted = [len(record) - len(np.union1d(part.held_out, part.left_out)) for *_, part in tasks]
    if min(fitted) == 0:
        raise InputError(
            f"A share of {steps[0]:g} of {len(record)} answers leaves a fold without any; use"
            " larger shares."
        )
    found = list(fit_all(record, tasks, Judge(record), **shared))
    wrong = np.full((len(steps), len(record)), np.nan, dtype=np.float32)
    for number, ((margins, _), _) in enumerate(found):
        wrong[number // folds, splits[number % folds].held_out] = expected_mistakes(margins)
    predictions = np.array([said for (_, said), _ in found]).reshape(len(steps), folds, -1)
    factors = np.array([variance_factor(said, folds) for said in predictions])
    units = record.question_groups(by, largest=1 / folds)
    held_out = HeldOutAnswers(wrong, units, record.weights, factors)
    points = []
    for step, size in enumerate(np.reshape(fitted, (len(steps), folds)).mean(axis=1)):
        error = held_out.mean(step)
        points.append(LearningPoint(round(size), error.mean, *error.share_interval()))
    return LearningCurve(tuple(points), held_out, folds, label, dimension)


_MOST_ROWS = 20_000
"""Answers of which a quick curve is made."""
_NO_GAIN = 0.0005
"""A gain that is printed as 0.0 points."""
NO_FORECAST = "Enough? It cannot be known yet: there are too few answers to hold any out."
"""What is said of answers that have no curve."""


def quick_curve(answers: Comparisons) -> LearningCurve | None:
    """Return a learning curve of quick maps in the plane; None of too few answers."""
    if len(answers) > _MOST_ROWS:
        answers = answers[as_generator(0).permutation(len(answers))[:_MOST_ROWS]]
    by = "trial" if "trial" in answers.groups else None
    try:
        return learning_curve(answers, "STE", 2, by=by, random_state=0)
    except InputError:
        return None


def _check_shares(shares: Sequence[float]) -> list[float]:
    steps = sorted(float(share) for share in shares)
    if len(set(steps)) < 2 or steps[0] <= 0 or steps[-1] > 1:
        raise InputError(
            f"shares must be at least two different numbers above 0 and at most 1; got {steps}."
        )
    return steps
