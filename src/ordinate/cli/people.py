"""`ordinate people`: do people see the same map, and if not, who weighs what how much."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError
from ordinate.cli._fitting import match_name
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Jobs,
    Json,
    Seed,
    SplitBy,
    group_to_hold_out,
    picture_option,
    threads,
)
from ordinate.cli._results import Results, check_outputs, files_written, table_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons
    from ordinate.people.group_maps import GroupMaps
    from ordinate.people.weighted_spaces import WeightedSpaces
    from ordinate.selection import PeopleComparison

LOSSES = ("STE", "TSTE", "SOE", "TETE")
FEW_ANSWERS = 20
"""Below this many, a participant's weights are mostly those of everybody."""


@dataclass(frozen=True)
class PeopleResults(Results):
    """Where the table of participants, the map and the picture go."""

    output: Annotated[Path | None, table_option("participants")] = None
    map: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Table of coordinates of the map that all share."),
    ] = None
    plot: Annotated[
        Path | None,
        picture_option("FILE", "Participants at their weights of two axes: .png, .svg or .pdf."),
    ] = None
    participants: Annotated[
        Path | None,
        picture_option(
            "FILE",
            "Table about the participants, with their labels in the column 'participant' or the"
            " first one.",
        ),
    ] = None
    color: Annotated[
        str | None,
        picture_option(
            "COLUMN",
            "Column of --participants that colours the picture; or group, with --groups.",
        ),
    ] = None

    def check(self, *inputs: Path | None) -> None:
        """Refuse impossible files now, before a fit that may be long."""
        from ordinate.io.coordinates import table_writer
        from ordinate.plots import check_figure_path

        for table in (self.output, self.map):
            if table:
                table_writer(table)
        if self.plot:
            check_figure_path(self.plot)
        check_outputs([self.output, self.map, self.plot], [*inputs, self.participants])

    def columns(self, labels: NDArray[Any], *, has_groups: bool) -> dict[str, NDArray[Any]]:
        """Read what is known about the participants, in their order."""
        from ordinate.cli._appearance import columns_for

        known: dict[str, NDArray[Any]] = {}
        if self.participants:
            known = columns_for(self.participants, [str(label) for label in labels], "participant")
        if self.color and self.color not in known and not (has_groups and self.color == "group"):
            there = f"there are {', '.join(known)}" if known else "name a table with --participants"
            raise InputError(f"There is no column {self.color!r} to colour by; {there}.")
        return known


@dataclass(frozen=True)
class PeopleReport:
    """Figures of one run of `ordinate people`."""

    loss: str
    dimension: int
    n_answers: int
    n_objects: int
    n_participants: int
    n_few: int
    tau: float
    sigma: float
    spread: tuple[tuple[float, float], ...]
    comparison: PeopleComparison | None
    n_groups: int | None
    group_sizes: tuple[int, ...]
    seconds: float
    files: tuple[Path, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        figures = {**vars(self), "files": [str(path) for path in self.files]}
        figures["comparison"] = self.comparison.to_dict() if self.comparison else None
        return figures

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield (
            f"{self.n_participants:,} participants, {self.n_answers:,} answers about"
            f" {self.n_objects:,} objects: one map by {self.loss} in {self.dimension} dimensions,"
            f" {self.seconds:.1f} s"
        )
        if self.comparison:
            yield str(self.comparison)
        yield self.axis_sentence
        if self.n_few:
            noun = "participant" if self.n_few == 1 else "participants"
            yield (
                f"  → {self.n_few} {noun} gave fewer than {FEW_ANSWERS} answers: their weights are"
                " drawn to everybody's."
            )
        if self.n_groups is not None:
            sizes = ", ".join(str(size) for size in self.group_sizes)
            noun = "group" if self.n_groups == 1 else "groups"
            yield f"{self.n_groups} {noun} of people with a map each: {sizes} participants"
        yield from files_written(self.files)

    @property
    def axis_sentence(self) -> str:
        """On which axis people differ, and how much."""
        if self.tau == 0:
            return "All weigh the axes alike, as far as the answers can tell."
        low, high = self.spread[0]
        return (
            f"Axis 1 is the one on which people differ most: for the middle half of them its weight"
            f" is {low:.2f} to {high:.2f} times the average (tau {self.tau:.2f})"
        )


def people(
    source: AnswerFile,
    results: PeopleResults,
    by: Annotated[
        str, typer.Option(metavar="GROUP", help="The group that says who answered.")
    ] = "participant",
    dim: Annotated[
        int, typer.Option("--dim", "-d", min=2, metavar="N", help="Dimension of the map.")
    ] = 2,
    loss: Annotated[
        str,
        typer.Option(
            parser=lambda text: match_name(text, LOSSES),
            metavar="NAME",
            help=f"What an answer costs: {', '.join(LOSSES)}.",
            rich_help_panel="Fitting",
        ),
    ] = "STE",
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Find groups of people with a map each, too: how many, or auto.",
            rich_help_panel="Fitting",
        ),
    ] = None,
    folds: Folds = 5,
    split_by: SplitBy = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Find out whether people see the same map, and who weighs which axis how much.

    One map, and a row per participant: weights of its axes, sharpness and lapse rate. Whether
    the differences are real is tested on answers that were held out.

    Example: ordinate people answers.csv -o people.csv --plot people.png
    """
    from ordinate.people.weighted_spaces import WeightedSpaces
    from ordinate.selection._people import compare_people

    start = time.perf_counter()
    n_groups = _number_of_groups(groups)
    results.check(*source.inputs)
    answers = source.read()
    n_jobs = threads(jobs)
    model = WeightedSpaces(dim, loss=loss, by=by, random_state=seed, n_jobs=n_jobs, verbose=True)
    labels = _participants(answers, by, n_groups)
    known = results.columns(labels, has_groups=n_groups is not None)
    model.fit(answers)
    comparison = compare_people(
        answers,
        model,
        folds=folds,
        split_by=group_to_hold_out(answers, split_by),
        random_state=seed,
        n_jobs=n_jobs,
        verbose=True,
    )
    grouped = _find_groups(answers, model, n_groups) if n_groups is not None else None
    table = participant_columns(model, grouped)
    report = _report(answers, model, comparison, grouped, time.perf_counter() - start)
    _save_and_show(results, report, model, table, known, json=json)


def _number_of_groups(text: str | None) -> int | str | None:
    if text is None or text == "auto":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is neither a number nor auto.", param_hint="--groups")
    return int(text)


def _participants(answers: Comparisons, by: str, n_groups: int | str | None) -> NDArray[Any]:
    """Return who answered, or say what is wrong with it before a fit that may be long."""
    from ordinate.people.participants import participants_of

    if by not in answers.groups:
        there = ", ".join(answers.groups) or "none"
        raise InputError(
            f"There is no group {by!r} that says who gave each answer (the groups are: {there});"
            " name one of them with --by, or the column of the file with"
            " --group participant=COLUMN."
        )
    labels = participants_of(answers, by)[0]
    if isinstance(n_groups, int) and n_groups > len(labels):
        raise InputError(f"{len(labels)} participants cannot form {n_groups} groups; ask for less.")
    return labels


def _find_groups(answers: Comparisons, model: WeightedSpaces, n_groups: int | str) -> GroupMaps:
    from ordinate.people.group_maps import GroupMaps

    return GroupMaps(
        model.n_components,
        n_groups=n_groups,
        by=model.by,
        random_state=model.random_state,
        n_jobs=model.n_jobs,
        verbose=True,
    ).fit(answers)


def participant_columns(
    model: WeightedSpaces, grouped: GroupMaps | None = None
) -> dict[str, NDArray[np.generic]]:
    """Return the table of participants: answers, weights, sharpness, lapse rate, group.

    Parameters
    ----------
    model : WeightedSpaces
        A fitted model.
    grouped : GroupMaps, optional
        Groups of the same participants.

    Returns
    -------
    dict of str to ndarray
        Columns, one row per participant.
    """
    columns: dict[str, Any] = {"participant": model.participants_, "answers": model.n_answers_}
    for number, weights in enumerate(model.weights_.T, 1):
        columns[f"weight{number}"] = weights
    columns["sharpness"] = model.sharpness_
    if model.lapse_rate_ is not None:
        columns["lapse_rate"] = model.lapse_rate_
    if grouped is not None:
        columns["group"] = grouped.groups_ + 1
        columns["group_probability"] = grouped.memberships_.max(axis=1)
    return columns


def _report(
    answers: Comparisons,
    model: WeightedSpaces,
    comparison: PeopleComparison,
    grouped: GroupMaps | None,
    seconds: float,
) -> PeopleReport:
    import numpy as np

    quartiles = np.quantile(model.weights_, [0.25, 0.75], axis=0).T
    return PeopleReport(
        model.loss,
        model.n_components,
        len(answers),
        answers.n_objects,
        len(model.participants_),
        int((model.n_answers_ < FEW_ANSWERS).sum()),
        model.tau_,
        model.sigma_,
        tuple((float(low), float(high)) for low, high in quartiles),
        comparison,
        grouped.n_groups_ if grouped else None,
        tuple(np.bincount(grouped.groups_).tolist()) if grouped else (),
        seconds,
    )


def _save_and_show(
    results: PeopleResults,
    report: PeopleReport,
    model: WeightedSpaces,
    table: dict[str, NDArray[np.generic]],
    known: dict[str, NDArray[Any]],
    *,
    json: bool,
) -> None:
    from ordinate.io.coordinates import write_coordinates

    def draw(path: Path) -> None:
        from ordinate.plots import plot_people, save_figure

        color = results.color or ("group" if "group" in table else None)
        labels = {**table, **known}[color] if color else None
        save_figure(plot_people(model, labels, label_title=color or ""), path)

    if results.map:
        write_coordinates(results.map, model.embedding_, model.names_)
    saved = results.save("participants", table, draw)
    files = (*saved.files, *([results.map] if results.map else []))
    saved.show(replace(report, files=files), json=json)
