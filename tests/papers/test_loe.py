"""The scripts of papers/loe, in small."""

import json
from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from papers.loe.starts import package_start


def test_figure_1_every_graph_is_recovered(rows_of, tmp_path):
    assert all(row["GARI"] > 0.95 for row in rows_of("loe.figure1", "figure1"))
    assert (tmp_path / "figure1.png").exists()


def test_figure_4_is_that_of_the_paper(rows_of):
    rows = {row["method"]: row for row in rows_of("loe.figure4", "figure4")}
    assert round(rows["LOE-2D"]["stress"], 2) == 3.58
    assert round(rows["LOE-2D"]["GARI"], 2) == 0.33
    assert rows["LOE-3D"]["GARI"] == 1
    assert all(row["stress"] > 4 for name, row in rows.items() if "LOE" not in name)


def test_figure_5_times_all_solvers(rows_of):
    rows = rows_of("loe.figure5", "figure5")
    assert {"LOE-MM", "LOE-SD", "LOE-BFGS"} <= {row["method"] for row in rows}
    assert all(row["seconds"] > 0 for row in rows)


def test_the_start_keeps_the_density_better(rows_of):
    ours, laplacian, package = rows_of("loe.starts", "starts")
    assert package["gari"] < ours["gari"] + 1e-9
    assert ours["gari"] > 0.99
    assert ours["procrustes"] <= laplacian["procrustes"] + 0.02


def test_the_start_of_the_package_is_what_it_returns():
    file = Path(__file__).parents[1] / "data" / "loe_iterates.json"
    known = json.loads(file.read_text())
    found = package_start(od.NeighborGraph.from_edges(known["edges"], directed=True))
    np.testing.assert_allclose(np.abs(found), np.abs(known["package_start"]), atol=1e-9)


def test_density_and_distances_are_estimated_from_the_graph(rows_of):
    rows = rows_of("loe.proposition4", "proposition4")
    hill = [row for row in rows if row["density"] == "hill"]
    assert all(row["density rank correlation"] > 0.85 for row in hill)
    assert all(row["mean distance error"] < 0.25 for row in rows)
    assert all(row["inner points"] < 0.4 for row in rows)


def test_loe_recovers_points_when_k_grows(rows_of):
    error = {(row["k"], row["n"]): row["error"] for row in rows_of("loe.theorem3", "theorem3")}
    assert error["n^0.75", 100] < 0.1


def test_searched_gnmds_keeps_the_best_map():
    pytest.importorskip("igraph")
    import ordinate as od
    from papers.loe.baselines import searched_gnmds

    points = od.datasets.make_mixture(12, random_state=0).points
    graph = od.NeighborGraph.from_points(points, 3)
    found = [searched_gnmds(graph, penalties) for penalties in ([1.0], [20.0], [1.0, 20.0])]
    gari = [od.metrics.graph_adjusted_rand_index(graph, embedding=points) for points in found]
    assert gari[2] == max(gari[:2])


def test_the_supplement_is_done_as_far_as_it_is_described(rows_of, tmp_path):
    gari = {row["method"]: row["GARI"] for row in rows_of("loe.supplement", "drawings")}
    assert set(gari) == {"LE", "KK", "FR", "t-SNE", "LOE"}
    assert rows_of("loe.supplement", "comparisons")[0]["error"] < 0.1
    assert rows_of("loe.supplement", "neighbours")[0]["GARI"] > 0.99
    assert "LOE" in (tmp_path / "drawings.txt").read_text()
