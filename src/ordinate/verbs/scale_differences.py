"""`ordinate.scale_differences`: a perceptual scale of items of known order, and its check."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ordinate._checks import InputError, check_choice
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons
from ordinate.io.object_tables import columns_for
from ordinate.io.rows import notes_about
from ordinate.plots import plot_difference_scale
from ordinate.results.finding import Finding
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result
from ordinate.scales.difference_scale import DifferenceScale, with_smaller_first
from ordinate.verbs.answers import LayoutLike, read_answers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns


@dataclass(frozen=True, eq=False)
class ScaleResult(Result):
    """A perceptual scale, and how the answers were taken.

    Attributes
    ----------
    model : DifferenceScale
        The estimator, fitted to the answers.
    n_answers : int
        How many answers there are.
    direction : str
        How the chosen pair was taken, as a sentence.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = [[0, 1, 2, 3], [2, 1, 0, 3], [0, 1, 1, 3], [1, 2, 0, 3]] * 5
    >>> len(od.scale_differences(answers, chosen="alike").to_frame())
    4
    """

    model: DifferenceScale
    n_answers: int
    direction: str
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"Scale of {self.provenance.name}"

    def tables(self) -> dict[str, Columns]:
        """Return the table of items."""
        return {"scale": self.model.columns()}

    def listings(self) -> dict[str, list[list[str]]]:
        """Return the table as a person reads it."""
        cells, table = [["item", "value", "scale", "95% interval"]], self.model.columns()
        columns = (table[name] for name in ("object", "value", "scale", "lower", "upper"))
        for item, value, scale, lower, upper in zip(*columns, strict=True):
            cells.append([str(item), f"{value:g}", f"{scale:.3f}", f"{lower:.3f} to {upper:.3f}"])
        return {"scale": cells}

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the scale."""
        return {"scale": lambda: plot_difference_scale(self.model)}

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        table, p_value = self.model.columns(), self.model.p_six_point_
        p_random = self.model.p_random_
        is_found = p_random <= 0.05
        yield Finding(
            "n_answers",
            self.n_answers,
            f"A scale from 0 to 1 of {len(table['object']):,} items, by {self.n_answers:,} answers."
            if is_found
            else f"Random answers fit a scale as well as these {self.n_answers:,} answers do (p ="
            f" {p_random:.2g}): do not rely on it. Check how the file was read, or collect more.",
        )
        said = f"Random answers would fit a scale as well with p = {p_random:.2g}." * is_found
        yield Finding("p_random", p_random, said, section="trust")
        yield Finding(
            "noise",
            self.model.noise_,
            f"The noise of an answer is {self.model.noise_:.2f} of the scale's range." * is_found,
            section="trust",
        )
        yield Finding("direction", self.direction, f"{self.direction}.", section="data")
        known = p_value == p_value  # not NaN
        fits = "holds" if p_value >= 0.05 else "is violated: no such scale exists"
        said = f"The six-point property {fits} (p = {p_value:.2g})." if known else ""
        yield Finding("p_six_point", p_value if known else None, said, section="trust")
        yield Finding("table", table)


def scale_differences(
    source: Any,
    *,
    chosen: str = "auto",
    values: str | os.PathLike[str] | ArrayLike | None = None,
    random_state: RandomState = 0,
    verbose: bool = False,
    layout: LayoutLike = None,
    **reading: Any,
) -> ScaleResult:
    """Find a perceptual scale of items whose physical order is known (MLDS).

    Reads which of two differences is larger: pairs against pairs, or triplets.

    Parameters
    ----------
    source : path, frame, array-like or Comparisons
        Which of two differences is smaller or larger: pairs against pairs, or triplets. What is
        no record is read as `read_comparisons` does.
    chosen : {"auto", "different", "alike"}, default="auto"
        Whether people chose the more different pair or the more alike one; by default what fits
        the known order of the items.
    values : path or array-like, optional
        Physical values of the items in their order, or a table with a column of items and one of
        values; by default the labels are numbers.
    random_state : int, Generator or None, default=0
        Seed of the intervals and of the test.
    verbose : bool, default=False
        Print how a file was read.
    layout : Layout or path, optional
        How a source that is no record is to be read, as in `read_comparisons`.
    **reading
        Further parameters of `read_comparisons`.

    Returns
    -------
    ScaleResult
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    DifferenceScale : The estimator.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = [[0, 1, 2, 3], [2, 1, 0, 3], [0, 1, 1, 3], [1, 2, 0, 3]] * 5
    >>> od.scale_differences(answers, chosen="alike").n_answers
    20
    """
    asked = locals()
    asked |= asked.pop("reading")
    check_choice("chosen", chosen, ("auto", "different", "alike"))
    answers, readings = read_answers(source, layout, reading, check=False)
    known = values
    if isinstance(values, str | os.PathLike):
        known = _read_values(Path(values), answers)
    said = f"The chosen pair is the more {chosen} one"
    answers, alike = with_smaller_first(answers, known, chosen)
    if chosen == "auto":
        taken = "alike" if alike else "different"
        said = f"The chosen pair is taken for the more {taken} one, which fits the known order"
    if not alike:
        readings = [replace(one, example=_reversed(one.example)) for one in readings]
    if verbose:
        for note in notes_about(readings):
            print(note, file=sys.stderr)
    model = DifferenceScale(random_state=random_state).fit(answers, values=known)
    provenance = provenance_of(scale_differences, asked, readings)
    return ScaleResult(model, len(answers), said, provenance)


def _reversed(example: str) -> str:
    """Say of an answer that the chosen pair is the more different one."""
    return example.replace("are more alike than", "differ more than").replace(
        "is more like", "is less like"
    )


def _read_values(path: Path, answers: Comparisons) -> Any:
    """Read a table of items and their values, in the order of the answers' items."""
    columns = columns_for(path, answers.names or (), "item")
    if len(columns) != 1:
        raise InputError(
            f"{path}: It must have 2 columns, item and value; it has {len(columns) + 1}."
        )
    return next(iter(columns.values()))
