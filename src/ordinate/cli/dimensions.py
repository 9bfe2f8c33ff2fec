"""`ordinate dimensions`: sparse, non-negative dimensions that people can name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import typer

from ordinate.cli._options import AnswerFile, Appearance, Json, Running
from ordinate.cli._results import ResultFiles, table_opt
from ordinate.cli._typer import fitting_opt, opt, picture_opt


@dataclass(frozen=True)
class DimensionResults(ResultFiles):
    """Where the loadings, the matrix of similarities and the page go."""

    output: Path | None = table_opt("loadings, a column per dimension", otherwise="a short list")
    plot: Path | None = picture_opt(
        "Page with a card per dimension, to name it: .html.", "FILE", kind="pages"
    )
    rdm: Path | None = opt(
        "Representational dissimilarity matrix: how rarely two objects are kept together.",
        "FILE",
        kind="tables",
    )


def dimensions(
    *,
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
        "Random starts, of which the best and what they share is kept.", "N", default=5, min=1
    ),
    penalty: str | None = fitting_opt(
        "Weights of the loadings and of their squares. Default: by held-out trials.", "A,B"
    ),
    running: Running,
    json: Json = False,
) -> None:
    """Find dimensions that people can name, such as "animal" or "metallic".

    Each object gets loadings that are zero or positive, most of them zero; two objects are alike
    if they share dimensions. On the page each dimension is a card to look at and to name.

    A dimension is listed if fits to two halves of the answers both find it. If there is none, or
    if the halves predict each other no better than chance, the command says so.

    Answers are odd-one-out trials, triplets, or k objects chosen among n. Numbers in a text file
    without a header are trials as THINGS publishes them: two objects kept together, the odd one
    and, if there is a fourth column, the participant.

    Example: ordinate dimensions trials.txt --objects names.csv -o dimensions.csv --plot page.html
    """
    from ordinate.metrics._dissimilarities import dissimilarities
    from ordinate.verbs.find_dimensions import find_dimensions

    appearance = Appearance(objects=objects, images=images)
    results.check(*source.inputs, *appearance.files)
    result = find_dimensions(
        source.answers,
        max_dimensions=max_dimensions,
        penalty=_two_weights(penalty),
        n_init=seeds,
        objects=objects,
        **running.running,
        **source.reading(),
    )
    display = appearance.look_up(result.answers.names or range(result.answers.n_objects))
    rdm = lambda path: dissimilarities(result.model).save(path)  # noqa: E731
    results.write_and_show(replace(result, display=display), {results.rdm: rdm}, json=json)


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
