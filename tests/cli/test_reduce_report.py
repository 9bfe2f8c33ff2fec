"""The report of `ordinate reduce`: its lines, its advice and how a map is judged."""

import json

import numpy as np

from ordinate.cli._reduce_report import ReduceReport, judge

GOOD = ReduceReport(
    n_objects=1000,
    n_features=64,
    left_out=(),
    dimension=2,
    seed=0,
    trustworthiness=0.97,
    triplet_accuracy=0.7,
    seconds=1.25,
    files=(),
)


def test_a_good_map_needs_no_advice():
    assert "1,000 objects with 64 features" in str(GOOD)
    assert "0.970" in str(GOOD)
    assert "→" not in str(GOOD)
    assert json.loads(json.dumps(GOOD.to_dict()))["triplet_accuracy"] == 0.7


def test_advice_follows_from_the_figures():
    poor = ReduceReport(**(vars(GOOD) | {"left_out": ("name",), "trustworthiness": 0.6}))
    assert "Left out, as they hold no numbers: name." in str(poor)
    assert "try --dim 3" in str(poor)


def test_a_perfect_map_is_judged_perfect_and_a_random_one_is_not():
    points = np.random.default_rng(0).normal(size=(2500, 2))
    assert judge(points, points.astype(np.float32), 0) == (1.0, 1.0)
    trust, accuracy = judge(points[:300], points[300:600].astype(np.float32), 0)
    assert 0.4 < trust < 0.6
    assert 0.4 < accuracy < 0.6
