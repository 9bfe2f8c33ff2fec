"""The unstated choices of papers/why, in small."""

import numpy as np

import ordinate as od
from papers._common import Table
from papers.loe.figure5 import graph_of
from papers.why import dmoe_stopped, kernels_toolbox, loe_dense_bfgs, stopping
from papers.why.coe_apart import standardised


def test_parts_standardised_apart_have_their_own_means():
    rng = np.random.default_rng(0)
    users, items = np.divmod(np.arange(60), 20)
    ratings = od.Ratings(users, items, rng.integers(1, 6, size=60))
    parts = ratings.train_test_split(0.4, random_state=0)
    for part in standardised(parts, "zscore", apart=True):
        means = np.bincount(part.users, part.values) / np.bincount(part.users)
        np.testing.assert_allclose(means, 0, atol=1e-8)
    together = np.concatenate([part.values for part in standardised(parts, "zscore", apart=False)])
    assert np.isclose(together.mean(), 0, atol=1e-8)
    assert not np.isclose(standardised(parts, "zscore", apart=False)[0].values.mean(), 0, atol=1e-8)


def test_dmoe_stopped_early_predicts_better_from_few_answers():
    early, late = (
        np.mean([dmoe_stopped.measure("synthetic", 200, n, seed)["error"] for seed in range(2)])
        for n in (5, 200)
    )
    assert early < late - 0.02


def test_the_toolbox_descends_on_random_triplets():
    points = np.random.default_rng(0).normal(size=(30, 2))
    answers = od.sources.random_triplets(points, 2000, random_state=0)
    found, loss = kernels_toolbox.toolbox_gnmds(answers, 2, 0)
    assert loss < 0.7
    assert od.metrics.triplet_error(answers, found) < 0.2


def test_dense_bfgs_goes_down(monkeypatch):
    graph, start = graph_of(40, 0), np.random.default_rng(0).normal(size=(40, 2))
    values = []

    class Watched(loe_dense_bfgs.LocalObjective):
        def __call__(self, points):
            value, gradient = super().__call__(points)
            values.append(value)
            return value, gradient

    monkeypatch.setattr(loe_dense_bfgs, "LocalObjective", Watched)
    loe_dense_bfgs.dense_bfgs(graph, start)
    assert values[-1] < 0.2 * values[0]


def test_printed_rules_stop_where_the_change_is_small(monkeypatch):
    values = [10.0, 5.0, 4.0, 3.9995, 2.0]
    monkeypatch.setitem(stopping.PATHS, "DMOE", lambda size, seed: (values, lambda at: at / 10))
    ruled, never = stopping.measure("DMOE", 200, 0)
    assert (ruled["iterations"], ruled["error"]) == (3, 0.3)
    assert np.isclose(ruled["above"], 99.975)
    assert (never["iterations"], never["above"]) == (4, 0.0)


def test_paths_go_down(monkeypatch):
    monkeypatch.setattr(stopping, "MOST", {"DMOE": 20, "LOE": 20})
    for method, size in (("DMOE", 200), ("LOE", 40)):
        values, error = stopping.PATHS[method](size, 0)
        assert len(values) == 20
        assert values[-1] < values[0]
        assert 0 < error(19) < 1


def test_the_observed_part_of_a_split_has_some_of_the_common_films(rows_of):
    rows = rows_of("why.coe_triples", "coe_users")
    assert all(8 <= row["films"] <= 25 for row in rows)
    (together, apart) = rows_of("why.coe_triples", "coe_triples")
    assert apart["predict A"] < together["predict A"] - 2


def test_rows_are_measured_once_side_by_side(tmp_path):
    keys = [{"n": 1}, {"n": 2}]
    with Table(tmp_path / "rows.csv", "") as table:
        table.fill(keys[:1], _square)
        table.fill(keys, _square)
    assert [(row["n"], row["square"]) for row in table.found] == [(1, 1), (2, 4)]


def _square(n):
    return {"square": n * n}
