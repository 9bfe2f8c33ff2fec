"""What `ordinate coembed` says at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordinate.metrics._coe_report import CoembeddingReport
from ordinate.ratings.description import RatingsDescription

GUESSING = 0.53
"""Up to this accuracy on unseen triples the map is hardly better than tossing a coin (0.5)."""


@dataclass(frozen=True)
class CoembedReport:
    """Figures of one run of `ordinate coembed`."""

    description: RatingsDescription
    accuracy: CoembeddingReport
    dimension: int
    seed: int
    seconds: float
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "dimension": self.dimension,
            "seed": self.seed,
            "seconds": self.seconds,
            "files": [str(path) for path in self.files],
            "ratings": self.description.to_dict(),
            **self.accuracy.to_dict(),
        }

    def __str__(self) -> str:
        lines = [
            f"COE in {self.dimension} dimension{'s' if self.dimension > 1 else ''}"
            f" in {self.seconds:.1f} s",
            str(self.description),
            *(f"  {line}" for line in str(self.accuracy).splitlines()),
            *(f"  {advice}" for advice in self._advice()),
        ]
        if self.files:
            lines.append(f"Wrote {' and '.join(str(path) for path in self.files)}")
        return "\n".join(lines)

    def _advice(self) -> Iterator[str]:
        """Say what to do, where something can be done."""
        if self.description.users_without_triples:
            yield "→ Users who gave fewer than two values, or one value only: try --min-per-user 2."
        unseen = self.accuracy.unseen
        if unseen is not None and unseen.h_mean <= GUESSING:
            yield "→ The map hardly predicts new ratings (guessing gives 50%): do not rely on it."
