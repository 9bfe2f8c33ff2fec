"""Small versions of the experiments in papers/coe."""

import numpy as np
import pytest

import ordinate as od
from papers._common import Run, read
from papers.coe import experiment, figure4, netflix_size, table3, table5


@pytest.fixture
def ratings():
    rng = np.random.default_rng(0)
    _, _, table = netflix_size.planted_table(60, 40, 1200, rng)
    return od.Ratings(*table, item_names=range(40))


def test_a_table_has_a_row_for_each_method(ratings, tmp_path, capsys, monkeypatch):
    methods = {
        "COE-S": experiment.coe("sigmoid", draws_per_object=300),
        "CFEE": table3.METHODS["CFEE"],
        "CODE": table5.METHODS["CODE"],
        "item means": experiment.item_means(),
    }
    published = {"COE-S": table3.PUBLISHED["COE-S"]}
    run = Run("coe.table3", True, 0, tmp_path)
    monkeypatch.setattr(Run, "seeds", lambda self, quick, full: range(3))
    experiment.run_table(run, "table", ratings, methods, published)
    rows = read(tmp_path / "table.csv")
    assert len(rows) == 3 * len(methods)
    coe = [row for row in rows if row["method"] == "COE-S"]
    means = [row for row in rows if row["method"] == "item means"]
    assert all(row["keep H"] > 70 for row in coe)
    assert all(row["keep A"] > 50 for row in means)
    assert all(row["keep B"] == 0 for row in means)
    printed = capsys.readouterr().out
    assert "*paper*" in printed
    assert "COE-S minus …" in printed
    assert (tmp_path / "table.txt").read_text() in printed


def test_samples_of_triples_are_fitted(ratings):
    method = experiment.fitted_to_sample(lambda seed: od.SOE(random_state=seed), n_triples=3000)
    assert od.coe_report(method(ratings, 0)).preservation.user_anchored > 0.6


def test_planted_positions_are_recovered():
    rng = np.random.default_rng(0)
    users, items, table = netflix_size.planted_table(400, 100, 20_000, rng)
    ratings = od.Ratings(*table, user_names=range(400), item_names=range(100))
    model = od.COE(normalize="none", random_state=0, draws_per_object=500).fit(ratings)
    found = netflix_size.accuracy(ratings, model.user_embedding_, model.item_embedding_)
    assert found[2] > netflix_size.accuracy(ratings, users, items)[2] - 2


def test_common_films_are_those_of_all_three(monkeypatch):
    monkeypatch.setattr(figure4, "USERS", ("a", "b"))
    table = od.Ratings([0, 0, 1, 1], [0, 1, 1, 2], [1, 2, 4, 3], user_names=["a", "b"])
    assert figure4.common_films(table) == [1]


def test_gompertz_drops_more_than_it_gains(rows_of):
    rows = rows_of("coe.figure3", "figure3")
    for row in rows:
        assert row["P(0)"] == pytest.approx(0.5)
        gain, loss = row["P(2)"] - 0.5, 0.5 - row["P(-2)"]
        assert loss > gain + 0.01 if "Gompertz" in row["function"] else loss == pytest.approx(gain)


def test_leading_directions_give_the_best_approximation():
    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(8, 3)), rng.normal(size=(9, 3))
    u, s, v = np.linalg.svd(users @ items.T)
    left, right = table3.leading_directions(users, items, 2)
    np.testing.assert_allclose(left @ right.T, u[:, :2] * s[:2] @ v[:2], atol=1e-10)


def test_the_published_baseline_puts_what_is_liked_above_what_is_not_rated():
    pytest.importorskip("implicit")
    values = np.kron(np.eye(2), np.ones((15, 12))) * 4 + 1
    users, items = np.nonzero(values)
    camps = od.Ratings(users, items, values[users, items])
    found = table3.bpr_of_implicit(camps, 0)
    assert od.coe_report(found).preservation.user_anchored > 0.95
