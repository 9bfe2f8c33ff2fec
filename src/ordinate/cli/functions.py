"""Verbs that are public functions, and what the command line adds to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordinate._checks import InputError
from ordinate.cli._fitting import SHARED_OPTIONS, Settings, match_name, read_settings
from ordinate.cli._typer import fitting_opt, opt
from ordinate.cli._verb import FunctionVerb
from ordinate.methods import METHODS, names_of

FITTED = names_of(takes="comparisons")
"""Methods that make a map of answers."""


@dataclass(frozen=True)
class Fitting:
    """How methods of a map are run."""

    starts: int | None = fitting_opt("Number of random starts; the best fit is kept.", "N", min=1)
    device: str | None = fitting_opt(
        "Where to compute: cpu (the default), cuda, cuda:1, mps, or auto (a GPU if any).", "NAME"
    )
    settings: Settings = None

    def prepare(self, given: dict[str, Any]) -> dict[Any, Any]:
        """Put estimators in place of names where parameters of methods are given."""
        running = {"n_init": self.starts, "device": self.device}
        running = {name: value for name, value in running.items() if value is not None}
        names = [match_name(name, FITTED) for name in given.get("method") or ()]
        loss = names and names[0]
        if "features" in given:
            names = ["FeatureEmbedding"]
        if self.settings and not names:
            raise InputError("--set gives a parameter of a method; name the method with --method.")
        if running and not names:
            from ordinate.selection._compare import USUAL_METHODS

            given["method"] = [METHODS[name].load()(**running) for name in USUAL_METHODS]
        made = [self._make(name, running, self._texts(name, names)) for name in names]
        if "features" in given:
            made = [_with_loss(made[0], loss or None)]
        if made:
            given["method"] = made[0] if len(made) == 1 else made
        return {}

    def _texts(self, name: str, names: Sequence[str]) -> list[str]:
        """Return the settings of one method; of several, each names the method it is for."""
        texts = self.settings or []
        if len(names) == 1:
            return texts
        found = []
        for text in texts:
            method, point, setting = text.partition(".")
            if not point or "=" in method:
                raise InputError(
                    f"--set takes METHOD.NAME=VALUE, such as SOE.max_iter=500; got {text!r}."
                )
            if match_name(method, names) == name:
                found.append(setting)
        return found

    def _make(self, name: str, running: dict[str, Any], texts: Sequence[str]) -> Any:
        """Return the name of a method, or an estimator if it has parameters of its own."""
        self._refuse_what_has_no_meaning(name)
        settings = read_settings(name, texts, _OPTIONS)
        return METHODS[name].load()(**running, **settings) if running or settings else name

    def _refuse_what_has_no_meaning(self, name: str) -> None:
        method = METHODS[name]
        reasons = {}
        if method.is_kernel:
            reasons = dict.fromkeys(("starts", "device"), "which computes its map directly")
        else:
            if not method.has_starts:
                reasons["starts"] = "whose result does not depend on a start"
            if not method.has_device:
                reasons["device"] = "which runs on the CPU"
        for given, reason in reasons.items():
            if getattr(self, given) is not None:
                raise InputError(
                    f"--{given} has no meaning for --method {name}, {reason}; leave it out."
                )


def _with_loss(made: Any, loss: str | None) -> Any:
    """Return the method that uses features, with the loss of another one."""
    estimator = made
    if isinstance(made, str):
        estimator = METHODS["FeatureEmbedding"].load()()
    return estimator if loss is None else estimator.set_params(loss=loss)


_OPTIONS = SHARED_OPTIONS | {"n_init": "--starts", "device": "--device"}
"""Parameters that `embed` has options for."""


@dataclass(frozen=True)
class DissimilarityFile:
    """Where the dissimilarities go."""

    rdm: Path | None = opt(
        "Representational dissimilarity matrix: how rarely two objects are kept together.", "FILE"
    )

    def prepare(self, given: dict[str, Any]) -> dict[Path, Callable[[Any, Path], object]]:
        """Return what is written besides."""
        return {self.rdm: _save_dissimilarities} if self.rdm else {}


def _save_dissimilarities(result: Any, path: Path) -> None:
    from ordinate.metrics._dissimilarities import dissimilarities

    dissimilarities(result.model).save(path)


def _of_maps(name: str, example: str, **others: Any) -> FunctionVerb:
    return FunctionVerb(
        ("ordinate.analysis.analyze", "analyze"),
        example,
        "coordinates",
        name=name,
        plot="maps",
        extra=Fitting,
        completions={"method": FITTED},
        **others,
    )


FUNCTIONS: Sequence[FunctionVerb] = (
    _of_maps("embed", "ordinate embed answers.csv -o map.csv --plot map.html"),
    FunctionVerb(
        ("ordinate.verbs.describe", "describe"),
        "ordinate describe answers.csv",
        "plain answers: anchor, near, far and so on",
        otherwise="none",
    ),
    _of_maps(
        "report",
        "ordinate report answers.csv -o report.html",
        page="report.html",
        summary="Make a map of answers, and a page about it to attach to a paper.",
    ),
    FunctionVerb(
        ("ordinate.analysis.people", "study_people"),
        "ordinate people answers.csv -o people.csv --plot people.png",
        "participants",
        name="people",
        otherwise="print a table",
    ),
    FunctionVerb(
        ("ordinate.verbs.place", "place"),
        "ordinate place map.csv --features features.csv -o placed.csv",
        "coordinates",
        plot="maps",
        file="Table of coordinates, as embed writes it: object, x1, x2, ….",
    ),
    FunctionVerb(
        ("ordinate.verbs.cluster_objects", "cluster_objects"),
        "ordinate cluster answers.csv --k 5 -o clusters.csv --plot clusters.png",
        "clusters",
        name="cluster",
        plot="maps",
    ),
    FunctionVerb(
        ("ordinate.verbs.plan_questions", "plan_questions"),
        "ordinate questions objects.txt --adaptive --given answers.csv --size 200 -o next.csv",
        "questions",
        name="questions",
        file="List of objects, one per line, or a table about them.",
    ),
    FunctionVerb(
        ("ordinate.verbs.rank", "rank"),
        "ordinate rank votes.csv --plot ranking.png -o scores.csv",
        "scores",
        otherwise="print a table",
    ),
    FunctionVerb(
        ("ordinate.verbs.scale_differences", "scale_differences"),
        "ordinate scale contrasts.csv --plot scale.png",
        "the scale",
        name="scale",
        otherwise="print a table",
    ),
    FunctionVerb(
        ("ordinate.verbs.find_dimensions", "find_dimensions"),
        "ordinate dimensions trials.txt --objects names.csv -o dimensions.csv --plot page.html",
        "loadings, a column per dimension",
        name="dimensions",
        plot="maps",
        extra=DissimilarityFile,
        otherwise="a short list",
    ),
    FunctionVerb(
        ("ordinate.verbs.align", "align"),
        "ordinate align answers.csv clip.npz words.csv --plot models.png",
        "accuracies, or with --fit of the aligned features",
        otherwise="print a table",
    ),
    FunctionVerb(
        ("ordinate.verbs.reduce", "reduce"),
        "ordinate reduce features.csv -o map.csv --plot map.png --color label",
        "coordinates",
        plot="maps",
        file="CSV, TSV, Parquet, NPY or NPZ file, a row per object.",
        settings="max_iter=500",
        method="WeightedTETE",
    ),
    FunctionVerb(
        ("ordinate.verbs.draw_graph", "draw_graph"),
        "ordinate graph edges.csv -o layout.csv --plot layout.png",
        "coordinates",
        name="graph",
        plot="maps",
        file="CSV, TSV or Parquet file: an edge per row, or with --neighbors a point.",
        settings="max_iter=500",
    ),
    FunctionVerb(
        ("ordinate.verbs.coembed", "coembed"),
        "ordinate coembed ratings.csv --user user --item item --value rating -o map/",
        "coordinates",
        plot="maps",
        file="CSV, TSV or Parquet file, a row per rating.",
        settings="unrated=0.9",
        method="COE",
    ),
)
"""Every verb that is made of a function."""
