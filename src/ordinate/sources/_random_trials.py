"""Simulated odd-one-out trials."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError, check_choice, check_integer, check_points, check_real
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.trials import Trials

_BLOCK = 2**18
"""Trials that are simulated at once."""


def random_trials(
    points: ArrayLike,
    n_trials: int,
    *,
    similarity: str = "dot",
    temperature: float = 1.0,
    random_state: RandomState = None,
) -> Trials:
    """Ask "which of the three is the odd one out?" about random objects with known similarities.

    Of three objects the pair (i, j) is kept together with the probability
    exp s_ij / (exp s_ij + exp s_ik + exp s_jk).

    Parameters
    ----------
    points : array-like of float, shape (n_objects, n_features)
        Loadings or features; or with ``similarity="precomputed"`` the similarities, shape
        (n_objects, n_objects).
    n_trials : int
        How many trials.
    similarity : {"dot", "cosine", "precomputed"}, default="dot"
        How similar two objects are: the dot product of their rows, its cosine, or as given.
    temperature : float, default=1.0
        Similarities are divided by it. At 0 the most similar pair is always kept together.
    random_state : int, Generator or None, default=None
        Seed of the objects and of the answers.

    Returns
    -------
    Trials
        In random order; three different objects in each.

    See Also
    --------
    random_triplets : Triplets of points, by distance.
    ordinate.SparseDimensions : Finds the loadings again.

    Examples
    --------
    >>> import ordinate as od
    >>> similar = [[9, 5, 1], [5, 9, 2], [1, 2, 9]]
    >>> trials = od.sources.random_trials(similar, 2, similarity="precomputed", temperature=0)
    >>> trials.rows[:, 2]
    array([2, 2], dtype=int32)
    """
    values = check_points("points", points)
    n_trials = check_integer("n_trials", n_trials, minimum=1)
    check_choice("similarity", similarity, ("dot", "cosine", "precomputed"))
    temperature = check_real("temperature", temperature, minimum=0)
    n_objects = len(values)
    if n_objects < 3:
        raise InputError(f"A trial shows three objects; got points of {n_objects}.")
    if similarity == "precomputed":
        if values.shape != (n_objects, n_objects) or not np.allclose(values, values.T):
            raise InputError(
                "Precomputed similarities must be a symmetric matrix, one row per object; got shape"
                f" {values.shape}."
            )
        similar = values
    else:
        if similarity == "cosine":
            length = np.linalg.norm(values, axis=1, keepdims=True)
            values = values / np.where(length > 0, length, 1)
        similar = values @ values.T
    rng = as_generator(random_state)
    rows = np.empty((n_trials, 3), dtype=np.int32)
    for start in range(0, n_trials, _BLOCK):
        part = rows[start : start + _BLOCK]
        shown = _three_different(n_objects, len(part), rng)
        # column c: the similarity of the two that stay together if object c is the odd one
        kept = np.column_stack([similar[shown[:, c - 2], shown[:, c - 1]] for c in range(3)])
        if temperature:
            kept = kept / temperature + rng.gumbel(size=kept.shape)
        odd = kept.argmax(axis=1)
        order = (odd[:, None] + np.array([1, 2, 0])) % 3
        part[:] = np.take_along_axis(shown, order, axis=1)
    return Trials(rows, n_objects=n_objects)


def _three_different(n_objects: int, n_trials: int, rng: np.random.Generator) -> np.ndarray:
    """Draw three different objects per trial, all threes equally often."""
    first = rng.integers(n_objects, size=n_trials)
    second = (first + rng.integers(1, n_objects, size=n_trials)) % n_objects
    third = rng.integers(n_objects - 2, size=n_trials)
    low, high = np.minimum(first, second), np.maximum(first, second)
    third = third + (third >= low)
    third = third + (third >= high)
    return np.column_stack([first, second, third])
