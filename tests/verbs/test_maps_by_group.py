"""Maps of groups of answers: conditions that differ, that do not, and that share no objects."""

import numpy as np
import pytest

import ordinate as od
from ordinate.verbs import maps_by_group


def conditions(points, *, seed, n_people=12, n_answers=40, by="condition"):
    """Return answers of people in as many conditions as there are maps."""
    rng = np.random.default_rng(seed)
    rows, who, labels = [], [], []
    for person in range(n_people * len(points)):
        place = points[person % len(points)]
        place = place + rng.normal(size=place.shape) * 0.1
        for _ in range(n_answers):
            a, b, c = rng.choice(len(place), 3, replace=False)
            if np.sum((place[a] - place[b]) ** 2) > np.sum((place[a] - place[c]) ** 2):
                b, c = c, b
            rows.append((a, b, c))
            who.append(f"p{person}")
            labels.append("abc"[person % len(points)])
    return od.Comparisons(rows, groups={"participant": who, by: labels})


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng([1]).normal(size=(9, 2))


def test_conditions_that_differ_are_said_to_and_others_are_not(points):
    moved = points.copy()
    moved[0] += 4
    record = conditions([points, points, moved], seed=[2])
    analysis = od.analyze(record, "SOE", 2, error_folds=0, by="condition", verbose=False)
    found = analysis.to_dict()["by"]
    p_values = {tuple(one["groups"]): one["p_value"] for one in found["tests"]}
    assert p_values["a", "b"] > 0.05 >= max(p_values["a", "c"], p_values["b", "c"])
    assert found["n_answers"] == {"a": 480, "b": 480, "c": 480}
    assert "The maps of a and c differ (" in str(analysis)
    assert "elsewhere lie 0" in str(analysis)
    assert "The maps of a and b differ no more than by chance" in str(analysis)
    assert "are pooled" not in str(analysis)


def test_whole_people_are_exchanged_between_groups():
    unit = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    in_second = np.array([0, 0, 0, 0, 1, 1, 0, 1], dtype=bool)  # the fourth is in both
    rng, seen = np.random.default_rng([6]), set()
    for _ in range(60):
        divided = maps_by_group._divided_anew(in_second, unit, rng)
        assert divided[:6:2].tolist() == divided[1:6:2].tolist()
        assert divided[:6:2].sum() == 1
        assert divided[6] != divided[7]
        seen.add(tuple(divided))
    assert len(seen) == 6


def test_a_difference_must_exceed_that_of_other_divisions(points, monkeypatch):
    moved = points.copy()
    moved[0] += 4
    record = conditions([points, moved], seed=[2])
    settings = {"error_folds": 0, "by": "condition", "verbose": False}
    distances = np.array([0.0] * 7 + [1.0] * 2)
    monkeypatch.setattr(maps_by_group, "_distances_of_divisions", lambda *_: distances)
    (test,) = od.analyze(record, "SOE", 2, **settings).to_dict()["by"]["tests"]
    assert test["p_value"] == pytest.approx(0.3)


def test_people_may_be_called_as_in_the_file(points):
    record = conditions([points], seed=[5], n_people=7)
    shared = {"error_folds": 0, "verbose": False, "random_state": 0}
    analysis = od.analyze(record, "SOE", 2, by="subject_id", **shared)
    assert set(analysis.to_dict()["by"]["n_answers"]) == {f"p{person}" for person in range(7)}
    assert "pairs of groups differ no more than by chance" in str(analysis)
    assert str(analysis).count("The maps of") < 10


def test_several_conditions_are_said_to_be_pooled(points):
    record = conditions([points, points], seed=[3], n_answers=10)
    assert "Answers of 2 conditions (a, b) are pooled; by='condition'" in str(
        od.analyze(record, "SOE", 2, error_folds=0, verbose=False)
    )


def test_what_cannot_be_compared(points):
    record = conditions([points, points], seed=[4], n_answers=10)
    shifted = record.rows + 9 * (record.groups["condition"] == "b")[:, None]
    apart = od.Comparisons(shifted, groups=record.groups)
    shared = {"error_folds": 0, "verbose": False}
    said = str(od.analyze(apart, "SOE", 2, by="condition", **shared))
    assert "a and b have fewer than 4 objects in common" in said
    with pytest.raises(od.InputError, match="has 1 labels; expected 2 to 12"):
        od.analyze(record[record.groups["condition"] == "a"], "SOE", 2, by="condition", **shared)
    with pytest.raises(od.InputError, match="mood"):
        od.analyze(record, "SOE", 2, by="mood", **shared)


def test_groups_are_compared_on_maps_with_features(points):
    record = conditions([points, points], seed=[5], n_answers=60)
    found = od.analyze(record, features=points, by="condition", error_folds=0, verbose=False)
    plain = od.analyze(record, "STE", 2, by="condition", error_folds=0, verbose=False)
    assert len(str(found)) > 0
    assert "a and b" in str(found.by_group("condition"))
    assert str(found.by_group("condition")) != str(plain.by_group("condition"))


def test_waves_of_the_same_people():
    rows = [[0, 1, 2], [3, 1, 2], [0, 1, 2], [3, 2, 1], [0, 2, 1]]
    groups = {"participant": list("ppppq"), "wave": [1, 1, 2, 2, 2]}
    found = od.selection._noise.retest_agreement(od.Comparisons(rows, groups=groups))
    assert (found.n_people, found.repeated.n_pairs, found.repeated.n_differing) == (1, 2, 1)
    assert "Test–retest: 50.0% of 2 answers of 1 participant are" in str(found)
    once = od.Comparisons(rows, groups={"participant": list("abcde"), "wave": [1, 1, 2, 2, 2]})
    assert od.selection._noise.retest_agreement(once) is None
