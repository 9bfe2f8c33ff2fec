"""What `ordinate embed` says at the end: figures, and what a person can do about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2
from pathlib import Path
from typing import Any

from ordinate.comparisons.description import Description, times_what_is_needed
from ordinate.selection import HeldOutError, MethodTable
from ordinate.selection._compare import GUESSING
from ordinate.uncertainty import MapUncertainty


@dataclass(frozen=True)
class EmbedReport:
    """Figures of one run of `ordinate embed`."""

    description: Description
    method: str
    dimension: int
    choice: MethodTable | None
    seed: int
    train_error: float
    held_out: HeldOutError | None
    seconds: float
    files: tuple[Path, ...]
    uncertainty: MapUncertainty | None = None

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
            "held_out_interval": held_out and [held_out.low, held_out.high],
            "n_held_out": held_out.n_answers if held_out else 0,
            "folds": held_out.folds if held_out else 0,
            "split_by": held_out and held_out.by,
            "choice": self.choice and self.choice.to_dict(),
            "uncertainty": self.uncertainty and self.uncertainty.to_dict(),
            "sufficiency": ratio,
            "verdict": verdict,
            "seconds": self.seconds,
            "files": [str(path) for path in self.files],
            "answers": self.description.to_dict(),
        }

    def __str__(self) -> str:
        data = self.description
        ratio, verdict = data.sufficiency(self.dimension)
        lines = [self._choice_line()] if self.choice else []
        lines += [
            f"{self.method} in {self.dimension} dimension{'s' if self.dimension > 1 else ''}:"
            f" {data.n_rows:,} {data.kind}s about {data.n_objects:,} objects"
            f" in {self.seconds:.1f} s",
            f"  held-out error     {self.held_out or 'not measured'}",
            f"  training error     {self.train_error:.1%} of all answers",
            f"  contradictions     {data.n_contradictions:,} pairs of answers deny each other",
            f"  never compared     {data.listed(data.never_seen)}",
            f"  enough answers     {verdict}: {times_what_is_needed(ratio)}",
        ]
        lines += [f"  {advice}" for advice in self._advice()]
        lines += [str(self.uncertainty)] if self.uncertainty else []
        if self.files:
            lines.append(f"Wrote {' and '.join(str(path) for path in self.files)}")
        return "\n".join(lines)

    def _choice_line(self) -> str:
        table = self.choice
        assert table is not None
        low, high = table.dimension_range
        n_methods = len({row.method for row in table.rows})
        n_dimensions = len(table.rows) // n_methods
        tried = f"{n_methods} methods × {n_dimensions} dimensions"
        if n_methods == 1:
            tried = f"{n_dimensions} dimensions"
        elif n_dimensions == 1:
            tried = f"{n_methods} methods"
        line = f"chose {table.choice} by {table.folds}-fold cross-validation over {tried}"
        if self.held_out:
            line += (
                f": {self.held_out.error:.1%} held out ({self.held_out.low:.1%} to"
                f" {self.held_out.high:.1%})"
            )
        if low < high:
            line += f"; the answers cannot tell {low} to {high} dimensions apart"
        return line

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
