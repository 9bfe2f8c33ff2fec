"""The scripts of papers/dmoe, in small."""

import numpy as np

import ordinate as od
from papers._common import Run
from papers.dmoe import rank_bound, svrg_sbb, tables
from papers.dmoe.experiment import Task, errors, gradient_step, margins_of, measure, split
from papers.dmoe.figure1 import loss


def test_the_table_of_the_paper_is_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(tables.QUICK_METHODS, "synthetic", ("one gradient step",))
    tables.run_tables(Run("dmoe.synthetic", True, 0, tmp_path), "synthetic")
    printed = capsys.readouterr().out
    lines = [line.split() for line in printed.splitlines() if "one gradient step" in line]
    assert [line[0] for line in lines] == ["200", "500"]
    assert all(0.2 < float(line[-3]) < 0.55 for line in lines)  # the median
    assert (tmp_path / "synthetic.png").stat().st_size > 0


def test_the_papers_figures_stand_below_ours():
    summary = {("DMOE", 200): np.array([0.3, 0.4, 0.5])}
    ours, printed = tables.table_of("synthetic", summary)
    assert (ours["min"], ours["median"], ours["max"]) == ("0.300", "0.400", "0.500")
    assert (printed["min"], printed["median"]) == ("0.372", "0.390")


def test_figure_1_orders_the_variances(rows_of, tmp_path):
    variances = [row["variance"] for row in rows_of("dmoe.figure1", "figure1")]
    assert variances == sorted(variances, reverse=True)
    assert (tmp_path / "figure1.png").exists()


def test_the_rank_bound(monkeypatch, rows_of):
    kept = {"DMOE, (15)": od.GramEmbedding(3, loss="dmoe", penalty=5.0)}
    monkeypatch.setattr(rank_bound, "estimators", lambda seed: kept)
    (row,) = rows_of("dmoe.rank_bound", "rank_bound")
    assert 0.2 < row["error"] < 0.55


def test_flipped_answers_make_it_worse(monkeypatch):
    kept = {"STE-p": od.GramEmbedding(3, loss="ste", penalty=1.0)}
    monkeypatch.setattr(rank_bound, "estimators", lambda seed: kept)
    clean, flipped = (rank_bound.measure("STE-p", 1000, share, 0)["error"] for share in (0, 0.4))
    assert clean < flipped - 0.05


def test_the_loss_of_figure_1b():
    np.testing.assert_allclose(loss(np.array([0.0, 1.0, 3.0]), 0.25), [1.0, 0.0, 0.5])


def test_the_protocol_is_that_of_the_paper():
    train, test = split(Task("synthetic", 200, 0))
    everything = 100 * 99 * 98 // 2
    assert len(train) == 200
    assert everything - 200 <= len(test) < everything
    undecided = errors(margins_of(test, np.zeros((100, 100))))
    assert undecided == {"error": 0.5, "undecided": 1.0}
    step = errors(margins_of(test, gradient_step(train)))
    # whether ties count as right decides what this figure looks like
    assert step["error"] - 0.5 * step["undecided"] < 0.37 < step["error"]


def test_several_views_answer_without_a_gram_matrix():
    found = measure(Task("synthetic", 200, 0), "MTE")
    assert 0.38 < found["error"] < 0.48


def test_svrg_sbb_takes_the_steps_of_its_definition():
    rng = np.random.default_rng(0)
    rows = np.array([[0, 1, 2], [3, 2, 0], [1, 3, 2]])
    start = rng.normal(size=(4, 2))
    full = svrg_sbb.full_gradient(start, rows)
    for at in np.ndindex(*start.shape):
        shift = np.zeros_like(start)
        shift[at] = 1e-6
        up, down = (svrg_sbb.mean_loss(start + sign * shift, rows) for sign in (1, -1))
        np.testing.assert_allclose(full[at], (up - down) / 2e-6, atol=1e-8)
    points, order = start, np.random.default_rng(5).integers(3, size=3)
    for number in order:  # every object moves at every step
        one = rows[[number]]
        here, there = (svrg_sbb.full_gradient(where, one) for where in (points, start))
        points = points - svrg_sbb.FIRST_STEP / 3 * (here - there + full)
    after_one, after_two = svrg_sbb.svrg_sbb(rows, start, 2, seed=5)[1:]
    np.testing.assert_allclose(after_one, points, atol=1e-12)
    assert svrg_sbb.mean_loss(after_two, rows) < svrg_sbb.mean_loss(start, rows)


def test_a_run_that_is_cut_short_draws_what_it_has(tmp_path):
    summary = tables.errors_by_method(
        [
            {"method": "STE", "n_train": 200, "error": 0.4},
            {"method": "DMOE", "n_train": 200, "error": 0.5},
            {"method": "DMOE", "n_train": 1000, "error": 0.3},
        ]
    )
    assert list(summary) == [("DMOE", 200), ("DMOE", 1000), ("STE", 200)]
    tables.draw("synthetic", summary, (200, 1000), tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 0


def test_the_page_shows_how_many_draws_each_size_has():
    summary = {("DMOE", 200): np.array([0.3, 0.4, 0.5]), ("DMOE", 1000): np.array([0.2])}
    ours, printed = tables.page_rows("synthetic", summary, (200, 1000))
    assert ours["draws"] == "3, 1"
    assert ours["200"] == "0.400 (0.300 to 0.500; 0.082)"
    assert ours["1,000"] == "0.200"  # one draw has no spread
    assert printed["1,000"] == "0.298 (0.281 to 0.305; 0.008)"


def test_the_bound_of_theorem_1_holds(rows_of):
    rows = rows_of("dmoe.theorem1", "theorem1")
    assert all(row["risk"] - row["risk of the truth"] < row["bound"] for row in rows)
