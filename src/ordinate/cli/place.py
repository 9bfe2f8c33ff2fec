"""`ordinate place`: new objects on a map that stays as it is."""

from __future__ import annotations

from pathlib import Path

from ordinate._checks import InputError
from ordinate.cli._options import Json, Seed
from ordinate.cli._results import Results
from ordinate.cli._typer import arg, opt


def place(
    *,
    map_file: Path = arg("Table of coordinates, as embed writes it: object, x1, x2, ….", "MAP"),
    results: Results,
    features: Path | None = opt(
        "Table of features of objects of the map and of new ones, with a column 'object'.", "FILE"
    ),
    answers: Path | None = opt("Answers about new objects and objects of the map.", "FILE"),
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Place new objects on a map: by their features, or by answers about them.

    The map does not change. By features, a Gaussian process that is fitted to
    the objects on the map gives coordinates and their standard deviation (std);
    two thirds of the objects lie within it on each axis.

    Example: ordinate place map.csv --features features.csv -o placed.csv
    """
    from ordinate.analysis.placing import place_by_answers, place_by_features
    from ordinate.features.files import read_named_features
    from ordinate.io.coordinates import read_coordinates
    from ordinate.io.read import read_comparisons
    from ordinate.io.tables import errors_naming
    from ordinate.plots import save_map

    results.check(map_file, features, answers)
    names, points = read_coordinates(map_file)
    if features is not None and answers is None:
        labels, rows = read_named_features(features)
        with errors_naming(features):
            found = place_by_features(names, points, labels, rows)
    elif answers is not None and features is None:
        record = read_comparisons(answers)
        with errors_naming(answers):
            found = place_by_answers(names, points, record, seed)
    else:
        raise InputError("Give either --features or --answers, by which new objects are placed.")
    saved = results.save(
        "coordinates", found.to_columns(), lambda path: save_map(path, found.points, found.names)
    )
    saved.show(found, json=json)
