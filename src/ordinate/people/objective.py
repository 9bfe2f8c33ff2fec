"""A loss summed over answers of people who weigh the axes of one map differently.

Person p sees the squared distances d²_p(i, j) = Σ_k e^{M_pk} (x_ik − x_jk)² and answers by coin
with probability ℓ_p. The loop below is that of `ordinate.engine.cpu` with these two things in it;
with all M at zero and no lapses it returns the same bits.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ordinate import losses
from ordinate._compiler import njit
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.engine.cpu import (
    as_function,
    chunk_bounds,
    inlined,
    kernel_version,
    run_chunks,
    with_constants,
    with_vectormath,
)
from ordinate.solvers.stopping import Points

Floats = NDArray[np.float64]

_BLOCK = 128
"""Answers per block: its buffers stay in the first-level cache."""
_FEW = 32_768
"""Below this many answers threads cost more than they save."""


class PeopleGradient(NamedTuple):
    """Derivatives of a sum over answers."""

    points: Points
    """In the coordinates, of shape (n_objects, n_components)."""
    log_weights: Floats
    """In M, of shape (n_people, n_components)."""
    lapse_logits: Floats
    """In log(ℓ / (1 − ℓ)), of shape (n_people,)."""


@dataclass(eq=False)
class PeopleObjective:
    """The weighted sum of a loss over the answers of several people.

    Parameters
    ----------
    comparisons : Comparisons
        Triplets or quadruplets.
    people : ndarray of int, shape (n_comparisons,)
        Who gave each answer, from 0.
    loss : callable
        A function as `ordinate.losses` describes it.
    parameters : sequence of float
        Passed to the loss after the two squared distances.
    lapses : bool
        Whether people answer by coin at times; if not, `lapse_logits` are not looked at.
    n_threads : int
        Threads that share the chunks; the result has the same bits for any number.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> from ordinate.people.objective import PeopleObjective
    >>> answers = od.Comparisons([[0, 1, 2], [0, 1, 2]])
    >>> objective = PeopleObjective(answers, np.array([0, 1]), od.losses.soe, [1.0])
    >>> points = np.array([[0.0], [1.0], [1.5]])
    >>> objective(points, np.log([[1.0], [16.0]]), np.zeros(2))[0]  # 0.5² and no violation
    0.25
    """

    comparisons: Comparisons
    people: NDArray[np.intp]
    loss: losses.Loss
    parameters: Sequence[float] = ()
    lapses: bool = False
    n_threads: int = 1

    def __call__(
        self, points: Points, log_weights: Floats, lapse_logits: Floats
    ) -> tuple[float, PeopleGradient]:
        """Return the value and its derivatives.

        Parameters
        ----------
        points : ndarray of shape (n_objects, n_components)
            The map that all share.
        log_weights : ndarray of shape (n_people, n_components)
            M, the logarithms of the axes' weights.
        lapse_logits : ndarray of shape (n_people,)
            log(ℓ / (1 − ℓ)) of everybody's lapse rate ℓ.

        Returns
        -------
        value, gradient : float, PeopleGradient
            The sum and its derivatives.
        """
        rows = self.comparisons.rows.view(np.uint32)
        given = self.comparisons.weights
        counts = np.empty(0) if given is None else given
        kernel = _compiled(as_function(self.loss), points.shape[1], rows.shape[1], self.lapses)
        bounds = chunk_bounds(len(rows), points.size)
        n_chunks = len(bounds) - 1
        n_people, dimension = log_weights.shape
        on_points = np.zeros((n_chunks, *points.shape))
        on_people = np.zeros((n_chunks, n_people, dimension + 1))
        points = np.ascontiguousarray(points)
        weights, lapse = np.exp(log_weights), expit(lapse_logits)
        parameters = tuple(float(parameter) for parameter in self.parameters)

        def work(chunk: int) -> float:
            value: float = kernel(
                points,
                weights,
                lapse,
                rows,
                self.people,
                counts,
                parameters,
                bounds[chunk],
                bounds[chunk + 1],
                on_points[chunk],
                on_people[chunk],
            )
            return value

        values = run_chunks(work, n_chunks, self.n_threads if len(rows) >= _FEW else 1)
        personal = on_people.sum(axis=0)
        gradient = PeopleGradient(on_points.sum(axis=0), personal[:, :-1], personal[:, -1])
        return sum(values), gradient

    def answers(self, points: Points, log_weights: Floats, lapse_logits: Floats) -> Answers:
        """Return the loss of every answer, unweighted, and its derivatives."""
        near, far = map(np.square, differences(self.comparisons, points))
        weights = np.exp(log_weights)[self.people]
        near *= weights
        far *= weights
        value, on_near, on_far = self.loss(near.sum(axis=1), far.sum(axis=1), *self.parameters)
        on_logit = np.zeros(len(value))
        if self.lapses:
            lapse = expit(lapse_logits)[self.people]
            value, on_near, on_far = losses.with_lapses(value, on_near, on_far, lapse)
            on_logit = lapse * (1.0 - 0.5 * np.exp(value))
        on_logs = on_near[:, None] * near + on_far[:, None] * far
        return Answers(value, np.column_stack([on_logs, on_logit]), on_near, on_far)

    def answers_if_alike(self, points: Points, n_people: int) -> Answers:
        """Return the same where everybody weighs all axes alike and nobody lapses."""
        alike = np.zeros((n_people, points.shape[1]))
        return self.answers(points, alike, np.full(n_people, -np.inf))


class Answers(NamedTuple):
    """The loss of single answers."""

    value: Floats
    """Of shape (n_answers,)."""
    personal: Floats
    """Derivatives in a person's log weights and lapse logit, (n_answers, n_components + 1)."""
    on_near: Floats
    """Derivative in the near pair's squared distance, (n_answers,)."""
    on_far: Floats
    """Derivative in the far pair's squared distance, (n_answers,)."""


def differences(comparisons: Comparisons, points: Points) -> tuple[Floats, Floats]:
    """Return the differences of the near and of the far pair along every axis.

    Parameters
    ----------
    comparisons : Comparisons
        Triplets or quadruplets.
    points : ndarray of shape (n_objects, n_components)
        Coordinates.

    Returns
    -------
    near, far : ndarray of shape (n_comparisons, n_components)
        Sums of their squares over the axes are the squared distances.
    """
    i, j, k, l = comparisons.rows[:, PAIR_COLUMNS[comparisons.rows.shape[1]]].T  # noqa: E741
    return points[i] - points[j], points[k] - points[l]


@cache
def _compiled(loss: types.FunctionType, dimension: int, n_columns: int, lapses: bool) -> Any:
    """Compile the loop for one loss and dimension, and triplets or quadruplets."""
    name = f"people_{loss.__name__}_{dimension}_{n_columns}_{kernel_version(loss, lapses):08x}"
    constants = {
        "loss": inlined(with_vectormath(loss)),
        "with_lapses": inlined(with_vectormath(as_function(losses.with_lapses))),
        "DIMENSION": dimension,
        "TRIPLETS": n_columns == 3,
        "LAPSES": lapses,
    }
    parts = {
        part.__name__: inlined(with_constants(part, part.__name__, constants))
        for part in (_measure, _add_derivatives)
    }
    kernel = with_constants(_sum_block_by_block, name, constants | parts)
    return njit(nogil=True, error_model="numpy", cache=True)(kernel)


# Constants of a kernel, set by `_compiled`; these stand for the linter and the reader.
DIMENSION: int = 2
TRIPLETS: bool = True
LAPSES: bool = False
loss: Any = None
with_lapses: Any = None


def _sum_block_by_block(
    points: Any,
    weights: Any,
    lapse: Any,
    rows: Any,
    people: Any,
    counts: Any,
    parameters: Any,
    start: int,
    stop: int,
    on_points: Any,
    on_people: Any,
) -> float:
    """Add derivatives over rows start … stop to both arrays and return the sum of the loss."""
    near2 = np.empty(_BLOCK)
    far2 = np.empty(_BLOCK)
    value = np.empty(_BLOCK)
    on_logit = np.zeros(_BLOCK)
    total = 0.0
    for first in range(start, stop, _BLOCK):
        size = min(_BLOCK, stop - first)
        _measure(points, weights, rows, people, first, size, near2, far2)
        # From here near2 and far2 hold the derivatives. This loop is the one that vectorises.
        for b in range(size):
            value[b], near2[b], far2[b] = loss(near2[b], far2[b], *parameters)
        if LAPSES:
            for b in range(size):
                share = lapse[people[first + b]]
                value[b], near2[b], far2[b] = with_lapses(value[b], near2[b], far2[b], share)
                on_logit[b] = share * (1.0 - 0.5 * np.exp(value[b]))
        if counts.size > 0:
            for b in range(size):
                count = counts[first + b]
                value[b] *= count
                near2[b] *= count
                far2[b] *= count
                on_logit[b] *= count
        for b in range(size):
            total += value[b]
            on_people[people[first + b], DIMENSION] += on_logit[b]
        _add_derivatives(
            points, weights, rows, people, first, size, near2, far2, on_points, on_people
        )
    return total


def _measure(
    points: Any,
    weights: Any,
    rows: Any,
    people: Any,
    first: int,
    size: int,
    near2: Any,
    far2: Any,
) -> None:
    """Fill in the squared distances of a block's pairs, as those who answered see them."""
    for b in range(size):
        i = rows[first + b, 0]
        j = rows[first + b, 1]
        k = i if TRIPLETS else rows[first + b, 2]
        l = rows[first + b, 2 if TRIPLETS else 3]  # noqa: E741
        p = people[first + b]
        near = 0.0
        far = 0.0
        for s in range(DIMENSION):
            u = points[i, s] - points[j, s]
            v = points[k, s] - points[l, s]
            near += weights[p, s] * (u * u)
            far += weights[p, s] * (v * v)
        near2[b] = near
        far2[b] = far


def _add_derivatives(
    points: Any,
    weights: Any,
    rows: Any,
    people: Any,
    first: int,
    size: int,
    on_near2: Any,
    on_far2: Any,
    on_points: Any,
    on_people: Any,
) -> None:
    """Add up derivatives in coordinates and log weights, from those in squared distances."""
    for b in range(size):
        if on_near2[b] != 0.0 or on_far2[b] != 0.0:
            i = rows[first + b, 0]
            j = rows[first + b, 1]
            k = i if TRIPLETS else rows[first + b, 2]
            l = rows[first + b, 2 if TRIPLETS else 3]  # noqa: E741
            p = people[first + b]
            for s in range(DIMENSION):
                u = points[i, s] - points[j, s]
                v = points[k, s] - points[l, s]
                near = on_near2[b] * weights[p, s]
                far = on_far2[b] * weights[p, s]
                on_people[p, s] += near * (u * u) + far * (v * v)
                u *= 2.0 * near
                v *= 2.0 * far
                if TRIPLETS:
                    on_points[i, s] += u + v
                else:
                    on_points[i, s] += u
                    on_points[k, s] += v
                on_points[j, s] -= u
                on_points[l, s] -= v
