"""`ordinate demo`: the map of Europe, recovered from answers alone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate.cli._options import Json
from ordinate.cli._results import check_outputs, make_folder, print_json
from ordinate.cli._typer import opt

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons
    from ordinate.datasets import Dataset


SEA, LAND, COAST, FOUND, TRUE = "#e6eef4", "#fbfaf6", "#b9c6cf", "#d1495b", "#1b4965"
"""Colours of the map."""


FILES = {
    "map.png": "the map and the true one: look at it",
    "map.csv": "its coordinates, in kilometres east and north",
    "answers.csv": "the answers; next: ordinate describe",
}
"""What is left in the folder."""


def demo(
    output: Path = opt("Folder for the files.", "FOLDER", "-o", default=Path("demo")),
    answers: int = opt("Number of answers.", "N", default=50_000, min=100),
    wrong: float = opt("Share of wrong answers.", "SHARE", default=0.1, min=0, max=0.5),
    seed: int = opt("The same seed gives the same map.", "N", default=0, min=0),
    json: Json = False,
) -> None:
    """Find the map of Europe from answers to "is A nearer to B than to C?".

    Needs no data and no network. Writes a picture, the coordinates and the answers.

    Example: ordinate demo --wrong 0.3
    """
    import numpy as np

    import ordinate as od
    from ordinate.io.coordinates import write_coordinates

    make_folder(output)
    check_outputs([], others=[output / name for name in FILES])
    cities = od.datasets.load_cities(answers, wrong=wrong, random_state=seed)
    assert cities.comparisons is not None
    assert cities.points is not None
    train, test = cities.comparisons.train_test_split(0.2, random_state=seed)
    # made for answers of which some are wrong at random
    model = od.TETE(n_components=2, t=2.0, t_prime=1.0, penalty=0, random_state=seed)
    start = time.perf_counter()
    model.fit(train)
    seconds = time.perf_counter() - start
    # comparisons leave the place, size, direction and hand of a map open: take the true ones
    points = od.metrics.procrustes_align(model.embedding_, cities.points)
    od.write_comparisons(cities.comparisons, output / "answers.csv")
    write_coordinates(points, output / "map.csv", cities.names)
    od.plots.save_figure(draw_demo(cities, points), output / "map.png")
    found = {
        "n_objects": len(points),
        "wrong": wrong,
        "seed": seed,
        "seconds": seconds,
        "n_iter": model.n_iter_,
        "fitted": _accuracy(points, train, cities),
        "held_out": _accuracy(points, test, cities),
        "median_km": float(np.median(np.linalg.norm(points - cities.points, axis=1))),
        "procrustes_distance": od.metrics.procrustes_distance(points, cities.points),
        "files": [str(output / name) for name in FILES],
    }
    if json:
        print_json(found)
    else:
        print(in_words(found))


def in_words(found: Mapping[str, Any]) -> str:
    """Say what was done and how well."""
    rows = [
        f"  {part['n_rows']:>7,} {name:<11}{part['by_answers']:>16.1%}{part['by_globe']:>16.1%}"
        for name, part in (("fitted", found["fitted"]), ("held out", found["held_out"]))
    ]
    n_answers = found["fitted"]["n_rows"] + found["held_out"]["n_rows"]
    right = 1 - found["wrong"]
    width = max(map(len, found["files"]))
    named = [
        f"{path:{width}}  {what}" for path, what in zip(found["files"], FILES.values(), strict=True)
    ]
    return f"""\
{found["n_objects"]} European cities and no coordinates, only {n_answers:,} answers to
"is A nearer to B than to C?". {found["wrong"]:.0%} of the answers are wrong.

TETE found a map in {found["seconds"]:.2f} s. How often does it agree with

                          the answers       the truth
{rows[0]}
{rows[1]}

No map can agree with more than about {right:.0%} of the answers. Half of the cities lie
within {found["median_km"]:.0f} km of their true place\
 (Procrustes distance {found["procrustes_distance"]:.4f}).

{named[0]}
{named[1]}
{named[2]} {found["files"][2]}"""


def _accuracy(points: NDArray[np.float64], part: Comparisons, cities: Dataset) -> dict[str, Any]:
    """Compare what the map says with what was answered, and with the true distances."""
    from ordinate.datasets._cities import great_circle
    from ordinate.metrics import triplet_accuracy
    from ordinate.sources import answer_questions

    globe = great_circle(cities.attributes["latitude"], cities.attributes["longitude"])
    true = answer_questions(part.rows, globe, metric="precomputed")
    by = {"by_answers": triplet_accuracy(part, points), "by_globe": triplet_accuracy(true, points)}
    return {"n_rows": len(part), **by}


def draw_demo(cities: Dataset, points: NDArray[np.float64]) -> Axes:
    """Draw where the answers put the cities and where they are, on the coastline of Europe."""
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.collections import LineCollection, PolyCollection

    from ordinate.plots._labels import draw_names

    assert cities.points is not None
    true = cities.points
    figure = plt.figure(figsize=(6, 5.75), facecolor=SEA)
    ax = figure.add_axes((0, 0, 1, 1))
    low, high = true.min(axis=0), true.max(axis=0)
    ax.set(xlim=(low[0] - 200, high[0] + 150), ylim=(low[1] - 320, high[1] + 120), aspect="equal")
    ax.axis("off")
    ax.add_collection(PolyCollection(list(_land()), facecolor=LAND, edgecolor=COAST, linewidth=0.6))
    lines = [*zip(true.tolist(), points.tolist(), strict=True)]
    ax.add_collection(LineCollection(lines, colors=FOUND, linewidths=0.9))
    ax.scatter(
        true[:, 0], true[:, 1], s=26, facecolor="none", edgecolor=TRUE, linewidth=0.9, zorder=3
    )
    ax.scatter(points[:, 0], points[:, 1], s=11, color=FOUND, linewidth=0, zorder=4)
    ax.scatter([], [], s=11, color=FOUND, label="found from the answers")
    ax.scatter([], [], s=26, facecolor="none", edgecolor=TRUE, label="true place")
    ax.legend(loc="lower left", fontsize=8.5, framealpha=0.9, edgecolor="none", handletextpad=0.2)
    draw_names(ax, np.array(cities.names), points, true)
    return ax


def _land() -> Iterator[NDArray[np.float64]]:
    """Give the outlines of land, as they are on the map."""
    import numpy as np

    from ordinate.datasets._cities import project

    text = (files("ordinate.datasets") / "land.txt").read_text(encoding="utf-8")
    for ring in text.splitlines():
        if not ring.startswith("#"):
            degrees = np.array([point.split(",") for point in ring.split()], dtype=float)
            yield project(degrees[:, 1], degrees[:, 0])
