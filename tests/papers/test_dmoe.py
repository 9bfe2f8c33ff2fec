"""The scripts of papers/dmoe, in small."""

import csv
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).parents[2] / "papers" / "dmoe"


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    yield
    sys.modules.pop("experiment", None)


def test_table(scripts, monkeypatch, tmp_path, capsys):
    methods = ["one gradient step"]
    arguments = ["synthetic", "--quick", "--jobs", "1", "--output", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["tables.py", *arguments, "--methods", *methods])
    runpy.run_path(str(SCRIPTS / "tables.py"), run_name="__main__")
    with open(tmp_path / "synthetic.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * len(methods)
    assert all(0.2 < float(row["error"]) < 0.55 for row in rows)
    assert (tmp_path / "synthetic.png").stat().st_size > 0
    printed = capsys.readouterr().out
    assert all(method in printed for method in methods)


def test_figure1(scripts, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys, "argv", ["figure1.py", "--quick", "--output", str(tmp_path)])
    runpy.run_path(str(SCRIPTS / "figure1.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()[1:]
    variances = [float(line.split()[2]) for line in lines]
    assert variances == sorted(variances, reverse=True)
    assert (tmp_path / "figure1.png").exists()


def test_protocol(scripts):
    from experiment import Task, errors, gradient_step, split

    train, test = split(Task("synthetic", 200, 0))
    everything = 100 * 99 * 98 // 2
    assert len(train) == 200
    assert everything - 200 <= len(test) < everything
    undecided = errors(test, np.zeros((100, 100)))
    assert undecided == {"error": 0.5, "undecided": 1.0}
    step = errors(test, gradient_step(train))
    # whether ties count as right decides what this figure looks like
    assert step["error"] - 0.5 * step["undecided"] < 0.37 < step["error"]
