"""`ordinate.align`: how well features predict people's answers, as they are and aligned."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import parameter
from ordinate._checks import InputError
from ordinate._random import RandomState
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.trials import Trials
from ordinate.features.alignment import matched_rows, rows_of_objects
from ordinate.features.feature_embedding import FeatureEmbedding
from ordinate.features.files import read_object_features
from ordinate.io.coordinates import coordinate_columns
from ordinate.io.object_tables import read_names
from ordinate.io.tables import errors_naming
from ordinate.plots import plot_feature_scores
from ordinate.results.finding import Finding, in_sentences
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result
from ordinate.selection._alignment import AlignmentScores, aligning_estimator, score_alignment
from ordinate.selection._feature_scores import FeatureScores, score_features
from ordinate.solvers.respondents import MachinesBesidePeople
from ordinate.verbs.answers import LayoutLike, read_choices
from ordinate.verbs.machines_on_map import LEVEL, compare_machines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns

_MAP_DIMENSIONS = (2, 5, 10)
"""Dimensions that are tried for a map of the answers."""
_BY_CHANCE = 0.05
"""Above this p value, features are not said to predict answers."""
_ALIKE_BY = {
    "dot": "Objects are more alike the larger the dot product of their aligned features.",
    "euclidean": "Objects are more alike the closer their aligned features are.",
}


@dataclass(frozen=True, eq=False)
class AlignmentResult(Result):
    """How well tables of features predict answers, and the best of them aligned if asked for.

    Attributes
    ----------
    answers : Comparisons or Trials
        The answers.
    scores : object
        Accuracies of the tables with intervals, differences, chance and ceiling.
    aligned : str or None
        Which table was aligned, if one was.
    alignment : object
        Accuracy before and after, on people and objects held out; None if none was aligned.
    model : FeatureEmbedding or None
        The alignment, fitted to all answers.
    machines : MachinesBesidePeople or None
        Machines compared with people, if both answered: on maps by STE in two dimensions.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities(500)
    >>> result = od.align(cities.comparisons, cities.points, similarity="euclidean")
    >>> result.scores.rows[0].accuracy
    0.938
    """

    heading: ClassVar[str] = "Features and the answers of"

    answers: Answers
    scores: FeatureScores
    aligned: str | None = None
    alignment: AlignmentScores | None = None
    model: FeatureEmbedding | None = None
    machines: MachinesBesidePeople | None = None
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    def tables(self) -> dict[str, Columns]:
        """Return the aligned features, if there are any, and the accuracies."""
        found: dict[str, Columns] = {}
        if self.model is not None:
            found["aligned"] = coordinate_columns(self.model.embedding_, self.answers.names)
        rows = [asdict(row) for row in self.scores.rows]
        return found | {"accuracies": {name: np.array([r[name] for r in rows]) for name in rows[0]}}

    def listings(self) -> dict[str, list[list[str]]]:
        """Return the accuracies, differences and gains as a person reads them."""
        found = {"accuracies": self.scores.cells()}
        if self.scores.differences:
            found["differences in points"] = self.scores.difference_cells()
        if self.alignment is not None:
            found["before and after alignment"] = self.alignment.cells()
        return found

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the accuracies."""
        return {"accuracies": lambda: plot_feature_scores(self.scores)}

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        scores = self.scores
        best = next(row for row in scores.rows if row.p_chance is not None)
        maps = [row for row in scores.rows if row.p_chance is None]
        text = (
            f"{best.name} predicts {best.accuracy:.1%} of the answers ({best.low:.1%} to"
            f" {best.high:.1%}); chance is {scores.chance:.1%}."
        )
        if (best.p_chance or 0) > _BY_CHANCE:
            text += (
                f" That may be chance: shuffled features predict as much (p = {best.p_chance:.2f})."
            )
        elif best.low <= scores.chance:
            text += " That is not surely better than chance."
        if maps:
            text += f" A {maps[0].name}, predicts {maps[0].accuracy:.1%}."
        figures = scores.to_dict()
        yield Finding("rows", figures.pop("rows"), text)
        over = f"{scores.n_participants:,} participants" if scores.n_participants else "questions"
        text = (
            f"{scores.n_answers:,} {scores.question}s, predicted by {scores.similarity} similarity;"
            f" intervals are over {over}."
        )
        yield Finding("n_answers", figures.pop("n_answers"), text, section="data")
        left_out = ""
        if scores.n_left_out:
            left_out = (
                f"{scores.n_left_out:,} answers are left out: an object has no features, or no"
                " place on a map of the other answers."
            )
        yield Finding("n_left_out", figures.pop("n_left_out"), left_out, section="data")
        agree = str(scores.ceiling) if scores.ceiling.n_questions else ""
        yield Finding("ceiling", figures.pop("ceiling"), agree, section="trust")
        for key, value in figures.items():
            yield Finding(key, value)
        if self.machines is not None:
            said = self.machines.sentences(LEVEL)
            yield from in_sentences("machines", self.machines.to_dict(), said, "people")
        yield Finding("aligned", self.aligned, f"Aligned: {self.aligned}." if self.aligned else "")
        yield Finding("alignment", self.alignment and self.alignment.to_dict())
        by = self.model.similarity_ if self.model else None
        yield Finding("aligned_by", by, _ALIKE_BY[by] if by else "")


def align(
    source: Any,
    features: Any,
    *,
    similarity: str = "cosine",
    map_dimensions: Sequence[int] | None = None,
    fit: bool = False,
    rank: int = 30,
    objects: Any = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    layout: LayoutLike = None,
    **reading: Any,
) -> AlignmentResult:
    """Score model features against people's answers, and align them.

    Each table of features is judged by the same answers, and compared with chance, the agreement
    of people on repeated questions, and a map of the answers themselves. An alignment is judged
    on people and objects held out from it.

    Parameters
    ----------
    source : path, frame, array-like, Trials or Comparisons
        The answers; what is no record is read as `read_comparisons` does.
    features : path, frame, array-like, or sequence of paths, or mapping of str to those
        Tables of features, a row per object; rows are matched with objects by label.
    similarity : {"cosine", "centered", "dot", "euclidean"}, default="cosine"
        Which pair is most alike: by cosine, by cosine after the mean over the objects is
        subtracted, by dot product or by distance.
    map_dimensions : sequence of int, optional
        Dimensions to try for a map of the answers, which is compared with the features; by default
        2, 5 and 10. An empty list for no map.
    fit : bool, default=False
        Align the table that predicts best with the answers; it becomes the main table.
    rank : int, default=30
        Coordinates that the alignment learns from the answers, at most, for each start.
    objects : path or sequence of str, optional
        Labels of the rows of tables that have none, and of objects that the answers number.
    random_state : int, Generator or None, default=0
        Seed of the folds and fits.
    n_jobs : int or None, default=-1
        Number of threads, as in joblib; never changes the result.
    verbose : bool, default=False
        Show progress bars, and print how a file was read.
    layout : Layout or path, optional
        How a source that is no record is to be read, as in `read_comparisons`.
    **reading
        Further parameters of `read_comparisons`.

    Returns
    -------
    AlignmentResult
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    score_features : The accuracies alone.
    FeatureEmbedding : The alignment alone.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities(500)
    >>> models = {"true": cities.points, "one axis": cities.points[:, :1]}
    >>> result = od.align(cities.comparisons, models, similarity="euclidean", map_dimensions=[])
    >>> list(result.to_frame().index)
    ['true', 'one axis']
    """
    asked = locals()
    asked |= asked.pop("reading")
    published = reading.get("question") == "odd_one_out"
    answers, readings = read_choices(
        source, layout, reading, objects=objects, published=published, verbose=verbose
    )
    tables = _read_tables(features, answers, objects)
    if map_dimensions is None:
        map_dimensions = [one for one in _MAP_DIMENSIONS if one < answers.n_objects]
    scores = score_features(
        answers, tables, similarity, map_dimensions=map_dimensions, random_state=random_state
    )
    record = answers.to_comparisons() if isinstance(answers, Trials) else answers
    machines = compare_machines(record, random_state, n_jobs)
    result = AlignmentResult(
        answers, scores, machines=machines, provenance=provenance_of(align, asked, readings)
    )
    if not fit:
        return result
    best = next(row.name for row in scores.rows if row.name in tables)
    if verbose:  # an alignment takes a while
        said = next(iter(result.findings())).text
        print(f"{said} Now aligning {best}.", file=sys.stderr, flush=True)
    running = {"random_state": random_state, "n_jobs": n_jobs}
    alignment, model = _align(answers, tables[best], similarity, rank, running, verbose)
    return replace(result, aligned=best, alignment=alignment, model=model)


def _read_tables(features: Any, answers: Answers, objects: Any) -> dict[str, NDArray[np.float64]]:
    """Read tables of features by name, with rows in the order of the answers' objects."""
    if isinstance(features, Mapping):
        named = {str(name): table for name, table in features.items()}
    else:
        named = _named(features)
    if not named:
        raise InputError(f"No table of features was given; add {parameter('features')} FILE.")
    labels = None if objects is None else read_names(objects)
    found = {}
    for name, table in named.items():
        if not isinstance(table, str | os.PathLike):
            found[name] = rows_of_objects(answers, table)[0][: answers.n_objects]
            continue
        read = read_object_features(table)
        with errors_naming(table):
            found[name] = matched_rows(answers, read, labels)
    return found


def _named(features: Any) -> dict[str, Any]:
    """Return tables by the names of their files; a single table is called features."""
    paths = [features] if isinstance(features, str | os.PathLike) else features
    if not isinstance(paths, list | tuple) or not all(
        isinstance(one, str | os.PathLike) for one in paths
    ):
        return {"features": features}
    found: dict[str, Any] = {}
    for path in map(Path, paths):
        name = path.stem if path.stem not in found else str(path)
        if name in found:
            raise InputError(f"{path} was given twice; name each table once.")
        found[name] = path
    return found


def _align(
    answers: Answers,
    rows: NDArray[np.float64],
    similarity: str,
    rank: int,
    running: Mapping[str, Any],
    verbose: bool,
) -> tuple[AlignmentScores, FeatureEmbedding]:
    """Align a table with the answers, and measure it on people and objects held out."""
    estimator = aligning_estimator(rows, rank)
    alignment = score_alignment(answers, rows, estimator, similarity=similarity, **running)
    # the prior is chosen once, by 80 % of the people, as a search takes most of a fit's time
    judged = alignment.model
    chosen = judged.similarity_
    model: Any = aligning_estimator(rows, rank).set_params(
        similarity=chosen, prior=judged.prior_, verbose=verbose, **running
    )
    if chosen != "dot":
        model.set_params(n_init=1)
    return alignment, model.fit(answers, features=rows)
