"""What `ordinate.analyze` returns: a map of answers, and how far to trust it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log2
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError, as_frame
from ordinate._notebooks import in_dimensions, map_as_html, report_as_html
from ordinate._progress import stage
from ordinate.analysis.people import PeopleStudy, study_people
from ordinate.comparisons.description import Description, times_what_is_needed
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.io.coordinates import coordinate_columns, write_table
from ordinate.methods import load_method
from ordinate.results.provenance import Provenance
from ordinate.selection import HeldOutError, LearningCurve, MethodTable, NoiseEstimate
from ordinate.selection._compare import compare
from ordinate.selection._held_out import HeldOutMargins, MethodSpec, held_out_margins
from ordinate.selection._learning_curve import learning_curve
from ordinate.selection._method_table import GUESSING, not_sure_to_predict
from ordinate.selection._noise import noise_on
from ordinate.uncertainty import MapUncertainty, StructureTest
from ordinate.uncertainty._map_uncertainty import map_uncertainty
from ordinate.uncertainty._structure import structure_test

_T = TypeVar("_T")


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
class Analysis:
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
    _provenance: Provenance = field(repr=False)
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

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
                features=self._spec.features,
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
            random_state=plan.seed, n_jobs=plan.n_jobs, verbose=plan.verbose
        )
        return self._keep(
            "people", lambda: study_people(self.answers, model, folds=plan.folds, by=plan.by)
        )

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

    def _keep(self, name: object, compute: Callable[[], _T]) -> _T:
        """Compute a part when it is first asked for."""
        if name not in self._kept:
            with stage():
                self._kept[name] = compute()
        found: _T = self._kept[name]
        return found

    # ---- what it shows ----

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the table of coordinates, column by column.

        Returns
        -------
        dict of str to ndarray
            ``object``, ``x1``, ``x2``, … and, once it was asked for, the uncertainty of each place.
        """
        columns = coordinate_columns(self.points, self._names)
        sure = self._last_uncertainty
        return columns | (sure.to_columns() if sure else {})

    def to_frame(self) -> Any:
        """Return the coordinates as a data frame.

        Returns
        -------
        pandas.DataFrame
            One row per object, indexed by its label, with the columns of `to_columns`. Without
            pandas, a PyArrow table.
        """
        return as_frame(self.to_columns(), ["object"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table of coordinates.

        Parameters
        ----------
        path : str or path
            A file ending in .csv, .tsv, .parquet or .npz.
        """
        write_table(path, self.to_columns())

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
        from ordinate.analysis.findings import compute_findings
        from ordinate.analysis.report_page import save_page
        from ordinate.results.object_display import ObjectDisplay
        from ordinate.results.page import check_page_path

        check_page_path(path)
        known = {name: np.asarray(values) for name, values in (columns or {}).items()}
        save_page(
            path, compute_findings(self), self._provenance, ObjectDisplay(known, color, images)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        error, sure, features = self.error, self._last_uncertainty, self._feature_figures
        ratio, verdict = self.description.sufficiency(self.dimension)
        return {
            "method": self.method,
            "dimension": self.dimension,
            "seed": self.plan.seed,
            "train_error": self.train_error,
            "held_out_error": error and error.error,
            "held_out_interval": error and [error.low, error.high],
            "n_held_out": error.n_answers if error else 0,
            "folds": error.folds if error else 0,
            "split_by": error and error.by,
            "choice": self.choice and self.choice.to_dict(),
            "uncertainty": sure and sure.to_dict(),
            "features": features and vars(features),
            "sufficiency": ratio,
            "verdict": verdict,
            "seconds": self.seconds,
            "answers": self.description.to_dict(),
        }

    def __str__(self) -> str:
        data = self.description
        ratio, verdict = data.sufficiency(self.dimension)
        enough = f"{verdict}: {times_what_is_needed(ratio)}"
        if self._is_dimension_held_out:
            enough = f"{times_what_is_needed(ratio)}, a rule of thumb; trust held-out error more"
        lines = [_choice_in_words(self.choice)] if self.choice else []
        lines += [
            f"{self.method} in {in_dimensions(self.dimension)}: {data.n_rows:,} {data.kind}s about"
            f" {data.n_objects:,} objects in {self.seconds:.1f} s",
            f"  held-out error     {self.error or 'not measured'}",
            f"  training error     {self.train_error:.1%} of all answers",
            f"  contradictions     {data.n_contradictions:,} pairs of answers",
            f"  never compared     {data.listed(data.never_seen)}",
            f"  enough answers     {enough}",
        ]
        lines += [str(self._feature_figures)] if self._feature_figures else []
        lines += [f"  → {advice}" for advice in self._advice()]
        lines += [str(self._last_uncertainty)] if self._last_uncertainty else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        shown = map_as_html(self.points, self._names, self._last_uncertainty)
        return report_as_html(str(self)) + shown

    def _advice(self) -> Iterator[str]:
        """Say what to do, where something can be done."""
        data, error = self.description, self.error
        if self.choice and self.choice.edge:
            yield self.choice.edge
        if data.never_seen and self._feature_figures is None:
            yield "Objects never compared have arbitrary coordinates: leave them out."
        if data.n_parts > 1:
            yield f"The answers fall into {data.n_parts} unconnected parts: ask across them."
        wanted = ceil(self.dimension * data.n_objects * log2(data.n_objects))
        if data.n_distinct < wanted and not self._is_dimension_held_out:
            most = data.largest_dimension
            lower = f", or use {argument('n_components', most)}" if most else ""
            yield f"Collect about {wanted - data.n_distinct:,} more distinct answers{lower}."
        if error and error.error >= GUESSING:
            yield "The map hardly predicts new answers (guessing gives 50%): do not rely on it."
        elif error and error.high >= GUESSING:
            yield not_sure_to_predict(error.high)

    @property
    def _is_dimension_held_out(self) -> bool:
        """Whether held-out answers speak for the dimension, which then needs no rule of thumb."""
        return bool(self.choice and self.error)

    @property
    def _names(self) -> tuple[str, ...] | None:
        names: tuple[str, ...] | None = getattr(self.model, "names_", self.answers.names)
        return names

    @property
    def _last_uncertainty(self) -> MapUncertainty | None:
        kept = [value for value in self._kept.values() if isinstance(value, MapUncertainty)]
        return kept[-1] if kept else None

    @property
    def _feature_figures(self) -> FeatureFigures | None:
        return None if self._spec.features is None else FeatureFigures.of(self.model)


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


def _choice_in_words(table: MethodTable) -> str:
    n_methods = len({row.method for row in table.rows})
    n_dimensions = len({row.dimension for row in table.rows})
    tried = f"{n_methods} methods × {n_dimensions} dimensions"
    if n_methods == 1:
        tried = f"{n_dimensions} dimensions"
    elif n_dimensions == 1:
        tried = f"{n_methods} methods"
    how = f"{table.folds}-fold cross-validation"
    if table.n_folds_held_out < table.folds:  # of very many answers
        how = f"cross-validation with {table.n_folds_held_out} of {table.folds} folds"
    doubt = f"; {table.doubt}" if table.doubt else ""
    return f"chose {table.choice} by {how} over {tried}{doubt}"


@dataclass(frozen=True)
class FeatureFigures:
    """What features contributed to a map."""

    explained: float
    ridge: float | None
    penalty: float | None
    unseen_error: float | None
    placed_by: dict[str, int]

    @classmethod
    def of(cls, model: Any) -> FeatureFigures:
        """Take the figures from a fitted FeatureEmbedding."""
        table, unseen = model.cv_results_, None
        if table is not None:
            names = ("ridge", "penalty", "standardised")
            chosen = [table[name] == getattr(model, f"{name}_") for name in names]
            chosen.append(table["kept"] == (model.kept_ > 0))
            error = float(table["objects_error"][np.logical_and.reduce(chosen)][0])
            unseen = error if np.isfinite(error) else None
        words, counts = np.unique(model.placed_by_, return_counts=True)
        return cls(
            explained=float(model.explained_),
            ridge=float(model.ridge_) if np.isfinite(model.ridge_) else None,
            penalty=float(model.penalty_) if np.isfinite(model.penalty_) else None,
            unseen_error=unseen,
            placed_by=dict(zip(words.tolist(), counts.tolist(), strict=True)),
        )

    def __str__(self) -> str:
        unseen = "not measured" if self.unseen_error is None else f"{self.unseen_error:.1%}"
        placed = ", ".join(f"{count:,} by {word}" for word, count in self.placed_by.items())
        return (
            f"  features           explain {self.explained:.0%} of the map; error for objects that"
            f" have features alone: {unseen}\n"
            f"  placed             {placed.replace('by both', 'by answers and features')}"
        )
