"""WeightedTETE in compiled loops, beside `torch_reduction` on a device.

Objects are shuffled once, as outliers are those that stand some places further.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate.features.feature_space import FeatureSpace
from ordinate.features.objective import (
    AnnealedObjective,
    MarginSchedule,
    ReductionObjective,
    WeightedTriplets,
)
from ordinate.features.triplets import large_scale_triplets
from ordinate.solvers.adam import NoisyObjective


class CPUReduction:
    """A fit on the CPU: the objects in their shuffled order, and the objective."""

    def __init__(
        self,
        space: FeatureSpace,
        triplets: WeightedTriplets,
        *,
        margin: MarginSchedule,
        global_weight: float,
        max_iter: int,
        seed: int,
        n_threads: int,
    ) -> None:
        shuffled = np.random.default_rng(seed).permutation(len(triplets.neighbors))
        self._shuffled, self._place = shuffled.astype(np.int32), np.argsort(shuffled)
        local = triplets.in_order(self._shuffled)
        self._triplets = local
        self._margin = margin
        self._given: dict[str, Any] = {"seed": seed, "n_threads": n_threads}
        self.objective: NoisyObjective = ReductionObjective(local, margin=margin, **self._given)
        if global_weight > 0:
            large, mean_weight = large_scale_triplets(space)
            if mean_weight > 0:  # else all distances are the same
                self.objective = AnnealedObjective(
                    self.objective,
                    ReductionObjective(large.in_order(self._shuffled), n_threads=n_threads),
                    weight=global_weight * mean_weight,
                    n_calls=max_iter,
                )

    def there(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows in shuffled order."""
        return rows[self._shuffled]

    def back(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows in the order of the objects."""
        return rows[self._place]

    def loss(self, points: NDArray[np.float32]) -> float:
        """Return what neighbours cost with the last margin, beside always the same outliers."""
        return ReductionObjective(self._triplets, margin=self._margin.last, **self._given)(points)[
            0
        ]

    def middles(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the medians of each object's neighbours."""
        found: NDArray[np.float32] = np.median(points[self._triplets.neighbors], axis=1)
        return found
