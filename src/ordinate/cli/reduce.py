"""`ordinate reduce`: from a table of features to a map."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordinate.cli._fitting import SHARED_OPTIONS, Settings, read_settings
from ordinate.cli._options import Jobs, Json, Seed
from ordinate.cli._output import print_report
from ordinate.cli._results import Results

if TYPE_CHECKING:
    from ordinate.features.weighted_tete import WeightedTETE


@dataclass(frozen=True)
class Reduction:
    """How the map is made."""

    dim: Annotated[int, typer.Option("--dim", "-d", min=1, help="Dimension of the map.")] = 2
    neighbors: Annotated[
        int, typer.Option(min=1, metavar="N", help="Neighbours of each object; more smooth it.")
    ] = 10
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="A metric of scikit-learn, such as cosine.")
    ] = "euclidean"
    settings: Settings = None
    seed: Seed = 0
    jobs: Jobs = None

    def estimator(self) -> WeightedTETE:
        """Build the estimator that was asked for, not yet fitted."""
        from ordinate.features.weighted_tete import WeightedTETE

        options = SHARED_OPTIONS | {"n_neighbors": "--neighbors", "metric": "--metric"}
        return WeightedTETE(
            self.dim,
            n_neighbors=self.neighbors,
            metric=self.metric,
            random_state=self.seed,
            n_jobs=-1 if self.jobs is None else self.jobs,
            verbose=True,
            **read_settings("WeightedTETE", self.settings, options),
        )


def reduce(
    features: Annotated[
        Path,
        typer.Argument(help="CSV, TSV or Parquet file, a row per object.", show_default=False),
    ],
    reduction: Reduction,
    results: Results,
    color: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column that colours the picture; it is no feature."),
    ] = None,
    json: Json = False,
) -> None:
    """Reduce a table of features to a map: an alternative to t-SNE, UMAP and TriMap.

    All columns of numbers are features, except the one given as --color.

    Example: ordinate reduce features.csv -o map.csv --plot map.png --color label
    """
    from ordinate.cli._reduce_report import ReduceReport, judge
    from ordinate.features.files import read_features
    from ordinate.io.coordinates import coordinate_columns, write_coordinates
    from ordinate.plots import save_map

    start = time.perf_counter()
    with results.temporary() as (table, picture):
        read = read_features(features, label=color)
        embedding = reduction.estimator().fit_transform(read.points)
        if table:
            write_coordinates(table, embedding, read.names)
        if picture:
            columns = dict(read.texts)
            if color is not None and read.labels is not None:
                columns[color] = read.labels
            save_map(picture, embedding, read.names, columns, color=color)
    seconds = time.perf_counter() - start
    trust, accuracy = judge(read.points, embedding, reduction.seed)
    report = ReduceReport(
        n_objects=read.points.shape[0],
        n_features=read.points.shape[1],
        left_out=tuple(read.texts),
        dimension=reduction.dim,
        seed=reduction.seed,
        trustworthiness=trust,
        triplet_accuracy=accuracy,
        seconds=seconds,
        files=results.paths,
    )
    unwritten = {} if results.output else {"coordinates": coordinate_columns(embedding, read.names)}
    print_report(report, unwritten, json=json)
