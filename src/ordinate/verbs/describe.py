"""`ordinate.describe`: how answers were read, what is in them, whether there are enough."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ordinate._checks import InputError
from ordinate.comparisons.choices import with_whole_trials
from ordinate.comparisons.description import Description
from ordinate.comparisons.pairs import Pairs, counted
from ordinate.comparisons.record import Comparisons
from ordinate.io.layout import layout_beside, layout_for
from ordinate.io.object_tables import read_names
from ordinate.io.read import read_log
from ordinate.io.record_files import comparison_columns, pair_columns, write_comparisons
from ordinate.io.rows import Reading
from ordinate.io.tables import STDIN, matching_files
from ordinate.plots import plot_learning_curve
from ordinate.results.finding import Finding
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result
from ordinate.selection._learning_curve import NO_FORECAST, LearningCurve, quick_curve
from ordinate.verbs.answers import LayoutLike, read_answers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns

_MOST_NAMED = 8
"""People whose scores are listed."""


@dataclass(frozen=True, eq=False)
class DescribeResult(Result):
    """How answers were read, and what is in them.

    Attributes
    ----------
    answers : Comparisons or Pairs
        The answers.
    description : object
        Counts, contradictions, unseen objects; of pairs None.
    repeated : dict
        Of the pairs of answers that a person gave to one question, how many agree, and how many
        there are.
    curve : LearningCurve or None
        The error to expect of a map, now and with twice the answers; of pairs, or of very few
        answers, None.

    Examples
    --------
    >>> import ordinate as od
    >>> od.describe([[0, 1, 2], [0, 1, 2], [0, 2, 1]]).repeated
    {'all': (1, 3)}
    """

    heading: ClassVar[str] = "What is in"

    answers: Comparisons | Pairs
    description: Description | None
    repeated: Mapping[str, tuple[int, int]]
    catch: Mapping[str, tuple[int, int]]
    curve: LearningCurve | None
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    n_main: ClassVar[int] = 0
    captions: ClassVar[Mapping[str, str]] = {
        "learning": "Held-out error against the number of answers a map was fitted to."
    }

    def tables(self) -> dict[str, Columns]:
        """Return the answers in the plain layout: anchor, near and far, or the two items."""
        kept = self.answers
        return {
            "answers": pair_columns(kept) if isinstance(kept, Pairs) else comparison_columns(kept)
        }

    def write_tables(self, path: str | os.PathLike[str]) -> list[Path]:
        """Write the answers in the plain layout, with all that the file's format can hold."""
        if isinstance(self.answers, Pairs) or not Path(path).suffix:
            return super().write_tables(path)
        write_comparisons(self.answers, path)
        return [Path(path)]

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the error against the number of answers, if it is known."""
        curve = self.curve
        return {"learning": lambda: plot_learning_curve(curve)} if curve else {}

    def _pairs(self) -> str:
        """Say what is in answers about two items, as the description of comparisons does."""
        pairs = self.answers
        assert isinstance(pairs, Pairs)
        n_ties = int((pairs.outcomes == 0).sum())
        lines = [
            f"{counted(len(pairs), 'answer')} about {counted(pairs.n_objects, 'item')}",
            f"  {'ties':17}  {n_ties:,}",
        ]
        for name, labels in pairs.groups.items():
            lines.append(f"  {name:17}  {len(np.unique(labels)):,} different")
        return "\n".join(lines)

    def findings(self) -> Iterator[Finding]:
        """Yield how the answers were read, what is in them, and whether they are enough."""
        readings, data = self.provenance.readings, self.description
        named = [f"{path}: " if len(readings) > 1 else "" for path in self.provenance.files]
        said = [f"{file}{one}" for file, one in zip(named, readings, strict=False)]
        said = said or list(map(str, readings))  # of what is no file
        listed = [reading.to_dict() for reading in readings]
        yield Finding("reading", listed, "\n".join(said), section="data")
        headline, _, counts = (str(data) if data else self._pairs()).partition("\n")
        yield Finding("n_rows", len(self.answers), headline)
        yield Finding("n_objects", self.answers.n_objects)
        figures = data.to_dict() if data else {}
        yield Finding("kind", figures.pop("kind", "pair"), counts, section="data")
        for key, value in figures.items():
            yield Finding(key, value)
        yield Finding("catch", self.catch, _scores("Catch trials answered rightly", self.catch))
        repeated = _scores("Repeated questions answered alike", self.repeated)
        yield Finding("repeated_answers", self.repeated, repeated)
        if data:
            forecast = self.curve.forecast if self.curve else NO_FORECAST
            yield Finding("forecast", self.curve and self.curve.to_dict(), forecast)


def _scores(what: str, scores: Mapping[str, tuple[int, int]]) -> str:
    """Return a sentence with the score of all and of each person, or of those with the lowest."""
    right, n = (
        (sum(figures) for figures in zip(*scores.values(), strict=True)) if scores else (0, 0)
    )
    said = f"{what}: {right:,} of {n:,}"
    if len(scores) < 2:
        return f"{said}." if scores else ""
    named = list(scores)
    if len(scores) > _MOST_NAMED:
        named = sorted(scores, key=lambda who: scores[who][0] / scores[who][1])[:_MOST_NAMED]
    listed = ", ".join(f"{who}: {scores[who][0]:,} of {scores[who][1]:,}" for who in named)
    return f"{said}; {'the lowest are ' * (len(scores) > _MOST_NAMED)}{listed}."


def describe(
    source: Any,
    *,
    names: str | os.PathLike[str] | Sequence[object] | None = None,
    save_layout: bool = False,
    layout: LayoutLike = None,
    **reading: Any,
) -> DescribeResult:
    """Show how a file of answers is read, what is in it, and whether it is enough for a map.

    Lists all that keeps it from being read, with one command that settles it.

    Parameters
    ----------
    source : path, frame, array-like or Comparisons
        The answers to any question; what is no record is read as `read` does.
    names : path or sequence of str, optional
        Table or list of all objects, including those in no answer.
    save_layout : bool, default=False
        Write these options to answers.layout.toml beside answers.csv; every command uses it.
    layout : Layout or path, optional
        How a source that is no record is to be read, as in `read`.
    **reading
        Further parameters of `read`.

    Returns
    -------
    DescribeResult
        Print it, `save` the answers in the plain layout, or write a page by `report`.

    See Also
    --------
    Comparisons.describe : The counts alone.

    Examples
    --------
    >>> import ordinate as od
    >>> log = {"anchor": ["cat", "dog"], "near": ["dog", "cat"], "far": ["car", "car"]}
    >>> print(od.describe(log).description.n_objects)
    3
    """
    asked = locals()
    asked |= asked.pop("reading")
    if names is not None:
        reading["names"] = list(dict.fromkeys(read_names(names)))
    answers, readings = read_answers(source, layout, reading, pairs=None)
    files = _files(source)
    if save_layout:
        _save_layouts(files, layout, reading)
    is_scaled = isinstance(answers, Pairs)
    whole = answers if is_scaled else with_whole_trials(answers)
    return DescribeResult(
        answers,
        description=None if is_scaled else answers.describe(),
        repeated=whole.repeated_answers(),
        catch=_catch_scores(files, layout, reading),
        curve=None if is_scaled else quick_curve(answers),
        provenance=provenance_of(describe, asked, readings),
    )


def _files(source: Any) -> list[Path]:
    """Return the files of a source that can be read once more."""
    if not isinstance(source, str | os.PathLike):
        return []
    return [Path(path) for path in matching_files(source) if os.fspath(path) != STDIN]


def _save_layouts(files: Sequence[Path], layout: LayoutLike, fields: Mapping[str, Any]) -> None:
    """Write beside each file how it is read."""
    if not files:
        raise InputError("A layout is saved beside a file of answers; there is no such file here.")
    for path in files:
        beside = layout_beside(path)
        layout_for(path, layout, fields).save(beside)
        print(f"Wrote {beside}.", file=sys.stderr)


def _catch_scores(
    files: Sequence[Path], layout: LayoutLike, fields: Mapping[str, Any]
) -> dict[str, tuple[int, int]]:
    """Count how many catch trials each person answered rightly, also where they are left out."""
    scores: dict[str, tuple[int, int]] = {}
    told = {**fields, "exclude": [], "on_invalid": "drop"}
    for path in files:
        with warnings.catch_warnings(action="ignore"):
            try:
                found: Reading = read_log(path, layout_for(path, layout, told), pairs=None)[1]
            except InputError:
                continue
        scores |= found.catch
    return scores
