"""The axes along which people differ, found on a map that is fitted to all of them together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate.comparisons.record import PAIR_COLUMNS
from ordinate.people.objective import PeopleObjective
from ordinate.solvers.stopping import Points

_SWEEPS = 50
"""Most rounds of rotations; a few do."""
_STILL = 1e-6
"""Angle below which a rotation is none."""


def turned_to_axes(objective: PeopleObjective, points: Points, n_people: int) -> Points:
    """Turn a pooled map so that its axes are those along which people differ.

    At equal weights, the derivative of a person's loss in a metric of their own is a symmetric
    matrix. If people stretch certain axes, it is diagonal there, so the rotation is looked for
    in which the matrices of all people are as diagonal as can be.

    Parameters
    ----------
    objective : PeopleObjective
        The answers and their loss.
    points : ndarray of shape (n_objects, n_components)
        A map of all answers.
    n_people : int
        How many people there are.

    Returns
    -------
    ndarray of shape (n_objects, n_components)
        The same map, turned.
    """
    dimension = points.shape[1]
    alike = np.zeros((n_people, dimension))
    answers = objective.answers(points, alike, np.full(n_people, -np.inf))
    rows = objective.comparisons.rows
    i, j, k, l = rows[:, PAIR_COLUMNS[rows.shape[1]]].T  # noqa: E741
    near, far = points[i] - points[j], points[k] - points[l]
    counts = objective.comparisons.weights
    on_near = answers.on_near if counts is None else counts * answers.on_near
    on_far = answers.on_far if counts is None else counts * answers.on_far
    derivatives = np.empty((n_people, dimension, dimension))
    for a in range(dimension):
        for b in range(a + 1):
            terms = on_near * near[:, a] * near[:, b] + on_far * far[:, a] * far[:, b]
            derivatives[:, a, b] = np.bincount(objective.people, terms, minlength=n_people)
            derivatives[:, b, a] = derivatives[:, a, b]
    turned: Points = points @ joint_diagonalizer(derivatives - derivatives.mean(axis=0))
    return turned


def joint_diagonalizer(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the rotation that makes symmetric matrices as diagonal as possible, all at once.

    Jacobi's rotations of two axes at a time, each by the best angle.

    Parameters
    ----------
    matrices : ndarray of shape (n_matrices, dimension, dimension)
        Symmetric matrices.

    Returns
    -------
    ndarray of shape (dimension, dimension)
        An orthogonal R, such that the squares off the diagonals of all RᵀMR are smallest.

    References
    ----------
    Cardoso & Souloumiac, Jacobi angles for simultaneous diagonalization, SIAM J. Matrix Anal. 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.people.axes import joint_diagonalizer
    >>> found = joint_diagonalizer(np.array([[[0.0, 1.0], [1.0, 0.0]]]))
    >>> np.round(np.abs(found), 3)
    array([[0.707, 0.707],
           [0.707, 0.707]])
    """
    dimension = matrices.shape[1]
    rotation = np.eye(dimension)
    for _ in range(_SWEEPS):
        largest = 0.0
        for a in range(dimension):
            for b in range(a):
                half = matrices[:, a, a] - matrices[:, b, b]
                cross = 2.0 * matrices[:, a, b]
                angle = 0.25 * np.arctan2(2.0 * half @ cross, half @ half - cross @ cross)
                turn = np.eye(dimension)
                turn[a, a] = turn[b, b] = np.cos(angle)
                turn[b, a] = np.sin(angle)
                turn[a, b] = -turn[b, a]
                matrices = turn.T @ matrices @ turn
                rotation = rotation @ turn
                largest = max(largest, abs(float(angle)))
        if largest < _STILL:
            break
    return rotation
