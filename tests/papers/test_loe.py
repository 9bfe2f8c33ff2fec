"""The scripts of papers/loe, in small."""

import csv
import runpy
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "papers" / "loe"


@pytest.fixture
def script(monkeypatch, tmp_path):
    """Run a script as a person would, and return the folder of its results."""
    monkeypatch.syspath_prepend(str(SCRIPTS))

    def run(name):
        monkeypatch.setattr(sys, "argv", [name, "--quick", "--output", str(tmp_path)])
        runpy.run_path(str(SCRIPTS / name), run_name="__main__")
        return tmp_path

    yield run
    for module in ("experiment", "baselines"):
        sys.modules.pop(module, None)


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_figure_1_every_graph_is_recovered(script):
    folder = script("figure1.py")
    assert all(float(row["GARI"]) > 0.95 for row in rows_of(folder / "figure1.csv"))
    assert (folder / "figure1.png").exists()


def test_figure_4_is_that_of_the_paper(script):
    pytest.importorskip("openTSNE")
    rows = {row["method"]: row for row in rows_of(script("figure4.py") / "figure4.csv")}
    assert round(float(rows["LOE-2D"]["stress"]), 2) == 3.58
    assert round(float(rows["LOE-2D"]["GARI"]), 2) == 0.33
    assert float(rows["LOE-3D"]["GARI"]) == 1
    assert all(float(row["stress"]) > 4 for name, row in rows.items() if "LOE" not in name)


def test_figure_5_times_all_solvers(script):
    rows = rows_of(script("figure5.py") / "figure5.csv")
    assert all(float(row[name]) > 0 for row in rows for name in ("LOE-MM", "LOE-SD", "LOE-BFGS"))


def test_the_start_keeps_the_density_better(script):
    folder = script("starts.py")
    ours, laplacian = rows_of(folder / "starts.csv")
    assert float(ours["gari"]) > 0.99
    assert float(ours["procrustes"]) <= float(laplacian["procrustes"]) + 0.02
