"""`ordinate compare`: which method and how many dimensions suit a file of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError
from ordinate.cli._fitting import SHARED_OPTIONS, chosen_method, match_name
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Jobs,
    Json,
    Seed,
    SplitBy,
    group_to_hold_out,
    split_list,
    threads,
    whole_numbers,
)
from ordinate.cli._results import print_json
from ordinate.methods import names_of

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.selection import MethodRow, MethodTable
    from ordinate.uncertainty import MapDifference, MapUncertainty

COMPARABLE = names_of(is_comparable=True)
"""Methods whose maps are judged by the same held-out answers."""
_N_DRAWS = 100
"""Draws of each map that ``--maps`` compares."""


@dataclass(frozen=True)
class Comparing:
    """Which methods and dimensions are compared."""

    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help=f"Methods, from {', '.join(COMPARABLE)}. Default: SOE, and CKL, STE, TSTE and TETE"
            " with penalties.",
        ),
    ] = None
    dims: Annotated[str, typer.Option(metavar="N,N", help="Dimensions of the maps.")] = "1,2,3,4"
    folds: Folds = 5
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="METHOD.NAME=VALUE",
            help="A parameter of one of the methods, such as TETE.t_prime=1.25; may be given"
            " several times.",
        ),
    ] = None

    def ways(self) -> list[Any]:
        """Return the methods by name, or as estimators where ``--set`` gives parameters."""
        from ordinate.selection._compare import USUAL_PENALTIES

        given = list(USUAL_PENALTIES) if self.methods is None else split_list(self.methods)
        names = [match_name(name, COMPARABLE) for name in given or []]
        return _with_settings(names, self.all_settings)

    @property
    def all_settings(self) -> list[str]:
        """What ``--set`` was given and, unless methods are named, the usual penalties."""
        from ordinate.selection._compare import USUAL_PENALTIES

        typed = self.settings or []
        if self.methods is not None:
            return typed
        taken = {text.partition("=")[0].strip().casefold() for text in typed}
        usual = [f"{name}.penalty={p}" for name, p in USUAL_PENALTIES.items() if p is not None]
        return [text for text in usual if text.partition("=")[0].casefold() not in taken] + typed

    @property
    def dimensions(self) -> list[int]:
        """The dimensions as numbers."""
        return whole_numbers("--dims", self.dims)


def compare(
    source: AnswerFile,
    comparing: Comparing,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="How often to split the answers. Default: once; of very many answers, some folds.",
        ),
    ] = None,
    maps: Annotated[
        bool,
        typer.Option(
            "--maps",
            help="Say, too, whose map of all answers is really different from the chosen one, by"
            " 100 fits each to answers drawn anew.",
        ),
    ] = False,
    split_by: SplitBy = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Cross-validate methods and dimensions, and say which to use.

    Every map is judged by answers that it was not fitted to.

    Example: ordinate compare answers.csv --methods SOE,TETE --dims 1,2,3,4
    """
    from ordinate.selection._compare import compare

    methods = comparing.ways()
    answers = source.read()
    shared: dict[str, Any] = {
        "by": group_to_hold_out(answers, split_by),
        "random_state": seed,
        "n_jobs": threads(jobs),
        "verbose": True,
    }
    table = compare(
        answers, methods, comparing.dimensions, folds=comparing.folds, repeats=repeats, **shared
    )
    differences = _differences(answers, methods, table, shared) if maps else {}
    if json:
        told = {name: found.to_dict() for name, found in differences.items()}
        print_json(table.to_dict() | ({"maps": told} if maps else {}))
        return
    print(table)
    if differences:
        print(f"Beside the map of {table.choice}:")
    for name, found in differences.items():
        print(f"  {name}: {found}".replace("\n", "\n    "))


def _differences(
    answers: Comparisons, methods: Sequence[Any], table: MethodTable, shared: dict[str, Any]
) -> dict[str, MapDifference]:
    """Compare the chosen map with those of other methods, and of its own in other dimensions."""
    from ordinate.selection._cross_validation import as_estimator, label_of
    from ordinate.uncertainty import compare_maps
    from ordinate.uncertainty._map_uncertainty import map_uncertainty

    ways = {label_of(method): method for method in methods}
    chosen = table.choice

    def sure(row: MethodRow) -> MapUncertainty:
        model = as_estimator(ways[row.method]).set_params(
            n_components=row.dimension, random_state=shared["random_state"]
        )
        return map_uncertainty(model.fit(answers), answers, n_draws=_N_DRAWS, **shared)

    others = [
        row
        for row in table.rows
        if (row.method == chosen.method) != (row.dimension == chosen.dimension)
    ]
    here = sure(chosen) if others else None
    return {str(row): compare_maps(here, sure(row)) for row in others if here is not None}


def _with_settings(names: Sequence[str], texts: Sequence[str]) -> list[Any]:
    given: dict[str, list[str]] = {name: [] for name in names}
    for text in texts:
        method, point, setting = text.partition(".")
        if not point or "=" in method:
            raise InputError(
                f"--set takes METHOD.NAME=VALUE, such as TETE.t_prime=1.25; got {text!r}."
            )
        given[match_name(method, names)].append(setting)
    return [chosen_method(name, its, SHARED_OPTIONS) for name, its in given.items()]
