"""The scripts of papers/kernels, in small."""

import numpy as np
import pytest

from papers.kernels.clustering import Task, lloyd, measure


def test_figure_3_similarity_falls_with_distance(rows_of, tmp_path):
    rows = rows_of("kernels.figure3", "figure3")
    assert len(rows) == 5
    with_points = [row for row in rows if row["data"] != "stochastic block model"]
    assert all(row[kernel] > 0.6 for row in with_points for kernel in ("k1", "k2"))
    assert (tmp_path / "figure3.jpg").exists()


def test_figure_4_separates_sports_cars_from_off_road_cars(rows_of):
    rows = rows_of("kernels.figure4", "figure4_cars")
    points = np.array([[row["x1"], row["x2"]] for row in rows])
    kind = np.array([row["kind"] for row in rows])
    sports, off_road = points[kind == "sports"], points[kind == "off-road"]
    apart = np.linalg.norm(sports.mean(axis=0) - off_road.mean(axis=0))
    assert apart > 2 * sports.std(axis=0).max()


def three_groups():
    labels = np.repeat([0, 1, 2], 30)
    centers = np.array([[0, 0], [9, 0], [4, 8]])
    return np.random.default_rng(0).standard_normal((90, 2)) + centers[labels], labels


@pytest.mark.usual_data
def test_figure_5_every_method_clusters_what_is_easy():
    points, labels = three_groups()
    rows = list(measure(Task(points, labels, 3000, 0.0, 12, (2,), seed=0)))
    purity = {(row["method"], row["setting"]): row["purity"] for row in rows}
    assert len(purity) == 12
    assert purity["random", ""] < 0.6
    assert purity["k-means on the points", ""] > 0.95
    assert all(purity[kernel, "landmark"] > 0.8 for kernel in ("k1", "k2"))
    assert all(purity[method, "random"] > 0.95 for method in ("GNMDS", "CKL", "t-STE"))


def test_lloyds_rule_finds_groups_that_are_far_apart():
    points, labels = three_groups()
    clusters = lloyd(points @ points.T, 3, np.random.default_rng(0))
    pairs = set(zip(labels.tolist(), clusters.tolist(), strict=True))
    assert len(pairs) == 3


def test_figure_5_in_small(rows_of, tmp_path):
    assert len(rows_of("kernels.figure5", "figure5_usps")) == 2 * 12
    assert len(rows_of("kernels.figure5", "figure5_mnist")) == 2 * 12
    assert (tmp_path / "figure5.png").exists()


def test_figure_7_gives_embeddings_the_triplets_of_k2(rows_of):
    rows = rows_of("kernels.figure7", "figure7_mnist")
    settings = {row["method"]: row["setting"] for row in rows}
    assert settings["GNMDS"] == settings["CKL"] == settings["t-STE"] == "k2 landmark"


def test_the_nature_figures_are_drawn_from_odd_ones_out(rows_of, tmp_path):
    assert rows_of("kernels.nature", "nature")[0]["triplets"] == 1200
    assert all((tmp_path / f"figure{number}.png").exists() for number in range(10, 15))


def test_both_rules_stand_side_by_side(rows_of):
    methods = [row["method"] for row in rows_of("kernels.lloyd", "lloyd")]
    assert methods.count("k1") == methods.count("k1, Lloyd") == 2


def test_lens_depth_finds_the_middle(rows_of):
    rows = rows_of("kernels.lenses", "lenses")
    assert {row["method"] for row in rows} == {"lens depth", "outlier share", "k1", "STE map"}
    # the middle of 100 is 50; of 1,000 draws the largest rank by lens depth was far below it
    assert min(row["rank of its medoid"] for row in rows) < 50
