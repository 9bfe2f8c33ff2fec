"""The field's evaluation, in small."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import ordinate as od
from papers._common import Run
from papers.benchmark.evaluation import (
    METHODS,
    Setting,
    draw,
    draw_figure,
    evaluate,
    measure,
    page_rows,
)
from papers.benchmark.landmarks import farness, shifts, sort_by_landmarks, sortable


def test_answers_are_as_many_and_as_noisy_as_asked():
    points, train, test = draw(Setting(n=32, d=3, c=2.0, flips=0.25), 0)
    assert points.shape == (32, 3)
    assert len(train) == 2 * 32 * 3 * 5
    assert len(test) == 10_000
    assert abs(od.metrics.triplet_error(train, points) - 0.25) < 0.06
    assert od.metrics.triplet_error(test, points) == 0


def test_every_figure_of_a_map_is_measured_and_drawn():
    setting = Setting(n=20, c=4.0)
    found = measure("SOE", setting, 0)
    assert found["triplet error"] < 0.15
    assert found["neighbours missed"] < 0.5
    rows = [
        {"varied": "c", **setting._asdict(), "method": name, "seed": 0, **found} for name in METHODS
    ]
    assert len(draw_figure(rows).axes) == 1


def test_rows_are_drawn_in_order_though_a_run_was_stopped():
    found = {"method": "SOE", "triplet error": 0.1}
    rows = [{"varied": "c", **Setting(c=c)._asdict(), **found} for c in (4.0, 0.5, 2.0)]
    (line,) = [line for line in draw_figure(rows).axes[0].lines if len(line.get_xdata())]
    assert list(line.get_xdata()) == [0.5, 2.0, 4.0]


def test_the_lowest_error_of_a_setting_is_bold():
    found = {"SOE": 0.04, "CKL": 0.12}
    setting = {"varied": "c", **Setting(c=4.0)._asdict()}
    rows = [{**setting, "method": name, "triplet error": error} for name, error in found.items()]
    assert page_rows(rows) == [{"": "c = 4", "draws": 1, "SOE": "**4.0**", "CKL": "12.0"}]


@pytest.mark.parametrize(
    ("method", "most"), [("LSOE", 0.1), ("LLOE", 0.2), ("LOE, landmarks", 0.2)]
)
def test_landmark_methods_find_the_points_by_questions_of_their_own(method, most):
    assert measure(method, Setting(n=60, c=8.0), 0)["triplet error"] < most


def test_landmarks_sort_as_many_objects_as_questions_allow():
    points = np.arange(16.0)[:, None] ** 2
    rng = np.random.default_rng(0)
    answers = sort_by_landmarks(points, 3 * 16 * (4 + 2), None, rng)  # three: log2(3) < 2
    assert od.metrics.triplet_error(answers, points) == 0
    assert 3 * 14 <= len(answers) <= 3 * 15 + 16 * 2
    assert len(np.unique(answers.rows[:, 0])) == 16


def test_with_few_questions_fewer_objects_are_sorted_and_all_of_them_are_known():
    m = sortable(60, 300)
    assert 2 * m * (np.log2(m) + 1) <= 300 < 2 * (m + 1) * (np.log2(m + 1) + 1)
    rng = np.random.default_rng(0)
    answers = sort_by_landmarks(rng.normal(size=(m, 2)), 300, None, rng)
    assert len(np.unique(answers.rows)) == answers.n_objects == m
    assert sortable(5, 300) == 5


def test_scores_of_landmarks_become_distances_alike_from_both_ends():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(5, 2))
    squares = cdist(points, points, "sqeuclidean")
    scores = squares + rng.normal(size=5)
    found = scores + shifts(scores)
    others = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(np.ptp((found - squares)[others]), 0, atol=1e-12)


def test_scores_fall_into_the_order_of_the_answers():
    everything = [[0, j, k] for j in range(1, 6) for k in range(j + 1, 6)]
    assert (np.diff(farness(np.array(everything), 6)[1:]) > 0).all()


def test_methods_get_no_more_points_than_they_can_take(tmp_path, monkeypatch):
    monkeypatch.setattr("papers.benchmark.evaluation.METHODS", ("SOE", "LSOE"))
    run = Run("benchmark.large", True, 0, tmp_path)
    table = evaluate(run, "large", Setting(), {"n": (20, 30)}, range(1), {"LSOE": 20})
    found = [(row["n"], row["method"]) for row in table.found]
    assert found == [(20, "SOE"), (20, "LSOE"), (30, "SOE")]


def test_points_come_back_from_n_squared_triplets(rows_of):
    rows = rows_of("benchmark.consistency", "consistency")
    error = {(row["method"], row["given"], row["flipped"]): row["error"] for row in rows}
    assert len(error) == 10
    assert error["SOE", "n² triplets", 0.0] < error["SOE", "n² triplets", 0.1]
