"""How good the map is, by answers to random questions, and whether to go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.questions.model import choose_root, draw_maps
from ordinate.solvers.intervals import CONFIDENCE, held_out_mean, variance_factor
from ordinate.tasks import make_task

_FOLDS = 10
_COMPARED = 1000
"""Random questions by which the maps of folds are compared with each other."""
_FEWEST = 10
"""Random answers below which no accuracy is given."""
_POINTS = 6
"""Of the learning curve, at most; each of at least _FEWEST answers."""
_GOOD = 0.03
"""Share of questions left open at which a study may stop."""


class Judgement(NamedTuple):
    """How a map predicted an answer it had not seen: 1 right, 0 wrong, or a share of choices."""

    n_answers: int
    right: float


@dataclass(frozen=True)
class ProgressPoint:
    """How well maps predicted the random answers that came next."""

    n_answers: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class Progress:
    """How far a study is; prints as a report."""

    n_asked: int
    n_answered: int
    n_skipped: int
    n_out: int
    accuracy: float | None
    low: float | None
    high: float | None
    n_test: int
    left_open: float | None
    curve: tuple[ProgressPoint, ...]
    advice: str

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.n_answered:,} answers to {self.n_asked:,} questions; {self.n_skipped:,}"
            f" skipped, {self.n_out:,} out."
        ]
        if self.accuracy is not None:
            lines.append(
                f"Accuracy on {self.n_test:,} random questions held out: {self.accuracy:.1%}"
                f" ({CONFIDENCE:.0%} interval {self.low:.1%} – {self.high:.1%})."
            )
        if self.curve:
            lines.append("  answers  accuracy of what came next")
            lines += [
                f"  {point.n_answers:7,}  {point.accuracy:.1%}  {point.low:.1%} – {point.high:.1%}"
                for point in self.curve
            ]
        return "\n".join([*lines, self.advice])


class Counts(NamedTuple):
    """How many questions were asked, answered and skipped, and are out."""

    n_asked: int
    n_answered: int
    n_skipped: int
    n_out: int


def judge_progress(
    answers: Comparisons | None,
    is_random: NDArray[np.bool_],
    n_components: int,
    judged: Sequence[Judgement],
    left_open: Sequence[tuple[int, float]],
    counts: Counts,
    features: NDArray[np.float64] | None = None,
) -> Progress:
    """Judge a study by its random questions."""
    accuracy = low = high = None
    n_test = int(is_random.sum())
    if answers is not None and n_test >= _FEWEST:
        right, units, factor = _cross_validate(answers, is_random, n_components, features)
        mean = held_out_mean(right, units, factor=factor)
        accuracy, (low, high) = mean.mean, mean.share_interval()
    return Progress(
        *counts,
        accuracy,
        low,
        high,
        n_test,
        left_open[-1][1] if left_open else None,
        _curve(judged),
        _advice(left_open),
    )


def _cross_validate(
    answers: Comparisons,
    is_random: NDArray[np.bool_],
    n_components: int,
    features: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.intp], float]:
    """Return which random answers were predicted by maps that knew nothing of their questions.

    Each is made as the map that is handed out, of all answers but those to the random questions of
    a fold, and nearly as good as that one. Also return which answers belong to one question, and by
    how much the variance of their mean exceeds that of independent answers: each answer helps to
    decide about the others, so that mistakes come together.
    """
    units = answers.question_groups("trial" if "trial" in answers.groups else None)
    judging, of_test = np.unique(units[is_random], return_inverse=True)
    rng = np.random.default_rng(0)
    fold_of = np.full(units.max() + 1, -1)
    fold_of[judging] = rng.permutation(np.arange(len(judging)) % _FOLDS)
    folds = fold_of[units]

    new = make_task("triplet").draw(answers.n_objects, _COMPARED, rng)

    def predict(fold: int, own: np.random.Generator) -> tuple[NDArray[np.bool_], ...]:
        known = answers[folds != fold]
        root = None if features is None else choose_root(known, n_components, features)
        made = draw_maps(known, n_components, own, root=root).mean
        held_out = answers.rows[is_random & (folds == fold)]
        return tuple(np.less(*squared_distances(made, rows)) for rows in (held_out, new))

    used = np.unique(folds[is_random]).tolist()
    workers = Parallel(n_jobs=effective_n_jobs(-1), prefer="threads")
    found = workers(
        delayed(predict)(fold, own) for fold, own in zip(used, rng.spawn(len(used)), strict=True)
    )
    right = np.full(len(answers), np.nan)
    for fold, (predicted, _) in zip(used, found, strict=True):
        right[is_random & (folds == fold)] = predicted
    compared = np.array([predicted for _, predicted in found])
    factor = variance_factor(compared, len(used), most_added=np.inf)
    return right[is_random], of_test, factor


def _curve(judged: Sequence[Judgement]) -> tuple[ProgressPoint, ...]:
    n_points = min(_POINTS, len(judged) // _FEWEST)
    points = []
    for part in np.array_split(np.array(judged, dtype=np.float64), n_points) if n_points else ():
        mean = held_out_mean(part[:, 1], np.arange(len(part)))
        points.append(ProgressPoint(int(part[:, 0].mean()), mean.mean, *mean.share_interval()))
    return tuple(points)


def _advice(left_open: Sequence[tuple[int, float]]) -> str:
    """Say whether to go on, by how the share of open questions has fallen."""
    if not left_open:
        return "Too few answers for a map; go on."
    n_answers, doubt = left_open[-1]
    open_now = f"The answers leave {doubt:.1%} of all questions open"
    if doubt <= _GOOD:
        return f"{open_now}: you may stop."
    half = [entry for entry in left_open if entry[0] <= 0.6 * n_answers]
    if half and 0 < doubt < half[-1][1]:
        before, was = half[-1]
        power = np.log(was / doubt) / np.log(n_answers / before)
        more = n_answers * (2 ** (1 / max(power, 0.2)) - 1)
        return f"{open_now}; about {_rounded(more):,} more would halve that. Go on."
    return f"{open_now}; go on."


def _rounded(number: float) -> int:
    """Round to one digit: it is a guess."""
    unit = 10 ** int(np.floor(np.log10(max(number, 1))))
    return int(max(round(number / unit), 1) * unit)
