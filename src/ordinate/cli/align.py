"""`ordinate align`: how well features of models predict people's answers, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ordinate.cli._options import AnswerFile, Json, Running, whole_numbers
from ordinate.cli._results import ResultFiles
from ordinate.cli._typer import arg, fitting_opt, opt, picture_opt


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


@dataclass(frozen=True)
class Aligning:
    """How features are judged, and aligned."""

    similarity: Literal["cosine", "centered", "dot", "euclidean"] = opt(
        "Which pair is most alike: by cosine, by cosine after the mean over the objects is"
        " subtracted, by dot product or by distance.",
        default="cosine",
    )
    dims: str | None = opt(
        "Dimensions to try for the map of the answers, which is compared with the features; ''"
        " for no map.",
        "N,N",
        show_default="2,5,10",
    )
    rank: int = fitting_opt(
        "Coordinates that -o learns from the answers, at most, for each start.",
        "N",
        default=30,
        min=1,
    )

    @property
    def map_dimensions(self) -> list[int] | None:
        """The dimensions as numbers, none for no map; None for the usual ones."""
        return [] if self.dims == "" else whole_numbers("--dims", self.dims)


@dataclass(frozen=True)
class AlignResults(ResultFiles):
    """Where the aligned table, the chart and the page go."""

    output: Path | None = opt(
        "Align the table that predicts best with the answers and write it: .csv, .tsv, .parquet"
        " or .npz. Rows are compared by dot product or by distance, as the output says.",
        "FILE",
        "-o",
        kind="tables",
    )
    plot: Path | None = picture_opt("Accuracies: .png, .svg or .pdf.", "FILE", kind="charts")


def align(
    source: AnswerFile,
    tables: FeatureFiles,
    aligning: Aligning,
    running: Running,
    results: AlignResults,
    json: Json = False,
) -> None:
    """Score model features against people's answers, and align them.

    Each table of features is judged by the same answers, and compared with
    chance, the agreement of people on repeated questions, and a map of the
    answers themselves. Rows are matched with objects by label. With -o the best
    table is aligned with the answers, and judged on people and objects held out.

    Example: ordinate align answers.csv --features clip.npz words.csv --plot models.png
    """
    from ordinate.verbs.align import align

    results.check(*source.inputs, *tables.files)
    result = align(
        source.answers,
        tables.paths,
        similarity=aligning.similarity,
        map_dimensions=aligning.map_dimensions,
        fit=results.output is not None,
        rank=aligning.rank,
        objects=tables.objects,
        **running.running,
        **source.reading(),
    )
    results.write_and_show(result, json=json)
