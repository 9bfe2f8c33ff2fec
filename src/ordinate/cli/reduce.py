"""`ordinate reduce`: from a table of features to a map."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError
from ordinate.cli._fitting import SHARED_OPTIONS, Settings, read_settings
from ordinate.cli._options import Jobs, Json, Seed, threads
from ordinate.cli._results import Results, files_written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.features.weighted_tete import WeightedTETE


@dataclass(frozen=True)
class Reduction:
    """How the map is made."""

    dim: Annotated[int, typer.Option("--dim", "-d", min=1, help="Dimension of the map.")] = 2
    neighbors: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Neighbours of each object; more smooth the map.",
            show_default="10; with published weights 20",
        ),
    ] = None
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="A metric of scikit-learn, such as cosine.")
    ] = "euclidean"
    settings: Settings = None
    seed: Seed = 0
    jobs: Jobs = None
    device: Annotated[
        str, typer.Option(metavar="NAME", help="Where to compute: cpu, cuda, cuda:1 or auto.")
    ] = "cpu"

    def estimator(self) -> WeightedTETE:
        """Build the estimator that was asked for, not yet fitted."""
        from ordinate.features.weighted_tete import WeightedTETE

        options = SHARED_OPTIONS | {
            "n_neighbors": "--neighbors",
            "metric": "--metric",
            "device": "--device",
        }
        return WeightedTETE(
            self.dim,
            n_neighbors=self.neighbors,
            metric=self.metric,
            random_state=self.seed,
            n_jobs=threads(self.jobs),
            device=self.device,
            verbose=True,
            **read_settings("WeightedTETE", self.settings, options),
        )


FEWEST = 3
"""Objects that there must be for one of them to be nearer than another."""
TEARING = 0.85
"""Below this trustworthiness many neighbours on the map are no neighbours in the data."""
_MOST_JUDGED, _FEWEST_JUDGED = 2000, 200
_MOST_ENTRIES = 2 * 10**7
"""Numbers that the judged objects may have together, as sparse ones become dense."""
_TRIPLETS = 20_000


@dataclass(frozen=True)
class ReduceReport:
    """Figures of one run of `ordinate reduce`."""

    n_objects: int
    n_features: int
    left_out: tuple[str, ...]
    indexes: tuple[str, ...]
    dimension: int
    seed: int
    trustworthiness: float
    triplet_accuracy: float
    seconds: float
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return vars(self) | {
            "left_out": list(self.left_out),
            "indexes": list(self.indexes),
            "files": [str(path) for path in self.files],
        }

    def __str__(self) -> str:
        lines = [
            f"WeightedTETE in {self.dimension} dimension{'s' if self.dimension > 1 else ''}"
            f" in {self.seconds:.1f} s",
            f"{self.n_objects:,} objects with {self.n_features:,} features",
            f"  neighbours         {self.trustworthiness:.3f} (trustworthiness: 1 if neighbours on"
            " the map are so in the data)",
            f"  random triplets    {self.triplet_accuracy:.3f} hold (0.5 is guessing)",
        ]
        if self.left_out:
            lines.append(f"  → Left out, as they hold names or text: {', '.join(self.left_out)}.")
        if self.indexes:
            named = ", ".join(name or "the one without a name" for name in self.indexes)
            lines.append(f"  → Left out, as they only number the rows: {named}.")
        if self.trustworthiness < TEARING:
            lines.append("  → Many neighbours on the map are none in the data: try --dim 3.")
        return "\n".join([*lines, *files_written(self.files)])


def reduce(
    features: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV, Parquet, NPY or NPZ file, a row per object.", show_default=False
        ),
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

    All columns of numbers are features, except the one given as --color
    and those that only number the rows.

    Example: ordinate reduce features.csv -o map.csv --plot map.png --color label
    """
    from ordinate.features.files import read_features
    from ordinate.io.coordinates import coordinate_columns
    from ordinate.plots import save_map

    start = time.perf_counter()
    results.check(features)
    read = read_features(features, label=color)
    n_objects, n_features = read.points.shape
    if n_objects < FEWEST:
        raise InputError(
            f"{features}: It has {n_objects} object{'s' * (n_objects != 1)}; a map needs {FEWEST}"
            " or more."
        )
    embedding = reduction.estimator().fit_transform(read.points)
    shown = dict(read.texts)
    if color is not None and read.labels is not None:
        shown[color] = read.labels
    saved = results.save(
        "coordinates",
        coordinate_columns(embedding, read.names),
        lambda path: save_map(path, embedding, read.names, shown, color=color),
    )
    seconds = time.perf_counter() - start
    trust, accuracy = judge(read.points, embedding, reduction.seed)
    report = ReduceReport(
        n_objects=n_objects,
        n_features=n_features,
        left_out=tuple(read.texts),
        indexes=read.indexes,
        dimension=reduction.dim,
        seed=reduction.seed,
        trustworthiness=trust,
        triplet_accuracy=accuracy,
        seconds=seconds,
        files=saved.files,
    )
    saved.show(report, json=json)


def judge(points: Any, embedding: NDArray[np.float32], seed: int) -> tuple[float, float]:
    """Return trustworthiness and triplet accuracy of a map, of at most 2000 of its objects."""
    import numpy as np

    from ordinate.metrics import triplet_accuracy, trustworthiness
    from ordinate.sources import random_triplets

    rng = np.random.default_rng(seed)
    n_judged = min(_MOST_JUDGED, max(_MOST_ENTRIES // points.shape[1], _FEWEST_JUDGED))
    chosen = rng.permutation(points.shape[0])[:n_judged]
    points, embedding = points[chosen], embedding[chosen]
    points = points if isinstance(points, np.ndarray) else points.toarray()
    triplets = random_triplets(points, _TRIPLETS, random_state=rng)
    n_neighbors = max(1, min(5, len(points) // 2 - 1))
    trust = float(trustworthiness(points, embedding, n_neighbors=n_neighbors))
    return trust, triplet_accuracy(triplets, embedding)
