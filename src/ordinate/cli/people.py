"""`ordinate people`: do people see the same map, who does not, and who guesses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate.cli._fitting import match_name
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    HoldingOut,
    Json,
    group_to_hold_out,
    number_of_groups,
)
from ordinate.cli._results import Results, Written, table_opt
from ordinate.cli._typer import fitting_opt, opt, picture_opt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ordinate.analysis.people import PeopleStudy

LOSSES = ("STE", "TSTE", "SOE", "TETE")
"""Those of `people.participants.POOLED`, which the help cannot load as quickly."""


@dataclass(frozen=True)
class PeopleResults(Results):
    """Where the table of participants, the map and the picture go."""

    output: Path | None = table_opt("participants", otherwise="print a short table")
    map: Path | None = opt("Table of coordinates of the map that all share.", "FILE", kind="tables")
    plot: Path | None = picture_opt(
        "Participants at their weights of two axes: .png, .svg or .pdf.", "FILE", kind="charts"
    )
    participants: Path | None = picture_opt(
        "Table about the participants, with their labels in the column 'participant' or the"
        " first one.",
        "FILE",
    )
    color: str | None = picture_opt(
        "Column of --participants that colours the picture; or group, with --groups.", "COLUMN"
    )

    def columns(self, labels: NDArray[Any], *, has_groups: bool) -> dict[str, NDArray[Any]]:
        """Read what is known about the participants, in their order."""
        from ordinate.results.object_display import check_color, columns_for

        known: dict[str, NDArray[Any]] = {}
        if self.participants:
            known = columns_for(self.participants, [str(label) for label in labels], "participant")
        if not (has_groups and self.color == "group"):
            check_color(self.color, known, "participants")
        return known

    def save_and_show(
        self, study: PeopleStudy, known: dict[str, NDArray[Any]], *, json: bool
    ) -> None:
        """Write the tables and the picture, and print what was found."""
        from ordinate.io.coordinates import write_coordinates, write_table

        table = study.to_columns()

        def draw() -> Any:
            from ordinate.plots import plot_people

            color = self.color or ("group" if "group" in table else None)
            labels = {**table, **known}[color] if color else None
            return plot_people(study.model, labels, label_title=color or "")

        places = study.model.embedding_, study.model.names_
        written = Written()
        written.write(self.map, lambda path: write_coordinates(places[0], path, *places[1:]))
        written.write(self.output, lambda path: write_table(path, table))
        written.draw_chart(self.plot, draw)
        if json and not self.output:  # the report has a short table
            written.unwritten = {"participants": table}
        written.show(study, json=json)


def people(
    *,
    source: AnswerFile,
    results: PeopleResults,
    by: str = opt("The group that says who answered.", "GROUP", default="participant"),
    dim: int = opt("Dimension of the map.", "N", "-d", default=2, min=2),
    loss: str = fitting_opt(
        f"What an answer costs: {', '.join(LOSSES)}.",
        "NAME",
        default="STE",
        parser=lambda text: match_name(text, LOSSES),
    ),
    groups: str | None = fitting_opt(
        "Find groups of people with a map each, too: how many, or auto.", "N"
    ),
    folds: Folds = 5,
    holding: HoldingOut,
    json: Json = False,
) -> None:
    """Test whether people see the same map, who does not, and who guesses.

    Fits one shared map; gives each participant axis weights, a reliability and a verdict. The
    test compares it with one map for all, in which people differ only in their noise.

    Example: ordinate people answers.csv -o people.csv --plot people.png
    """
    from ordinate.analysis.people import study_people
    from ordinate.people.participants import participants_of
    from ordinate.people.weighted_spaces import WeightedSpaces

    n_groups = number_of_groups(groups)
    results.check(*source.inputs, results.participants)
    answers = source.read()
    labels, _ = participants_of(answers, by)
    known = results.columns(labels, has_groups=n_groups is not None)
    study = study_people(
        answers,
        WeightedSpaces(dim, loss=loss, by=by, **holding.running),
        n_groups=n_groups,
        folds=folds,
        by=group_to_hold_out(answers, holding.split_by),
    )
    results.save_and_show(study, known, json=json)
