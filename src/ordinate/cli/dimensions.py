"""`ordinate dimensions`: sparse, non-negative dimensions that people can name."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.cli._appearance import Appearance
from ordinate.cli._options import AnswerFile, Jobs, Json, Seed, read_names, threads
from ordinate.cli._results import Results, check_outputs, table_opt
from ordinate.cli._typer import fitting_opt, opt, picture_opt

if TYPE_CHECKING:
    from ordinate.comparisons.choices import Answers
    from ordinate.comparisons.trials import Ceiling
    from ordinate.dimensions.sparse_dimensions import SparseDimensions

_SHOWN_OBJECTS = 5
"""Objects that stand for a dimension on the screen."""
_DECIMALS = 5
"""Of probabilities in tables of all pairs, which are large."""


@dataclass(frozen=True)
class DimensionResults(Results):
    """Where the loadings, the matrix of similarities and the page go."""

    output: Path | None = table_opt("loadings, a column per dimension", otherwise="a short list")
    plot: Path | None = picture_opt("Page with a card per dimension, to name it: .html.", "FILE")
    similarity: Path | None = opt(
        "Table of how often two objects are kept together, 0 to 1.", "FILE"
    )
    rdm: Path | None = opt("Representational dissimilarity matrix: 1 − similarity.", "FILE")

    def check(self, *inputs: Path | None) -> None:
        """Refuse impossible files now, before a fit that may be long."""
        tables = self.output, self.similarity, self.rdm
        check_outputs(inputs, tables=tables, pages=[self.plot])


@dataclass(frozen=True)
class DimensionsReport:
    """Figures of one run of `ordinate dimensions`."""

    n_dimensions: int
    answers: str
    n_answers: int
    n_objects: int
    penalty: tuple[float, float]
    held_out_accuracy: float | None
    accuracy: float
    chance: float
    ceiling: Ceiling | None
    dimensions: tuple[dict[str, Any], ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {**vars(self), "ceiling": None if self.ceiling is None else vars(self.ceiling)}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield (
            f"{self.n_dimensions} dimensions of {self.n_objects:,} objects from"
            f" {self.n_answers:,} {self.answers}, {self.seconds:.1f} s"
        )
        judged = f"{self.accuracy:.1%} of the {self.answers} they were fitted to"
        if self.held_out_accuracy is not None:
            judged = f"{self.held_out_accuracy:.1%} of held-out {self.answers}"
        yield f"They predict {judged}; chance is {self.chance:.1%}{self._ceiling_in_words()}"
        for number, dimension in enumerate(self.dimensions, 1):
            again = dimension["reproducibility"]
            found = "" if again is None else f"  found again by {again:4.0%}"
            yield f"  {number:3d}  {dimension['share']:5.1%}{found}  {', '.join(dimension['top'])}"

    def _ceiling_in_words(self) -> str:
        ceiling = self.ceiling
        if ceiling is None:
            return ""
        return (
            f", and people agree with each other in {ceiling.lower:.1%} to {ceiling.upper:.1%} of"
            f" {ceiling.n_questions:,} repeated questions"
        )


def dimensions(
    source: AnswerFile,
    results: DimensionResults,
    objects: Path | None = picture_opt(
        "Table that names the objects, in the order of their positions if the trials hold"
        " positions; a column 'image' holds files of pictures.",
        "FILE",
    ),
    images: Path | None = picture_opt("Folder of pictures named after the objects.", "FOLDER"),
    max_dimensions: int = fitting_opt(
        "Dimensions to begin with; empty ones are left out.", "N", default=100, min=1
    ),
    seeds: int = fitting_opt(
        "Random starts; they show which dimensions are reproducible.", "N", default=5, min=1
    ),
    penalty: str | None = fitting_opt(
        "Weights of the loadings and of their squares. Default: by held-out trials.", "A,B"
    ),
    seed: Seed = 0,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Find dimensions that people can name, such as "animal" or "metallic".

    Each object gets loadings that are zero or positive, most of them zero; two objects are alike
    if they share dimensions. On the page each dimension is a card to look at and to name.

    Answers are odd-one-out trials, triplets, or k objects chosen among n. Numbers in a text file
    without a header are trials as THINGS publishes them: two objects kept together, the odd one
    and, if there is a fourth column, the participant.

    Example: ordinate dimensions trials.txt --objects names.csv -o dimensions.csv --plot page.html
    """
    from ordinate.dimensions.sparse_dimensions import SparseDimensions

    start = time.perf_counter()
    appearance = Appearance(objects=objects, images=images)
    results.check(*source.inputs, *appearance.files)
    weights = _two_weights(penalty)
    record = _read(source, objects)
    look = appearance.look_up(record.names or range(record.n_objects))
    model = SparseDimensions(
        max_dimensions,
        penalty=weights,
        n_seeds=seeds,
        random_state=seed,
        n_jobs=threads(jobs),
        verbose=True,
    ).fit(record)
    report = _report(record, model, time.perf_counter() - start)
    _save_and_show(results, report, model, look.images, json=json)


def _two_weights(text: str | None) -> str | tuple[float, float]:
    if text is None:
        return "auto"
    try:
        linear, squared = map(float, text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not two numbers such as 1,0.5.", param_hint="--penalty"
        ) from None
    return linear, squared


def _read(source: AnswerFile, objects: Path | None) -> Answers:
    """Read answers; where objects are positions, the table of objects names them in its order."""
    from ordinate.comparisons.choices import with_whole_trials
    from ordinate.io.trial_files import is_published, read_trials

    path = source.answers
    plain = len(source.arguments()) == 1 and is_published(path)
    found: Answers = read_trials(path) if plain else with_whole_trials(source.read())
    if found.names is not None or objects is None:
        return found
    names = read_names(objects)
    if len(names) < found.n_objects:
        raise InputError(
            f"{objects} names {len(names):,} objects, but the largest position in {path} is"
            f" {found.n_objects - 1:,} (they count from 0); name all objects in their order."
        )
    return type(found)(found.rows, weights=found.weights, groups=found.groups, names=names)


def _report(record: Answers, model: SparseDimensions, seconds: float) -> DimensionsReport:
    from ordinate.comparisons.trials import Trials
    from ordinate.dimensions.answers import answers_of, record_of

    answers = answers_of(*record_of(record))
    names = model.names_ or [str(number) for number in range(record.n_objects)]
    tops = (-model.embedding_).argsort(axis=0, kind="stable")[:_SHOWN_OBJECTS].T
    found = tuple(
        {
            "share": float(share),
            "reproducibility": None if again != again else float(again),
            "top": [names[number] for number in top],
        }
        for share, again, top in zip(model.shares_, model.reproducibility_, tops, strict=True)
    )
    ceiling = None
    if isinstance(record, Trials):
        ceiling = record.ceiling(random_state=model.random_state)
    return DimensionsReport(
        model.n_dimensions_,
        answers.kind,
        len(answers),
        record.n_objects,
        model.penalty_,
        None if model.search_ is None else model.search_.best_accuracy,
        model.score(record),
        answers.chance,
        ceiling if ceiling is not None and ceiling.n_questions else None,
        found,
        seconds,
    )


def _save_and_show(
    results: DimensionResults,
    report: DimensionsReport,
    model: SparseDimensions,
    images: Any,
    *,
    json: bool,
) -> None:
    from ordinate.io.coordinates import coordinate_columns

    def draw(path: Path) -> None:
        from ordinate.plots import plot_dimension_cards

        plot_dimension_cards(
            model.embedding_,
            None if model.names_ is None else [str(name) for name in model.names_],
            reproducibility=model.reproducibility_,
            shares=model.shares_,
            images=images,
        ).save(path)

    written = results.save("loadings", coordinate_columns(model.embedding_, model.names_), draw)
    if results.similarity or results.rdm:
        similar = model.similarity()
        names = [str(name) for name in model.names_ or range(len(similar))]
        written.write(results.similarity, lambda path: _write_matrix(path, similar, names))
        written.write(results.rdm, lambda path: _write_rdm(path, 1 - similar, names))
    if not json:
        written.unwritten = {}
    written.show(report, json=json)


def _write_matrix(path: Path, matrix: NDArray[np.float64], names: list[str]) -> None:
    """Write a square table with a column per object; .npz holds the matrix and the names."""
    from ordinate.io.atomic import atomic_path
    from ordinate.io.coordinates import write_table

    if path.suffix == ".npz":
        with atomic_path(path) as temporary, temporary.open("wb") as file:
            np.savez(file, similarity=matrix, names=np.array(names))
        return
    key = "object" if "object" not in names else "name of object"
    columns = dict(zip(names, np.round(matrix, _DECIMALS), strict=True))
    write_table(path, {key: np.array(names, dtype=object), **columns})


def _write_rdm(path: Path, matrix: NDArray[np.float64], names: list[str]) -> None:
    """Write dissimilarities; .npz as `Dissimilarities.read` reads them."""
    from ordinate.metrics._dissimilarities import dissimilarities

    if path.suffix == ".npz":
        dissimilarities(matrix, metric="precomputed", names=names).save(path)
    else:
        _write_matrix(path, matrix, names)
