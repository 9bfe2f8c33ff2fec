"""`ordinate place`: new objects on a map that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError, check_names
from ordinate.cli._options import Json, Seed
from ordinate.cli._results import Results, files_written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RIDGES = tuple(10.0**power for power in range(-4, 4))
"""Penalties that are tried for the map from features, in units of the number of objects."""
_OFFSET = 0.05
"""Offset of squared distances, in units of the map's variance; see `ordinate.losses.ckl`."""


@dataclass(frozen=True)
class PlaceReport:
    """Figures of one run of `ordinate place`."""

    n_placed: int
    n_known: int
    source: str
    measure: str
    value: float
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return vars(self) | {"files": [str(path) for path in self.files]}

    def __str__(self) -> str:
        lines = [
            f"{self.n_placed:,} new object{'s' * (self.n_placed != 1)} placed by {self.source} on a"
            f" map of {self.n_known:,}, which stays as it is",
            f"  {self.measure:18} {self.value:.1%}",
        ]
        if self.source == "features" and self.value < 0.1:
            lines.append("  → Features hardly tell where objects lie: place them by --answers.")
        return "\n".join([*lines, *files_written(self.files)])


def place(
    map_file: Annotated[
        Path,
        typer.Argument(
            metavar="MAP",
            help="Table of coordinates, as embed writes it: object, x1, x2, ….",
            show_default=False,
        ),
    ],
    results: Results,
    features: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table of features of objects of the map and of new ones, with a column 'object'.",
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Answers about new objects and objects of the map."),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Place new objects on a map: by their features, or by answers about them.

    The map stays as it is. Features are translated into coordinates by what
    they say about the objects that are on the map already.

    Example: ordinate place map.csv --features features.csv -o placed.csv
    """
    from ordinate.io.coordinates import coordinate_columns
    from ordinate.plots import save_map

    if (features is None) == (answers is None):
        raise InputError("Give either --features or --answers, by which new objects are placed.")
    results.check(map_file, features, answers)
    names, points = read_map(map_file)
    if features is not None:
        found = by_features(names, points, features)
    else:
        assert answers is not None
        found = by_answers(names, points, answers, seed)
    new_names, placed, measure, value = found
    columns = coordinate_columns(placed, new_names)
    saved = results.save(
        "coordinates", columns, lambda path: save_map(path, placed, columns["object"])
    )
    report = PlaceReport(
        n_placed=len(placed),
        n_known=len(points),
        source="features" if features else "answers",
        measure=measure,
        value=value,
        files=saved.files,
    )
    saved.show(report, json=json)


def read_map(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Read a table of coordinates: names, and the columns x1, x2, …."""
    import numpy as np

    from ordinate.io.columns import as_floats, as_labels
    from ordinate.io.layouts import find_label_column
    from ordinate.io.tables import errors_naming, open_table

    with errors_naming(path):
        table = open_table(path)
        axes: list[str] = []
        while f"x{len(axes) + 1}" in table.names:
            axes.append(f"x{len(axes) + 1}")
        key = find_label_column(table.names)
        if not axes or key is None:
            raise InputError("A map has a column 'object' and columns of coordinates x1, x2, ….")
        columns = table.read([key], axes)
        numbers = [as_floats(columns.column(name)) for name in axes]
        for name, column in zip(axes, numbers, strict=True):
            if column is None or not np.isfinite(column).all():
                raise InputError(f"Column {name!r} must hold numbers.")
        names = check_names(list(as_labels(key, columns.column(key))))
        points = np.column_stack([column for column in numbers if column is not None])
        with np.errstate(over="ignore"):
            extent = float(points.var(axis=0).sum())
        if not 0 < extent < np.inf:
            raise InputError(
                "The objects of the map must lie in more than one place, at coordinates whose"
                f" squares are numbers; their variance is {extent:g}."
            )
        return list(names), points


def by_features(
    names: list[str], points: NDArray[np.float64], path: Path
) -> tuple[list[str], NDArray[np.float64], str, float]:
    """Regress the coordinates of the map on features, and apply that to new objects."""
    import numpy as np
    from sklearn.linear_model import RidgeCV

    from ordinate.cli._features import read_named_features
    from ordinate.features.feature_map import FeatureMap

    labels, rows = read_named_features(path)
    number = {name: at for at, name in enumerate(names)}
    on_map = [at for at, label in enumerate(labels) if label in number]
    new = [at for at, label in enumerate(labels) if label not in number]
    if len(on_map) < 3:
        raise InputError(
            f"{path}: {len(on_map)} objects of the map have features; 3 or more are needed."
        )
    if not new:
        raise InputError(f"{path}: All objects are on the map already; there is none to place.")
    known = FeatureMap(rows[on_map], "linear", 0)
    there = points[[number[labels[at]] for at in on_map]]
    alphas = [ridge * len(on_map) for ridge in _RIDGES]
    regression = RidgeCV(alphas, store_cv_results=True).fit(known(rows[on_map]), there)
    chosen = alphas.index(regression.alpha_)
    # squared errors of leaving each object out, beside those of placing it in the middle
    errors = regression.cv_results_[..., chosen].sum()
    explained = 1 - errors / np.square(there - there.mean(axis=0)).sum()
    placed = regression.predict(known(rows[new])).reshape(len(new), -1)
    measure = "told by features"
    return [labels[at] for at in new], placed, measure, float(max(explained, 0.0))


def by_answers(
    names: list[str], points: NDArray[np.float64], path: Path, seed: int
) -> tuple[list[str], NDArray[np.float64], str, float]:
    """Place the objects of answers that are not on the map, by ratios of distances."""
    import numpy as np

    from ordinate.comparisons.answers import numbers_in_fit
    from ordinate.comparisons.record import Comparisons
    from ordinate.engine.distances import share_that_holds
    from ordinate.engine.objective import make_objective
    from ordinate.io.files import read_comparisons
    from ordinate.losses import ckl
    from ordinate.solvers.new_objects import place_new_objects

    read = read_comparisons(path)
    n_known = len(points)
    numbers = numbers_in_fit(read, n_known, names)
    size = max(int(numbers.max()) + 1, n_known)
    if size == n_known:
        raise InputError(f"{path}: All objects are on the map already; there is none to place.")
    record = Comparisons(numbers[read.rows], n_objects=size, weights=read.weights)
    record = record[(record.rows >= n_known).any(axis=1)]
    if (record.rows >= n_known).all():
        raise InputError(f"{path}: No answer compares a new object with objects of the map.")
    objective = make_objective(record, ckl, [_OFFSET * float(points.var(axis=0).sum())])
    rng = np.random.default_rng(seed)
    placed = place_new_objects(points, record, objective, rng, max_iter=1000, tol=1e-4)
    new_names = [""] * (size - n_known)
    for name, at in zip(read.names or (), numbers, strict=True):
        if at >= n_known:
            new_names[at - n_known] = name
    share = share_that_holds(record, np.vstack([points, placed]))
    return new_names, placed, "answers that hold", share
