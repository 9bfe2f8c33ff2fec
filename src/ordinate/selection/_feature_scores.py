"""How well feature vectors of models predict people's answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from ordinate._arrays import Floats
from ordinate._checks import NO_ROWS, InputError, check_choice
from ordinate._notebooks import ShownAsTable, aligned
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.choices import Answers, as_answers, pairs_of
from ordinate.comparisons.record import Comparisons
from ordinate.comparisons.trials import Ceiling, Trials
from ordinate.engine.choices import choices_right
from ordinate.features.alignment import rows_of_objects
from ordinate.solvers.folds import make_folds, rows_to_fit
from ordinate.solvers.intervals import CONFIDENCE, HeldOutMean, held_out_mean, holm
from ordinate.solvers.stopping import without_convergence_warnings

SIMILARITIES = ("cosine", "centered", "dot", "euclidean")
"""How alike two feature vectors are."""
_FOLDS, _INNER_FOLDS = 5, 3
"""Of the map of the answers, and of the part that is fitted to choose its dimension."""
_FEWEST_PEOPLE = 5
"""An interval over fewer participants would be too short; answers are then taken one by one."""

_N_SHUFFLED = 99
_ANSWERS_JUDGED = 2_000
"""Tables whose rows are shuffled, and answers that they are judged by."""

_MAP = "map of the answers"
"""How the row of the map begins, which stands beside those of features."""


@dataclass(frozen=True)
class FeatureScore:
    """The share of answers that one table of features, or a map, predicts.

    Attributes
    ----------
    name : str
        What the features are called.
    accuracy : float
        Share of the answers predicted; a tie of k options counts 1/k.
    low, high : float
        Ends of its 90 % interval.
    p_chance : float or None
        Share of 99 tables (and this one) that predict as many answers, with rows shuffled
        over the objects; None for a map. Of few objects such tables often predict more than
        guessing does.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities(500)
    >>> od.score_features(cities.comparisons, {"true": cities.points}, "euclidean").rows[0].accuracy
    0.938
    """

    name: str
    accuracy: float
    low: float
    high: float
    p_chance: float | None = None


@dataclass(frozen=True)
class FeatureDifference:
    """By how much one table of features predicts better than another, on the same answers.

    Attributes
    ----------
    better, worse : str
        What the two are called.
    difference : float
        Difference of their accuracies, not negative.
    low, high : float
        Ends of its 90 % interval.
    p : float
        Two-sided p value, multiplied by Holm's correction for the number of differences.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities(500)
    >>> models = {"true": cities.points, "one axis": cities.points[:, :1]}
    >>> found = od.score_features(cities.comparisons, models, "euclidean").differences[0]
    >>> found.better, found.worse, found.p < 0.001
    ('true', 'one axis', True)
    """

    better: str
    worse: str
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class FeatureScores(ShownAsTable):
    """How well several tables of features predict the same answers.

    Attributes
    ----------
    rows : tuple of FeatureScore
        One for each table, the best first.
    differences : tuple of FeatureDifference
        One for each two of the rows.
    chance : float
        Accuracy of guessing.
    ceiling : Ceiling
        How often people agree with one another, from questions asked more than once.
    similarity : str
        As given.
    question : str
        What was answered: ``"triplet"``, ``"quadruplet"`` or ``"odd-one-out trial"``.
    n_answers : int
        Answers that were scored: those whose objects all have features in every table, and a
        place on the map of the other answers if there is one.
    n_left_out : int
        All others.
    n_participants : int or None
        Participants over whom the intervals are taken; None if questions are.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities(500)
    >>> od.score_features(cities.comparisons, {"true": cities.points}, "euclidean").chance
    0.5
    """

    rows: tuple[FeatureScore, ...]
    differences: tuple[FeatureDifference, ...]
    chance: float
    ceiling: Ceiling
    similarity: str
    question: str
    n_answers: int
    n_left_out: int
    n_participants: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures for JSON; the ceiling is None if few questions were asked twice."""
        ceiling = asdict(self.ceiling) if self.ceiling.is_known else None
        return {**asdict(self), "ceiling": ceiling}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        over = f"{self.n_participants:,} participants" if self.n_participants else "questions"
        yield (
            f"{self.n_answers:,} {self.question}s predicted by {self.similarity} similarity,"
            f" {CONFIDENCE:.0%} intervals over {over}"
        )
        if self.n_left_out:
            has_map = any(row.name.startswith(_MAP) for row in self.rows)
            place = " or no place on the map of the other answers" * has_map
            yield f"{self.n_left_out:,} answers are left out: an object has no features{place}."
        yield from aligned(self.cells())
        if self.ceiling.n_questions:
            yield str(self.ceiling)
        if self.differences:
            yield "Differences in points, p values after Holm's correction:"
            yield from aligned(self.difference_cells())

    def cells(self) -> list[list[str]]:
        """Return the accuracies as a person reads them, a header first."""
        cells = [["features", "accuracy", "90% interval", "p (shuffled rows)"]]
        for row in self.rows:
            p = "" if row.p_chance is None else f"{row.p_chance:.2f}"
            interval = f"{row.low:.1%} to {row.high:.1%}"
            cells.append([row.name, f"{row.accuracy:.1%}", interval, p])
        return [*cells, ["chance", f"{self.chance:.1%}", "", ""]]

    def difference_cells(self) -> list[list[str]]:
        """Return the differences as a person reads them, a header first."""
        cells = [["better", "worse", "by", "90% interval", "p (Holm)"]]
        for one in self.differences:
            interval = f"{100 * one.low:.1f} to {100 * one.high:.1f}"
            p = "<0.001" if one.p < 0.001 else f"{one.p:.3f}"
            cells.append([one.better, one.worse, f"{100 * one.difference:.1f}", interval, p])
        return cells


def score_features(
    answers: Answers | ArrayLike,
    features: Mapping[str, Any],
    similarity: str = "cosine",
    *,
    map_dimensions: Sequence[int] = (),
    random_state: RandomState = None,
) -> FeatureScores:
    """Measure how many of people's answers each of several tables of features predicts.

    Parameters
    ----------
    answers : Comparisons, Trials or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets, pairs against pairs, or whole odd-one-out trials.
    features : mapping of str to array-like or data frame, shape (n_objects, n_features)
        Tables of features by name. Rows of an array are the objects 0, 1, …; those of a data frame
        are matched by its index. A row of NaN is an object without features.
    similarity : {"cosine", "centered", "dot", "euclidean"}, default="cosine"
        The most alike pair has the highest cosine, cosine after the mean over the objects is
        subtracted, or dot product, or the lowest Euclidean distance.
    map_dimensions : sequence of int, optional
        Dimensions of maps fitted to the answers themselves, for comparison. The one used is
        chosen within the part that is fitted; whole participants are held out where there
        are five or more, else whole questions.
    random_state : int, Generator or None, default=None
        Seed of the folds and fits of the map, and of the ceiling's bootstrap.

    Returns
    -------
    FeatureScores
        Accuracies with intervals, chance, ceiling, and differences; print it.

    See Also
    --------
    FeatureEmbedding : Features and answers together, which usually predict better than either.
    ordinate.plots.plot_feature_scores : Draws the accuracies.

    Notes
    -----
    Intervals and p values are clustered by participant where there are five or more, else by
    question. They hold for these objects; `FeatureScore.p_chance` tells whether as much might be
    by chance. A table that predicts well is not necessarily how people judge.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities(2000)
    >>> models = {"true": cities.points, "one axis": cities.points[:, :1]}
    >>> found = od.score_features(cities.comparisons, models, "euclidean")
    >>> [row.name for row in found.rows]
    ['true', 'one axis']
    """
    record = as_answers(answers)
    if not isinstance(features, Mapping) or not features:
        given = "an empty one" if isinstance(features, Mapping) else type(features).__name__
        raise InputError(f"features must map names to tables, as {{'clip': X}} does; got {given}.")
    if len(record) == 0:
        raise InputError(NO_ROWS)
    rng = as_generator(random_state)
    right = [predicted_by(record, table, similarity) for table in features.values()]
    known = ~np.isnan(right).any(axis=0)
    if not known.any():
        raise InputError("No answer is about objects that all have features in every table.")
    names = [str(name) for name in features]
    if len(map_dimensions):
        found, dimension = _right_of_map(record, map_dimensions, rng)
        names.append(f"{_MAP}, {dimension}-D")
        right.append(found)
        known &= ~np.isnan(found)
    by_chance: list[float | None] = [
        _p_of_chance(record, table, similarity, rng) for table in features.values()
    ]
    by_chance += [None] * (len(names) - len(by_chance))
    units, n_participants = units_of(record)
    weights = None if record.weights is None else record.weights[known]
    scored = np.array(right)[:, known]
    means = [held_out_mean(values, units[known], weights) for values in scored]
    order = np.argsort([-mean.mean for mean in means], kind="stable").tolist()
    pairs_of_rows = list(combinations(order, 2))
    differences = [
        held_out_mean(scored[a] - scored[b], units[known], weights) for a, b in pairs_of_rows
    ]
    p_values = holm([_two_sided(difference) for difference in differences]).tolist()
    return FeatureScores(
        rows=tuple(
            replace(
                FeatureScore(names[at], means[at].mean, *means[at].share_interval()),
                p_chance=by_chance[at],
            )
            for at in order
        ),
        differences=tuple(
            FeatureDifference(names[a], names[b], found.mean, *found.interval(), p)
            for (a, b), found, p in zip(pairs_of_rows, differences, p_values, strict=True)
        ),
        chance=1 / pairs_of(record[:1]).shape[1],
        ceiling=_ceiling(record, rng),
        similarity=similarity,
        question="odd-one-out trial" if isinstance(record, Trials) else record.kind,
        n_answers=int(known.sum()),
        n_left_out=int((~known).sum()),
        n_participants=n_participants,
    )


def predicted_by(record: Answers, table: Any, similarity: str) -> Floats:
    """Return for each answer whether features predict it; NaN where an object has none."""
    return choices_right(record, *_comparable(record, table, similarity))


def _comparable(record: Answers, table: Any, similarity: str) -> tuple[Floats, str]:
    """Return features by whose dot products, or distances, objects are alike, and which of them."""
    check_choice("similarity", similarity, SIMILARITIES)
    rows = rows_of_objects(record, table)[0][: record.n_objects].astype(np.float64)
    if similarity == "centered":
        rows = rows - np.nanmean(rows, axis=0)
    if similarity in ("cosine", "centered"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows / np.where(lengths == 0, 1, lengths)
    return rows, "euclidean" if similarity == "euclidean" else "dot"


def _p_of_chance(record: Answers, table: Any, similarity: str, rng: np.random.Generator) -> float:
    """Return how often shuffled features predict as many answers."""
    rows, kind = _comparable(record, table, similarity)
    looked_at = record[np.sort(rng.permutation(len(record))[:_ANSWERS_JUDGED])]
    has_features = np.flatnonzero(~np.isnan(rows).any(axis=1))
    found = [np.nanmean(choices_right(looked_at, rows, kind))]
    for _ in range(_N_SHUFFLED):
        shuffled = rows.copy()
        shuffled[has_features] = rows[rng.permutation(has_features)]
        found.append(np.nanmean(choices_right(looked_at, shuffled, kind)))
    return float(np.mean(np.array(found) >= found[0]))


def _right_of_map(
    record: Answers, dimensions: Sequence[int], rng: np.random.Generator
) -> tuple[Floats, int]:
    """Return whether maps of the other answers predict each answer, and their dimension."""
    from ordinate.methods import load_method

    comparisons = record.to_comparisons() if isinstance(record, Trials) else record
    per_answer = len(comparisons) // len(record)
    by = "trial" if isinstance(record, Trials) else None
    if _n_participants(record) >= _FEWEST_PEOPLE:
        by = "participant"
    folds = make_folds(comparisons, _FOLDS, by, rng)
    right = np.full(len(record), np.nan)

    def judge(fitted: Comparisons, held_out: NDArray[np.intp], dimension: int, seed: int) -> Floats:
        # maps that only serve to compare: one start, as in all cross-validation
        model = load_method("STE")(dimension, n_init=1, random_state=seed).fit(fitted)
        return choices_right(record[held_out], model.embedding_)

    with without_convergence_warnings():
        first = np.flatnonzero(rows_to_fit(comparisons, folds[0]))
        inner = make_folds(comparisons[first], _INNER_FOLDS, by, rng)[0]
        scores = [
            judge(
                comparisons[first][rows_to_fit(comparisons[first], inner)],
                np.unique(first[inner.held_out] // per_answer),
                dimension,
                inner.seed,
            ).mean()
            for dimension in dimensions
        ]
        dimension = dimensions[int(np.argmax(scores))]
        for fold in folds:
            held_out = np.unique(fold.held_out // per_answer)
            fitted = comparisons[rows_to_fit(comparisons, fold)]
            right[held_out] = judge(fitted, held_out, dimension, fold.seed)
    return right, dimension


def _n_participants(record: Answers) -> int:
    return len(np.unique(record.groups["participant"])) if "participant" in record.groups else 0


def units_of(record: Answers) -> tuple[NDArray[np.intp], int | None]:
    """Return which answers vary together, and the number of participants if these are they."""
    n_participants = _n_participants(record)
    if n_participants >= _FEWEST_PEOPLE:
        codes = np.unique(record.groups["participant"], return_inverse=True)[1]
        return codes, n_participants
    return record.question_groups(), None


def _ceiling(record: Answers, rng: np.random.Generator) -> Ceiling:
    """Return how far people agree with one another."""
    if isinstance(record, Trials):
        return record.ceiling(random_state=rng)
    near, far = record.pair_codes()
    question = record.question_groups()
    counts = np.zeros((int(question.max(initial=-1)) + 1, 2))
    np.add.at(counts, (question, (near < far).astype(np.intp)), 1)
    return Ceiling.from_counts(counts[counts.sum(axis=1) > 1], rng)


def _two_sided(difference: HeldOutMean) -> float:
    if difference.standard_error == 0:
        return 1.0 if difference.mean == 0 else 0.0
    return float(2 * ndtr(-abs(difference.mean) / difference.standard_error))
