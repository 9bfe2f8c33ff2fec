"""Fits of answers and features: in several forms of the features, with any penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import weighted_mean
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.trials import Trials
from ordinate.engine.choices import ChoiceObjective, choices_right
from ordinate.engine.distances import share_that_holds
from ordinate.engine.likelihoods import likelihood
from ordinate.engine.objective import Objective, make_objective, resolve_device
from ordinate.features.feature_map import FeatureMap
from ordinate.features.penalties import SIZES, Candidate, Form
from ordinate.features.placement import FeaturePart, Placed, Placement

_LEAST_SPREAD = 1e-4
"""Mean squared distance from the middle below which all objects are in one place."""
_SEARCH_TOL = 1e-3
"""Maps that only serve to choose penalties need not be exact."""


@dataclass(frozen=True)
class Described:
    """Objects by their features in one form."""

    scaled: FeatureMap
    part: FeaturePart
    axes: NDArray[np.float64]
    mapped: NDArray[Any]
    kept: Points | None
    empty: FeaturePart
    """The same part without objects, for those to come."""


class FeatureFits:
    """Places objects by their features in given forms, by some answers, with given penalties."""

    def __init__(
        self,
        rows: NDArray[Any],
        featured: NDArray[np.bool_],
        forms: Sequence[Form],
        *,
        similarity: str,
        n_components: int,
        map: str,
        loss: str,
        n_init: int,
        max_iter: int,
        tol: float,
        n_jobs: int | None,
        device: str,
        seed: int,
    ) -> None:
        self.similarity = similarity
        self._is_dot = similarity == "dot"
        self._featured, self._seed = featured, seed
        self._n_components, self._map, self._loss = n_components, map, loss
        self._n_init = n_init if self._is_dot else 1
        self._max_iter, self._tol = max_iter, tol
        self._n_jobs, self._device = n_jobs, device
        self.described = {form: self._describe(rows, form) for form in forms}

    def _describe(self, rows: NDArray[Any], form: Form) -> Described:
        """Scale features, and find their principal axes."""
        features = rows[self._featured]
        scaled = FeatureMap(
            features,
            self._map,
            self._seed,
            standardise=form.standardised,
            with_constant=self._is_dot,
        )
        told = scaled(features)
        if self._is_dot:  # whose sums over answers are in single precision, too
            told = told.astype(np.float32)
        mapped = np.zeros((len(rows), told.shape[1]), dtype=told.dtype)
        mapped[self._featured] = told
        place = resolve_device(self._device)
        given: dict[str, Any] = {"hidden": self._map == "mlp", "seed": self._seed}
        part = FeaturePart(
            mapped, self._n_components, **given, device=None if place == "cpu" else place
        )
        shrunk_to_zero = form.kept or self._is_dot
        return Described(
            scaled,
            part,
            np.zeros(part.size)
            if shrunk_to_zero
            else part.principal_axes(np.random.default_rng(self._seed)),
            mapped,
            mapped[:, : scaled.n_outputs].astype(np.float64) if form.kept else None,
            FeaturePart(mapped[:0], self._n_components * self._n_init, **given),
        )

    def place(self, answers: Answers, candidate: Candidate) -> Placed:
        """Fit with given penalties, from each start."""
        n_threads, starts = effective_n_jobs(self._n_jobs), range(self._n_init)
        found = [
            self._place(answers, candidate, self._seed + number, self._tol, n_threads)
            for number in starts
        ]
        return _averaged(found, self.described[candidate.form].part.shape)

    def roughly(self, answers: Answers, candidate: Candidate) -> Points:
        """Fit with given penalties as far as a choice between them needs, with one thread."""
        tol = max(self._tol, _SEARCH_TOL)
        return self._place(answers, candidate, self._seed, tol, 1).points

    def _place(
        self, answers: Answers, candidate: Candidate, seed: int, tol: float, n_threads: int
    ) -> Placed:
        of = self.described[candidate.form]
        placement = Placement(
            of.part,
            self._featured,
            candidate.ridge,
            candidate.penalty,
            of.axes,
            of.kept,
            nonnegative=self._is_dot,
        )
        objective = self.objective(answers, n_threads, of.kept)
        return placement.fit(answers, objective, seed=seed, max_iter=self._max_iter, tol=tol)

    def objective(
        self, answers: Answers, n_threads: int = 1, kept: Points | None = None
    ) -> Objective | ChoiceObjective:
        """Return the loss of answers as a function of coordinates."""
        if isinstance(answers, Trials) or kept is not None or self._is_dot:
            return ChoiceObjective(answers, kept, similarity=self.similarity, n_threads=n_threads)
        return make_objective(
            answers,
            *likelihood(self._loss, self._n_components),
            device=self._device,
            n_threads=n_threads,
        )

    def loss(self, answers: Answers, points: Points) -> float:
        """Return what answers cost at given coordinates."""
        return self.objective(answers)(points)[0]

    def judge(self, answers: Answers, points: Points) -> NDArray[np.float64]:
        """Return the share of answers that is wrong, and their mean loss at several sizes."""
        if is_collapsed(points):
            return np.full(1 + len(SIZES), np.inf)
        weights = (
            len(answers) if answers.weights is None else max(float(answers.weights.sum()), 1e-300)
        )
        objective = self.objective(answers)
        losses = [objective(size * points)[0] / weights for size in SIZES]
        return np.array([1.0 - share_that_agrees(answers, points, self.similarity), *losses])


def is_collapsed(points: Points) -> bool:
    """Tell whether all objects are in one place, which predicts nothing."""
    spread = np.square(points - points.mean(axis=0)).sum(axis=1).mean()
    return bool(spread < _LEAST_SPREAD)


def share_that_agrees(answers: Answers, points: Points, similarity: str) -> float:
    """Return the weighted share of answers that hold on the map; a trial has its share of a tie."""
    if isinstance(answers, Trials) or similarity == "dot":
        return weighted_mean(choices_right(answers, points, similarity), answers.weights)
    return share_that_holds(answers, points)


def _averaged(found: Sequence[Placed], shape: tuple[int, int]) -> Placed:
    """Put maps of several starts side by side, so that dot products are the mean of theirs.

    The history and the cost are those of the best start.
    """
    if len(found) == 1:
        return found[0]
    best = min(found, key=lambda placed: placed.value)
    kept = float(np.sqrt(np.mean([placed.kept**2 for placed in found])))
    root = len(found) ** 0.5
    n_kept = found[0].points.shape[1] - shape[1]
    beside = best.points[:, :n_kept] * (kept / best.kept if best.kept else 1.0)
    points = np.hstack([beside, *(placed.points[:, n_kept:] / root for placed in found)])
    matrices = [placed.parameters.reshape(shape) / root for placed in found]
    return replace(best, points=points, parameters=np.hstack(matrices).ravel(), kept=kept)
