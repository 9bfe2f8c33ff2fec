"""The difference scale of `ordinate rank`: items of known order, compared by their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordinate._checks import InputError
from ordinate.cli._options import AnswerFile, print_notes
from ordinate.cli._rank_report import aligned
from ordinate.cli._results import Results, Written
from ordinate.cli._typer import opt

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PANEL = "Difference scale"


@dataclass(frozen=True)
class DifferenceOptions:
    """What a difference scale needs besides the answers."""

    chosen: Literal["auto", "different", "alike"] = opt(
        "With --question: whether people chose the more different pair or the more alike"
        " one. Default: what fits the known order of the items.",
        default="auto",
        panel=_PANEL,
    )
    values: Path | None = opt(
        "Table of items and their physical values. Default: the labels are numbers.",
        "FILE",
        panel=_PANEL,
    )


@dataclass(frozen=True)
class DifferenceReport:
    """Figures of a difference scale."""

    n_answers: int
    direction: str
    noise: float
    p_six_point: float | None
    table: Mapping[str, NDArray[Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        scale = {name: column.tolist() for name, column in self.table.items()}
        return {**vars(self), "table": scale}

    def __str__(self) -> str:
        cells = [["item", "value", "scale", "95% interval"]]
        columns = (self.table[name] for name in ("object", "value", "scale", "lower", "upper"))
        for item, value, scale, lower, upper in zip(*columns, strict=True):
            cells.append([str(item), f"{value:g}", f"{scale:.3f}", f"{lower:.3f} to {upper:.3f}"])
        lines = [
            f"{len(cells) - 1:,} items, {self.n_answers:,} answers: difference scale from 0 to 1;"
            f" the noise of an answer is {self.noise:.2f} of its range.",
            f"{self.direction}.",
        ]
        if self.p_six_point is not None:
            fits = "holds" if self.p_six_point >= 0.05 else "is violated: no such scale exists"
            lines.append(f"The six-point property {fits} (p = {self.p_six_point:.2g}).")
        return "\n".join([*lines, *aligned(cells)])


def difference_scale(
    source: AnswerFile, results: Results, options: DifferenceOptions, seed: int, *, json: bool
) -> None:
    """Fit a difference scale to compared differences, print it, write it, draw it."""
    from ordinate.io.coordinates import write_table
    from ordinate.plots import plot_difference_scale
    from ordinate.scales.difference_scale import DifferenceScale, directed, turned

    answers, readings = source.read_plainly()
    print_notes(readings)
    known = None
    if options.values is not None:
        known = _read_values(options.values, answers.names or ())
    if options.chosen == "auto":
        answers, alike = directed(answers, known)
        said = "The chosen pair is taken for the more"
        direction = f"{said} {'alike' if alike else 'different'} one, which fits the known order"
    else:
        answers = turned(answers) if options.chosen == "different" else answers
        direction = f"The chosen pair is the more {options.chosen} one"
    model = DifferenceScale(random_state=seed).fit(answers, values=known)
    table = model.columns()
    written = Written()
    written.write(results.output, lambda path: write_table(path, table))
    written.draw_chart(results.plot, lambda: plot_difference_scale(model))
    six = None if model.p_six_point_ != model.p_six_point_ else model.p_six_point_
    report = DifferenceReport(len(answers), direction, model.noise_, six, table)
    written.show(report, json=json)


def _read_values(path: Path, names: Sequence[str]) -> list[float]:
    """Read the physical values of items: a label and a number per row, under a header."""
    from ordinate.io.columns import as_floats, as_labels
    from ordinate.io.tables import errors_naming, open_table

    with errors_naming(path):
        table = open_table(path, header=True)
        if len(table.names) != 2:
            raise InputError(f"It must have 2 columns, item and value; it has {len(table.names)}.")
        item, value = table.names
        columns = table.read([item], [value])
        numbers = as_floats(columns.column(value))
        if numbers is None:
            raise InputError(f"Column {value!r} must hold numbers.")
        value_of = dict(zip(as_labels(item, columns.column(item)), numbers.tolist(), strict=True))
        missing = [name for name in names if name not in value_of]
        if missing:
            raise InputError(f"It has no value of the item {missing[0]!r}; add a row.")
    return [float(value_of[name]) for name in names]
