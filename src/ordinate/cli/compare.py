"""`ordinate compare`: which method and how many dimensions suit a file of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.cli._fitting import SHARED_OPTIONS, chosen_method, match_name
from ordinate.cli._options import (
    AnswerFile,
    Dimensions,
    Folds,
    HoldingOut,
    Json,
    group_to_resample,
    split_list,
    whole_numbers,
)
from ordinate.cli._results import Chart, Report, Written, check_outputs
from ordinate.cli._typer import opt, switch
from ordinate.methods import names_of

if TYPE_CHECKING:
    from ordinate.selection import MethodTable
    from ordinate.uncertainty import MapDifference

COMPARABLE = names_of(is_comparable=True)
"""Methods whose maps are judged by the same held-out answers."""


@dataclass(frozen=True)
class Comparing:
    """Which methods and dimensions are compared."""

    methods: str | None = opt(
        f"Methods, from {', '.join(COMPARABLE)}. Default: SOE, CKL, STE, TSTE and TETE,"
        " all but SOE with penalties.",
        "A,B",
    )
    dims: Dimensions = None
    folds: Folds = 5
    settings: list[str] | None = opt(
        "A parameter of one of the methods, such as TETE.t_prime=1.25; may be repeated.",
        "METHOD.NAME=VALUE",
        "--set",
    )

    def ways(self) -> list[Any]:
        """Return the methods by name, or as estimators where ``--set`` gives parameters."""
        from ordinate.selection._compare import USUAL_METHODS

        given = list(USUAL_METHODS) if self.methods is None else split_list(self.methods)
        names = [match_name(name, COMPARABLE) for name in given or []]
        return _with_settings(names, self.settings or [])

    @property
    def dimensions(self) -> list[int] | None:
        """The dimensions as numbers; None to have them found."""
        return whole_numbers("--dims", self.dims)


def compare(
    *,
    source: AnswerFile,
    comparing: Comparing,
    repeats: int | None = opt(
        "How often to split the answers. Default: once; of very many answers, some folds.",
        "N",
        min=1,
    ),
    maps: bool = switch(
        "Also test which maps really differ from the chosen one, by 100 bootstrap refits each."
    ),
    holding: HoldingOut,
    plot: Chart = None,
    json: Json = False,
) -> None:
    """Cross-validate methods and dimensions, and say which to use.

    Every map is judged by answers that it was not fitted to. The chart shows the error against
    the dimension; `--methods SOE` shows it for one method.

    Example: ordinate compare answers.csv --methods SOE,TETE --dims 1,2,3,4 --plot errors.png
    """
    from ordinate.plots import plot_methods
    from ordinate.selection._compare import compare

    check_outputs(source.inputs, charts=[plot])
    methods = comparing.ways()
    answers = source.read()
    table = compare(
        answers,
        methods,
        comparing.dimensions,
        folds=comparing.folds,
        repeats=repeats,
        **holding.shared(answers),
    )
    found: Report = table
    if maps:
        from ordinate.analysis.differences import maps_beside_choice

        resampled = group_to_resample(holding.split_by)
        found = WithMaps(table, maps_beside_choice(answers, table, by=resampled, **holding.running))
    written = Written()
    written.draw_chart(plot, lambda: plot_methods(table))
    written.show(found, json=json)


@dataclass(frozen=True)
class WithMaps:
    """The table, and whose map of all answers is really different from the chosen one."""

    table: MethodTable
    maps: dict[str, MapDifference]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return self.table.to_dict() | {
            "maps": {name: found.to_dict() for name, found in self.maps.items()}
        }

    def __str__(self) -> str:
        lines = [f"Beside the map of {self.table.choice}:"] if self.maps else []
        lines += [f"  {name}: {found}" for name, found in self.maps.items()]
        return "\n".join([str(self.table), *(line.replace("\n", "\n    ") for line in lines)])


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
