"""A loss summed over answers of people who weigh the axes of one map differently.

Person p sees the squared distances d²_p(i, j) = Σ_k e^{M_pk} (x_ik − x_jk)² and responds at random
with probability ℓ_p. The loop is that of `ordinate.engine.cpu`; with all M at zero and no lapses it
returns the same bits as without people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ordinate import losses
from ordinate._arrays import Floats, Points
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.engine.cpu import (
    as_function,
    chunk_bounds,
    compiled_kernel,
    read_only_weights,
    run_chunks,
    unrolled,
)

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
    """The weighted sum of a loss over the answers of several people."""

    comparisons: Comparisons
    people: NDArray[np.intp]
    loss: losses.Loss
    parameters: Sequence[float] = ()
    lapses: bool = False
    n_threads: int = 1

    def __call__(
        self, points: Points, log_weights: Floats, lapse_logits: Floats
    ) -> tuple[float, PeopleGradient]:
        """Return the value and its derivatives."""
        rows = self.comparisons.rows.view(np.uint32)
        counts = read_only_weights(self.comparisons)
        kernel = compiled_kernel(
            as_function(self.loss),
            unrolled(points.shape[1], len(rows)),
            rows.shape[1],
            lapses=self.lapses,
            people=True,
        )
        bounds = chunk_bounds(len(rows), points.size)
        n_chunks = len(bounds) - 1
        n_people, dimension = log_weights.shape
        on_points = np.zeros((n_chunks, *points.shape))
        on_people = np.zeros((n_chunks, n_people, dimension + 1))
        points = np.ascontiguousarray(points)
        weights, lapse = np.exp(np.ascontiguousarray(log_weights)), expit(lapse_logits)
        parameters = tuple(float(parameter) for parameter in self.parameters)

        def work(chunk: int) -> float:
            first, stop = bounds[chunk], bounds[chunk + 1]
            seen_by = self.people, weights, lapse, on_people[chunk]
            return kernel(points, rows, counts, parameters, first, stop, on_points[chunk], seen_by)

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
    """Return the differences of the near and of the far pair along every axis."""
    i, j, k, l = comparisons.rows[:, PAIR_COLUMNS[comparisons.rows.shape[1]]].T  # noqa: E741
    return points[i] - points[j], points[k] - points[l]
