"""The benchmark of question rules runs, appends rows, and reads off what is saved."""

import runpy
from pathlib import Path

import numpy as np
import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "questions.py"


@pytest.fixture(scope="module")
def questions():
    return runpy.run_path(str(BENCHMARK))


def test_quick(questions, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    rules = ("random", "posterior")
    questions["run"](questions["QUICK"], {}, 1, path, rules)
    rows = questions["read"](path)
    assert [row["rule"] for row in rows] == list(rules)
    assert rows[0]["curve"][[0, -1], 0].tolist() == rows[1]["curve"][[0, -1], 0].tolist()
    assert rows[0]["curve"][0, 1] == rows[1]["curve"][0, 1]  # the same answers at first
    questions["run"](questions["QUICK"], {}, 1, path, rules)
    assert len(questions["read"](path)) == 2
    questions["summarize"](rows)
    assert "answers needed" in capsys.readouterr().out
    questions["plot"](rows, tmp_path / "curves.png")
    questions["write_table"](rows, tmp_path / "cells.csv")
    assert (tmp_path / "cells.csv").read_text().startswith("tiny,1,")


def test_answers_needed_are_read_off_the_mean_curves(questions):
    at = np.array([10.0, 20.0, 40.0])
    assert questions["needed"](at, np.array([0.4, 0.2, 0.1]), 0.3) == 15
    assert questions["needed"](at, np.array([0.4, 0.2, 0.25]), 0.22) == np.inf
    random = {seed: np.column_stack([at, [0.4, 0.3, 0.2]]) for seed in range(3)}
    other = {seed: np.column_stack([at, [0.4, 0.2, 0.1]]) for seed in range(3)}
    share, low, high, n_seeds = questions["saving"](random, other, np.random.default_rng(0))
    assert (share, low, high, n_seeds) == (0.5, 0.5, 0.5, 3)


def test_settings_of_observers_differ_as_described(questions):
    rng = np.random.default_rng(0)
    setting = questions["Setting"](lapses=0.4, sharpness=1e6)
    points = setting.points(rng)
    items = np.array([[0, 1, 2]] * 4000, dtype=np.int32)
    left = np.sum((points[0] - points[1]) ** 2) < np.sum((points[0] - points[2]) ** 2)
    told = questions["observers"](setting, points, rng)(items)
    assert np.mean(told == left) == pytest.approx(0.2, abs=0.03)
    clusters = questions["Setting"](n_objects=500, shape="clusters").points(rng)
    assert clusters.std() == pytest.approx(1)
