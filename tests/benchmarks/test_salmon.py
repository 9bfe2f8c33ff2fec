"""Salmon's protocol: its observer, its rule, and a small study of each kind of question."""

import importlib
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def salmon(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("salmon")


def test_the_observer_errs_where_differences_are_alike(salmon):
    line = np.array([0.0, 10.0, 11.0, 100.0])
    answer = salmon.observer(line, np.random.default_rng([1]))
    hard, easy = np.array([[0, 1, 2]] * 4000), np.array([[0, 3, 1]] * 4000)
    assert np.mean(answer(hard) == 0) == pytest.approx(0.5 + 0.86 * 0.103, abs=0.04)  # 5 deviations
    assert np.mean(answer(easy) == 1) == pytest.approx(1 - salmon.SLIPS, abs=0.025)


def test_salmon_asks_about_the_place_of_each_anchor_once(salmon):
    rng = np.random.default_rng([2])
    asked = salmon.SalmonQuestions(0)
    line = np.arange(30.0)
    for _ in range(2):
        items = asked.ask()
        asked.tell(items, salmon.observer(line, rng)(items))
    items = asked.ask()
    assert sorted(items[:, 0]) == list(range(30))
    assert (np.diff(np.sort(items, axis=1), axis=1) > 0).all()


def test_a_small_study_of_every_rule_makes_the_tables(salmon, tmp_path, monkeypatch):
    monkeypatch.setattr(salmon, "PER_OBJECT", (2, 4))
    monkeypatch.setattr(salmon, "MORE_RANDOM", ())
    monkeypatch.setattr(salmon, "MULTIPLES_AT", (4,))
    path = tmp_path / "rows.csv"
    salmon.run([0], path)
    salmon.run([0], path)  # nothing is left to do
    rows = salmon.read(path)
    assert [row[0] for row in rows[::2]] == list(salmon.RULES)
    errors, multiples = salmon.tables(rows)
    assert "Ordinate" in errors
    assert "**" in multiples
