import json

import numpy as np
import pytest

import ordinate as od


def answers(dimension, n_rows, seed=0):
    points = np.random.default_rng(seed).normal(size=(30, dimension))
    noise = od.sources.FlippedAnswers(0.05)
    rng = np.random.default_rng(seed)
    return od.sources.random_triplets(points, n_rows, noise=noise, random_state=rng)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_true_dimension_is_found(dimension):
    estimate = od.estimate_dimension(answers(dimension, 4000), [1, 2, 3, 4], "SOE", random_state=0)
    assert estimate.dimension == dimension
    assert estimate.dimension_range[0] == dimension


def test_tests_are_one_sided_and_paired():
    estimate = od.estimate_dimension(answers(2, 2000), [3, 1, 2], "SOE", random_state=0)
    assert estimate.dimensions == (1, 2, 3)
    assert len(estimate.p_next) == 2
    assert estimate.p_next[0] < 0.05 < 0.5 < estimate.p_next[1]
    assert estimate.p_best[1] == 1.0
    assert estimate.p_best[0] == estimate.p_next[0]


def test_few_answers_leave_a_range(monkeypatch):
    usual = ("SOE", "STE")
    monkeypatch.setattr("ordinate.selection._compare.USUAL_METHODS", usual)
    few = answers(3, 150, seed=[0])  # fixed: others may reject all dimensions but one
    estimate = od.estimate_dimension(few, [1, 2, 3], random_state=0)
    table = od.compare(few, n_components=[1, 2, 3], random_state=0)
    assert (estimate.dimension, estimate.dimension_range) == (
        table.smallest.dimension,
        table.dimension_range,
    )
    scores = [row.brier_score for row in estimate.rows]
    assert scores == [
        min(row.brier_score for row in table.rows if row.dimension == d) for d in (1, 2, 3)
    ]
    low, high = estimate.dimension_range
    assert low < high
    assert low <= estimate.dimension <= high
    assert f"{low} to {high} dimensions: the answers cannot distinguish them" in str(estimate)


def test_the_report_begins_with_the_advice():
    estimate = od.estimate_dimension(answers(2, 2000), [1, 2, 3], "STE", folds=5, random_state=0)
    text = str(estimate)
    assert text.splitlines()[2].split()[:2] == ["method", "dim"]
    assert text.splitlines()[0] == estimate.advice
    assert text.splitlines()[1].startswith("2,000 answers about")
    assert text.splitlines()[3].split()[:2] == ["STE", "1"]
    assert "2 predicts best" in text or "predicts nearly as well" in text
    figures = json.loads(json.dumps(estimate.to_dict()))
    assert figures["dimension"] == 2
    assert [row["method"] for row in figures["rows"]] == ["STE"] * 3
