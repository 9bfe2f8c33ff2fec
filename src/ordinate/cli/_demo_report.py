"""What `ordinate demo` says at the end: how well the map came out, and what was written."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Accuracy:
    """Shares of some questions that the map answers as people did, and as the globe does."""

    n_rows: int
    by_answers: float
    by_globe: float


@dataclass(frozen=True)
class DemoReport:
    """Figures of one run of `ordinate demo`."""

    n_objects: int
    wrong: float
    seed: int
    seconds: float
    n_iter: int
    fitted: Accuracy
    held_out: Accuracy
    median_km: float
    procrustes_distance: float
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        figures = asdict(self)
        del figures["folder"]
        return figures | {"files": list(self._files())}

    def __str__(self) -> str:
        n_answers = self.fitted.n_rows + self.held_out.n_rows
        files = self._files()
        width = max(len(path) for path in files)
        lines = [
            f"{self.n_objects} cities of Europe and not one coordinate, only {n_answers:,} answers",
            f'to "is A nearer to B than to C?", {self.wrong:.0%} of them wrong on purpose.',
            "",
            f"TETE took {self.seconds:.2f} s to find a map. It gives the right answer to",
            "",
            "  questions            by the answers    by the globe",
            _row("fitted", self.fitted),
            _row("held out", self.held_out),
            "",
            f"By the answers about {1 - self.wrong:.0%} is perfect. Half of the cities lie within"
            f" {self.median_km:.0f} km",
            f"of their true place; the Procrustes distance is {self.procrustes_distance:.4f}.",
            "",
        ]
        lines += [f"{path:{width}}  {what}" for path, what in files.items()]
        return "\n".join(lines)

    def _files(self) -> dict[str, str]:
        answers = self.folder / "answers.csv"
        return {
            str(self.folder / "map.png"): "the map laid over the true one: look at it",
            str(self.folder / "map.csv"): "its coordinates, in kilometres east and north",
            str(answers): f"the answers; try: ordinate describe {answers}",
        }


def _row(name: str, part: Accuracy) -> str:
    return f"  {part.n_rows:>7,} {name:<11}{part.by_answers:>16.1%}{part.by_globe:>16.1%}"
