"""What `ordinate reduce` says at the end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

TEARING = 0.85
"""Below this trustworthiness many neighbours on the map are no neighbours in the data."""
_MOST_JUDGED = 2000
_TRIPLETS = 20_000


@dataclass(frozen=True)
class ReduceReport:
    """Figures of one run of `ordinate reduce`."""

    n_objects: int
    n_features: int
    left_out: tuple[str, ...]
    dimension: int
    seed: int
    trustworthiness: float
    triplet_accuracy: float
    seconds: float
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return vars(self) | {
            "left_out": list(self.left_out),
            "files": [str(path) for path in self.files],
        }

    def __str__(self) -> str:
        lines = [
            f"WeightedTETE in {self.dimension} dimension{'s' if self.dimension > 1 else ''}"
            f" in {self.seconds:.1f} s",
            f"{self.n_objects:,} objects with {self.n_features:,} features",
            f"  neighbours         {self.trustworthiness:.3f} (trustworthiness: 1 if neighbours on"
            " the map are so in the data)",
            f"  random triplets    {self.triplet_accuracy:.3f} hold (0.5 is guessing)",
        ]
        if self.left_out:
            lines.append(f"  → Left out, as they hold no numbers: {', '.join(self.left_out)}.")
        if self.trustworthiness < TEARING:
            lines.append("  → Many neighbours on the map are none in the data: try --dim 3.")
        if self.files:
            lines.append(f"Wrote {' and '.join(str(path) for path in self.files)}")
        return "\n".join(lines)


def judge(
    points: NDArray[np.float64], embedding: NDArray[np.float32], seed: int
) -> tuple[float, float]:
    """Return trustworthiness and triplet accuracy of a map, of at most 2000 of its objects."""
    from ordinate.metrics import triplet_accuracy, trustworthiness
    from ordinate.sources import random_triplets

    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(points))[:_MOST_JUDGED]
    points, embedding = points[chosen], embedding[chosen]
    triplets = random_triplets(points, _TRIPLETS, random_state=rng)
    n_neighbors = max(1, min(5, len(points) // 2 - 1))
    trust = float(trustworthiness(points, embedding, n_neighbors=n_neighbors))
    return trust, triplet_accuracy(triplets, embedding)
