"""What `ordinate graph` says at the end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordinate.graphs.description import GraphDescription

POOR = 0.5
"""Below this index the map shows less than half of what it could of the graph."""


@dataclass(frozen=True)
class GraphReport:
    """Figures of one run of `ordinate graph`."""

    description: GraphDescription
    dimension: int
    seed: int
    gari: float
    stress: float
    seconds: float
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "dimension": self.dimension,
            "seed": self.seed,
            "gari": self.gari,
            "stress": self.stress,
            "seconds": self.seconds,
            "files": [str(path) for path in self.files],
            "graph": self.description.to_dict(),
        }

    def __str__(self) -> str:
        plural = "s" if self.dimension > 1 else ""
        lines = [
            f"LOE in {self.dimension} dimension{plural} in {self.seconds:.1f} s",
            str(self.description),
            f"  graph recovered    {self.gari:.3f} (adjusted Rand index: 1 is all, 0 is chance)",
            f"  stress             {self.stress:.4g}",
        ]
        if self.gari < POOR:
            lines.append(
                f"  → {self.dimension} dimension{plural} may be too few: try more (--dim)."
            )
        if self.files:
            lines.append(f"Wrote {' and '.join(str(path) for path in self.files)}")
        return "\n".join(lines)
