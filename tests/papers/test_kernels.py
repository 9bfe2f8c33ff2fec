"""The scripts of papers/kernels, in small."""

import csv
import os
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).parents[2] / "papers" / "kernels"

needs_data = pytest.mark.skipif("ORDINATE_DATA" not in os.environ, reason="needs ORDINATE_DATA")


@pytest.fixture
def script(monkeypatch, tmp_path):
    """Run a script as a person would, and return the folder of its results."""
    monkeypatch.syspath_prepend(str(SCRIPTS))

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, "--output", str(tmp_path), *arguments])
        runpy.run_path(str(SCRIPTS / name), run_name="__main__")
        return tmp_path

    yield run
    sys.modules.pop("clustering", None)


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_figure_3_similarity_falls_with_distance(script):
    folder = script("figure3.py", "--quick")
    rows = rows_of(folder / "figure3.csv")
    assert [row["data"] for row in rows][:2] == ["three groups", "two moons"]
    assert all(float(row[kernel]) > 0.6 for row in rows[:2] for kernel in ("k1", "k2"))
    assert (folder / "figure3.jpg").exists()


@needs_data
def test_figure_4_tells_sports_cars_from_off_road_cars(script):
    rows = rows_of(script("figure4.py", "--quick") / "figure4_cars.csv")
    points = np.array([[float(row["x1"]), float(row["x2"])] for row in rows])
    kind = np.array([row["kind"] for row in rows])
    sports, off_road = points[kind == "sports"], points[kind == "off-road"]
    apart = np.linalg.norm(sports.mean(axis=0) - off_road.mean(axis=0))
    assert apart > 2 * sports.std(axis=0).max()


@pytest.mark.usefixtures("script")
def test_figure_5_every_method_clusters_what_is_easy():
    from clustering import Task, run

    labels = np.repeat([0, 1, 2], 30)
    centers = np.array([[0, 0], [9, 0], [4, 8]])
    points = np.random.default_rng(0).standard_normal((90, 2)) + centers[labels]
    rows = list(run(Task(points, labels, 3000, 0.0, 12, (2,), seed=0)))
    purity = {(row["method"], row["setting"]): row["purity"] for row in rows}
    assert len(purity) == 10
    assert purity["random", ""] < 0.6
    assert purity["k-means on the points", ""] > 0.95
    assert all(purity[kernel, "landmark"] > 0.8 for kernel in ("k1", "k2"))
    assert all(purity[method, "random"] > 0.95 for method in ("GNMDS", "CKL", "t-STE"))


@needs_data
def test_figure_5_in_small(script):
    folder = script("figure5.py", "--quick")
    assert len(rows_of(folder / "figure5_usps.csv")) == 2 * 10
    assert len(rows_of(folder / "figure5_mnist.csv")) == 2 * 10
    assert (folder / "figure5.png").exists()
