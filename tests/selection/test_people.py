"""The test whether people differ: yes where they do, no where they do not."""

from dataclasses import replace

import numpy as np
import pytest

import ordinate as od

POINTS = np.random.default_rng(0).normal(size=(12, 2))


def study(spread, n_people=8, n_answers=80):
    rng = np.random.default_rng(1)
    parts = []
    for person in range(n_people):
        seen = POINTS * np.exp(spread * rng.normal(size=2) / 2)
        asked = od.sources.random_triplets(
            seen, n_answers, noise=od.sources.LogisticNoise(0.3), random_state=rng
        )
        groups = {"participant": [person] * n_answers}
        parts.append(od.Comparisons(asked.rows, n_objects=12, groups=groups))
    return od.Comparisons.concatenate(parts)


def test_differences_that_are_there_are_found():
    found = od.selection.compare_people(study(1.5), random_state=0)
    assert found.are_real
    assert found.low < found.gain < found.high
    assert found.p_value < 0.05
    assert (found.n_answers, found.n_participants, found.folds) == (640, 8, 5)
    assert str(found).startswith("Differences between people explain")
    assert found.to_dict()["gain"] == found.gain


def test_none_are_where_people_are_alike():
    found = od.selection.compare_people(study(0.0), random_state=0)
    assert not found.are_real
    assert str(found).startswith("No difference between people that helps")
    same = replace(found, pooled_error=0.1, error=0.1, low=0.0, high=0.0)
    assert str(same).endswith("sees none, and its map is the one for all (10.0 % held-out error).")


def test_the_result_does_not_depend_on_jobs():
    one, two = (
        od.selection.compare_people(study(1.0), random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    assert one == two


def test_answers_that_are_too_few_are_refused():
    with pytest.raises(od.InputError, match="5 folds need at least two participants with 10"):
        od.selection.compare_people(study(1.0, n_people=2, n_answers=8))


def test_people_cannot_be_held_out_whole():
    with pytest.raises(od.InputError, match="Whole groups of 'participant' cannot be held out"):
        od.selection.compare_people(study(1.0), split_by="participant")


def test_other_models_are_refused():
    with pytest.raises(od.InputError, match="model must be a WeightedSpaces or GroupMaps"):
        od.selection.compare_people(study(1.0), od.SOE())
