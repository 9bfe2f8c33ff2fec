"""Small versions of the experiments in papers/coe."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

import ordinate as od

FOLDER = Path(__file__).parents[2] / "papers" / "coe"


@pytest.fixture
def script(monkeypatch):
    """Import scripts as they import each other: from their own folder, and for one test only."""
    monkeypatch.syspath_prepend(FOLDER)
    for path in FOLDER.glob("*.py"):
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    yield __import__
    for path in FOLDER.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.fixture
def ratings(script):
    rng = np.random.default_rng(0)
    _, _, table = script("netflix_size").planted_table(60, 40, 1200, rng)
    return od.Ratings(*table, item_names=range(40))


def test_a_table_has_a_row_for_each_method(script, ratings, tmp_path, capsys):
    experiment = script("experiment")
    methods = {
        "COE-S": experiment.coe("sigmoid", draws_per_object=300),
        "CFEE": script("table3").METHODS["CFEE"],
        "CODE": script("table5").METHODS["CODE"],
        "item means": experiment.item_means(),
    }
    published = {"COE-S": script("table3").PUBLISHED["COE-S"]}
    output = tmp_path / "table.csv"
    results = experiment.run("A table", ratings, methods, published, n_splits=2, output=output)
    assert list(results) == list(methods)
    columns = [*experiment.COLUMNS, *experiment.EXTRA]
    assert results["COE-S"].shape == (2, len(columns))
    coe, means = (
        dict(zip(columns, results[name].mean(axis=0), strict=True))
        for name in ("COE-S", "item means")
    )
    assert coe["keep H"] > 70
    assert means["keep A"] > 50
    assert means["keep B"] == 0
    rows = list(csv.reader(output.read_text().splitlines()))
    assert [row[1] for row in rows[1:4]] == ["mean", "deviation", "paper"]
    assert "paper" in capsys.readouterr().out


def test_samples_of_triples_are_fitted(script, ratings, monkeypatch):
    table2 = script("table2")
    monkeypatch.setattr(table2, "N_TRIPLES", 3000)
    model = table2.METHODS["SOE"](ratings, 0)
    assert od.coe_report(model).preservation.user_anchored > 0.6


def test_planted_positions_are_recovered(script):
    rng = np.random.default_rng(0)
    users, items, table = script("netflix_size").planted_table(400, 100, 20_000, rng)
    ratings = od.Ratings(*table, user_names=range(400), item_names=range(100))
    model = od.COE(normalize="none", random_state=0, draws_per_object=500).fit(ratings)
    accuracy = script("netflix_size").accuracy
    found = accuracy(ratings, model.user_embedding_, model.item_embedding_)
    assert found[2] > accuracy(ratings, users, items)[2] - 2


def test_common_films_are_those_of_all_three(script, monkeypatch):
    figure4 = script("figure4")
    monkeypatch.setattr(figure4, "USERS", ("a", "b"))
    table = od.Ratings([0, 0, 1, 1], [0, 1, 1, 2], [1, 2, 4, 3], user_names=["a", "b"])
    assert figure4.common_films(table) == [1]
