"""`ordinate.reduce`: feature vectors reduced to a map, and how far the map can be trusted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate._notebooks import in_dimensions
from ordinate._random import RandomState
from ordinate.comparisons.pairs import counted
from ordinate.features.files import Features, read_features
from ordinate.features.map_groups import MapGroups, judge_groups
from ordinate.features.row_metrics import RowMetric, row_metric
from ordinate.features.scaling import is_uneven, scale_columns, weigh_categories
from ordinate.features.weighted_tete import WeightedTETE
from ordinate.metrics import triplet_accuracy, trustworthiness
from ordinate.results.finding import Finding
from ordinate.results.map_result import MapResult
from ordinate.results.object_display import ObjectDisplay
from ordinate.results.provenance import Provenance, provenance_of
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
class Reduction(MapResult):
    """A map of feature vectors, and how far it can be trusted.

    Attributes
    ----------
    features : object
        What was read: the vectors, labels, columns that were left out.
    scale : str
        How columns were scaled.
    model : WeightedTETE
        The estimator, fitted to the features.
    trustworthiness : float
        1 if neighbours on the map are neighbours in the data.
    triplet_accuracy : float
        Share of random triplets that the map preserves.
    seconds : float
        How long the fit took.
    groups : MapGroups or None
        The groups on the map, and how many of them maps from other seeds have, too; None for
        distances, and for fewer than 30 objects.
    color : str or None
        The column that colours the map.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> od.reduce(X, random_state=0).points.shape
    (60, 2)
    """

    heading: ClassVar[str] = "Map of"

    features: Features
    scale: str
    model: WeightedTETE
    trustworthiness: float
    triplet_accuracy: float
    seconds: float
    groups: MapGroups | None = None
    color: str | None = None
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    @property
    def points(self) -> NDArray[Any]:
        """The coordinates, shape (n_objects, dimension)."""
        return self.model.embedding_

    @property
    def names(self) -> list[str] | None:
        """The labels of the objects."""
        return self.features.names

    @property
    def display(self) -> ObjectDisplay:  # type: ignore[override]
        """What the map shows: texts, and as many features as a page may hold."""
        read = self.features
        room = min(_MOST_COLORS, _MOST_ENTRIES_OF_A_PAGE // max(read.points.shape[0], 1))
        shown = read.texts | {
            name: read.points[:, at] for at, name in enumerate(read.columns[:room])
        }
        if self.color is not None and read.labels is not None:
            shown[self.color] = read.labels
        return ObjectDisplay(shown, self.color)

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        n_objects, n_features = self.features.points.shape
        model = self.model
        yield Finding(
            "seconds",
            self.seconds,
            f"WeightedTETE placed {n_objects:,} objects with {n_features:,} features in"
            f" {in_dimensions(model.n_components)}, in {self.seconds:.1f} s.",
            unit="seconds",
        )
        yield Finding("n_objects", n_objects)
        yield Finding("n_features", n_features)
        yield Finding("dimension", model.n_components)
        yield Finding("seed", model.random_state)
        yield Finding("left_out", self.features.left_out)
        yield Finding("n_dropped", self.features.n_dropped)
        yield Finding("n_filled", self.features.n_filled)
        yield Finding("scale", self.scale)
        yield Finding(
            "trustworthiness",
            self.trustworthiness,
            f"Trustworthiness {self.trustworthiness:.3f}: 1 if neighbours on the map are neighbours"
            " in the data.",
            unit="share",
        )
        yield Finding(
            "triplet_accuracy",
            self.triplet_accuracy,
            f"Random triplets preserved: {self.triplet_accuracy:.3f}; 0.5 is chance.",
            unit="share",
        )
        yield from self._group_findings()
        yield from self._advice()

    def _group_findings(self) -> Iterator[Finding]:
        """Yield whether the groups that one sees are real."""
        if self.groups is None:
            return
        n_groups, found = self.groups.n_groups, self.groups.n_found_again
        if n_groups == 1:
            text = "The map is one cloud: no groups stand apart."
        elif found == n_groups:
            text = f"Other seeds find the same {n_groups} groups on the map."
        elif found > 1:
            text = (
                f"Other seeds find {found} of the {n_groups} groups; do not interpret the others."
            )
        else:
            text = f"Do not interpret the {n_groups} groups on the map: other seeds find others."
        yield Finding("n_groups", n_groups, text, section="trust")
        yield Finding("n_groups_found_again", found if found > 1 or n_groups == 1 else 0)

    @property
    def caption(self) -> str:
        """What is known about the groups on the map."""
        return " ".join(finding.text for finding in self._group_findings()).strip()

    def _advice(self) -> Iterator[Finding]:
        """Yield what was done to the data, and what to try."""
        read = self.features
        for reason in dict.fromkeys(read.left_out.values()):
            columns = [name for name, why in read.left_out.items() if why == reason]
            named = ", ".join(name.strip() or "the one without a name" for name in columns)
            text = f"Left out, as they {reason}: {named}."
            yield Finding("left_out", text=text, kind="advice", section="data")
        if read.n_dropped:
            text = f"Left out for gaps: {counted(read.n_dropped, 'row')}."
            yield Finding("n_dropped", text=text, kind="advice", section="data")
        if read.n_filled:
            text = f"Filled in by the mean of their column: {counted(read.n_filled, 'gap')}."
            yield Finding("n_filled", text=text, kind="advice", section="data")
        if self.scale != "none":
            text = (
                f"Columns were scaled ({self.scale}), and neighbours are those of the scaled"
                f" columns; {argument('scale', 'none')} keeps them as they are."
            )
            yield Finding("scale", text=text, kind="advice", section="data")
        if self.model.metric != "precomputed" and _are_distances(read.points):
            text = (
                "The table looks like distances between the objects, but was read as features;"
                f" {argument('metric', 'precomputed')} reads distances."
            )
            yield Finding("distances", text=text, kind="warning", section="data")
        if self.trustworthiness < TEARING:
            more = argument("n_components", 3)
            text = f"Many neighbours on the map are not neighbours in the data: try {more}."
            yield Finding("tearing", text=text, kind="warning", section="trust")


def reduce(
    features: Any,
    n_components: int = 2,
    *,
    n_neighbors: int | None = None,
    metric: str = "euclidean",
    metric_params: dict[str, Any] | None = None,
    scale: str = "auto",
    missing: str = "refuse",
    one_hot: bool = False,
    color: str | None = None,
    device: str = "cpu",
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    **parameters: Any,
) -> Reduction:
    """Reduce a table of features to a map: an alternative to t-SNE, UMAP and PaCMAP.

    Parameters
    ----------
    features : path, frame or array-like of shape (n_objects, n_features)
        A row per object. All columns of numbers are features, except `color` and those that hold
        ids, number the rows or never change.
    n_components : int, default=2
        Dimension of the map.
    n_neighbors : int, optional
        Neighbours of each object; more make a smoother map. By default 10.
    metric : str, default="euclidean"
        Distance, as scikit-learn names it; "hellinger"; "precomputed" for a table of distances.
    metric_params : mapping of str to float, optional
        A parameter of the metric: p of minkowski; w of minkowski and V of seuclidean, a number for
        each feature.
    scale : {"auto", "none", "standard", "robust"}, default="auto"
        How columns are scaled; "auto" is "standard" if one column's range is more than 10 times
        the median range.
    missing : {"refuse", "drop", "mean"}, default="refuse"
        What is done with rows that have gaps.
    one_hot : bool, default=False
        Use columns of categories, too: as 0 and 1 for each, which together weigh as one column.
    color : str, optional
        Column that colours the map; not used as a feature.
    device : str, default="cpu"
        Where to compute: cpu, cuda, cuda:1 or auto.
    random_state : int, Generator or None, default=0
        Seed of the fit.
    n_jobs : int or None, default=-1
        Number of threads, as in joblib; never changes the result.
    verbose : bool, default=False
        Show a progress bar.
    **parameters
        Further parameters of `WeightedTETE`, such as ``max_iter``.

    Returns
    -------
    Reduction
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    WeightedTETE : The estimator, for pipelines and new objects.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> result = od.reduce(X, random_state=0)
    >>> list(result.to_frame().columns)
    ['x1', 'x2']
    """
    asked = dict(locals()) | parameters
    model = WeightedTETE(
        n_components,
        n_neighbors=n_neighbors,
        metric=metric,
        metric_params=metric_params,
        device=device,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
        **parameters,
    )
    read = read_features(features, label=color, missing=missing, one_hot=one_hot)
    start = time.perf_counter()
    n_objects = read.points.shape[0]
    if n_objects < FEWEST:
        plural = "s" * (n_objects != 1)
        raise InputError(f"There are features of {n_objects} object{plural}; a map needs {FEWEST}.")
    points, how = _scaled(read, scale, metric)
    embedding = model.fit_transform(points)
    seconds = time.perf_counter() - start
    judged = judge(points, embedding, random_state, row_metric(metric, model.metric_params, points))
    groups = judge_groups(model, points, np.random.default_rng(random_state), verbose=verbose)
    provenance = provenance_of(reduce, asked)
    return Reduction(read, how, model, *judged, seconds, groups, color, provenance)


def _scaled(features: Features, how: str, metric: str) -> tuple[Any, str]:
    """Return the features as they are compared, and how they were scaled."""
    points = features.points
    if metric == "precomputed":
        _check_distances(features, how)
        return points, "none"
    if how == "auto":  # a file of arrays has no columns with units of their own
        uneven = features.columns and metric not in _WITH_A_SCALE and is_uneven(points)
        how = "standard" if uneven else "none"
    if how != "none" and not isinstance(points, np.ndarray):
        raise InputError("A sparse matrix is not scaled, as it would become dense.")
    if how != "none":
        points = scale_columns(points, how)
    if features.categories:
        points = weigh_categories(points, features.categories.values())
    return points, how


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
