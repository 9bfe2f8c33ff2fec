"""`ordinate reduce`: from a table of features to a map."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ordinate._checks import InputError
from ordinate.cli._fitting import SHARED_OPTIONS, Settings, read_settings
from ordinate.cli._options import Json, MapDimension, Running
from ordinate.cli._results import ResultFiles
from ordinate.cli._typer import arg, opt, switch


@dataclass(frozen=True)
class Reduction:
    """How the map is made."""

    dim: MapDimension = 2
    neighbors: int | None = opt(
        "Neighbours of each object; more make a smoother map.",
        "N",
        min=1,
        show_default="10; with published weights 20",
    )
    metric: str = opt(
        "Distance, as scikit-learn names it, such as cosine; hellinger; precomputed for a table of"
        " distances.",
        "NAME",
        default="euclidean",
    )
    metric_param: list[str] | None = opt(
        "A parameter of the metric: p of minkowski; w of minkowski and V of seuclidean, a number"
        " for each feature; may be repeated.",
        "NAME=NUMBERS",
    )
    settings: Settings = None
    device: str = opt("Where to compute: cpu, cuda, cuda:1 or auto.", "NAME", default="cpu")

    def metric_params(self) -> dict[str, Any] | None:
        """Return parameters of the metric: a number, or several with commas between them."""
        found: dict[str, Any] = {}
        for text in self.metric_param or ():
            name, _, value = (part.strip() for part in text.partition("="))
            try:
                numbers = [float(number) for number in value.split(",")]
            except ValueError:
                raise InputError(
                    f"--metric-param takes NAME=NUMBERS, such as p=3 or w=1,1,2; got {text!r}."
                ) from None
            found[name] = numbers if "," in value else numbers[0]
        return found or None


Scale = Literal["auto", "none", "standard", "robust"]
Missing = Literal["refuse", "drop", "mean"]


@dataclass(frozen=True)
class Preparation:
    """How columns of the table become features."""

    scale: Scale = opt(
        "Scale the columns: standard (mean 0, deviation 1), robust (median and quartiles),"
        " none; auto is standard if one column's range is more than 10 times the median range.",
        default="auto",
    )
    missing: Missing = opt(
        "Rows with gaps: refuse them, drop them, or fill in the mean.", default="refuse"
    )
    one_hot: bool = switch(
        "Use columns of categories, as 0 and 1 for each; together they weigh as one column."
    )


def reduce(
    *,
    features: Path = arg("CSV, TSV, Parquet, NPY or NPZ file, a row per object."),
    preparation: Preparation,
    reduction: Reduction,
    running: Running,
    results: ResultFiles,
    color: str | None = opt("Column that colours the picture; not used as a feature.", "COLUMN"),
    json: Json = False,
) -> None:
    """Reduce a table of features to a map: an alternative to t-SNE, UMAP and TriMap.

    All columns of numbers are features, except the one given as --color
    and those that hold ids, number the rows or never change. Columns whose
    ranges differ much are scaled.

    Example: ordinate reduce features.csv -o map.csv --plot map.png --color label
    """
    from ordinate.verbs.reduce import reduce as reduce_features

    results.check(features)
    result = reduce_features(
        features,
        reduction.dim,
        n_neighbors=reduction.neighbors,
        metric=reduction.metric,
        metric_params=reduction.metric_params(),
        device=reduction.device,
        color=color,
        **vars(preparation),
        **running.running,
        **read_settings("WeightedTETE", reduction.settings, _OPTIONS),
    )
    results.write_and_show(result, json=json)


_OPTIONS = SHARED_OPTIONS | {
    "n_neighbors": "--neighbors",
    "metric": "--metric",
    "metric_params": "--metric-param",
    "device": "--device",
}
"""Parameters of WeightedTETE that have options of their own."""
