"""What `ordinate embed` says at the end: figures, and what a person can do about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2
from pathlib import Path
from typing import Any

from ordinate.comparisons.description import Description
from ordinate.selection._compare import GUESSING


@dataclass(frozen=True)
class HeldOut:
    """Share of answers the map got wrong among those that were kept from the fit."""

    error: float
    n_rows: int
    split_by: str | None


@dataclass(frozen=True)
class EmbedReport:
    """Figures of one run of `ordinate embed`."""

    description: Description
    method: str
    dimension: int
    seed: int
    train_error: float
    held_out: HeldOut | None
    seconds: float
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        held_out = self.held_out
        ratio, verdict = self.description.sufficiency(self.dimension)
        return {
            "method": self.method,
            "dimension": self.dimension,
            "seed": self.seed,
            "train_error": self.train_error,
            "held_out_error": held_out and held_out.error,
            "n_held_out": held_out.n_rows if held_out else 0,
            "split_by": held_out and held_out.split_by,
            "sufficiency": ratio,
            "verdict": verdict,
            "seconds": self.seconds,
            "files": [str(path) for path in self.files],
            "answers": self.description.to_dict(),
        }

    def __str__(self) -> str:
        data = self.description
        ratio, verdict = data.sufficiency(self.dimension)
        lines = [
            f"{self.method} in {self.dimension} dimension{'s' if self.dimension > 1 else ''}:"
            f" {data.n_rows:,} {data.kind}s about {data.n_objects:,} objects"
            f" in {self.seconds:.1f} s",
            f"  held-out error     {self._held_out_line()}",
            f"  training error     {self.train_error:.1%} of all answers",
            f"  contradictions     {data.n_contradictions:,} pairs of answers deny each other",
            f"  never compared     {data.listed(data.never_seen)}",
            f"  enough answers     {verdict}: {ratio:.2g} × d·n·log₂n",
        ]
        lines += [f"  {advice}" for advice in self._advice()]
        if self.files:
            lines.append(f"Wrote {' and '.join(str(path) for path in self.files)}")
        return "\n".join(lines)

    def _held_out_line(self) -> str:
        if self.held_out is None:
            return "not measured"
        whole = f", whole groups of {self.held_out.split_by}" if self.held_out.split_by else ""
        return f"{self.held_out.error:.1%} of {self.held_out.n_rows:,} answers not fitted{whole}"

    def _advice(self) -> Iterator[str]:
        """Say what to do, where something can be done."""
        data = self.description
        if data.never_seen:
            yield "→ Objects never compared have arbitrary coordinates: leave them out."
        if data.n_parts > 1:
            yield f"→ The answers fall into {data.n_parts} unconnected parts: ask across them."
        wanted = ceil(self.dimension * data.n_objects * log2(data.n_objects))
        if data.n_distinct < wanted:
            lower = f", or use --dim {data.largest_dimension}" if data.largest_dimension else ""
            yield f"→ Collect about {wanted - data.n_distinct:,} more distinct answers{lower}."
        if self.held_out and self.held_out.error >= GUESSING:
            yield "→ The map hardly predicts new answers (guessing gives 50%): do not rely on it."
