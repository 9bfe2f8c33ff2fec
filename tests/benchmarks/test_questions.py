"""The benchmark of question rules runs, appends rows, and reads off what is saved."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import ordinate as od

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "questions.py"


@pytest.fixture(scope="module")
def questions():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARK.parent))
        return runpy.run_path(str(BENCHMARK))


def test_the_quick_benchmark_runs(questions, tmp_path, capsys):
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
    assert "tiny" in questions["simulated_table"](rows)


def test_answers_needed_are_read_off_the_mean_curves(questions):
    at = np.array([10.0, 20.0, 40.0])
    assert questions["needed"](at, np.array([0.4, 0.2, 0.1]), 0.3) == 15
    assert questions["needed"](at, np.array([0.4, 0.2, 0.25]), 0.22) == np.inf
    random = {seed: np.column_stack([at, [0.4, 0.3, 0.2]]) for seed in range(3)}
    other = {seed: np.column_stack([at, [0.4, 0.2, 0.1]]) for seed in range(3)}
    share, low, high, n_seeds = questions["saving"](random, other, np.random.default_rng(0))
    assert (share, low, high, n_seeds) == (0.5, 0.5, 0.5, 3)


def test_replays_are_compared_at_every_size(questions):
    at = 60.0 * np.array(questions["PER_OBJECT"])
    falling = 0.4 * 0.8 ** np.arange(len(at))
    curves = {"random": falling, "balanced": falling + 0.005, "posterior": 0.8 * falling}
    rows = [
        {"setting": "cars60", "rule": rule, "seed": seed, "curve": np.column_stack([at, errors])}
        for rule, errors in curves.items()
        for seed in range(2)
    ]
    text = questions["replay_tables"](rows)
    assert "40.0 ± 0.0" in text
    last = questions["_compared"]({0: rows[0]["curve"]}, {0: rows[4]["curve"]})
    assert last == ("80", "74", "-2.6")
    worse = questions["_compared"]({0: rows[0]["curve"]}, {0: rows[2]["curve"]})
    assert worse == ("> 100", "> 100", "+0.5")


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


def test_a_replay_asks_only_what_was_answered(questions):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((12, 2))
    answers = od.sources.random_triplets(points, 300, random_state=0)
    study = questions["Replay"](answers, "posterior", 0, n_components=2)
    study.go_on(60, 24)
    assert len(study.known) == len(set(study.told.tolist())) == 60
    assert study.is_random.sum() == 24 + 2 + 1  # the first batch, then a tenth
    pool = set(map(tuple, study.answers.rows.tolist()))
    assert set(map(tuple, study.known.rows.tolist())) <= pool
