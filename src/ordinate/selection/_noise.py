"""How many answers are wrong, whose they are, and which ones a map most disagrees with."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from ordinate._checks import check_integer
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.metrics import triplet_margins
from ordinate.selection._compare import GUESSING
from ordinate.selection._cross_validation import as_estimator, deal, fit_all, label_of
from ordinate.selection._flips import Share, fit_flips, flip_share
from ordinate.selection._repeats import RepeatedQuestions, repeated_questions

Floats: TypeAlias = NDArray[np.float64]

_SHOWN = 10
"""Labels of a group that the report lists."""


@dataclass(frozen=True)
class AnswerNoise:
    """Wrong answers among those of everybody, or of one participant.

    Attributes
    ----------
    label : str
        Whose answers: a label of the group, or ``"all"``.
    n_answers : int
        Answers that were held out.
    held_out_error : float
        Share of them that a map fitted to other answers gets wrong. The map errs too, so fewer
        answers are wrong than this.
    share : float
        Estimated share of answers that are wrong however plain the question is.
    low, high : float
        Ends of its 95 % interval.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> noise = od.estimate_noise(answers).overall
    >>> noise.low <= noise.share <= noise.high <= noise.held_out_error
    True
    """

    label: str
    n_answers: int
    held_out_error: float
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return (
            f"{self.share:6.1%} ({self.low:.1%} – {self.high:.1%}) of {self.n_answers:,} answers"
            f" wrong, held-out error {self.held_out_error:.1%}"
        )


@dataclass(frozen=True, eq=False)
class NoiseEstimate:
    """What held-out maps say about the answers; prints as a short report.

    Attributes
    ----------
    overall : AnswerNoise
        All answers together.
    per_group : tuple of AnswerNoise
        One entry per label of the group asked for, the most surely noisy (by `low`) first.
    repeated : RepeatedQuestions
        How often people gave different answers to the same question.
    margins : ndarray of shape (n_comparisons,)
        By how much the far distance exceeds the near one on a map that was not fitted to this
        answer, relative to the size of the map; NaN for answers never held out.
    at_odds : ndarray of int
        Numbers of the rows that such a map denies, the most flatly denied first.
    method : str
        The method that made the maps.
    dimension : int
        Their dimension.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> estimate = od.estimate_noise(answers)
    >>> bool((estimate.margins[estimate.at_odds[:10]] < -1).all())
    True
    """

    overall: AnswerNoise
    per_group: tuple[AnswerNoise, ...]
    repeated: RepeatedQuestions
    margins: Floats
    at_odds: NDArray[np.intp]
    method: str
    dimension: int

    @property
    def trustworthy(self) -> bool:
        """Whether the maps predict well enough to tell wrong answers from wrong maps."""
        return self.overall.held_out_error < GUESSING

    def to_dict(self, most: int = 20) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON.

        Parameters
        ----------
        most : int
            How many of the answers most at odds with the map to list.

        Returns
        -------
        dict
            Overall and per group, repeated questions, and rows with their margins.
        """
        listed = self.at_odds[: check_integer("most", most, minimum=0)]
        return {
            "method": self.method,
            "dimension": self.dimension,
            "trustworthy": self.trustworthy,
            "overall": asdict(self.overall),
            "per_group": [asdict(noise) for noise in self.per_group],
            "repeated": asdict(self.repeated),
            "at_odds": [{"row": int(row), "margin": float(self.margins[row])} for row in listed],
        }

    def __str__(self) -> str:
        plural = "s" if self.dimension > 1 else ""
        lines = [f"Wrong answers, by {self.method} in {self.dimension} dimension{plural}"]
        shown = [self.overall, *self.per_group[:_SHOWN]]
        width = max(len(noise.label) for noise in shown)
        lines += [f"  {noise.label:{width}}  {noise}" for noise in shown]
        if len(self.per_group) > _SHOWN:
            lines.append(f"  and {len(self.per_group) - _SHOWN:,} more, less surely noisy")
        if self.repeated.n_pairs:
            lines.append(f"  {self.repeated}")
        if not self.trustworthy:
            lines.append("→ The maps hardly predict new answers: do not rely on these estimates.")
        return "\n".join(lines)


def estimate_noise(
    comparisons: Comparisons | ArrayLike,
    method: str | BaseEstimator = "TETE",
    dimension: int = 2,
    *,
    per: str | None = None,
    folds: int = 5,
    by: str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> NoiseEstimate:
    """Estimate the share of wrong answers, and list those most at odds with the map.

    Each answer is compared with a map fitted to other answers. The two differ where the answer is
    wrong or where the map is; the map errs where its margin is small, whereas a flipped answer may
    have any margin. The share that stays at large margins is the estimate. People who are merely
    unsure about near ties err at small margins only: their share of wrong answers lies between
    ``share`` and ``held_out_error``.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    method : str or estimator
        How maps are made; a robust method such as ``"TETE"`` finds more.
    dimension : int
        Dimension of the maps; one too small is taken for noise. See `estimate_dimension`.
    per : str, optional
        Name of a group, such as ``"participant"``, to estimate for each of its labels.
    folds : int
        The answers are dealt into this many parts, each held out in turn.
    by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None
        Seed of deal and fits.
    n_jobs : int or None
        Fits at a time, as in joblib; never changes the result.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    NoiseEstimate
        Print it, or take ``overall``, ``per_group`` and ``at_odds``.

    Examples
    --------
    One in twenty answers about European cities is wrong:

    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> round(od.estimate_noise(answers).overall.share, 2)
    0.05
    """
    record = as_comparisons(comparisons)
    group = None if per is None else record.group_codes(per)
    dimension = check_integer("dimension", dimension, minimum=1)
    dealt = deal(record, folds, 1, by, random_state)
    tasks = [(as_estimator(method), dimension, fold) for fold in dealt]
    found = fit_all(record, tasks, _margins, n_jobs=n_jobs, verbose=verbose)
    margins = np.full(len(record), np.nan)
    for fold, (part, _) in zip(dealt, found, strict=True):
        margins[fold.held_out] = part
    weights = np.ones(len(record)) if record.weights is None else record.weights
    held_out = np.flatnonzero(~np.isnan(margins) & (weights > 0))
    share, scale = fit_flips(margins[held_out], weights[held_out])
    per_group = []
    for rows in [] if group is None else _parts(held_out, group[held_out]):
        its_share = flip_share(margins[rows], weights[rows], scale)
        label = str(record.groups[str(per)][rows[0]])
        per_group.append(_noise(label, margins[rows], weights[rows], its_share))
    denied = held_out[margins[held_out] <= 0]
    return NoiseEstimate(
        overall=_noise("all", margins[held_out], weights[held_out], share),
        per_group=tuple(sorted(per_group, key=lambda noise: (-noise.low, -noise.share))),
        repeated=repeated_questions(record),
        margins=margins,
        at_odds=denied[np.argsort(margins[denied], kind="stable")],
        method=label_of(method),
        dimension=dimension,
    )


def _margins(model: Any, held_out: Comparisons) -> Floats:
    return triplet_margins(held_out, model.embedding_)


def _parts(rows: NDArray[np.intp], codes: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Deal row numbers by code."""
    order = np.argsort(codes, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(codes[order])) + 1)


def _noise(label: str, margins: Floats, weights: Floats, share: Share) -> AnswerNoise:
    error = float(np.average(margins <= 0, weights=weights))
    return AnswerNoise(label, len(margins), error, *share)
