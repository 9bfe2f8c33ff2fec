import json

import numpy as np
import pytest

import ordinate as od


def answers(dimension, n_rows, seed=0):
    points = np.random.default_rng(seed).normal(size=(30, dimension))
    noise = od.sources.FlippedAnswers(0.05)
    return od.sources.random_triplets(points, n_rows, noise=noise, random_state=seed)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_true_dimension_is_found(dimension):
    estimate = od.estimate_dimension(answers(dimension, 4000), [1, 2, 3, 4], folds=5)
    assert estimate.dimension == dimension


def test_tests_are_one_sided_and_paired():
    estimate = od.estimate_dimension(answers(2, 2000), [3, 1, 2], folds=5)
    assert estimate.dimensions == (1, 2, 3)
    assert len(estimate.p_next) == 2
    assert estimate.p_next[0] < 0.05 < 0.5 < estimate.p_next[1]
    assert estimate.p_best[1] == 1.0
    assert estimate.p_best[0] == estimate.p_next[0]


def test_few_answers_do_not_speak_for_many_dimensions():
    estimate = od.estimate_dimension(answers(3, 150), [1, 2, 3], folds=5)
    assert estimate.dimension <= 2


def test_alpha_decides_how_much_evidence_is_asked_for():
    record = answers(3, 600)
    strict, lax = (
        od.estimate_dimension(record, [1, 2, 3, 4], folds=5, alpha=alpha).dimension
        for alpha in (1e-6, 0.45)
    )
    assert strict < lax
    with pytest.raises(od.InputError, match="alpha must be a number in"):
        od.estimate_dimension(record, alpha=0)


def test_report():
    estimate = od.estimate_dimension(answers(2, 2000), [1, 2, 3], "STE", folds=5)
    text = str(estimate)
    assert "(best)" in text
    assert text.splitlines()[-1].startswith("2 dimensions: the smallest number that is not")
    figures = json.loads(json.dumps(estimate.to_dict()))
    assert figures["dimension"] == 2
    assert [row["method"] for row in figures["rows"]] == ["STE"] * 3
