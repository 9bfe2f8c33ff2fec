"""`ordinate reduce`: from a table of features to a map."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordinate._checks import InputError
from ordinate.cli._fitting import SHARED_OPTIONS, Settings, read_settings
from ordinate.cli._options import Jobs, Json, MapDimension, Seed, threads
from ordinate.cli._results import Results
from ordinate.cli._typer import arg, opt, switch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.features.files import Features
    from ordinate.features.row_metrics import RowMetric
    from ordinate.features.weighted_tete import WeightedTETE


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
        "Distance, as scikit-learn names it, such as cosine; or hellinger.",
        "NAME",
        default="euclidean",
    )
    metric_param: list[str] | None = opt(
        "A parameter of the metric: p of minkowski; w of minkowski and V of seuclidean, a number"
        " for each feature; may be repeated.",
        "NAME=NUMBERS",
    )
    settings: Settings = None
    seed: Seed = 0
    jobs: Jobs = None
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

    def estimator(self) -> WeightedTETE:
        """Build the estimator that was asked for, not yet fitted."""
        from ordinate.features.weighted_tete import WeightedTETE

        options = SHARED_OPTIONS | {
            "n_neighbors": "--neighbors",
            "metric": "--metric",
            "metric_params": "--metric-param",
            "device": "--device",
        }
        return WeightedTETE(
            self.dim,
            n_neighbors=self.neighbors,
            metric=self.metric,
            metric_params=self.metric_params(),
            random_state=self.seed,
            n_jobs=threads(self.jobs),
            device=self.device,
            verbose=True,
            **read_settings("WeightedTETE", self.settings, options),
        )


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
    one_hot: bool = switch("Use columns of categories, as 0 and 1 for each.")

    def read(self, path: Path, color: str | None) -> Features:
        """Read the table."""
        from ordinate.features.files import read_features

        return read_features(path, label=color, missing=self.missing, one_hot=self.one_hot)

    def scaled(self, read: Features, metric: str) -> tuple[Any, str]:
        """Return the features as they are compared, and how they were scaled."""
        from ordinate.features.scaling import is_uneven, scale_columns

        how = self.scale
        if how == "auto":  # a file of arrays has no columns with units of their own
            uneven = read.columns and metric not in _WITH_A_SCALE and is_uneven(read.points)
            how = "standard" if uneven else "none"
        if how == "none":
            return read.points, how
        if not hasattr(read.points, "__array__"):
            raise InputError("A sparse matrix is not scaled, as it would become dense.")
        return scale_columns(read.points, how), how


_WITH_A_SCALE = ("hellinger", "haversine", "seuclidean", "mahalanobis")
"""Metrics that have units of their own, or find them."""
FEWEST = 3
"""Objects that there must be for one of them to be nearer than another."""
TEARING = 0.85
"""Below this trustworthiness many neighbours on the map are no neighbours in the data."""
_MOST_JUDGED, _FEWEST_JUDGED = 2000, 200
_MOST_ENTRIES = 2 * 10**7
"""Numbers that the judged objects may have together, as sparse ones become dense."""
_TRIPLETS = 20_000
_MOST_COLORS, _MOST_ENTRIES_OF_A_PAGE = 30, 10**6
"""At most so many features, and numbers in all, to colour by: a larger page opens slowly."""


@dataclass(frozen=True)
class ReduceReport:
    """Figures of one run of `ordinate reduce`."""

    n_objects: int
    n_features: int
    left_out: dict[str, str]
    n_dropped: int
    scale: str
    dimension: int
    seed: int
    trustworthiness: float
    triplet_accuracy: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        from ordinate.selection._method_table import in_dimensions

        lines = [
            f"WeightedTETE in {in_dimensions(self.dimension)} in {self.seconds:.1f} s",
            f"{self.n_objects:,} objects with {self.n_features:,} features",
            f"  neighbours         {self.trustworthiness:.3f} (trustworthiness: 1 if neighbours on"
            " the map are so in the data)",
            f"  random triplets    {self.triplet_accuracy:.3f} preserved (0.5 is chance)",
        ]
        for reason in dict.fromkeys(self.left_out.values()):
            columns = [name for name, why in self.left_out.items() if why == reason]
            named = ", ".join(name.strip() or "the one without a name" for name in columns)
            lines.append(f"  → Left out, as they {reason}: {named}.")
        if self.n_dropped:
            rows = f"{self.n_dropped:,} row{'s' * (self.n_dropped > 1)}"
            lines.append(f"  → Left out for gaps: {rows}.")
        if self.scale != "none":
            lines.append(
                f"  → Columns were scaled ({self.scale}), and neighbours are those of the scaled"
                " columns; --scale none keeps them as they are."
            )
        if self.trustworthiness < TEARING:
            lines.append("  → Many neighbours on the map are none in the data: try --dim 3.")
        return "\n".join(lines)


def reduce(
    *,
    features: Path = arg("CSV, TSV, Parquet, NPY or NPZ file, a row per object."),
    preparation: Preparation,
    reduction: Reduction,
    results: Results,
    color: str | None = opt("Column that colours the picture; not used as a feature.", "COLUMN"),
    json: Json = False,
) -> None:
    """Reduce a table of features to a map: an alternative to t-SNE, UMAP and TriMap.

    All columns of numbers are features, except the one given as --color
    and those that hold ids, number the rows or never change. Columns whose
    ranges differ much are scaled.

    Example: ordinate reduce features.csv -o map.csv --plot map.png --color label
    """
    from ordinate.features.row_metrics import row_metric
    from ordinate.io.coordinates import coordinate_columns
    from ordinate.plots import save_map

    start = time.perf_counter()
    results.check(features)
    read = preparation.read(features, color)
    n_objects, n_features = read.points.shape
    if n_objects < FEWEST:
        raise InputError(
            f"{features}: It has {n_objects} object{'s' * (n_objects != 1)}; a map needs {FEWEST}"
            " or more."
        )
    points, scale = preparation.scaled(read, reduction.metric)
    embedding = reduction.estimator().fit_transform(points)
    shown = colorable_columns(read)
    if color is not None and read.labels is not None:
        shown[color] = read.labels
    saved = results.save(
        "coordinates",
        coordinate_columns(embedding, read.names),
        lambda path: save_map(path, embedding, read.names, shown, color=color),
    )
    seconds = time.perf_counter() - start
    metric = row_metric(reduction.metric, reduction.metric_params(), points)
    trust, accuracy = judge(points, embedding, reduction.seed, metric)
    report = ReduceReport(
        n_objects=n_objects,
        n_features=n_features,
        left_out=read.left_out,
        n_dropped=read.n_dropped,
        scale=scale,
        dimension=reduction.dim,
        seed=reduction.seed,
        trustworthiness=trust,
        triplet_accuracy=accuracy,
        seconds=seconds,
    )
    saved.show(report, json=json)


def colorable_columns(read: Features) -> dict[str, NDArray[Any]]:
    """Return the columns that a page can colour by: texts, and as many features as it may hold."""
    room = min(_MOST_COLORS, _MOST_ENTRIES_OF_A_PAGE // max(read.points.shape[0], 1))
    features = {name: read.points[:, at] for at, name in enumerate(read.columns[:room])}
    return read.texts | features


def judge(
    points: Any, embedding: NDArray[np.float32], seed: int, metric: RowMetric
) -> tuple[float, float]:
    """Return trustworthiness and triplet accuracy of a map, of at most 2000 of its objects."""
    import numpy as np
    from sklearn.metrics import pairwise_distances

    from ordinate.metrics import triplet_accuracy, trustworthiness
    from ordinate.sources import random_triplets

    rng = np.random.default_rng(seed)
    n_judged = min(_MOST_JUDGED, max(_MOST_ENTRIES // points.shape[1], _FEWEST_JUDGED))
    chosen = rng.permutation(points.shape[0])[:n_judged]
    points, embedding = points[chosen], embedding[chosen]
    points = metric.rows(points if isinstance(points, np.ndarray) else points.toarray())
    distances = pairwise_distances(points, metric=metric.name, **metric.options)
    triplets = random_triplets(distances, _TRIPLETS, metric="precomputed", random_state=rng)
    n_neighbors = max(1, min(5, len(points) // 2 - 1))
    trust = float(
        trustworthiness(distances, embedding, n_neighbors=n_neighbors, metric="precomputed")
    )
    return trust, triplet_accuracy(triplets, embedding)
