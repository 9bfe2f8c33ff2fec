"""`ordinate embed`: from a file of answers to a table of coordinates and a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from ordinate._checks import InputError
from ordinate.cli._fitting import Fitting
from ordinate.cli._options import AnswerFile, Appearance, Json, Running, SplitBy, group_to_resample
from ordinate.cli._results import ResultFiles
from ordinate.cli._typer import FITTING, opt, option, switch
from ordinate.methods import METHODS


@dataclass(frozen=True)
class Holdout:
    """How the error is measured."""

    folds: int | None = opt(
        "Parts of the answers, each held out in turn to measure the error; 0 measures"
        " none. Default: 20 for few answers, 5 for many.",
        "N",
        min=0,
    )
    split_by: SplitBy = None


@dataclass(frozen=True)
class UncertaintyOptions:
    """How certain the map is."""

    uncertainty: bool = switch(
        "Show how certain the map is. Refits it to 200 bootstrap resamples; adds"
        " confidence columns to the table, 90 % regions to the plot and a list of stable"
        " neighbours."
    )
    posterior: bool = switch(
        "With --uncertainty: draw maps from the posterior, with an estimated lapse rate."
        " Better for few or careless answers of one observer."
    )
    resample: str | None = opt(
        "What --uncertainty resamples: whole groups such as participant, or answers."
        " Default: those of --split-by; else participants if there are at least 8, else"
        " answers.",
        "GROUP",
    )

    def asked(self) -> dict[str, Any]:
        """Return what `ordinate.analyze` takes."""
        drawn = group_to_resample(self.resample)
        if not self.uncertainty:
            return {"resample": drawn}
        return {"uncertainty": "posterior" if self.posterior else "bootstrap", "resample": drawn}

    def check(self, method: str | None) -> None:
        """Refuse what cannot be, before anything is computed."""
        if self.posterior and not self.uncertainty:
            raise InputError("--posterior says how --uncertainty is measured; add --uncertainty.")
        if self.resample and (self.posterior or not self.uncertainty):
            raise InputError(
                "--resample is for the bootstrap: add --uncertainty, without --posterior."
            )
        if self.uncertainty and method and METHODS[method].is_kernel:
            raise InputError(
                f"--uncertainty needs a method that places objects; {method} gives similarities."
                " Choose another --method."
            )


Features = Annotated[
    Path | None,
    option(
        "Table of features, a row per object and a column 'object': places objects by answers"
        " and features together, and those nobody was asked about by features.",
        "FILE",
        panel=FITTING,
    ),
]


def embed(
    source: AnswerFile,
    fitting: Fitting,
    running: Running,
    results: ResultFiles,
    appearance: Appearance,
    holdout: Holdout,
    uncertainty_options: UncertaintyOptions,
    features: Features = None,
    json: Json = False,
) -> None:
    """Turn answers into coordinates, and say how far to trust them.

    Method and dimension, unless given, are chosen by cross-validation.
    The error is measured on held-out answers; the coordinates come from
    a fit to all answers.

    Example: ordinate embed answers.csv -o map.csv --plot map.html
    """
    from ordinate.analysis.analyze import analyze

    uncertainty_options.check(fitting.method)
    results.check(*source.inputs, *appearance.files, features)
    analysis = analyze(
        source.answers,
        fitting.chosen(with_features=features is not None),
        fitting.dim,
        features=features,
        error_folds=holdout.folds,
        by=holdout.split_by or "auto",
        **uncertainty_options.asked(),
        complete=results.report is not None,
        **vars(appearance),
        **running.running,
        **source.reading(),
    )
    results.write_and_show(analysis, json=json)
