"""Items of known order, compared by their differences: a perceptual scale and its check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ordinate._notebooks import ShownAsTable, aligned
from ordinate.comparisons.record import Comparisons
from ordinate.scales.difference_scale import DifferenceScale, directed, turned


@dataclass(frozen=True, eq=False)
class DifferenceStudy(ShownAsTable):
    """A difference scale, and how the answers were taken; prints as sentences and a table."""

    model: DifferenceScale
    n_answers: int
    direction: str

    @property
    def p_six_point(self) -> float | None:
        """The p-value of the six-point property, if there are enough items for it."""
        found = self.model.p_six_point_
        return None if found != found else found

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "n_answers": self.n_answers,
            "direction": self.direction,
            "noise": self.model.noise_,
            "p_six_point": self.p_six_point,
            "table": {name: column.tolist() for name, column in self.model.columns().items()},
        }

    def __str__(self) -> str:
        cells, table = [["item", "value", "scale", "95% interval"]], self.model.columns()
        columns = (table[name] for name in ("object", "value", "scale", "lower", "upper"))
        for item, value, scale, lower, upper in zip(*columns, strict=True):
            cells.append([str(item), f"{value:g}", f"{scale:.3f}", f"{lower:.3f} to {upper:.3f}"])
        lines = [
            f"{len(cells) - 1:,} items, {self.n_answers:,} answers: difference scale from 0 to 1;"
            f" the noise of an answer is {self.model.noise_:.2f} of its range.",
            f"{self.direction}.",
        ]
        if self.p_six_point is not None:
            fits = "holds" if self.p_six_point >= 0.05 else "is violated: no such scale exists"
            lines.append(f"The six-point property {fits} (p = {self.p_six_point:.2g}).")
        return "\n".join([*lines, *aligned(cells)])


def study_differences(
    answers: Comparisons, chosen: str, values: ArrayLike | None, random_state: int
) -> DifferenceStudy:
    """Fit a difference scale; with "auto", the chosen pair is what fits the known order."""
    if chosen == "auto":
        answers, alike = directed(answers, values)
        taken = "alike" if alike else "different"
        said = f"The chosen pair is taken for the more {taken} one, which fits the known order"
    else:
        answers = turned(answers) if chosen == "different" else answers
        said = f"The chosen pair is the more {chosen} one"
    model = DifferenceScale(random_state=random_state).fit(answers, values=values)
    return DifferenceStudy(model, len(answers), said)
