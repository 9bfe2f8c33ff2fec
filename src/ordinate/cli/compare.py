"""`ordinate compare`: which method and how many dimensions suit a file of answers."""

from __future__ import annotations

from typing import Annotated

import typer

from ordinate.cli._options import (
    AnswerFile,
    Jobs,
    Json,
    Seed,
    SplitBy,
    group_to_hold_out,
    split_list,
)
from ordinate.cli._output import print_json


def compare(
    source: AnswerFile,
    methods: Annotated[
        str, typer.Option(metavar="A,B", help="Methods: SOE, GNMDS, CKL, STE, TSTE, TETE, DMOE.")
    ] = "SOE,STE,TSTE,TETE",
    dims: Annotated[str, typer.Option(metavar="N,N", help="Dimensions of the maps.")] = "1,2,3",
    folds: Annotated[
        int, typer.Option(min=2, metavar="N", help="Parts of the answers, each held out in turn.")
    ] = 5,
    repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="How often to deal the answers anew.")
    ] = 1,
    split_by: SplitBy = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Cross-validate methods and dimensions, and say which to use.

    Every map is judged by answers that it was not fitted to.

    Example: ordinate compare answers.csv --methods SOE,TETE --dims 1,2,3,4
    """
    from ordinate.selection import compare

    answers = source.read()
    table = compare(
        answers,
        [name.upper() for name in split_list(methods) or []],
        [_whole_number(text) for text in split_list(dims) or []],
        folds=folds,
        repeats=repeats,
        by=group_to_hold_out(answers, split_by),
        random_state=seed,
        n_jobs=-1 if jobs is None else jobs,
        verbose=True,
    )
    print_json(table.to_dict()) if json else print(table)


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise typer.BadParameter(f"{text!r} is not a whole number.", param_hint="--dims")
    return int(text)
