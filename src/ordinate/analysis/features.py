"""Feature vectors reduced to a map, and how far the map can be trusted."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate._notebooks import ShownAsTable, in_dimensions
from ordinate.features.files import Features
from ordinate.features.row_metrics import RowMetric, row_metric
from ordinate.features.scaling import is_uneven, scale_columns
from ordinate.features.weighted_tete import WeightedTETE
from ordinate.metrics import triplet_accuracy, trustworthiness
from ordinate.sources import random_triplets

FEWEST = 3
"""Objects that there must be for one of them to be nearer than another."""
TEARING = 0.85
"""Below this trustworthiness many neighbours on the map are no neighbours in the data."""
_WITH_A_SCALE = ("hellinger", "haversine", "seuclidean", "mahalanobis")
"""Metrics that have units of their own, or find them."""
_MOST_JUDGED, _FEWEST_JUDGED = 2000, 200
_MOST_ENTRIES = 2 * 10**7
"""Numbers that the judged objects may have together, as sparse ones become dense."""
_TRIPLETS = 20_000
_MOST_COLORS, _MOST_ENTRIES_OF_A_PAGE = 30, 10**6
"""At most so many features, and numbers in all, to colour by: a larger page opens slowly."""


@dataclass(frozen=True, eq=False)
class FeatureStudy(ShownAsTable):
    """Features, the model that reduced them, and how good its map is; prints as a report."""

    features: Features
    scale: str
    model: WeightedTETE
    trustworthiness: float
    triplet_accuracy: float
    seconds: float

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return what a page can colour by: texts, and as many features as it may hold."""
        read = self.features
        room = min(_MOST_COLORS, _MOST_ENTRIES_OF_A_PAGE // max(read.points.shape[0], 1))
        features = {name: read.points[:, at] for at, name in enumerate(read.columns[:room])}
        return read.texts | features

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        n_objects, n_features = self.features.points.shape
        return {
            "n_objects": n_objects,
            "n_features": n_features,
            "left_out": self.features.left_out,
            "n_dropped": self.features.n_dropped,
            "scale": self.scale,
            "dimension": self.model.n_components,
            "seed": self.model.random_state,
            "trustworthiness": self.trustworthiness,
            "triplet_accuracy": self.triplet_accuracy,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        left_out, n_dropped = self.features.left_out, self.features.n_dropped
        n_objects, n_features = self.features.points.shape
        lines = [
            f"WeightedTETE in {in_dimensions(self.model.n_components)} in {self.seconds:.1f} s",
            f"{n_objects:,} objects with {n_features:,} features",
            f"  neighbours         {self.trustworthiness:.3f} (trustworthiness: 1 if neighbours on"
            " the map are so in the data)",
            f"  random triplets    {self.triplet_accuracy:.3f} preserved (0.5 is chance)",
        ]
        for reason in dict.fromkeys(left_out.values()):
            columns = [name for name, why in left_out.items() if why == reason]
            named = ", ".join(name.strip() or "the one without a name" for name in columns)
            lines.append(f"  → Left out, as they {reason}: {named}.")
        if n_dropped:
            lines.append(f"  → Left out for gaps: {n_dropped:,} row{'s' * (n_dropped > 1)}.")
        if self.scale != "none":
            lines.append(
                f"  → Columns were scaled ({self.scale}), and neighbours are those of the scaled"
                f" columns; {argument('scale', 'none')} keeps them as they are."
            )
        if self.model.metric != "precomputed" and _are_distances(self.features.points):
            lines.append(
                "  → The table looks like distances between the objects, but was read as features;"
                f" {argument('metric', 'precomputed')} reads distances."
            )
        if self.trustworthiness < TEARING:
            more = argument("n_components", 3)
            lines.append(f"  → Many neighbours on the map are none in the data: try {more}.")
        return "\n".join(lines)


def study_features(features: Features, model: WeightedTETE, *, scale: str) -> FeatureStudy:
    """Scale features, reduce them to a map, and judge the map."""
    start = time.perf_counter()
    n_objects = features.points.shape[0]
    if n_objects < FEWEST:
        plural = "s" * (n_objects != 1)
        raise InputError(f"There are features of {n_objects} object{plural}; a map needs {FEWEST}.")
    points, how = _scaled(features, scale, model.metric)
    embedding = model.fit_transform(points)
    seconds = time.perf_counter() - start
    metric = row_metric(model.metric, model.metric_params, points)
    judged = judge(points, embedding, model.random_state, metric)
    return FeatureStudy(features, how, model, *judged, seconds)


def _scaled(features: Features, how: str, metric: str) -> tuple[Any, str]:
    """Return the features as they are compared, and how they were scaled."""
    points = features.points
    if metric == "precomputed":
        _check_distances(features, how)
        return points, "none"
    if how == "auto":  # a file of arrays has no columns with units of their own
        uneven = features.columns and metric not in _WITH_A_SCALE and is_uneven(points)
        how = "standard" if uneven else "none"
    if how == "none":
        return points, how
    if not isinstance(points, np.ndarray):
        raise InputError("A sparse matrix is not scaled, as it would become dense.")
    return scale_columns(points, how), how


def _check_distances(features: Features, scale: str) -> None:
    """Refuse a table of distances that is scaled, has gaps, or has its columns in another order."""
    if scale not in ("auto", "none"):
        raise InputError(
            f"Distances are not scaled; leave {argument('scale', scale)} out, or"
            f" {argument('metric', 'precomputed')}."
        )
    if not isinstance(features.points, np.ndarray):
        raise InputError(
            "The distances between all objects are needed to judge the map; got a sparse matrix."
            " Fit it with WeightedTETE in Python."
        )
    rows, columns = features.names or [], list(features.columns)
    if rows != columns and sorted(rows) == sorted(columns):
        raise InputError(
            "The columns of a table of distances must name the objects in the order of the rows;"
            f" the first column is {columns[0]!r} and the first row {rows[0]!r}."
        )


def _are_distances(points: Any) -> bool:
    """Whether features look like all distances between the objects."""
    if not isinstance(points, np.ndarray) or points.shape[0] != points.shape[1]:
        return False
    return not np.diagonal(points).any() and np.array_equal(points, points.T)


def judge(
    points: Any, embedding: NDArray[Any], seed: Any, metric: RowMetric
) -> tuple[float, float]:
    """Return trustworthiness and triplet accuracy of a map, of at most 2000 of its objects."""
    rng = np.random.default_rng(seed)
    n_judged = min(_MOST_JUDGED, max(_MOST_ENTRIES // points.shape[1], _FEWEST_JUDGED))
    chosen = rng.permutation(points.shape[0])[:n_judged]
    points, embedding = points[chosen], embedding[chosen]
    if metric.name == "precomputed":  # a column for each object, too
        points = points[:, chosen]
    points = metric.rows(points if isinstance(points, np.ndarray) else points.toarray())
    distances = pairwise_distances(points, metric=metric.name, **metric.options)
    triplets = random_triplets(distances, _TRIPLETS, metric="precomputed", random_state=rng)
    n_neighbors = max(1, min(5, len(points) // 2 - 1))
    trust = trustworthiness(distances, embedding, n_neighbors=n_neighbors, metric="precomputed")
    return float(trust), triplet_accuracy(triplets, embedding)
