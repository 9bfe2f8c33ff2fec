"""`ordinate report`: everything about a file of answers on one page."""

from __future__ import annotations

import shlex
from pathlib import Path

from ordinate._progress import Stages
from ordinate.cli._options import (
    AnswerFile,
    Appearance,
    HoldingOut,
    Json,
    group_to_hold_out,
    group_to_resample,
    notes_about,
)
from ordinate.cli._results import check_outputs, print_json
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
    from ordinate.analysis.findings import compute_findings, n_stages
    from ordinate.analysis.report_page import save_page
    from ordinate.results.provenance import Provenance

    check_outputs([*source.inputs, *appearance.files], pages=[output])
    methods = comparing.ways()
    answers, readings = source.read_with_notes()
    notes = notes_about(readings)
    look = appearance.look_up(answers.names or range(answers.n_objects))
    by = group_to_hold_out(answers, holding.split_by)
    with Stages(n_stages(answers, by)).counting():
        analysis = analyze(
            answers,
            methods,
            comparing.dimensions,
            folds=comparing.folds,
            **holding.shared(answers),
        )
        findings = compute_findings(analysis, group_to_resample(holding.split_by))
    choice = findings.table.choice
    trying = comparing.arguments(methods)
    chosen = comparing.arguments_of(type(choice.estimator).__name__, choice.dimension)
    shared = [*(["--split-by", by] if by else []), "--seed", str(holding.seed)]
    reading = source.arguments()
    commands = [
        ["report", *reading, *appearance.arguments(), *trying, *shared],
        ["compare", *reading, *trying, *shared],
        ["noise", *reading, *chosen, *shared],
        ["embed", *reading, *chosen, *shared, "-o", "map.csv"],
    ]
    typed = [shlex.join(["ordinate", *words]) for words in commands]
    provenance = Provenance(source.answers.name, source.files, typed, notes, readings)
    save_page(output, findings, provenance, look)
    if json:
        print_json(findings.to_dict() | {"notes": notes, "files": [str(output)]})
    else:
        print(f"{findings}\nWrote {output}")
