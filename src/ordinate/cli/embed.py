"""`ordinate embed`: from a file of answers to a table of coordinates and a report."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log2
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError
from ordinate._progress import Stages
from ordinate.cli._appearance import Appearance
from ordinate.cli._features import FeatureFigures, choose_with_features
from ordinate.cli._fitting import ChosenMethod, Fitting
from ordinate.cli._options import AnswerFile, Json, SplitBy, group_to_hold_out
from ordinate.cli._results import Results, files_written
from ordinate.methods import METHODS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.description import Description
    from ordinate.comparisons.record import Comparisons
    from ordinate.selection import HeldOutError, MethodTable
    from ordinate.uncertainty import MapUncertainty


@dataclass(frozen=True)
class Holdout:
    """How the error is measured."""

    folds: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Parts of the answers, each held out in turn to measure the error; 0 measures"
            " none. Default: 20 for few answers, 5 for many.",
        ),
    ] = None
    split_by: SplitBy = None

    def measure(
        self, answers: Comparisons, chosen: ChosenMethod, by: str | None
    ) -> HeldOutError | None:
        """Count the mistakes of maps on answers that they were not fitted to."""
        from ordinate.selection._held_out import held_out_error

        if self.folds == 0:
            return None
        method = METHODS[chosen.method]
        slow = not (method.has_starts or method.is_kernel)
        return held_out_error(
            answers,
            lambda part: chosen.place(part, verbose=False),
            folds=5 if slow and self.folds is None else self.folds,
            by=by,
            random_state=chosen.options.seed,
            verbose=True,
        )


Uncertainty = Annotated[
    bool,
    typer.Option(
        "--uncertainty",
        help="Say how sure the map is, by 200 fits to answers drawn anew (whole groups of"
        " --split-by): columns of the table, regions on the picture, stable neighbours.",
    ),
]


Posterior = Annotated[
    bool,
    typer.Option(
        "--posterior",
        help="With --uncertainty: draw maps by how probable they make the answers, with a share of"
        " careless answers that is learned; better for few or careless answers of one observer.",
    ),
]


Features = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Table of features, a row per object and a column 'object': places objects by answers"
        " and features together, and those nobody was asked about by features.",
        rich_help_panel="Fitting",
    ),
]


@dataclass(frozen=True)
class EmbedReport:
    """Figures of one run of `ordinate embed`."""

    description: Description
    method: str
    dimension: int
    choice: MethodTable | None
    seed: int
    train_error: float
    held_out: HeldOutError | None
    uncertainty: MapUncertainty | None = None
    features: FeatureFigures | None = None
    seconds: float = 0.0
    files: tuple[Path, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        held_out = self.held_out
        ratio, verdict = self.description.sufficiency(self.dimension)
        return {
            "method": self.method,
            "dimension": self.dimension,
            "seed": self.seed,
            "train_error": self.train_error,
            "held_out_error": held_out and held_out.error,
            "held_out_interval": held_out and [held_out.low, held_out.high],
            "n_held_out": held_out.n_answers if held_out else 0,
            "folds": held_out.folds if held_out else 0,
            "split_by": held_out and held_out.by,
            "choice": self.choice and self.choice.to_dict(),
            "uncertainty": self.uncertainty and self.uncertainty.to_dict(),
            "features": self.features and vars(self.features),
            "sufficiency": ratio,
            "verdict": verdict,
            "seconds": self.seconds,
            "files": [str(path) for path in self.files],
            "answers": self.description.to_dict(),
        }

    def __str__(self) -> str:
        from ordinate.comparisons.description import times_what_is_needed

        data = self.description
        ratio, verdict = data.sufficiency(self.dimension)
        lines = [self._choice_line()] if self.choice else []
        lines += [
            f"{self.method} in {self.dimension} dimension{'s' if self.dimension > 1 else ''}:"
            f" {data.n_rows:,} {data.kind}s about {data.n_objects:,} objects"
            f" in {self.seconds:.1f} s",
            f"  held-out error     {self.held_out or 'not measured'}",
            f"  training error     {self.train_error:.1%} of all answers",
            f"  contradictions     {data.n_contradictions:,} pairs of answers deny each other",
            f"  never compared     {data.listed(data.never_seen)}",
            f"  enough answers     {verdict}: {times_what_is_needed(ratio)}",
        ]
        lines += [str(self.features)] if self.features else []
        lines += [f"  {advice}" for advice in self._advice()]
        lines += [str(self.uncertainty)] if self.uncertainty else []
        return "\n".join([*lines, *files_written(self.files)])

    def _choice_line(self) -> str:
        table = self.choice
        assert table is not None
        n_methods = len({row.method for row in table.rows})
        n_dimensions = len(table.rows) // n_methods
        tried = f"{n_methods} methods × {n_dimensions} dimensions"
        if n_methods == 1:
            tried = f"{n_dimensions} dimensions"
        elif n_dimensions == 1:
            tried = f"{n_methods} methods"
        how = f"{table.folds}-fold cross-validation"
        if table.n_folds_held_out < table.folds:  # of very many answers
            how = f"cross-validation with {table.n_folds_held_out} of {table.folds} folds"
        line = f"chose {table.choice} by {how} over {tried}"
        if self.held_out:
            line += (
                f": {self.held_out.error:.1%} held out ({self.held_out.low:.1%} to"
                f" {self.held_out.high:.1%})"
            )
        if table.doubt:
            line += f"; {table.doubt}"
        return line

    def _advice(self) -> Iterator[str]:
        """Say what to do, where something can be done."""
        from ordinate.selection._compare import GUESSING, not_sure_to_predict

        data = self.description
        if data.never_seen and not self.features:
            yield "→ Objects never compared have arbitrary coordinates: leave them out."
        if data.n_parts > 1:
            yield f"→ The answers fall into {data.n_parts} unconnected parts: ask across them."
        wanted = ceil(self.dimension * data.n_objects * log2(data.n_objects))
        if data.n_distinct < wanted:
            lower = f", or use --dim {data.largest_dimension}" if data.largest_dimension else ""
            yield f"→ Collect about {wanted - data.n_distinct:,} more distinct answers{lower}."
        if self.held_out and self.held_out.error >= GUESSING:
            yield "→ The map hardly predicts new answers (guessing gives 50%): do not rely on it."
        elif self.held_out and self.held_out.high >= GUESSING:
            yield f"→ {not_sure_to_predict(self.held_out.high)}"


def embed(
    source: AnswerFile,
    fitting: Fitting,
    results: Results,
    appearance: Appearance,
    holdout: Holdout,
    uncertainty: Uncertainty = False,
    posterior: Posterior = False,
    features: Features = None,
    json: Json = False,
) -> None:
    """Turn answers into coordinates, and say how far to trust them.

    Method and dimension, unless given, are chosen by cross-validation.
    The error is that of maps made in the same way, on answers held out from them;
    the coordinates come from a fit to all answers.

    Example: ordinate embed answers.csv -o map.csv --plot map.html
    """
    from ordinate.io.coordinates import coordinate_columns
    from ordinate.plots import save_map

    start = time.perf_counter()
    if posterior and not uncertainty:
        raise InputError("--posterior says how --uncertainty is measured; add --uncertainty.")
    results.check(*source.inputs, *appearance.files, features)
    answers = source.read()
    given = None
    if features is not None:
        answers, given = choose_with_features(answers, features, fitting)
    look = appearance.look_up(answers.names or range(answers.n_objects))
    points, report = _make_map(answers, fitting, given, holdout, uncertainty, posterior)
    sure = report.uncertainty
    columns = coordinate_columns(points, answers.names)
    columns |= sure.to_columns() if sure else {}
    saved = results.save(
        "coordinates",
        columns,
        lambda path: save_map(path, points, columns["object"], uncertainty=sure, **vars(look)),
    )
    report = replace(report, seconds=time.perf_counter() - start, files=saved.files)
    saved.show(report, json=json)


def _make_map(
    answers: Comparisons,
    fitting: Fitting,
    given: ChosenMethod | None,
    holdout: Holdout,
    uncertainty: bool,
    posterior: bool,
) -> tuple[NDArray[np.float64], EmbedReport]:
    """Choose what was left open, unless a method is given; fit it and say how far to trust it."""
    from ordinate.metrics import triplet_error

    by = group_to_hold_out(answers, holdout.split_by)
    measured = holdout.folds != 0
    choosing = fitting.is_open and given is None
    stages = Stages(choosing + measured + 1 + uncertainty)
    with stages.next(choosing):
        chosen, choice = (given, None) if given else fitting.choose(answers, by)
    if uncertainty:
        _refuse_kernel(chosen.method)
    with stages.next(measured):
        held_out = holdout.measure(answers, chosen, by)
    with stages.next():
        model = chosen.fit(answers) if uncertainty or given else None
        points = model.embedding_ if model else chosen.place(answers)
    with stages.next(uncertainty):
        sure = chosen.uncertainty(answers, model, by, posterior) if model and uncertainty else None
    return points, EmbedReport(
        description=answers.describe(),
        method=chosen.label,
        dimension=chosen.dim,
        choice=choice,
        seed=fitting.seed,
        train_error=triplet_error(answers, points),
        held_out=held_out,
        uncertainty=sure,
        features=FeatureFigures.of(model) if given else None,
    )


def _refuse_kernel(method: str) -> None:
    if METHODS[method].is_kernel:
        raise InputError(
            f"--uncertainty needs a method that places objects; {method} gives similarities."
            " Choose another --method."
        )
