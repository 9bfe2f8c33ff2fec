"""The scripts of papers/tete, in small."""

import csv
import os
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import ordinate as od

SCRIPTS = Path(__file__).parents[2] / "papers" / "tete"

needs_data = pytest.mark.skipif("ORDINATE_DATA" not in os.environ, reason="needs ORDINATE_DATA")


@pytest.fixture
def script(monkeypatch):
    """Load a script without running it, and return what it defines."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    yield lambda name: runpy.run_path(str(SCRIPTS / name))
    sys.modules.pop("protocol", None)


@pytest.fixture
def run(script, monkeypatch, tmp_path):
    """Run a script as a person would, and return the folder of its results."""

    def run(name):
        monkeypatch.setattr(sys, "argv", [name, "--quick", "--output", str(tmp_path)])
        script(name)["main"]()
        return tmp_path

    return run


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("outliers", ["release", "text"])
def test_triplets_hold_in_the_space_they_are_drawn_from(script, outliers):
    protocol = script("protocol.py")
    points = np.random.default_rng(0).normal(size=(80, 5))
    order = protocol["neighbor_order"](points)
    answers = protocol["draw_triplets"](order, np.random.default_rng(1), outliers=outliers)
    assert len(answers) == 8000
    assert od.metrics.triplet_error(answers, points) == 0
    anchors, near, far = answers.rows.T
    rank = np.argsort(order, axis=1)
    assert rank[anchors, near].min() == 1
    assert rank[anchors, near].max() == 19
    farthest = (rank[anchors, far] == 79).mean()
    assert 0.4 < farthest < 0.8 if outliers == "release" else farthest < 0.05


def test_flips_are_exact(script):
    answers = od.Comparisons([[0, 1, 2]] * 200)
    noisy = script("protocol.py")["flip"](answers, 0.15, np.random.default_rng(0))
    assert (noisy.rows[:, 1] == 2).sum() == 30


def test_the_optimum_of_t_2_violates_clean_answers_and_that_of_t_prime_1_does_not(run):
    folder = run("optimum.py")
    rows = rows_of(folder / "optimum_clean.csv")
    both_two = [row for row in rows if row["setting"] == "t = t' = 2"]
    assert all(float(row["violated"]) > 0.05 for row in both_two)
    assert all(float(row["loss"]) < float(row["loss_of_truth"]) for row in both_two)
    assert all(float(row["violated"]) == 0 for row in rows if row["setting"] == "t = 2, t' = 1")
    errors = {
        (row["method"], row["flipped"]): float(row["error"])
        for row in rows_of(folder / "optimum_noisy.csv")
    }
    assert errors["t-ETE, t = 2, t' = 1", "0.2"] < errors["STE", "0.2"]


@needs_data
def test_figure_3_under_noise(script):
    figure3 = script("figure3.py")
    rows = list(figure3["against_noise"](80, (0.0, 0.15), 1, "release"))
    accuracy = {(row["method"], row["flipped"]): row["accuracy"] for row in rows}
    assert len(accuracy) == 12
    assert all(value > 0.85 for value in accuracy.values())
    tete, tste = (accuracy[name, 0.0] - accuracy[name, 0.15] for name in ("t-ETE, t = t'", "t-STE"))
    assert tete < tste + 0.01
    drawn = figure3["draw"](
        [{"method": "STE", "dimension": 2, "held_out_error": 0.1, "nn_error": 0.2}], rows
    )
    assert len(drawn.axes) == 4


# from a tiny start a fit may end before it has converged, which the script lets pass, too
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@needs_data
def test_maps_of_music_artists(script):
    maps = script("maps.py")
    data = od.datasets.load_music400()
    method = maps["METHODS"]["t-ETE, t = t' = 2"]
    points = maps["fit"](method, data.comparisons, "tiny", 0).embedding_
    assert points.shape == (400, 2)
    assert od.metrics.nearest_neighbor_error(points, data.labels) < 0.52
    again = maps["fit"](method, data.comparisons, "tiny", 0).embedding_
    np.testing.assert_array_equal(points, again)


def test_figure_6_in_small(script):
    figure6 = script("figure6.py")
    sphere = od.datasets.make_sphere(80, random_state=0).points
    maps, rows = figure6["reduce"]("Sphere", sphere, sphere[:, 2])
    assert [row["method"] for row in rows] == list(maps)
    assert all(row["trustworthiness"] > 0.9 for row in rows)
    assert len(figure6["draw"]({"Sphere": (maps, sphere[:, 2])}).axes) == 3
