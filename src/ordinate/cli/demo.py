"""`ordinate demo`: the map of Europe, recovered from answers alone."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordinate._checks import InputError
from ordinate.cli._options import Json
from ordinate.cli._output import print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.cli._demo_report import Accuracy
    from ordinate.comparisons.record import Comparisons
    from ordinate.datasets import Dataset


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the files go.")
    ] = Path("demo"),
    answers: Annotated[
        int, typer.Option(min=100, metavar="N", help="How many answers are given.")
    ] = 50_000,
    wrong: Annotated[
        float, typer.Option(min=0, max=0.5, metavar="SHARE", help="Share of them that is wrong.")
    ] = 0.1,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The same seed gives the same map.")
    ] = 0,
    json: Json = False,
) -> None:
    """Find the map of Europe from answers to "is A nearer to B than to C?".

    Needs no data and no network; leaves a picture, the coordinates and the answers.

    Example: ordinate demo --wrong 0.3
    """
    import numpy as np

    import ordinate as od
    from ordinate.cli._demo_picture import draw_demo
    from ordinate.cli._demo_report import DemoReport
    from ordinate.io.coordinates import write_coordinates

    _make_folder(output)
    cities = od.datasets.load_cities(answers, wrong=wrong, random_state=seed)
    assert cities.comparisons is not None
    assert cities.points is not None
    train, test = cities.comparisons.train_test_split(0.2, random_state=seed)
    model = od.TETE(n_components=2, random_state=seed)  # made for answers of which some are wrong
    start = time.perf_counter()
    model.fit(train)
    seconds = time.perf_counter() - start
    # comparisons leave the place, size, direction and hand of a map open: take the true ones
    points = od.metrics.procrustes_align(model.embedding_, cities.points)
    od.write_comparisons(cities.comparisons, output / "answers.csv")
    write_coordinates(output / "map.csv", points, cities.names)
    od.plots.save_figure(draw_demo(cities, points, wrong), output / "map.png")
    report = DemoReport(
        n_objects=len(points),
        wrong=wrong,
        seed=seed,
        seconds=seconds,
        n_iter=model.n_iter_,
        fitted=_accuracy(points, train, cities),
        held_out=_accuracy(points, test, cities),
        median_km=float(np.median(np.linalg.norm(points - cities.points, axis=1))),
        procrustes_distance=od.metrics.procrustes_distance(points, cities.points),
        folder=output,
    )
    if json:
        print_json(report.to_dict())
    else:
        from rich.console import Console

        Console(soft_wrap=True).print(str(report), markup=False)


def _accuracy(points: NDArray[np.float64], part: Comparisons, cities: Dataset) -> Accuracy:
    """Compare what the map says with what was answered, and with the true distances."""
    from ordinate.cli._demo_report import Accuracy
    from ordinate.datasets._cities import great_circle
    from ordinate.metrics import triplet_accuracy
    from ordinate.sources import answer_questions

    globe = great_circle(cities.attributes["latitude"], cities.attributes["longitude"])
    true = answer_questions(part.rows, globe, metric="precomputed")
    return Accuracy(len(part), triplet_accuracy(part, points), triplet_accuracy(true, points))


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make the folder {path}: {error.strerror}.") from None
