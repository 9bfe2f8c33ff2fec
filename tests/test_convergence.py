"""One rule for every estimator that minimises: `converged_`, and a warning where it is False."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.cli import main
from ordinate.methods import METHODS
from ordinate.solvers.lbfgs import lbfgs_from
from ordinate.sources import FlippedAnswers, random_triplets
from ordinate.triplets import embedding

POINTS = np.random.default_rng(0).normal(size=(15, 2))
ANSWERS = random_triplets(POINTS, 400, noise=FlippedAnswers(0.1), random_state=0)
RATINGS = od.Ratings(*np.divmod(np.arange(40), 8), np.random.default_rng(1).integers(1, 6, size=40))
GRAPH = od.NeighborGraph.from_points(POINTS, n_neighbors=4)
TRIALS = od.sources.random_trials(4 * np.repeat(np.eye(3), 5, axis=0), 600, random_state=0)

ESTIMATORS = [
    (od.SOE(random_state=0), ANSWERS),
    (od.SOE(solver="majorize", tol=1e-3, max_iter=5000, random_state=0), ANSWERS),
    (od.GNMDS(random_state=0), ANSWERS),
    (od.CKL(random_state=0), ANSWERS),
    (od.STE(random_state=0), ANSWERS),
    (od.TSTE(random_state=0), ANSWERS),
    (od.TETE(random_state=0), ANSWERS),
    (od.LORE(2, random_state=0), ANSWERS),
    (od.OrdinalEmbedding(random_state=0), ANSWERS),
    (od.DMOE(penalty=1.0, tol=1e-3), ANSWERS),
    (od.GramEmbedding(penalty=1.0), ANSWERS),
    (od.PosteriorGram(n_draws=2, random_state=0), ANSWERS),
    (od.LOE(random_state=0), GRAPH),
    (od.GraphTSTE(random_state=0), GRAPH),
    (od.GraphStress(random_state=0), GRAPH),
    (od.CFEE(random_state=0), RATINGS),
    (od.CODE(random_state=0), RATINGS),
    (od.WeightedTETE(random_state=0), POINTS),
    (od.SparseDimensions(4, penalty=(0.5, 0.5), n_init=1, random_state=0), TRIALS),
]
WITHOUT_A_CRITERION = {"K1", "K2", "COE", "BPRPlus"}
"""Kernels are computed, and these two make as many draws as they are told."""
TWO_INPUTS = "comparisons and features"
every_estimator = pytest.mark.parametrize(
    ("model", "data"), ESTIMATORS, ids=lambda part: type(part).__name__
)


def test_every_method_is_here():
    listed = {type(model).__name__ for model, _ in ESTIMATORS}
    tested_elsewhere = {
        name for name, method in METHODS.items() if method.takes in ("people", TWO_INPUTS)
    }
    assert set(METHODS) - WITHOUT_A_CRITERION - tested_elsewhere <= listed


@every_estimator
def test_a_fit_that_converged_says_so_without_a_warning(model, data):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert model.fit(data).converged_ is True


@every_estimator
def test_a_fit_that_is_cut_short_warns_once(model, data):
    cut = type(model)(**{**model.get_params(), "max_iter": 1})
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations before it conv") as caught:
        cut.fit(data)
    assert cut.converged_ is False
    short = [one for one in caught if issubclass(one.category, ConvergenceWarning)]
    assert len(short) == 1
    assert short[0].filename == __file__


@pytest.mark.filterwarnings("ignore:The graph has 2 connected components")
def test_a_small_part_of_a_graph_that_fell_short_is_not_passed_over(monkeypatch):
    two = np.zeros((30, 30))
    two[:20, :20] = np.eye(20, k=1) + np.eye(20, k=-1)
    two[20:, 20:] = np.eye(10, k=1) + np.eye(10, k=-1)
    fit_connected = od.LOE._fit_connected

    def short_where_small(self, graph, rng):
        result = fit_connected(self, graph, rng)
        return replace(result, converged=graph.n_objects > 15)

    monkeypatch.setattr(od.LOE, "_fit_connected", short_where_small)
    with pytest.warns(ConvergenceWarning, match=r"\(1 of 2 connected components\)"):
        model = od.LOE(random_state=0).fit(two)
    assert model.converged_ is False


@pytest.mark.parametrize("t", [1.5, 2.0])
def test_ratios_of_distances_do_not_let_a_map_run_away(t):
    answers = random_triplets(POINTS, 150, random_state=0)
    tiny = 1e-4 * np.random.default_rng(0).normal(size=POINTS.shape)
    model = od.TETE(2, t=t, t_prime=t, init=tiny, max_iter=3000).fit(answers)
    assert model.converged_
    assert np.sqrt(np.mean(np.sum(model.embedding_**2, axis=1))) <= 300 * (1 + 1e-9)


@pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning")
def test_the_command_line_says_it(tmp_path, monkeypatch, capsys):
    def cut_short(*arguments, **settings):
        return lbfgs_from(*arguments, **{**settings, "max_iter": 1})

    monkeypatch.setattr(embedding, "lbfgs_from", cut_short)
    path = tmp_path / "answers.csv"
    np.savetxt(path, ANSWERS.rows, fmt="%d", delimiter=",", header="anchor,near,far", comments="")
    quick = ["--method", "STE", "--dim", "2", "--error-folds", "0"]
    with pytest.raises(SystemExit, match="0"):
        main(["embed", str(path), *quick, "--output", str(tmp_path / "map.csv")])
    said = capsys.readouterr().err
    assert "Warning: STE stopped after 1 iterations before it converged" in said
    assert "--starts" in said
