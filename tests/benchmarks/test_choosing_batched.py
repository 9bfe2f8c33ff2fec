"""The batched benchmark of the choice: fits as good as Ordinate's, rows and their table."""

import importlib
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return importlib.import_module("choosing_batched")


@pytest.mark.parametrize("row", [("CKL", 4), ("TETE(penalty=0.5)", 2)])
def test_batched_fits_are_as_good_as_ordinates(benchmark, row):
    torch.manual_seed(0)
    model = benchmark.models()[row].set_params(random_state=0)
    drawn = [benchmark.draw("normal", 12, 120, number)[0] for number in range(2)]
    rows = torch.tensor(np.array([fitted.rows for fitted in drawn]), dtype=torch.long)
    weights = torch.ones(rows.shape[:2])
    begin = benchmark.starts(rows, weights, 12, model.n_components)
    points = benchmark.fit(model, begin, rows, weights)
    answers, penalty = benchmark.problems(rows, weights, 12), model._coordinate_penalty()
    losses, _ = benchmark.objective(points, answers, model._loss(), penalty)
    ours = [model.fit(fitted).loss_ for fitted in drawn]
    np.testing.assert_allclose(losses, ours, rtol=0.01)


def test_rows_have_the_rows_of_compare_and_make_a_table(benchmark, monkeypatch):
    monkeypatch.setattr(benchmark, "STEPS", (5, 5, 20))
    monkeypatch.setattr(benchmark, "USUAL_DIMENSIONS", (2, 4))
    found = benchmark.measure(("normal", 12, 120), range(2), "cpu")
    assert [row["draw"] for row in found] == [0, 1]
    for row in found:
        assert [(one["method"], one["dimension"]) for one in row["rows"]] == list(
            benchmark.models()
        )
        assert 0 <= row["chosen"] < len(row["rows"])
        assert max(row["mean"], row["uncut mean"]) < 0.5
    table = benchmark.regret_table([{**row, "measured": "today, here"} for row in found])
    assert "* - 8 to 16\n     - 2\n" in table["batched"]
    assert table["batched"].endswith("--device cuda``.")


def test_the_oracle_takes_the_row_that_is_best_on_the_mean(benchmark):
    about = {"data": "normal", "objects": 9, "answers": 90}
    draws = [
        {**about, "rows": [{"error": error} for error in errors]}
        for errors in ([0.1, 0.3, 0.2], [0.6, 0.1, 0.3])
    ]
    assert benchmark.best_rows(draws) == {("normal", 9, 90): 1}


def test_batches_go_on_with_other_draws(benchmark):
    batches = benchmark.batches(700, most=2)
    n_settings = sum(map(len, benchmark.DRAWS.values()))
    found = [next(batches) for _ in range(n_settings + 1)]
    assert found[0][1] == range(700, 702)
    assert found[-1] == (found[0][0], range(800, 802))
