"""`ordinate report`: everything about a file of answers on one page."""

from __future__ import annotations

from pathlib import Path

from ordinate.cli._options import AnswerFile, Appearance, HoldingOut, Json
from ordinate.cli._results import Written, check_outputs
from ordinate.cli._typer import opt
from ordinate.cli.compare import Comparing


def report(
    *,
    source: AnswerFile,
    comparing: Comparing,
    appearance: Appearance,
    output: Path = opt("The page, an .html file.", "FILE", "-o", default=Path("report.html")),
    holding: HoldingOut,
    json: Json = False,
) -> None:
    """Write a page about a file of answers: the data, the best map, how far to trust it.

    It compares methods and dimensions, draws the best map, names participants who disagree with
    the others, and says whether more answers would help. The page needs no other file.

    Example: ordinate report answers.csv -o report.html
    """
    from ordinate.analysis.analyze import analyze

    check_outputs([*source.inputs, *appearance.files], pages=[output])
    analysis = analyze(
        source.answers,
        comparing.ways(),
        comparing.dimensions,
        folds=comparing.folds,
        by=holding.split_by or "auto",
        complete=True,
        **vars(appearance),
        **holding.running,
        **source.reading(),
    )
    written = Written()
    written.write_page(output, analysis)
    written.show(analysis, json=json)
