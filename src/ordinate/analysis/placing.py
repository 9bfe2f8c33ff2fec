"""New objects on a map that stays as it is: by their features, or by answers about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from ordinate._arrays import Floats, Indices, Points
from ordinate._checks import InputError
from ordinate.comparisons.answers import numbers_in_fit
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import share_that_holds, squared_distances
from ordinate.engine.objective import make_objective
from ordinate.io.coordinates import coordinate_columns
from ordinate.losses import ckl
from ordinate.prior import KERNELS, FeatureKernel, Prior
from ordinate.solvers.new_objects import place_new_objects

_RIDGES = tuple(10.0 ** np.arange(-3, 4.1, 0.5))
"""(1 − ρ) / ρ for the shares ρ of the variance that features may explain."""
_OFFSET = 0.05
"""Offset of squared distances, in units of the map's variance; see `ordinate.losses.ckl`."""
_SCALES = (1.0, 0.5, 0.25, 0.125, 0.06, 0.03)
"""Around a new object, places are tried at these distances in units of the map's spread."""
_TRIED = 500
"""Places tried at each of these distances."""


_LISTED = 5
_HARDLY_KNOWN = 0.5
"""From this share of the map's spread on, the place of an object is hardly known."""


@dataclass(frozen=True)
class Placed:
    """New objects, their coordinates and how certain these are; prints as a report."""

    names: Sequence[str]
    points: Points
    n_known: int
    measure: str
    value: float
    answers: Indices | None = None
    spreads: Floats | None = None
    n_answers: int | None = None
    deviations: Floats | None = None
    """Standard deviations of coordinates, in the units of the map."""

    @property
    def source(self) -> str:
        """By what the objects were placed."""
        return "features" if self.answers is None else "answers"

    @property
    def uncertainty(self) -> float | None:
        """The median standard deviation of a place, in units of the map's own."""
        return None if self.spreads is None else float(np.median(self.spreads))

    @property
    def hardly_known(self) -> list[str]:
        """Objects that may lie nearly anywhere."""
        spreads = np.zeros(0) if self.spreads is None else self.spreads
        return [self.names[at] for at in np.flatnonzero(spreads >= _HARDLY_KNOWN).tolist()]

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the table: coordinates, how certain they are and, of answers, how many."""
        columns = coordinate_columns(self.points, self.names)
        if self.deviations is not None:
            columns["std"] = self.deviations
        if self.answers is not None:
            columns["answers"] = self.answers
        return columns if self.spreads is None else columns | {"uncertainty": self.spreads}

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "n_placed": len(self.names),
            "n_known": self.n_known,
            "source": self.source,
            "measure": self.measure,
            "value": self.value,
            "n_answers": self.n_answers,
            "uncertainty": self.uncertainty,
            "hardly_known": self.hardly_known,
        }

    def __str__(self) -> str:
        n_placed, hardly_known = len(self.names), self.hardly_known
        placed_by = f"{self.n_answers:,} they were placed by" if self.n_answers else "variance"
        lines = [
            f"{n_placed:,} new object{'s' * (n_placed != 1)} placed by {self.source} on a map of"
            f" {self.n_known:,}, which stays as it is",
            f"  {self.measure:18} {self.value:.1%} of the {placed_by}",
        ]
        if self.uncertainty is not None:
            lines.append(
                f"  uncertainty        ±{self.uncertainty:.2f} of the map's own spread (median over"
                " new objects; 1 is unknown)"
            )
        if hardly_known:
            more = len(hardly_known) - _LISTED
            named = ", ".join(hardly_known[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
            lines.append(f"  → The place of {named} is hardly known: collect more answers.")
        if self.source == "features" and self.value < 0.1:
            lines.append("  → Features hardly tell where objects lie: place them by answers.")
        return "\n".join(lines)


def place_by_features(
    names: Sequence[str], points: Points, labels: Sequence[str], rows: Points
) -> Placed:
    """Place new objects by a Gaussian process over features, which the map's objects tell.

    Its kernel and the share that features explain are those by which the map's objects, each left
    out, are placed best.
    """
    number = {name: at for at, name in enumerate(names)}
    on_map = [at for at, label in enumerate(labels) if label in number]
    new = [at for at, label in enumerate(labels) if label not in number]
    if len(on_map) < 3:
        raise InputError(f"{len(on_map)} objects of the map have features; 3 or more are needed.")
    if not new:
        raise InputError("All objects are on the map already; there is none to place.")
    there = points[[number[labels[at]] for at in on_map]]
    middle = there.mean(axis=0)
    best = min(
        (_leave_one_out(FeatureKernel(rows[on_map], kind, standardise=each), there - middle)
         for kind in KERNELS for each in (False, True)),
        key=lambda found: found[0],
    )  # fmt: skip
    errors, kernel, regression = best
    share = 1 / (1 + regression.alpha_)
    prior = Prior(kernel.factor, share, 1.0)
    residuals = there - middle - regression.predict(kernel.factor).reshape(there.shape)
    # the variance that makes the map's coordinates most probable: yᵀ Σ⁻¹ y / n
    variance = np.sum(residuals * (there - middle)) / (1 - share) / there.size
    told = kernel(rows[new])
    asked = np.ones(len(on_map), dtype=bool)
    placed = middle + regression.predict(told).reshape(len(new), -1)
    deviations = np.sqrt(variance * prior.variances(told, kernel.diagonal(rows[new]), asked))
    scale = np.sqrt(np.square(there - middle).sum() / there.size)
    explained = 1 - errors / np.square(there - middle).sum()
    return Placed(
        [labels[at] for at in new], placed, len(names), "explained", float(max(explained, 0.0)),
        spreads=deviations / max(scale, 1e-300), deviations=deviations,
    )  # fmt: skip


def _leave_one_out(kernel: FeatureKernel, there: Points) -> tuple[float, FeatureKernel, Any]:
    """Return the squared error of placing each object by the others, at the best share."""
    from sklearn.linear_model import RidgeCV  # whose import takes a while

    regression = RidgeCV(_RIDGES, fit_intercept=False, store_cv_results=True)
    regression.fit(kernel.factor, there)
    errors = regression.cv_results_.reshape(there.size, -1).sum(axis=0)
    return float(errors.min()), kernel, regression


def place_by_answers(names: Sequence[str], points: Points, read: Comparisons, seed: int) -> Placed:
    """Place the objects of answers that are not on the map, by ratios of distances."""
    n_known = len(points)
    numbers = numbers_in_fit(read, n_known, names)
    size = max(int(numbers.max()) + 1, n_known)
    if size == n_known:
        raise InputError("All objects are on the map already; there is none to place.")
    record = Comparisons(numbers[read.rows], n_objects=size, weights=read.weights)
    record = record[(record.rows >= n_known).any(axis=1)]
    if (record.rows >= n_known).all():
        raise InputError("No answer compares a new object with objects of the map.")
    objective = make_objective(record, ckl, [_OFFSET * float(points.var(axis=0).sum())])
    rng = np.random.default_rng(seed)
    placed = place_new_objects(points, record, objective, rng, max_iter=1000, tol=1e-4)
    new_names = [""] * (size - n_known)
    for name, at in zip(read.names or (), numbers, strict=True):
        if at >= n_known:
            new_names[at - n_known] = name
    whole = np.vstack([points, placed])
    share = share_that_holds(record, whole)
    about = [np.flatnonzero((record.rows == at).any(axis=1)) for at in range(n_known, size)]
    spreads = [
        _spread(whole, record[rows], n_known + at, points, rng) for at, rows in enumerate(about)
    ]
    counts = np.array([len(rows) for rows in about])
    return Placed(
        new_names, placed, n_known, "answers that hold", share, counts, np.array(spreads),
        len(record),
    )  # fmt: skip


def _spread(
    whole: Points, answers: Comparisons, at: int, known: Points, rng: np.random.Generator
) -> float:
    """Return the standard deviation of an object's place, in units of the map's own.

    Importance sampling: places are normal as those of the known objects are, and the answers
    have the probabilities by which the object was placed.
    """
    variance = float(known.var(axis=0).sum())
    middles = [known.mean(axis=0), *[whole[at]] * len(_SCALES)]
    deviation = np.sqrt(variance / known.shape[1])
    widths = deviation * np.array([1.0, *_SCALES])
    tried = np.concatenate(
        [
            m + w * rng.standard_normal((_TRIED, known.shape[1]))
            for m, w in zip(middles, widths, strict=True)
        ]
    )

    def log_normal(middle: Points, width: float) -> Points:
        away = np.square((tried - middle) / width).sum(axis=1)
        density: Points = -0.5 * away - known.shape[1] * np.log(width)
        return density

    drawn = logsumexp([log_normal(m, w) for m, w in zip(middles, widths, strict=True)], axis=0)
    weights = 1.0 if answers.weights is None else answers.weights
    moved, losses = whole.copy(), np.empty(len(tried))
    for number, place in enumerate(tried):
        moved[at] = place
        values, _, _ = ckl(*squared_distances(moved, answers.rows), _OFFSET * variance)
        losses[number] = np.sum(weights * values)
    share = softmax(log_normal(middles[0], widths[0]) - losses - drawn)
    mean = share @ tried
    return float(np.sqrt(share @ np.square(tried - mean).sum(axis=1) / variance))
