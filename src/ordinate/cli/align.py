"""`ordinate align`: how well features of models predict people's answers, before and after."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordinate._checks import InputError
from ordinate.cli._options import (
    AnswerFile,
    Jobs,
    Json,
    Seed,
    read_names,
    threads,
    whole_numbers,
)
from ordinate.cli._results import Chart, Written, check_outputs
from ordinate.cli._typer import arg, fitting_opt, opt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.choices import Answers
    from ordinate.selection import AlignmentScores, FeatureScores

_MAP_DIMENSIONS = "2,5,10"
_ALIKE_BY = {
    "dot": "Two objects are the more alike, the larger the dot product of their aligned features.",
    "euclidean": "Two objects are the more alike, the smaller the distance of their aligned"
    " features.",
}
_PUBLISHED = (".txt", ".dat", ".data", ".npy")
"""Files of trials that may have no header, as those of THINGS."""


@dataclass(frozen=True)
class FeatureFiles:
    """Tables of features, and whose rows are whose."""

    tables: list[Path] | None = arg("More tables of features.", "[TABLE]...", default=None)
    features: list[Path] | None = opt(
        "Table of features, a row per object: .npy, .npz, .csv, .tsv or .parquet; several"
        " may follow, or repeat the option.",
        "FILE",
    )
    objects: Path | None = opt(
        "Labels of the rows of tables that have none, one per line in their order; and of"
        " objects that the answers number.",
        "FILE",
    )

    @property
    def paths(self) -> list[Path]:
        """The tables, those after --features first."""
        return [*(self.features or ()), *(self.tables or ())]

    @property
    def files(self) -> list[Path]:
        """All files that are read."""
        return [*self.paths, *([self.objects] if self.objects else [])]

    def labels(self) -> list[str] | None:
        """Return the labels of the rows of tables that have none."""
        return None if self.objects is None else read_names(self.objects)

    def read(self, answers: Answers) -> dict[str, NDArray[np.float64]]:
        """Read the tables, with rows in the order of the answers' objects."""
        if not self.paths:
            raise InputError("No table of features was given; add --features FILE.")
        labels = self.labels()
        found: dict[str, NDArray[np.float64]] = {}
        for path in self.paths:
            name = path.stem if path.stem not in found else str(path)
            if name in found:
                raise InputError(f"{path} was given twice; name each table once.")
            found[name] = _matched_rows(path, answers, labels)
        return found


def _matched_rows(
    path: Path, answers: Answers, labels: Sequence[str] | None
) -> NDArray[np.float64]:
    """Read features and put their rows into the order of the answers' objects."""
    import numpy as np

    from ordinate.features.alignment import align_by_name
    from ordinate.features.files import read_features
    from ordinate.io.tables import errors_naming

    read = read_features(path)
    points = read.points if isinstance(read.points, np.ndarray) else read.points.toarray()
    points = points.astype(np.float64)
    with errors_naming(str(path)):
        names = read.names
        if names is None and labels is not None:
            if len(labels) != len(points):
                raise InputError(
                    f"There are {len(points)} rows and {len(labels)} labels in --objects; give one"
                    " label per row."
                )
            names = list(labels)
        known = answers.names or tuple(map(str, range(answers.n_objects)))
        if names is None:
            first = _first_number(known, len(points))
            names = [str(first + row) for row in range(len(points))]
            print(
                f"{path.name}: Rows have no labels; row {first} is taken for object {first}, and"
                " so on.",
                file=sys.stderr,
            )
        return align_by_name(known, names, points)[0][: answers.n_objects]


def _first_number(known: Sequence[str], n_rows: int) -> int:
    """Return the number of the first row if the answers number objects: 0 or 1."""
    if not all(name.isdecimal() for name in known):
        raise InputError(
            f"The answers call objects {known[0]!r} and so on, but the rows have no labels. Name"
            " them in a column 'object' (in .npz, an array beside the matrix), or give --objects."
        )
    numbers = [int(name) for name in known]
    fitting = [first for first in (0, 1) if first <= min(numbers) and max(numbers) < n_rows + first]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise InputError(
            f"There are {n_rows} rows, and the answers number objects {min(numbers)} to"
            f" {max(numbers)}. Add rows, or give --objects."
        )
    raise InputError(
        f"The answers number objects {min(numbers)} to {max(numbers)}, and {n_rows} rows without"
        " labels may count from 0 or from 1. Give the labels of the rows in --objects."
    )


@dataclass(frozen=True)
class AlignReport:
    """Figures of one run of `ordinate align`."""

    scores: FeatureScores
    alignment: AlignmentScores | None = None
    aligned_by: str | None = None
    """By what rows of the aligned features are alike: "dot" or "euclidean"."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        alignment = self.alignment.to_dict() if self.alignment else None
        return self.scores.to_dict() | {"alignment": alignment, "aligned_by": self.aligned_by}

    def __str__(self) -> str:
        said = self.aligned_by and _ALIKE_BY[self.aligned_by]
        return "\n".join(str(part) for part in (self.scores, self.alignment, said) if part)


def align(
    source: AnswerFile,
    tables: FeatureFiles,
    similarity: Literal["cosine", "centered", "dot", "euclidean"] = opt(
        "Which pair is most alike: by cosine, by cosine after the mean over the objects is"
        " subtracted, by dot product or by distance.",
        default="cosine",
    ),
    dims: str = opt(
        "Dimensions to try for the map of the answers, which is compared with the features; ''"
        " for no map.",
        "N,N",
        default=_MAP_DIMENSIONS,
    ),
    rank: int = fitting_opt(
        "Coordinates that -o learns from the answers, at most, for each start.",
        "N",
        default=30,
        min=1,
    ),
    seed: Seed = 0,
    jobs: Jobs = None,
    output: Path | None = opt(
        "Align the features with the answers and write them: .csv, .tsv, .parquet or"
        " .npz. Rows are compared by dot product or by distance, as the output says. Takes one"
        " table.",
        "FILE",
        "-o",
    ),
    plot: Chart = None,
    json: Json = False,
) -> None:
    """Say how many of people's answers the features of models predict, and align them.

    Each table of features is judged by the same answers, and compared with
    chance, the agreement of people on repeated questions, and a map of the
    answers themselves. Rows are matched with objects by label. With -o the features
    are aligned with the answers, and judged on people and objects held out.

    Example: ordinate align answers.csv --features clip.npz words.csv --plot models.png
    """
    from ordinate.io.coordinates import coordinate_columns, write_table
    from ordinate.plots import plot_feature_scores
    from ordinate.selection._alignment import aligning_estimator, score_alignment
    from ordinate.selection._feature_scores import score_features

    check_outputs([*source.inputs, *tables.files], tables=[output], charts=[plot])
    if output and len(tables.paths) != 1:
        raise InputError(
            f"-o aligns one table of features; {len(tables.paths)} were given. Compare them without"
            " -o, then align one."
        )
    answers = _read_answers(source, tables.labels())
    wanted = whole_numbers("--dims", dims or None) or []
    if dims == _MAP_DIMENSIONS:
        wanted = [dimension for dimension in wanted if dimension < answers.n_objects]
    features = tables.read(answers)
    report = AlignReport(
        score_features(answers, features, similarity, map_dimensions=wanted, random_state=seed)
    )
    written = Written()
    if output:
        (rows,) = features.values()
        report = replace(
            report,
            alignment=score_alignment(
                answers, rows, aligning_estimator(rows, rank), similarity=similarity,
                random_state=seed, n_jobs=threads(jobs),
            ),
        )  # fmt: skip
        model = aligning_estimator(rows, rank).set_params(
            random_state=seed, n_jobs=threads(jobs), verbose=True
        )
        model.fit(answers, rows)
        report = replace(report, aligned_by=model.similarity_)
        columns = coordinate_columns(model.embedding_, answers.names)
        written.write(output, lambda path: write_table(path, columns))
    written.draw_chart(plot, lambda: plot_feature_scores(report.scores))
    written.show(report, json=json)


def _read_answers(source: AnswerFile, labels: Sequence[str] | None) -> Answers:
    """Read comparisons, or whole trials where people chose the odd one out."""
    from ordinate.comparisons.choices import with_whole_trials
    from ordinate.io.trial_files import read_trials

    plain = source.answers.suffix in _PUBLISHED and len(source.arguments()) == 3
    if source.question == "odd_one_out" and plain:
        return read_trials(source.answers, names=labels)
    return with_whole_trials(source.read())
