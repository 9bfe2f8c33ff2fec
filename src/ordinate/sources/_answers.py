"""Questions answered by distances, with noise or without.

One rule holds throughout: a question whose two distances are equal, as perceived, gives no row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_index_rows, check_integer, refuse_degenerate
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import PAIR_COLUMNS, SWAPPED_COLUMNS, Comparisons
from ordinate.sources._distances import Distances, Metric
from ordinate.sources._noise import Noise, as_models

_MIN_DRAW = 10_000


def answer_questions(
    questions: ArrayLike,
    points: ArrayLike,
    *,
    metric: Metric = "euclidean",
    noise: Noise = None,
    random_state: RandomState = None,
) -> Comparisons:
    """Answer given questions by the distances between points.

    Parameters
    ----------
    questions : array-like of int, shape (n_questions, 3) or (n_questions, 4)
        As rows of `Comparisons`, but which pair is the nearer one is still open.
    points : array-like of float, shape (n_objects, n_features)
        Coordinates; or with ``metric="precomputed"`` the distances, shape (n_objects, n_objects).
    metric : str or callable, default="euclidean"
        A metric of `scipy.spatial.distance.cdist`, or ``"precomputed"``.
    noise : callable or sequence of callables, optional
        How answers go wrong, such as ``FlippedAnswers(0.1)``; see `ordinate.sources._noise`.
    random_state : int, Generator or None, default=None
        Seed of the noise.

    Returns
    -------
    Comparisons
        One row per question, in order, except for ties.

    See Also
    --------
    landmark_questions : Questions to answer.
    LogisticNoise, GaussianNoise, FlippedAnswers : Answers that may be wrong.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.answer_questions([[0, 1, 2], [2, 0, 1]], [[0.0], [1.0], [3.0]]).rows
    array([[0, 1, 2],
           [2, 1, 0]], dtype=int32)
    """
    distances = Distances(points, metric)
    rows = check_index_rows(questions, distances.n_objects)
    refuse_degenerate(rows)
    return answer_rows(rows, distances, noise, as_generator(random_state))


def answer_rows(
    rows: NDArray[np.int32], distances: Distances, noise: Noise, rng: np.random.Generator
) -> Comparisons:
    """Answer valid questions and leave out the ties."""
    answered = _answered(rows, distances, noise, rng)
    if len(answered) == 0:
        raise InputError(
            f"All {len(rows)} questions are ties: their two distances are equal, so none has an"
            " answer."
        )
    return _record(answered, distances)


def answer_drawn(
    draw: Callable[[int], NDArray[np.int32]],
    size: int,
    distances: Distances,
    noise: Noise,
    rng: np.random.Generator,
) -> Comparisons:
    """Draw questions until `size` of them have an answer."""
    missing = check_integer("size", size, minimum=1)
    blocks: list[NDArray[np.int32]] = []
    while missing:
        # from the second round on few are missing; a large draw tells ties from bad luck
        rows = draw(max(missing, _MIN_DRAW) if blocks else missing)
        answered = _answered(rows, distances, noise, rng)[:missing]
        if len(answered) == 0 and len(rows) >= _MIN_DRAW:
            raise InputError(
                f"None of {len(rows)} random questions has two different distances; too many of"
                " these distances are equal."
            )
        blocks.append(answered)
        missing -= len(answered)
    return _record(blocks[0] if len(blocks) == 1 else np.concatenate(blocks), distances)


def _answered(
    rows: NDArray[np.int32], distances: Distances, noise: Noise, rng: np.random.Generator
) -> NDArray[np.int32]:
    i, j, k, l = rows.T[PAIR_COLUMNS[rows.shape[1]]]  # noqa: E741
    near, far = distances.between(i, j), distances.between(k, l)
    for model in as_models(noise):
        near, far = model(near, far, rng)
    rows = np.where((near > far)[:, None], rows[:, SWAPPED_COLUMNS[rows.shape[1]]], rows)
    decided = near != far
    return rows if decided.all() else rows[decided]


def _record(rows: NDArray[np.int32], distances: Distances) -> Comparisons:
    return Comparisons._from_validated(rows, None, {}, None, distances.n_objects)
