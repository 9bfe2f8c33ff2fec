import numpy as np
import pytest

import ordinate as od
from ordinate.analysis.findings import compute_findings
from ordinate.analysis.paragraph import methods_paragraph

PLAN = {"n_components": [2, 1], "folds": 2, "random_state": 3, "n_jobs": 1}


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
    return compute_findings(od.analyze(answers, ["SOE"], **PLAN))


def test_the_map_is_that_of_the_choice(answers, findings):
    assert (findings.table.choice.method, findings.table.choice.dimension) == ("SOE", 2)
    again = od.SOE(2, random_state=3).fit(answers).embedding_
    np.testing.assert_array_equal(findings.analysis.points, again)
    assert findings.analysis.train_error == od.metrics.triplet_error(answers, again)


def test_the_accuracy_is_that_of_maps_made_as_this_one(answers, findings):
    place = lambda part: od.SOE(2, random_state=3).fit(part).embedding_  # noqa: E731
    assert findings.noise.held_out == od.held_out_error(answers, place, random_state=3)
    assert findings.accuracy.share == 1 - findings.noise.held_out.error
    assert findings.accuracy.low < findings.accuracy.share < findings.accuracy.high


def test_parameters_reach_the_map(answers):
    found = od.analyze(answers, od.SOE(delta=3), 2, random_state=3, error_folds=0)
    again = od.SOE(2, delta=3, random_state=3).fit(answers).embedding_
    np.testing.assert_array_equal(found.points, again)


def test_participants_who_disagree_are_named(findings):
    assert [one.label for one in findings.noise.deviating_groups] == ["Bob"]
    assert str(findings).endswith("Participants who disagree with the others: Bob.")
    assert findings.to_dict()["noise"]["per_group"][0]["label"] == "Bob"


@pytest.mark.usual_data
def test_the_map_without_those_who_disagree_lies_over_that_of_all(answers, findings):
    others = answers[answers.groups["participant"] != "Bob"]
    again = od.SOE(2, random_state=3).fit(others).embedding_
    expected = od.metrics.procrustes_align(again, findings.analysis.points)
    np.testing.assert_array_equal(findings.without.points, expected)
    assert findings.without.n_answers == len(others) < len(answers)
    assert 0 < findings.without.distance < 0.5
    figures = findings.to_dict()["without_deviating"]
    assert figures["procrustes_distance"] == findings.without.distance


def test_the_error_is_one_number(findings):
    wrong = findings.noise.margins <= 0
    assert wrong.mean() == pytest.approx(findings.noise.held_out.error)
    assert findings.to_dict()["noise"]["overall"]["held_out_error"] == findings.noise.held_out.error


def test_records_without_participants_are_handled(answers):
    nobody = compute_findings(od.analyze(od.Comparisons(answers.rows), ["SOE"], **PLAN))
    assert nobody.noise.deviating_groups == ()
    assert nobody.without is None
    assert nobody.noise.per_group == ()


def test_the_paragraph_says_how_people_were_tested(findings):
    found = findings.people.comparison
    said = methods_paragraph(findings)
    assert f"by a score test against {found.n_draws} sets of answers drawn from one map" in said
    assert f"(p = {found.p_value:.2g})" in said


def test_errors_of_other_models_are_not_called_that_of_the_map(findings):
    """The test of people compares one model with itself, by other folds than the map's error."""
    said = str(findings.people.comparison)
    assert "In 2 folds, WeightedSpaces in 2 dimensions gets" in said
    assert "one map for all" not in said.partition("In 2 folds")[2]
