"""`ordinate report`: everything about a file of answers on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ordinate._checks import InputError
from ordinate.cli._appearance import Appearance
from ordinate.cli._options import (
    AnswerFile,
    Jobs,
    Json,
    Seed,
    SplitBy,
    group_to_hold_out,
    notes_about,
    threads,
)
from ordinate.cli._results import check_outputs, print_json
from ordinate.cli.compare import Comparing
from ordinate.io.atomic import atomic_path


def report(
    source: AnswerFile,
    comparing: Comparing,
    appearance: Appearance,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page, an .html file.")
    ] = Path("report.html"),
    split_by: SplitBy = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Write a page about a file of answers: the data, the best map, how far to trust it.

    Methods and dimensions are compared, the best map is drawn, participants at odds with the rest
    are found, and it is said whether more answers would help. The page needs no other file.

    Example: ordinate report answers.csv -o report.html
    """
    from ordinate.cli._report_findings import Plan, find_out
    from ordinate.cli._report_page import Origin, write_page

    if output.suffix.lower() != ".html":
        raise InputError(f"Cannot write a report as {str(output)!r}: its name must end in .html.")
    check_outputs([output], [*source.inputs, *appearance.files])
    answers, readings = source.read_with_notes()
    notes = notes_about(readings)
    look = appearance.look_up(answers.names or range(answers.n_objects))
    plan = Plan(
        methods=comparing.ways(),
        dimensions=comparing.dimensions,
        folds=comparing.folds,
        by=group_to_hold_out(answers, split_by),
        seed=seed,
        n_jobs=threads(jobs),
        settings=comparing.all_settings,
    )
    findings = find_out(answers, plan)
    origin = Origin(source.answers, source.arguments(), plan, notes, appearance.arguments())
    page = write_page(findings, origin, look)
    with atomic_path(output) as temporary:
        temporary.write_text(page, encoding="utf-8")
    if json:
        print_json(findings.to_dict() | {"notes": notes, "files": [str(output)]})
    else:
        print(findings)
        print(f"Wrote {output}")
