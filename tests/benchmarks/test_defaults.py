"""The benchmark of the defaults runs, writes rows as they come, and goes on where it was."""

import runpy
from pathlib import Path

import numpy as np
import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "defaults.py"


@pytest.fixture(scope="module")
def defaults():
    return runpy.run_path(str(BENCHMARK))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_quick_benchmark_runs(defaults, tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    options = {"methods": ("SOE", "STE"), "dimensions": (1, 2)}
    defaults["run"](defaults["QUICK"], 1, path, **options)
    (row,) = defaults["read"](path)
    assert set(row["errors"]) == {"SOE 1", "SOE 2", "STE 1", "STE 2"}
    assert row["new"] == row["errors"][row["choice"]]
    assert row["at_least"] < row["wrong"] < row["at_most"]
    low, high = row["held_out"][1:]
    assert 0 < low < high < 0.5
    defaults["run"](defaults["QUICK"], 1, path, **options)
    assert len(defaults["read"](path)) == 1
    defaults["summarize"]([row])
    assert "mean regret: old" in capsys.readouterr().out


def test_observers_are_those_that_are_described(defaults):
    observers = defaults["Observers"](30, 4_000, sharpness=1e6, lapses=0.2, asked=4)
    drawn = observers.draw(np.random.default_rng(0))
    assert drawn.wrong == pytest.approx(0.1, abs=0.02)
    assert len(np.unique(drawn.fitted.question_groups())) < 1_001
