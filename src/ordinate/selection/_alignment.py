"""How well features that were aligned with some answers predict others."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_share
from ordinate._estimator import Estimator, clone
from ordinate._notebooks import ShownAsTable, aligned
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.choices import Answers, answers_to_fit
from ordinate.engine.choices import choices_right
from ordinate.features.alignment import rows_of_objects
from ordinate.features.feature_embedding import FeatureEmbedding
from ordinate.selection._feature_scores import predicted_by, units_of
from ordinate.solvers.intervals import CONFIDENCE, held_out_mean

_RANK = 30
"""Coordinates of one start, at most; 30 to 160 predict people equally well."""


@dataclass(frozen=True)
class AlignmentScore:
    """Accuracy on answers that were held out in one way, before and after alignment.

    Attributes
    ----------
    held_out : str
        What the fit did not see: ``"people"`` (``"answers"`` if there are fewer than five
        participants), ``"objects"`` or ``"both"``.
    n_answers : int
        Answers that were predicted.
    before, after : float
        Share predicted by the features as they are, and by the aligned ones.
    low, high : float
        Ends of the 90 % interval of the accuracy after alignment.
    gain, gain_low, gain_high : float
        By how much alignment raised the accuracy, with an interval: those of all rows hold
        together in 90 %.

    Examples
    --------
    >>> import ordinate as od
    >>> points = od.datasets.load_cities().points
    >>> answers = od.sources.random_triplets(points, 300, random_state=0)
    >>> model = od.FeatureEmbedding(1, prior={"share": 0.9})
    >>> od.score_alignment(answers, points, model, random_state=0).rows[0].held_out
    'answers'
    """

    held_out: str
    n_answers: int
    before: float
    after: float
    low: float
    high: float
    gain: float
    gain_low: float
    gain_high: float


@dataclass(frozen=True)
class AlignmentScores(ShownAsTable):
    """Accuracy before and after alignment, for people, objects and both held out.

    Attributes
    ----------
    rows : tuple of AlignmentScore
        One for each way of holding out.
    similarity : str
        By which the features as they are were judged.
    model : FeatureEmbedding
        The fit that knows all objects.

    Examples
    --------
    >>> import ordinate as od
    >>> points = od.datasets.load_cities().points
    >>> answers = od.sources.random_triplets(points, 300, random_state=0)
    >>> model = od.FeatureEmbedding(1, prior={"share": 0.9})
    >>> found = od.score_alignment(answers, points, model, similarity="euclidean", random_state=0)
    >>> [row.held_out for row in found.rows]
    ['answers', 'objects', 'both']
    """

    rows: tuple[AlignmentScore, ...]
    similarity: str
    model: FeatureEmbedding = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {"rows": [asdict(row) for row in self.rows], "similarity": self.similarity}

    def __str__(self) -> str:
        headline = (
            f"Features as they are ({self.similarity}) and aligned, on answers that were held out"
            f" ({CONFIDENCE:.0%} intervals)"
        )
        return "\n".join([headline, *aligned(self.cells())])

    def cells(self) -> list[list[str]]:
        """Return the accuracies as a person reads them, a header first."""
        head = ["held out", "answers", "before", "after", "90% interval"]
        cells = [[*head, "gain in points, 90% for all rows"]]
        for row in self.rows:
            gain = f"{100 * row.gain:.1f} ({100 * row.gain_low:.1f} to {100 * row.gain_high:.1f})"
            interval = f"{row.low:.1%} to {row.high:.1%}"
            line = [f"{row.n_answers:,}", f"{row.before:.1%}", f"{row.after:.1%}", interval, gain]
            cells.append([row.held_out, *line])
        return cells


def score_alignment(
    answers: Answers | ArrayLike,
    features: Any,
    estimator: Estimator | None = None,
    *,
    similarity: str = "cosine",
    test_size: float = 0.2,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
) -> AlignmentScores:
    """Measure how well features that are aligned with some answers predict others.

    A part of the people and a part of the objects is set aside. One fit sees all answers of the
    other people; a second one sees none of the objects set aside either, which it places by
    their features. The prior is chosen inside each fit.

    Parameters
    ----------
    answers : Comparisons, Trials or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets, pairs against pairs, or whole odd-one-out trials.
    features : array-like or data frame of shape (n_objects, n_features)
        The features, matched with objects as `FeatureEmbedding.fit` does.
    estimator : FeatureEmbedding, optional
        How features are aligned; by default ``FeatureEmbedding(30, similarity="auto",
        n_init=4, folds=3, tol=1e-3)``, with fewer components if there are fewer objects.
    similarity : {"cosine", "centered", "dot", "euclidean"}, default="cosine"
        By which the features as they are predict answers, for comparison.
    test_size : float, default=0.2
        Share of the participants (of the questions if there are fewer than five participants)
        and of the objects that is set aside.
    random_state : int, Generator or None, default=None
        Seed of what is set aside and of the fits.
    n_jobs : int or None, default=-1
        Threads of a fit; never changes the result.

    Returns
    -------
    AlignmentScores
        Accuracies before and after alignment with intervals; print it.

    See Also
    --------
    score_features : Several tables of features as they are.
    FeatureEmbedding : Aligns features with answers.

    Examples
    --------
    >>> import ordinate as od
    >>> points = od.datasets.load_cities().points
    >>> answers = od.sources.random_triplets(points, 300, random_state=0)
    >>> model = od.FeatureEmbedding(1, prior={"share": 0.9})
    >>> len(od.score_alignment(answers, points, model, random_state=0).rows)
    3
    """
    share = check_share("test_size", test_size)
    record = answers_to_fit(answers)
    rows, _ = rows_of_objects(record, features)
    model = aligning_estimator(rows) if estimator is None else clone(estimator)
    rng = as_generator(random_state)
    units, n_participants = units_of(record)
    new_unit = _set_aside(int(units.max()) + 1, share, rng)[units]
    objects = _set_aside(record.n_objects, share, rng)
    new_object = objects[record.rows].any(axis=1)
    before = predicted_by(record, rows, similarity)
    model.set_params(random_state=int(rng.integers(2**31)), n_jobs=n_jobs)
    knows_objects = _fitted(model, record, rows, ~new_unit)
    knows_neither = _fitted(model, record, rows, ~new_unit & ~new_object)
    people = "people" if n_participants else "answers"
    judged = [
        (people, new_unit, knows_objects),
        ("objects", ~new_unit & new_object, knows_neither),
        ("both", new_unit & new_object, knows_neither),
    ]
    n_parts = sum(bool(part.any()) for _, part, _ in judged)
    scores = tuple(
        _judged(what, record[part], fitted, before[part], units[part], n_parts)
        for what, part, fitted in judged
        if part.any()
    )
    return AlignmentScores(scores, similarity, knows_objects)


def aligning_estimator(rows: NDArray[Any], rank: int = _RANK) -> FeatureEmbedding:
    """Return the usual estimator for a table of features."""
    return FeatureEmbedding(
        min(rank, len(rows) - 1),
        similarity="auto",
        n_init=4,
        folds=3,
        tol=1e-3,
    )


def _set_aside(n: int, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which of n are set aside: at least one, and not all."""
    found = np.zeros(n, dtype=bool)
    found[rng.permutation(n)[: min(max(round(share * n), 1), n - 1)]] = True
    return found


def _fitted(
    model: FeatureEmbedding, record: Answers, rows: NDArray[Any], part: NDArray[np.bool_]
) -> FeatureEmbedding:
    """Return a fit to some of the answers."""
    if not part.any():
        raise InputError(
            "No answer is left to fit when people and objects are held out; lower test_size or"
            " collect more answers."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of objects that are held out deliberately
        fitted: FeatureEmbedding = clone(model).fit(record[part], features=rows)
    return fitted


def _judged(
    what: str,
    record: Answers,
    fitted: FeatureEmbedding,
    before: NDArray[np.float64],
    units: NDArray[np.intp],
    n_parts: int,
) -> AlignmentScore:
    """Return the accuracies on held-out answers, and a gain whose interval is one of so many."""
    after = choices_right(record, fitted.embedding_, fitted.similarity_)
    known = ~np.isnan(before)
    raw = held_out_mean(before, units, record.weights)
    aligned = held_out_mean(np.where(known, after, np.nan), units, record.weights)
    gain = held_out_mean(after - before, units, record.weights)
    return AlignmentScore(
        what,
        int(known.sum()),
        raw.mean,
        aligned.mean,
        *aligned.share_interval(),
        gain.mean,
        *gain.interval(1 - (1 - CONFIDENCE) / n_parts),
    )
