"""What `ordinate.analyze` returns: a map of answers, and how far to trust it."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate import plots
from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate._estimator import clone
from ordinate._notebooks import map_as_html, report_as_html
from ordinate._progress import stage
from ordinate.analysis.findings import findings_of
from ordinate.analysis.people import PeopleStudy, study_model
from ordinate.comparisons.description import Description
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.io.coordinates import coordinate_columns
from ordinate.io.read import statement
from ordinate.methods import load_method
from ordinate.metrics import procrustes_align, procrustes_distance
from ordinate.results.finding import Finding
from ordinate.results.map_result import MapResult
from ordinate.results.object_display import ObjectDisplay
from ordinate.results.page import MOST_LISTED, check_page_path, save_page
from ordinate.results.provenance import Provenance
from ordinate.selection import HeldOutError, LearningCurve, MethodTable, NoiseEstimate
from ordinate.selection._compare import compare
from ordinate.selection._direction import AnswerDirection, check_direction
from ordinate.selection._held_out import HeldOutMargins, MethodSpec, held_out_margins
from ordinate.selection._learning_curve import learning_curve
from ordinate.selection._noise import noise_on
from ordinate.solvers.alignment import NoExtentError
from ordinate.solvers.respondents import MachinesBesidePeople
from ordinate.uncertainty import MapUncertainty, StructureTest
from ordinate.uncertainty._map_uncertainty import map_uncertainty
from ordinate.uncertainty._structure import structure_test
from ordinate.verbs.machines_on_map import machines_on_map
from ordinate.verbs.maps_by_group import MapsByGroup, maps_by_group

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns
    from ordinate.io.rows import Reading

_T = TypeVar("_T")
SHOWN = ("methods", "noise", "learning", "people")
"""What an analysis computes and prints if it is asked for."""
_MOST_DISAGREEING, _DISAGREES = 5, 0.5
"""Objects that are named as far from where features put them, and how far, in the map's spread."""
_MOST_DOUBTFUL = 10
_ENOUGH = 20
"""Answers of a participant that say something about how they weigh axes."""


@dataclass(frozen=True)
class Plan:
    """How answers are held out, drawn and seeded."""

    folds: int
    by: str | None
    seed: int
    n_jobs: int | None
    verbose: bool

    @property
    def shared(self) -> dict[str, Any]:
        """What all measures take that hold out answers."""
        return {
            "by": self.by,
            "random_state": self.seed,
            "n_jobs": self.n_jobs,
            "verbose": self.verbose,
        }


@dataclass(frozen=True, eq=False)
class Analysis(MapResult):
    """A map of answers, how it was chosen, and how far to trust it; prints as a report.

    What takes long and is not always wanted is a method: it is computed when it is first asked
    for, and kept.

    Attributes
    ----------
    answers : Comparisons
        The answers.
    description : object
        What is in them: counts, contradictions, unseen objects; prints as a table.
    choice : MethodTable or None
        The comparison by which method and dimension were chosen; None if both were given.
    method : str
        The method of the map, with the parameters that were set.
    dimension : int
        The dimension of the map.
    model : estimator
        The method, fitted to all answers.
    points : ndarray of shape (n_objects, dimension)
        The coordinates.
    error : HeldOutError or None
        Share of new answers that the map gets wrong, with its 90 % interval: that of maps made in
        the same way, on answers that were held out from them. None if not measured.
    train_error : float
        Share of the answers that the map was fitted to and still gets wrong.
    plan : object
        Folds, the group that was held out whole, seed and number of threads.
    seconds : float
        How long it took to choose, measure and fit.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> analysis = od.analyze(answers, "SOE", 2, random_state=0)
    >>> analysis.error.error < 0.2
    True
    >>> analysis.to_frame().loc["Paris"].shape
    (2,)
    """

    heading: ClassVar[str] = "Report on"

    answers: Comparisons
    description: Description
    choice: MethodTable | None
    method: str
    dimension: int
    model: Any
    points: NDArray[np.float64]
    error: HeldOutError | None
    train_error: float
    plan: Plan
    seconds: float
    _spec: MethodSpec = field(repr=False)
    _margins: HeldOutMargins | None = field(repr=False)
    provenance: Provenance = field(repr=False)
    display: ObjectDisplay = field(default_factory=ObjectDisplay, repr=False)
    shown: Sequence[str] = ()
    """Tables that are printed below the sentences."""
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    captions: ClassVar[Mapping[str, str]] = {
        "map": "The map, fitted to all answers. Only distances have a meaning: the map may be"
        " moved, turned, scaled or mirrored. A shaded region holds an object in 90 % of"
        " the resampled maps.",
        "stability": "How stable the nearest objects of each object are; dashed: by chance.",
        "methods": "Held-out error of each method and dimension, with 90 % intervals.",
        "learning": "Held-out error against the number of answers a map was fitted to.",
        "margins": "Margins of held-out answers: by how much the map agrees, or does not.",
        "participants": "Held-out error of each participant (90 % intervals); dashes: expected.",
        "without": "The map of the others' answers, rotated to match that of all answers.",
        "people": "Weights of the two axes on which participants differ most; on the dashed line"
        " both count as they do for the average person.",
    }
    places: ClassVar[Mapping[str, str]] = {
        "stability": "trust",
        "methods": "choice",
        "learning": "more",
        "margins": "trust",
        "participants": "people",
        "without": "people",
        "people": "people",
    }

    def uncertainty(
        self, method: str = "bootstrap", *, by: str | None = "auto", n_draws: int | None = None
    ) -> MapUncertainty:
        """Return how certain positions, distances and neighbours are.

        Parameters
        ----------
        method : {"bootstrap", "posterior"}, default="bootstrap"
            How maps are drawn.
        by : str or None, default="auto"
            What the bootstrap draws: a group such as ``"participant"``, or None for answers;
            "auto" draws participants if there are at least eight.
        n_draws : int, optional
            How many maps; by default 200 refits, or 800 draws of the posterior.

        Returns
        -------
        MapUncertainty
            As `ordinate.map_uncertainty` returns it.
        """
        if self._spec.is_kernel:
            raise InputError(
                f"{self.method} gives similarities, and uncertainty needs a method that places"
                f" objects; choose another {argument('method')}."
            )
        return self._keep(
            ("uncertainty", method, by, n_draws),
            lambda: map_uncertainty(
                self.model,
                self.answers,
                method=method,
                n_draws=n_draws,
                **self.plan.shared | {"by": None if method == "posterior" else by},
            ),
        )

    def noise(self) -> NoiseEstimate:
        """Bracket the share of wrong answers with `estimate_noise`, of each participant too."""
        per = "participant" if "participant" in self.answers.groups else None

        def estimate() -> NoiseEstimate:
            margins = self._margins or hold_out(self.answers, self._spec, None, self.plan)
            return noise_on(self.answers, self._spec, margins, per)

        return self._keep("noise", estimate)

    def learning_curve(self) -> LearningCurve:
        """Tell with `learning_curve` whether more answers would lower the error."""
        folds = self.plan.folds
        return self._keep(
            "learning curve",
            lambda: learning_curve(
                self.answers, self._spec.estimator, self.dimension, folds=folds, **self.plan.shared
            ),
        )

    def structure(self) -> StructureTest:
        """Test with `structure_test` whether the answers hold more than random responses."""
        n_permutations = 99 if self._spec.is_quick else 19
        return self._keep(
            "structure",
            lambda: structure_test(
                self.model, self.answers, n_permutations=n_permutations, **self.plan.shared
            ),
        )

    def people(self) -> PeopleStudy:
        """Test whether participants see the same map, and say who does not.

        Returns
        -------
        PeopleStudy
            ``comparison`` is what `ordinate.compare_people` returns, ``model`` a fitted
            `WeightedSpaces` in two dimensions; ``to_frame()`` has a row per participant.
        """
        plan = self.plan
        model = load_method("WeightedSpaces")(
            features=self._spec.features, random_state=plan.seed, n_jobs=plan.n_jobs,
            verbose=plan.verbose,
        )  # fmt: skip
        return self._keep(
            "people", lambda: study_model(self.answers, model, folds=plan.folds, by=plan.by)
        )

    def by_group(self, by: str) -> MapsByGroup:
        """Fit a map for each label of a group, such as condition, and test whether they differ."""
        shared = {name: value for name, value in self.plan.shared.items() if name != "by"}
        spec = self._with_prior()
        return self._keep("by group", lambda: maps_by_group(self.answers, spec, by, **shared))

    def _with_prior(self) -> MethodSpec:
        """Return how maps are made under the prior that all answers chose, as many maps follow."""
        if self._spec.features is None:
            return self._spec
        estimator = clone(self._spec.estimator).set_params(prior=self.model.prior_)
        return replace(self._spec, estimator=estimator)

    def machines(self) -> MachinesBesidePeople | None:
        """Compare answers of machines with those of people; None if they share no objects."""
        shared = {name: value for name, value in self.plan.shared.items() if name != "by"}
        spec = self._with_prior()
        return self._keep("machines", lambda: machines_on_map(self.answers, spec, **shared))

    def comparison(self) -> MethodTable:
        """Compare the methods and dimensions that were tried; if one was given, judge it."""
        plan, spec = self.plan, self._spec
        return self.choice or self._keep(
            "comparison",
            lambda: compare(
                self.answers, {spec.method: spec.estimator}, spec.dimension, folds=plan.folds,
                **plan.shared,
            ),
        )  # fmt: skip

    @property
    def direction(self) -> AnswerDirection | None:
        """Whether near and far may have been exchanged, if that was tested."""
        found: AnswerDirection | None = self.kept("direction")
        return found

    def complete(self, resample: str | None = "auto") -> Analysis:
        """Compute everything that a report says and that is not known yet.

        Parameters
        ----------
        resample : str or None, default="auto"
            What the bootstrap draws, as `uncertainty` takes it.

        Returns
        -------
        Analysis
            This one.
        """
        answers = self.answers
        self.comparison()
        self.learning_curve()
        if not self.is_complete:
            self._kept["direction"] = check_direction(answers, random_state=0)
            deviating = [one.label for one in self.noise().deviating_groups]
            self._kept["without"] = self._without(deviating)
        if enough_to_resample(answers):
            # methods without starts take minutes for what the others do in seconds
            with suppress(NoExtentError):  # the page says that the answers tell nothing
                self.uncertainty(by=resample, n_draws=None if self._spec.is_quick else 20)
            self.structure()
        if has_several_people(answers, self.plan.by):
            self.people()
        self._kept["complete"] = True
        return self

    def showing(self, names: Sequence[str]) -> Analysis:
        """Compute parts, and print their tables."""
        compute: dict[str, Callable[[], Any]] = {
            "methods": self.comparison, "noise": self.noise, "learning": self.learning_curve,
            "people": self.people,
        }  # fmt: skip
        for name in names:
            compute[name]()
        tables = {
            "methods": ["methods and dimensions"],
            "noise": ["participants", "doubtful answers"],
        }
        return replace(self, shown=[one for name in names for one in tables.get(name, ())])

    @property
    def is_complete(self) -> bool:
        """Whether everything is known that a report says."""
        return "complete" in self._kept

    def kept(self, name: str) -> Any:
        """Return a part if it is known already."""
        return self._kept.get(name)

    def _keep(self, name: object, compute: Callable[[], _T]) -> _T:
        """Compute a part when it is first asked for."""
        if name not in self._kept:
            with stage():
                self._kept[name] = compute()
        found: _T = self._kept[name]
        return found

    def _without(self, labels: Sequence[str]) -> WithoutSome | None:
        """Fit the map once more without some participants, if there are any and enough others."""
        if not labels:
            return None
        answers, points = self.answers, self.points
        others = answers[~np.isin(answers.groups["participant"].astype(str), labels)]
        seen = np.bincount(others.rows.ravel(), minlength=answers.n_objects)
        if len(others) < answers.n_objects or not seen.all():
            return None
        found = clone(self.model).set_params(verbose=False).fit(others).embedding_
        return WithoutSome(
            procrustes_align(found, points), len(others), procrustes_distance(found, points)
        )

    # ---- what it shows ----

    @property
    def names(self) -> tuple[str, ...] | None:
        """The labels of the objects."""
        names: tuple[str, ...] | None = getattr(self.model, "names_", self.answers.names)
        return names

    @property
    def last_uncertainty(self) -> MapUncertainty | None:
        """The uncertainty that was asked for last."""
        kept = [value for value in self._kept.values() if isinstance(value, MapUncertainty)]
        return kept[-1] if kept else None

    @property
    def feature_figures(self) -> FeatureFigures | None:
        """What features contributed to the map."""
        return None if self._spec.features is None else FeatureFigures.of(self.model)

    def findings(self) -> Iterator[Finding]:
        """Yield what is known so far, the most important first."""
        return findings_of(self)

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the table of coordinates, column by column.

        Returns
        -------
        dict of str to ndarray
            ``object``, ``x1``, ``x2``, … and, once it was asked for, the uncertainty of each place.
        """
        columns = coordinate_columns(self.points, self.names)
        sure = self.last_uncertainty
        return columns | (sure.to_columns() if sure else {})

    def tables(self) -> dict[str, Columns]:
        """Return the coordinates, and the participants if they are known."""
        found: dict[str, Columns] = {"coordinates": self.to_columns()}
        noise = self.kept("noise")
        if noise is not None and noise.per_group:
            rows = [asdict(one) for one in noise.per_group]
            found["participants"] = {
                name: np.array([row[name] for row in rows]) for name in rows[0]
            }
        return found

    def listings(self) -> dict[str, list[list[str]]]:
        """Return methods and participants as a person reads them, if they are known."""
        found = {}
        table = self.choice or self.kept("comparison")
        if table is not None:
            found["methods and dimensions"] = table.cells()
        noise = self.kept("noise")
        if noise is not None and noise.per_group:
            found["participants"] = _participant_cells(noise)
        if noise is not None and len(noise.contradicted):
            found["doubtful answers"] = self._doubtful_cells(
                noise.contradicted[:_MOST_DOUBTFUL].tolist()
            )
        return found

    def _doubtful_cells(self, rows: Sequence[int]) -> list[list[str]]:
        """Return the answers that disagree most with the map, and where they stand."""
        readings = self.provenance.readings
        cells = [["answer that disagrees most with the map", "where"]]
        for row in rows:
            place = place_of(row, readings) if readings else f"row {row}"
            cells.append([statement(self.answers, row), place])
        return cells

    def printed(self) -> Iterable[str]:
        """Name the tables that are printed below the sentences."""
        return [name for name in self.listings() if name in self.shown]

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the map, and charts of what is known."""
        found: dict[str, Callable[[], Axes]] = {"map": self._draw_map}
        sure, noise, people = self.last_uncertainty, self.kept("noise"), self.kept("people")
        table, curve = self.choice or self.kept("comparison"), self.kept("learning curve")
        without = self.kept("without")
        if table is not None:
            found["methods"] = lambda: plots.plot_methods(table)
        if noise is not None:
            found["margins"] = lambda: plots.plot_margins(noise.margins)
        if sure is not None:
            found["stability"] = lambda: plots.plot_stability(sure, most=MOST_LISTED)
        if noise is not None and noise.per_group:
            found["participants"] = lambda: plots.plot_agreement(noise)
        if without is not None:
            found["without"] = lambda: plots.plot_map(without.points[:, :2], self.names)
        if people is not None and people.weights_shown:
            found["people"] = lambda: plots.plot_people(people.model)
        if curve is not None:
            found["learning"] = lambda: plots.plot_learning_curve(curve)
        return found

    @property
    def uncertainty_shown(self) -> MapUncertainty | None:
        """The uncertainty that pictures of the map show."""
        return self.last_uncertainty

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        columns: Mapping[str, ArrayLike] | None = None,
        color: str | None = None,
        images: Sequence[Any] | None = None,
    ) -> None:
        """Write a page about the study that needs no other file.

        It holds the map, its uncertainty, the comparison of methods, wrong answers, participants
        who disagree, whether more answers would help, and a paragraph for the methods section.
        What was not computed yet is computed now.

        Parameters
        ----------
        path : str or path
            A file ending in .html.
        columns : mapping of str to array-like of shape (n_objects,), optional
            What else is known about the objects; the map shows it.
        color : str, optional
            The column that colours the map.
        images : sequence, optional
            A picture per object: an array, a path or None.
        """
        check_page_path(path)
        self.complete()
        display = self.display
        if columns is not None or color is not None or images is not None:
            known = {name: np.asarray(values) for name, values in (columns or {}).items()}
            display = ObjectDisplay(known, color, images)
        save_page(path, replace(self, display=display))

    def _repr_html_(self) -> str:
        shown = map_as_html(self.points, self.names, self.last_uncertainty)
        return report_as_html(str(self)) + shown


def place_of(row: int, readings: Sequence[Reading]) -> str:
    """Return where an answer stands: on which line and, of several, in which file."""
    ends = list(accumulate(reading.n_comparisons for reading in readings))
    number = bisect_right(ends, row)
    reading = readings[number]
    place = reading.place(row - ends[number] + reading.n_comparisons)
    return place if len(readings) == 1 else f"{place} of file {number + 1}"


def n_stages(answers: Comparisons, by: str | None) -> int:
    """Return how many stages a whole report has, those of the analysis included."""
    return 5 + 2 * enough_to_resample(answers) + has_several_people(answers, by)


def enough_to_resample(answers: Comparisons) -> bool:
    """Say whether there are enough answers to resample them."""
    return len(answers) >= answers.n_objects


def has_several_people(answers: Comparisons, by: str | None) -> bool:
    """Say whether at least two participants gave enough answers to be distinguished."""
    if by == "participant" or "participant" not in answers.groups:
        return False
    return int((np.bincount(answers.group_codes("participant")) >= _ENOUGH).sum()) > 1


def _participant_cells(noise: NoiseEstimate) -> list[list[str]]:
    header = ["participant", "answers", "held-out error", "90% interval", "expected", "verdict"]
    return [header] + [
        [
            one.label, f"{one.n_answers:,}", f"{one.held_out_error:.1%}",
            f"{one.low:.1%} to {one.high:.1%}", f"{one.expected_error:.1%}",
            one.verdict.replace("disagrees", "disagrees with the others"),
        ]
        for one in noise.per_group
    ]  # fmt: skip


def hold_out(
    answers: Comparisons, spec: MethodSpec, folds: int | None, plan: Plan
) -> HeldOutMargins:
    """Hold answers out from maps made in this way."""
    return held_out_margins(
        record_to_fit(answers),
        spec,
        folds=folds,
        by=plan.by,
        seed=plan.seed,
        n_jobs=plan.n_jobs,
        verbose=plan.verbose,
    )


class WithoutSome(NamedTuple):
    """A map without the answers of some participants, laid over that of all answers."""

    points: NDArray[np.float64]
    n_answers: int
    distance: float
    """Procrustes distance of the two maps, from 0, the same, to 1."""


@dataclass(frozen=True)
class FeatureFigures:
    """What features contributed to a map."""

    explained: float
    share: float
    """ρ of the prior: how much of the variance features may explain."""
    unseen_error: float | None
    placed_by: dict[str, int]
    error_with: float | None = None
    error_without: float | None = None
    helped: bool | None = None
    disagreeing: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: Any) -> FeatureFigures:
        """Take the figures from a fitted FeatureEmbedding."""
        table, unseen = model.cv_results_, None
        gain: dict[str, Any] = {}
        if table is not None:
            errors = [_lowest(table, (table["share"] == 0) == ignored) for ignored in (0, 1)]
            gain = {"error_with": errors[0], "error_without": errors[1]}
            gain["helped"] = model.features_help_
            gain["disagreeing"] = _disagreeing(model) if model.features_help_ else ()
            error = float(table["objects_error"][0])
            unseen = error if np.isfinite(error) else None
        words, counts = np.unique(model.placed_by_, return_counts=True)
        return cls(
            explained=float(model.explained_),
            share=float(model.prior_["share"]),
            unseen_error=unseen,
            placed_by=dict(zip(words.tolist(), counts.tolist(), strict=True)),
            **gain,
        )

    @property
    def gain(self) -> str:
        """Whether features helped, in a sentence."""
        if self.error_with is None or self.error_without is None:
            return ""
        helped = "Features help" if self.helped else "Features do not measurably help"
        return (
            f"{helped}: in cross-validation {self.error_with:.1%} of the answers are wrong with"
            f" them and {self.error_without:.1%} without."
        )

    @property
    def disagreement(self) -> str:
        """Which objects people judge otherwise than features do, in a sentence."""
        if not self.disagreeing:
            return ""
        return f"People disagree with the features most about {', '.join(self.disagreeing)}."

    def __str__(self) -> str:
        unseen = "not measured" if self.unseen_error is None else f"{self.unseen_error:.1%}"
        words = {word: word.replace("both", "answers and features") for word in self.placed_by}
        placed = ", ".join(f"{n:,} by {words[word]}" for word, n in self.placed_by.items())
        return (
            f"Features explain {self.explained:.0%} of the map; error for objects that have"
            f" features alone: {unseen}. Placed: {placed}."
        )


def _lowest(table: dict[str, NDArray[Any]], among: NDArray[np.bool_]) -> float:
    """Return the held-out error of the row whose held-out loss is lowest."""
    rows = np.flatnonzero(among)
    return float(table["answers_error"][rows[table["answers_loss"][rows].argmin()]])


def _disagreeing(model: Any) -> tuple[str, ...]:
    """Name the objects farthest from where features put them, by half the map's spread or more."""
    spread = np.sqrt(np.square(model.embedding_).sum(axis=1).mean())
    away = np.nan_to_num(model.residuals_) / max(spread, 1e-300)
    order = np.argsort(-away, kind="stable")[:_MOST_DISAGREEING]
    return tuple(
        str(model.names_[at] if model.names_ else at) for at in order if away[at] >= _DISAGREES
    )
