"""`ordinate.study_people`: do people see the same map? A test, weights and verdicts, groups."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ordinate import plots
from ordinate._checks import InputError
from ordinate._notebooks import MOST_ROWS
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons
from ordinate.features.alignment import matched_rows
from ordinate.features.files import is_annotated, read_object_features
from ordinate.io.coordinates import coordinate_columns
from ordinate.io.object_tables import columns_for, read_names
from ordinate.io.tables import errors_naming, name_of
from ordinate.people.group_maps import GroupMaps
from ordinate.people.participants import participants_of
from ordinate.people.weighted_spaces import WeightedSpaces
from ordinate.results.finding import Finding
from ordinate.results.object_display import check_color
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result
from ordinate.selection import PeopleComparison
from ordinate.selection._people import compare_people
from ordinate.verbs.answers import LayoutLike, find_group, group_to_hold_out, read_answers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns

FEW_ANSWERS = 20
"""Below this many, a participant's weights are mostly those of everybody."""


@dataclass(frozen=True, eq=False)
class PeopleStudy(Result):
    """How people differ.

    Attributes
    ----------
    answers : Comparisons
        The answers.
    comparison : PeopleComparison
        The test whether all see one map, and a verdict on everybody.
    model : WeightedSpaces
        One map with everybody's own weights of its axes, fitted to all answers.
    grouped : GroupMaps or None
        Groups of people with a map each, if they were asked for.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(600).comparisons
    >>> who = np.arange(600) % 3
    >>> record = od.Comparisons(answers.rows, names=answers.names, groups={"participant": who})
    >>> od.study_people(record, folds=2).to_frame().shape
    (3, 6)
    """

    heading: ClassVar[str] = "Participants of"

    answers: Comparisons
    comparison: PeopleComparison
    model: WeightedSpaces
    grouped: GroupMaps | None = None
    known: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    color: str | None = None
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    captions: ClassVar[dict[str, str]] = {
        "people": "Weights of the two axes on which participants differ most; on the dashed line"
        " both count as they do for the average person."
    }

    @property
    def weights_shown(self) -> bool:
        """Whether people differ, and in how they weigh axes."""
        return self.comparison.are_real and self.model.tau_ > 0

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the table of participants: answers, weights, reliability, errors, verdicts."""
        model = self.model
        columns: dict[str, Any] = {"participant": model.participants_, "answers": model.n_answers_}
        columns |= {f"weight{number}": its for number, its in enumerate(model.weights_.T, 1)}
        columns["reliability"] = model.reliability_
        views = self.comparison.participants
        columns["held_out_error"] = np.array([view.held_out_error for view in views])
        columns["verdict"] = np.array([view.verdict for view in views])
        if self.grouped is not None:
            columns["group"] = self.grouped.groups_ + 1
            columns["group_probability"] = self.grouped.memberships_.max(axis=1)
        return columns

    def tables(self) -> dict[str, Columns]:
        """Return the participants, and the map that they share."""
        places = coordinate_columns(self.model.embedding_, self.model.names_)
        return {"participants": self.to_columns(), "map": places}

    def listings(self) -> dict[str, list[list[str]]]:
        """Return the participants as a person reads them; of many, those who stand out first."""
        table = {
            name.replace("_", " "): [
                f"{value:.2f}" if isinstance(value, float) else str(value) for value in column
            ]
            for name, column in self.to_columns().items()
            if self.weights_shown or not name.startswith("weight")
        }
        shown = list(range(len(self.model.participants_)))
        if len(shown) > MOST_ROWS:
            unremarkable = [verdict == "" for verdict in table["verdict"]]
            reliability = self.model.reliability_
            shown.sort(key=lambda row: (unremarkable[row], reliability[row]))
        cells = [[column[row] for column in table.values()] for row in shown]
        return {"participants": [list(table), *cells]}

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the participants, and the map that they share."""
        return {
            "people": self._draw_people,
            "map": lambda: plots.plot_map(self.model),
        }

    def _draw_people(self) -> Axes:
        table = {**self.to_columns(), **self.known}
        color = self.color or ("group" if "group" in table else None)
        labels = table[color] if color else None
        return plots.plot_people(self.model, labels, label_title=color or "")

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        model, grouped, people = self.model, self.grouped, len(self.model.participants_)
        told = "" if model.features is None else " and features"
        yield Finding("comparison", self.comparison.to_dict(), str(self.comparison))
        yield Finding(
            "n_participants",
            people,
            f"{people:,} participants, {len(self.answers):,} answers about"
            f" {self.answers.n_objects:,} objects: one map by {model.loss}{told} in"
            f" {model.n_components} dimensions.",
            section="data",
        )
        yield Finding("loss", model.loss)
        yield Finding("dimension", model.n_components)
        yield Finding("n_answers", len(self.answers))
        yield Finding("n_objects", self.answers.n_objects)
        spread = np.quantile(model.weights_, [0.25, 0.75], axis=0).T
        low, high = spread[0]
        said = (
            "Axis 1 is the one on which people differ most: for the middle half of them its"
            f" weight is {low:.2f} to {high:.2f} times the average (tau {model.tau_:.2f})."
        )
        yield Finding("spread", spread, said * self.weights_shown, section="people")
        yield Finding("tau", model.tau_)
        yield Finding("sigma", model.sigma_)
        few = int((model.n_answers_ < FEW_ANSWERS).sum())
        yield Finding("n_few", few)
        if few:
            text = (
                f"{few} participant{'s' * (few > 1)} gave fewer than {FEW_ANSWERS} answers: their"
                " weights are drawn to everybody's."
            )
            yield Finding("few", text=text, kind="warning", section="people")
        sizes = np.bincount(grouped.groups_).tolist() if grouped else []
        count = grouped.n_groups_ if grouped else None
        listed = ", ".join(map(str, sizes))
        said = (
            f"{count} group{'s' * (count != 1)} of people with a map each: {listed} participants."
        )
        yield Finding("n_groups", count, said if grouped else "", section="people")
        yield Finding("group_sizes", sizes)


def study_people(
    source: Any,
    n_components: int = 2,
    *,
    by: str = "participant",
    loss: str = "STE",
    n_groups: int | str | None = None,
    folds: int = 5,
    split_by: str | None = None,
    participants: str | os.PathLike[str] | None = None,
    features: Any = None,
    objects: Any = None,
    color: str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    layout: LayoutLike = None,
    **reading: Any,
) -> PeopleStudy:
    """Test whether people see the same map, who does not, and who guesses.

    Fits one shared map; gives each participant axis weights, a reliability and a verdict. The
    test compares it with one map for all, in which people differ only in their noise.

    Parameters
    ----------
    source : path, frame, array-like or Comparisons
        The answers; what is no record is read as `read_comparisons` does.
    n_components : int, default=2
        Dimension of the map.
    by : str, default="participant"
        The group that says who answered.
    loss : {"STE", "TSTE", "SOE", "TETE"}, default="STE"
        What an answer costs.
    n_groups : int or "auto", optional
        Find groups of people with a map each, too: how many, or "auto".
    folds : int, default=5
        Folds of the cross-validation.
    split_by : str, optional
        Hold out whole groups of this name; by default trials, if there are any.
    participants : path, optional
        Table about the participants, with their labels in the column 'participant' or the first
        one.
    features : path, array-like, data frame or AnnData, shape (n_objects, n_features), optional
        Features of the objects, a prior of the map; rows are matched with objects by label.
    objects : path or sequence of str, optional
        Names of the rows of `features`, if it has none: a list (.txt) with one per line.
    color : str, optional
        Column of that table that colours the picture; or "group", with groups.
    random_state : int, Generator or None, default=0
        Seed of folds and fits.
    n_jobs : int or None, default=-1
        Number of threads, as in joblib; never changes the result.
    verbose : bool, default=False
        Show progress bars, and print how a file was read.
    layout : Layout or path, optional
        How a source that is no record is to be read, as in `read_comparisons`.
    **reading
        Further parameters of `read_comparisons`.

    Returns
    -------
    PeopleStudy
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    compare_people : The test alone.
    WeightedSpaces : The estimator.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(600).comparisons
    >>> who = np.arange(600) % 3
    >>> record = od.Comparisons(answers.rows, names=answers.names, groups={"participant": who})
    >>> len(od.study_people(record, folds=2).comparison.participants)
    3
    """
    asked = locals()
    asked |= asked.pop("reading")
    answers, readings = read_answers(source, layout, reading, verbose=verbose)
    by = find_group(answers.groups, by) or by
    labels, _ = participants_of(answers, by)
    known: dict[str, NDArray[Any]] = {}
    if participants is not None:
        known = columns_for(Path(participants), [str(label) for label in labels], "participant")
    if not (n_groups is not None and color == "group"):
        check_color(color, known, "participants")
    if isinstance(features, str | os.PathLike) or is_annotated(features):
        read = read_object_features(features)
        with errors_naming(name_of(features, "features")):
            features = matched_rows(answers, read, None if objects is None else read_names(objects))
    model = WeightedSpaces(
        n_components, loss=loss, by=by, features=features, random_state=random_state,
        n_jobs=n_jobs, verbose=verbose,
    )  # fmt: skip
    held_out = group_to_hold_out(answers.groups, split_by)
    study = study_model(answers, model, n_groups=n_groups, folds=folds, by=held_out)
    provenance = provenance_of(study_people, asked, readings)
    return replace(study, known=known, color=color, provenance=provenance)


def study_model(
    answers: Comparisons,
    model: WeightedSpaces,
    *,
    n_groups: int | str | None = None,
    folds: int,
    by: str | None,
) -> PeopleStudy:
    """Fit the map with everybody's weights, test whether they differ, and find groups if asked."""
    n_people = len(participants_of(answers, model.by)[0])
    if isinstance(n_groups, int) and n_groups > n_people:
        raise InputError(f"{n_people} participants cannot form {n_groups} groups; ask for fewer.")
    shared = {name: getattr(model, name) for name in ("random_state", "n_jobs", "verbose")}
    comparison = compare_people(answers, model.fit(answers), folds=folds, by=by, **shared)
    shared["features"] = model.features
    grouped = None
    if n_groups is not None:
        grouped = GroupMaps(model.n_components, n_groups=n_groups, by=model.by, **shared)
        grouped.fit(answers)
    return PeopleStudy(answers, comparison, model, grouped)
