"""The study of how often the interval of a study's progress holds: one study of each kind."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import ordinate as od

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def progress(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("progress")


def test_studies_are_played_and_counted(progress, tmp_path, monkeypatch):
    points = np.random.default_rng([4]).standard_normal((30, 2))
    answers = od.sources.random_triplets(points, 2000, random_state=0)

    def people(rule, seed):
        study = progress.Replay(answers, rule, seed, n_components=2)
        study.go_on(60, 30)
        return progress.judged(study, answers, np.random.default_rng(seed))

    monkeypatch.setattr(progress, "replayed", people)
    path = tmp_path / "rows.csv"
    progress.run([1, 3], path)
    rows = progress.read(path)
    assert [row["kind"] for row in rows] == ["simulated", "replayed"]
    assert all(0 <= float(row["low"]) <= float(row["high"]) <= 1 for row in rows)
    assert float(rows[1]["truth"]) > 0.55
    assert "**all**" in progress.table(rows)
