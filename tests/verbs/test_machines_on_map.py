"""Machines beside people on a map: like people, guessing, and seeing one object elsewhere."""

import numpy as np
import pytest

import ordinate as od
from ordinate.solvers.respondents import RESPONDENT


def study(seed, *, noise=1.0, move=0.0, each=400, n_objects=10):
    """People and machines answer triplets, each kind with noise and a map of their own."""
    rng = np.random.default_rng([seed, 77])
    points = rng.normal(size=(n_objects, 2))
    of_machines = points.copy()
    of_machines[0] += move
    rows = rng.random((2 * each, n_objects)).argsort(axis=1)[:, :3]
    of_people = np.arange(2 * each) < each
    gaps = []
    for place in (points, of_machines):
        near, far = (((place[rows[:, 0]] - place[rows[:, k]]) ** 2).sum(axis=1) for k in (1, 2))
        gaps.append(far - near)
    felt = np.where(of_people, gaps[0], gaps[1] / noise)
    wrong = felt + rng.logistic(size=len(rows)) < 0
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    who = np.where(of_people, "person", "gpt")
    return od.Comparisons(rows, groups={"answered_by": who}, n_objects=n_objects)


def analyzed(record):
    return od.analyze(record, "STE", 2, error_folds=0, random_state=0, n_jobs=1, verbose=False)


def test_machines_like_people_agree_and_are_worth_as_much():
    found = [analyzed(study(seed)).machines() for seed in range(3)]
    assert all(one.agreement_interval[0] > 0.2 for one in found)
    assert sum(len(one.different["object"]) > 0 for one in found) <= 1
    assert all(one.n_people == one.n_machines == 400 for one in found)
    assert sum(one.worth_interval[0] <= 1 <= one.worth_interval[1] for one in found) >= 2


def test_an_object_that_machines_see_elsewhere_is_named():
    analysis = analyzed(study(0, move=3.0))
    found = analysis.machines()
    assert found.p_differ <= 0.05
    assert "0" in found.different["object"]
    assert "Machines see these objects differently: " in str(analysis)
    assert analysis.to_dict()["machines"]["agreement"] == pytest.approx(found.agreement)


def test_a_guessing_machine_is_worth_nothing_and_sees_nothing_differently():
    analysis = analyzed(study(0, noise=1e9))
    assert analysis.machines().worth > 10
    assert len(analysis.machines().different["object"]) == 0
    assert "Machines see these objects differently" not in str(analysis)


def test_answers_of_people_alone_and_few_of_machines_are_not_compared():
    record = study(0)
    few = record[np.r_[:400, 400:440]]
    for answers in (record[:400], few):
        assert "machines" not in analyzed(answers).to_dict()
    assert RESPONDENT not in record.groups


def test_objects_that_only_one_side_saw_are_left_out():
    record = study(1)
    unseen = (record.rows == 9).any(axis=1) & (record.groups["answered_by"] == "gpt")
    found = analyzed(record[~unseen]).machines()
    assert found.n_people < 400
    assert found.agreement_interval[0] > 0.2


def test_a_file_of_both(tmp_path):
    record = study(2)
    names = np.array([f"object {number}" for number in range(10)])
    table = dict(zip(("anchor", "near", "far"), names[record.rows].T, strict=True))
    table["answered_by"] = np.where(record.groups["answered_by"] == "gpt", "gpt", "human")
    found = od.analyze(
        table, "STE", 2, error_folds=0, respondent="all", random_state=0, n_jobs=1, verbose=False
    )
    assert "machine answers are worth one of a person" in str(found)


def test_align_says_the_same_of_machines():
    record = study(0, move=3.0)
    result = od.align(record, np.eye(10), map_dimensions=[], random_state=0, n_jobs=1)
    assert result.machines.agreement == pytest.approx(analyzed(record).machines().agreement)
    assert "Machines see these objects differently: " in str(result)
    assert od.align(record[:400], np.eye(10), map_dimensions=[]).machines is None
