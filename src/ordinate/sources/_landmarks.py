"""Questions that go through a few landmark objects, as the triplet kernels k1 and k2 use them.

Two objects can only be compared by how they answer the same questions. When every question goes
through a few landmarks, any two objects share many of them, and the number of questions grows
with n instead of n³.

References
----------
M. Kleindessner and U. von Luxburg, "Kernel functions based on triplet comparisons", NIPS 2017,
section 2.3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import (
    InputError,
    as_text_or_numbers,
    check_choice,
    check_integer,
    check_objects,
    degenerate_rows,
)
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.sources._answers import answer_rows
from ordinate.sources._distances import Distances, Metric
from ordinate.sources._noise import Noise


def choose_landmarks(
    n_landmarks: int,
    *,
    n_objects: int | None = None,
    points: ArrayLike | None = None,
    metric: Metric = "euclidean",
    random_state: RandomState = None,
) -> NDArray[np.int32]:
    """Choose landmarks at random, or spread out where something is known of the objects.

    Parameters
    ----------
    n_landmarks : int
        How many.
    n_objects : int, optional
        Number of objects, to choose among them at random. Give this or `points`.
    points : array-like of float, shape (n_objects, n_features), optional
        What is known: features, a first map, or with ``metric="precomputed"`` distances. The
        first landmark is random, each further one the object farthest from those chosen.
    metric : str or callable, default="euclidean"
        A metric of `scipy.spatial.distance.cdist`, or ``"precomputed"``.
    random_state : int, Generator or None, default=None
        Seed of the choice.

    Returns
    -------
    ndarray of int32, shape (n_landmarks,)
        Numbers of the landmarks, in the order chosen.

    See Also
    --------
    landmark_questions : The questions about them.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.choose_landmarks(3, points=[[0], [1], [2], [10], [30]], random_state=2)
    array([4, 0, 3], dtype=int32)
    """
    if (n_objects is None) == (points is None):
        raise InputError("choose_landmarks takes either n_objects or points; give one of them.")
    rng = as_generator(random_state)
    if points is None:
        n_objects = check_integer("n_objects", n_objects, minimum=3)
        check_integer("n_landmarks", n_landmarks, minimum=2, maximum=n_objects)
        return rng.choice(n_objects, n_landmarks, replace=False).astype(np.int32)
    distances = Distances(points, metric)
    check_integer("n_landmarks", n_landmarks, minimum=2, maximum=distances.n_objects)
    everything = np.arange(distances.n_objects)
    chosen = np.empty(n_landmarks, dtype=np.int32)
    nearest = np.full(distances.n_objects, np.inf)
    following = rng.integers(distances.n_objects)
    for rank in range(n_landmarks):
        chosen[rank] = following
        nearest = np.minimum(
            nearest, distances.between(np.broadcast_to(following, len(everything)), everything)
        )
        nearest[following] = -np.inf  # never twice, even where objects coincide
        following = nearest.argmax()
    return chosen


def count_landmark_questions(n_objects: int, n_landmarks: int, *, design: str = "k1") -> int:
    """Count the questions of a landmark design without listing them.

    Parameters
    ----------
    n_objects : int
        How many objects there are.
    n_landmarks : int
        How many of them are landmarks.
    design : {"k1", "k2"}, default="k1"
        Which questions; see `landmark_questions`.

    Returns
    -------
    int
        With n objects and m landmarks, m(m-1)/2 · (n-2) for k1 and
        m(m-1)(n-m) + m(m-1)(m-2)/2 for k2.

    See Also
    --------
    landmark_questions : The questions.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.count_landmark_questions(1_000_000, 30)
    434999130
    """
    n = check_integer("n_objects", n_objects, minimum=3)
    m = check_integer("n_landmarks", n_landmarks, minimum=2, maximum=n)
    if check_choice("design", design, _DESIGNS) == "k1":
        return m * (m - 1) // 2 * (n - 2)
    return m * (m - 1) * (n - m) + m * (m - 1) * (m - 2) // 2


def landmark_questions(
    n_objects: int, landmarks: ArrayLike, *, design: str = "k1"
) -> NDArray[np.int32]:
    """List the questions of a landmark design, each once.

    Parameters
    ----------
    n_objects : int
        How many objects there are.
    landmarks : array-like of int, shape (n_landmarks,)
        Numbers of the landmark objects.
    design : {"k1", "k2"}, default="k1"
        For ``"k1"`` the anchor is any object and the pair is two landmarks. For ``"k2"`` the
        anchor and one of the pair are landmarks and the other one is any object.

    Returns
    -------
    ndarray of int32, shape (n_questions, 3)
        Rows (anchor, i, j) for "is the anchor nearer to i or to j?", all objects different;
        `count_landmark_questions` says how many without listing them.

    See Also
    --------
    choose_landmarks : Which objects are landmarks.
    landmark_triplets : Answers to them.
    count_landmark_questions : How many there are.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.landmark_questions(4, [0, 3], design="k1")
    array([[1, 0, 3],
           [2, 0, 3]], dtype=int32)
    >>> od.sources.landmark_questions(4, [0, 3], design="k2")
    array([[0, 1, 3],
           [0, 2, 3],
           [3, 1, 0],
           [3, 2, 0]], dtype=int32)
    """
    n_objects = check_integer("n_objects", n_objects, minimum=3)
    chosen = check_landmarks(landmarks, n_objects)
    list_questions = _DESIGNS[check_choice("design", design, _DESIGNS)]
    return list_questions(n_objects, chosen)


def landmark_triplets(
    points: ArrayLike,
    landmarks: ArrayLike,
    *,
    design: str = "k1",
    size: int | None = None,
    metric: Metric = "euclidean",
    noise: Noise = None,
    random_state: RandomState = None,
) -> Comparisons:
    """Answer all questions of a landmark design, or some of them chosen at random.

    Parameters
    ----------
    points, metric, noise
        As for `random_triplets`.
    landmarks : array-like of int, shape (n_landmarks,)
        Numbers of the landmark objects.
    design : {"k1", "k2"}, default="k1"
        Which questions; see `landmark_questions`.
    size : int, optional
        How many different questions to ask; by default all.
    random_state : int, Generator or None, default=None
        Seed of the choice and the noise.

    Returns
    -------
    Comparisons
        One triplet per question, except for ties.

    See Also
    --------
    random_triplets : With any anchors.
    landmark_questions : The questions alone.

    Examples
    --------
    >>> import ordinate as od
    >>> points = [[0.0], [1.0], [3.0], [7.0]]
    >>> od.sources.landmark_triplets(points, [0, 3]).rows
    array([[1, 0, 3],
           [2, 0, 3]], dtype=int32)
    """
    distances = Distances(points, metric)
    rng = as_generator(random_state)
    rows = landmark_questions(distances.n_objects, landmarks, design=design)
    if size is not None:
        size = check_integer("size", size, minimum=1, maximum=len(rows))
        rows = rows[rng.choice(len(rows), size=size, replace=False)]
    return answer_rows(rows, distances, noise, rng)


def _k1_questions(n_objects: int, landmarks: NDArray[np.int32]) -> NDArray[np.int32]:
    i, j = landmarks[np.stack(np.triu_indices(len(landmarks), k=1))]
    rows = _combined(np.arange(n_objects, dtype=np.int32)[:, None], i, j)
    return rows[~degenerate_rows(rows)]


def _k2_questions(n_objects: int, landmarks: NDArray[np.int32]) -> NDArray[np.int32]:
    anchor, reference = landmarks[:, None, None], landmarks[:, None]
    rows = _combined(anchor, np.arange(n_objects, dtype=np.int32), reference)
    is_landmark = np.isin(rows[:, 1], landmarks)
    # a question about three landmarks comes up twice, with either of the pair as reference
    twice = is_landmark & (rows[:, 1] > rows[:, 2])
    return rows[~(degenerate_rows(rows) | twice)]


_DESIGNS = {"k1": _k1_questions, "k2": _k2_questions}


def _combined(*columns: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.stack(np.broadcast_arrays(*columns), axis=-1).reshape(-1, len(columns))


def check_landmarks(landmarks: ArrayLike, n_objects: int) -> NDArray[np.int32]:
    """Return the numbers of the landmarks in rising order, each of them an object."""
    array = as_text_or_numbers(landmarks)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < 2:
        raise InputError(
            "landmarks must be a 1-D array with the numbers of two objects or more;"
            f" got shape {array.shape}, dtype {array.dtype}."
        )
    check_objects("landmarks", array, n_objects)
    unique, counts = np.unique(array, return_counts=True)
    if len(unique) < len(array):
        raise InputError(f"Landmarks must differ; {unique[np.argmax(counts)]} occurs twice.")
    return unique.astype(np.int32)
