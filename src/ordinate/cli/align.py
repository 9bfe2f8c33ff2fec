"""`ordinate align`: how well features of models predict people's answers, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ordinate._checks import InputError
from ordinate.cli._options import AnswerFile, Json, Running, read_names, whole_numbers
from ordinate.cli._results import Chart, Written, check_outputs
from ordinate.cli._typer import arg, fitting_opt, opt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.choices import Answers


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

    def read(self, answers: Answers) -> dict[str, NDArray[np.float64]]:
        """Read the tables, with rows in the order of the answers' objects."""
        if not self.paths:
            raise InputError("No table of features was given; add --features FILE.")
        from ordinate.features.alignment import matched_rows
        from ordinate.features.files import read_features
        from ordinate.io.tables import errors_naming

        labels = None if self.objects is None else read_names(self.objects)
        found: dict[str, NDArray[np.float64]] = {}
        for path in self.paths:
            name = path.stem if path.stem not in found else str(path)
            if name in found:
                raise InputError(f"{path} was given twice; name each table once.")
            features = read_features(path)
            with errors_naming(path):
                found[name] = matched_rows(answers, features, labels)
        return found


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


def align(
    source: AnswerFile,
    tables: FeatureFiles,
    aligning: Aligning,
    running: Running,
    output: Path | None = opt(
        "Align the table that predicts best with the answers and write it: .csv, .tsv, .parquet"
        " or .npz. Rows are compared by dot product or by distance, as the output says.",
        "FILE",
        "-o",
    ),
    plot: Chart = None,
    json: Json = False,
) -> None:
    """Say how many of people's answers the features of models predict, and align them.

    Each table of features is judged by the same answers, and compared with
    chance, the agreement of people on repeated questions, and a map of the
    answers themselves. Rows are matched with objects by label. With -o the best
    table is aligned with the answers, and judged on people and objects held out.

    Example: ordinate align answers.csv --features clip.npz words.csv --plot models.png
    """
    from ordinate.analysis.alignment import study_alignment
    from ordinate.plots import plot_feature_scores

    check_outputs([*source.inputs, *tables.files], tables=[output], charts=[plot])
    answers = source.read_choices(tables.objects, published=source.question == "odd_one_out")
    study = study_alignment(
        answers,
        tables.read(answers),
        aligning.similarity,
        map_dimensions=aligning.map_dimensions,
        align=output is not None,
        rank=aligning.rank,
        **running.running,
    )
    written = Written()
    if output:
        written.write_table(output, study.to_columns())
    written.draw_chart(plot, lambda: plot_feature_scores(study.scores))
    written.show(study, json=json)
