"""The fit while a study runs: an accuracy on held-out questions, a map, and advice."""

import numpy as np
import pytest

import ordinate as od
from ordinate.collect.folder import read_study
from ordinate.collect.live import NOT_KNOWN, _lay_over, fit_so_far, judged_by
from ordinate.collect.simulate import simulate
from ordinate.sources import random_triplets


@pytest.fixture
def folder(make_folder):
    sizes = {"pools__random": 60, "pools__validation": 0, "pools__catch": 0, "pools__repeat": 0}
    return make_folder(**sizes)


def test_a_map_that_predicts_new_answers(folder):
    simulate(read_study(folder), participants=15, noise=0.0, seed=1)
    (found,) = fit_so_far(folder, "simulated")["parts"]
    assert found["low"] < found["accuracy"] < found["high"]
    assert found["accuracy"] > 0.8
    assert found["n_answers"] == 900
    assert [place["label"] for place in found["map"]][:2] == ["apple", "pear"]
    assert "answers" in found["advice"]


def test_adaptive_questions_judge_nothing():
    answers = random_triplets(np.random.default_rng(0).normal(size=(12, 2)), 200, random_state=0)
    curve = od.learning_curve(answers, "SOE", 2, folds=3, random_state=0)
    fair = np.arange(200) < 60
    judged = judged_by(curve, fair)
    for step, point in enumerate(judged.points):
        assert point.error == pytest.approx(curve.held_out.values[step, :60].mean())
        assert point.low < point.error < point.high
    assert np.isnan(judged.held_out.values[:, 60:]).all()
    with pytest.raises(od.InputError, match="none of them is to a random question"):
        judged_by(curve, ~np.ones(200, dtype=bool))


def test_too_few_answers_are_reported(make_folder):
    folder = make_folder()
    simulate(read_study(folder), participants=1, noise=0.0)
    (found,) = fit_so_far(folder, "simulated")["parts"]
    assert "Too few answers" in found["advice"]


@pytest.mark.parametrize("task", ["triplet", "pair"])
def test_each_condition_is_fitted_and_compared_with_the_others(make_folder, task):
    sizes = {"pools__random": 30, "pools__validation": 5, "pools__catch": 0, "pools__repeat": 0}
    folder = make_folder(task, **sizes)
    with (folder / "study.toml").open("a") as file:
        file.write('[design]\nconditions = ["calm", "loud"]\n')
    simulate(read_study(folder), participants=20, noise=0.1, seed=2)
    found = fit_so_far(folder, "simulated")
    assert [part["condition"] for part in found["parts"]] == ["calm", "loud"]
    for part in found["parts"]:
        assert "map" in part or "ranking" in part
        assert part["advice"]
        assert task == "pair" or "two answers to the same question differ" in part["agreement"]
    (difference,) = found["differences"]
    assert "calm and loud" in difference["text"]  # both follow the planted map: no difference
    assert "no item's score" in difference["text"] or "by chance" in difference["text"]


def test_maps_of_conditions_lie_over_each_other():
    points = np.random.default_rng([0]).normal(size=(5, 2))
    turned = 3 * points @ [[0, 1], [1, 0]] + 7
    maps = [
        [{"label": str(at), "x": x, "y": y} for at, (x, y) in enumerate(places.tolist())]
        for places in (points, turned, turned[:4])
    ]
    _lay_over(maps)
    assert np.allclose([[place["x"], place["y"]] for place in maps[1]], points)
    assert maps[2][0]["x"] == turned[0, 0], "there are other items on it"


def test_maps_that_predict_nothing_are_not_said_to_differ(make_folder):
    folder = make_folder(pools__random=4)
    with (folder / "study.toml").open("a") as file:
        file.write('[design]\nconditions = ["calm", "loud"]\n')
    simulate(read_study(folder), participants=8, noise=0.5, seed=1)
    (difference,) = fit_so_far(folder, "simulated")["differences"]
    assert difference["text"] == NOT_KNOWN
