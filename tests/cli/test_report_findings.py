import numpy as np
import pytest

import ordinate as od
from ordinate.cli._report_findings import Plan, find_out

PLAN = Plan(["SOE"], [2, 1], 2, None, 3, 1)


@pytest.fixture(scope="module")
def answers():
    """1500 triplets about points in the plane by three people, of whom one errs a lot."""
    points = np.random.default_rng(0).normal(size=(15, 2))
    rows = od.sources.random_triplets(points, 1500, random_state=0).rows
    who = np.array(["Ann", "Bob", "Cem"])[np.arange(1500) % 3]
    holds = (who != "Bob") | (np.random.default_rng(1).random(1500) < 0.6)
    return od.Comparisons(rows, holds, groups={"participant": who})


@pytest.fixture(scope="module")
def findings(answers):
    return find_out(answers, PLAN)


def test_the_map_is_that_of_the_choice(answers, findings):
    assert (findings.choice.method, findings.choice.dimension) == ("SOE", 2)
    again = od.SOE(2, random_state=3).fit(answers).embedding_
    np.testing.assert_array_equal(findings.points, again)
    assert findings.train_error == od.metrics.triplet_error(answers, again)


def test_the_accuracy_is_that_of_maps_made_as_this_one(answers, findings):
    place = lambda part: od.SOE(2, random_state=3).fit(part).embedding_  # noqa: E731
    assert findings.held_out == od.held_out_error(answers, place, random_state=3)
    assert findings.accuracy.share == 1 - findings.held_out.error
    assert findings.accuracy.low < findings.accuracy.share < findings.accuracy.high


def test_parameters_reach_the_map(answers):
    plan = Plan([od.SOE(delta=3)], [2], 2, None, 3, 1, ["SOE.delta=3"])
    found = find_out(answers, plan)
    again = od.SOE(2, delta=3, random_state=3).fit(answers).embedding_
    np.testing.assert_array_equal(found.points, again)
    assert plan.method_names == ["SOE"]


def test_who_is_at_odds(findings):
    assert [one.label for one in findings.at_odds] == ["Bob"]
    assert str(findings).endswith("At odds with the rest: Bob.")
    assert findings.to_dict()["noise"]["per_group"][0]["label"] == "Bob"


def test_without_participants(answers):
    nobody = find_out(od.Comparisons(answers.rows), PLAN)
    assert nobody.at_odds == ()
    assert nobody.noise.per_group == ()
