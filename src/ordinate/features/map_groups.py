"""Whether groups on a map of features are real: found from every seed, and not in one cloud.

Groups are peaks of the density on the map with a valley around them. Their depth is compared with
that of maps of a normal cloud of the same covariance, in which there are none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.metrics.cluster import contingency_matrix

from ordinate._progress import progress
from ordinate.features.weighted_tete import WeightedTETE

SAMPLE = 1000
"""Objects that are looked at, at most."""
_N_SEEDS, _N_CLOUDS = 2, 3
_LEAST_DEPTH, _BEYOND_CLOUDS = 1.2, 1.25
"""Valleys must be this deep (in log density), and this many times as deep as those of clouds."""
_LEAST_SHARE = 0.03
_SAME = 0.7
"""Share of common members from which groups of two maps are the same."""
_FEWEST = 30
_BOTTOMLESS = 20.0
"""Depth of a valley that no neighbours cross."""


class MapGroups(NamedTuple):
    """What is known about the groups on a map."""

    n_groups: int
    """Groups with a valley around them; 1 if the map is one cloud."""
    n_found_again: int
    """Of them, those that maps from other seeds have, too."""
    depth: float
    cloud_depth: float
    """How deep the deepest valleys are, of the map and of maps of clouds."""


def judge_groups(
    model: WeightedTETE, points: Any, rng: np.random.Generator, *, verbose: bool = False
) -> MapGroups | None:
    """Return what is known about the groups on a fitted map; None for few or compared objects."""
    if model.metric == "precomputed" or points.shape[0] < _FEWEST:
        return None
    chosen = rng.permutation(points.shape[0])[:SAMPLE]
    sample = points[chosen]
    dense = np.asarray(sample if isinstance(sample, np.ndarray) else sample.toarray(), np.float64)
    seeds = rng.integers(2**31, size=_N_SEEDS + _N_CLOUDS).tolist()
    with progress("Groups", total=len(seeds), enabled=verbose) as advance:

        def refit(data: Any, metric: str) -> NDArray[Any]:
            options = model.get_params() | {"random_state": seeds.pop(), "verbose": False}
            if metric != model.metric:
                options |= {"metric": metric, "metric_params": None}
            found = WeightedTETE(**options).fit_transform(data)
            advance()
            return found

        clouds = [refit(normal_cloud(dense, rng), "euclidean") for _ in range(_N_CLOUDS)]
        cloud_depth = max(_Peaks(cloud).deepest() for cloud in clouds)
        least = max(_LEAST_DEPTH, _BEYOND_CLOUDS * cloud_depth)
        here = _Peaks(model.embedding_[chosen])
        labels = here.groups(least)
        again = [_Peaks(refit(sample, model.metric)).groups(least) for _ in range(_N_SEEDS)]
    found = min(_found_again(labels, other) for other in again)
    return MapGroups(len(np.unique(labels)), found, here.deepest(), cloud_depth)


def _found_again(labels: NDArray[np.intp], other: NDArray[np.intp]) -> int:
    """Return how many groups have nearly the same members in another map."""
    shared = contingency_matrix(labels, other)
    either = shared.sum(axis=0) + shared.sum(axis=1)[:, None] - shared
    return int(((shared / either).max(axis=1) >= _SAME).sum())


def normal_cloud(points: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return as many points of a normal distribution with the same covariance."""
    centered = points - points.mean(axis=0)
    mixed = rng.normal(size=(len(points), len(points))) @ centered
    return np.asarray(mixed / np.sqrt(len(points)))


class _Peaks:
    """Peaks of the density of a map, and how deep the valleys around them are.

    Points are added from the densest to the least dense one and joined with their neighbours. Where
    two peaks meet, the density has fallen from the lower one by the depth of its valley.
    """

    def __init__(self, embedding: NDArray[Any]) -> None:
        from sklearn.neighbors import NearestNeighbors  # whose import takes a while

        n_points, dimension = embedding.shape
        n_near = max(int(np.sqrt(n_points)), 5)
        search = NearestNeighbors(n_neighbors=n_near).fit(embedding)
        distances, neighbors = search.kneighbors()
        size = np.sqrt((distances**2).mean(axis=1))
        self.density = -dimension * np.log(np.maximum(size, 1e-12 * max(size.max(), 1e-300)))
        self.order = np.argsort(-self.density, kind="stable")
        near = neighbors[:, :10]
        graph = csr_array(
            (np.ones(near.size), near.ravel(), np.arange(n_points + 1) * near.shape[1]),
            shape=(n_points, n_points),
        )
        self.neighbors = (graph + graph.T).tocsr()
        self.smallest = max(_LEAST_SHARE * n_points, 5)

    def deepest(self) -> float:
        """Return the depth of the deepest valley between two groups; 0 if there is one group."""
        labels, depths = self._join(_BOTTOMLESS)
        return max([*depths, _BOTTOMLESS * (len(np.unique(labels)) > 1)])

    def groups(self, least: float) -> NDArray[np.intp]:
        """Return the group of each point; valleys that are less deep divide nothing."""
        return self._join(least)[0]

    def _join(self, least: float) -> tuple[NDArray[np.intp], list[float]]:
        """Join points to groups; return these, and the depths of the valleys that were crossed."""
        parent = np.full(len(self.order), -1)
        sizes = np.ones(len(self.order), np.intp)
        depths = [0.0]
        starts, others = self.neighbors.indptr, self.neighbors.indices

        def peak_of(point: int) -> int:
            while parent[point] != point:
                parent[point] = parent[parent[point]]
                point = parent[point]
            return point

        for point in self.order.tolist():
            near = others[starts[point] : starts[point + 1]]
            met = {peak_of(other) for other in near.tolist() if parent[other] >= 0}
            highest, *lower = sorted(met, key=lambda peak: -self.density[peak]) or [point]
            parent[point] = highest
            sizes[highest] += highest != point
            for peak in lower:
                depth = float(self.density[peak] - self.density[point])
                large = bool(sizes[peak] >= self.smallest)
                if large and depth >= least:
                    continue
                depths += [depth] * large
                parent[peak] = highest
                sizes[highest] += sizes[peak]
        labels = np.array([peak_of(point) for point in range(len(parent))])
        sizes = np.bincount(labels, minlength=len(parent))
        # a few strays are no group
        labels[sizes[labels] < self.smallest] = sizes.argmax()
        return labels, depths
