"""New objects on a map that stays as it is."""

import numpy as np
import pytest

import ordinate as od
from ordinate.engine.cpu import CPUObjective
from ordinate.sources import random_triplets


def test_new_objects_are_placed_where_they_belong(points):
    rng = np.random.default_rng(5)
    every = np.vstack([points, rng.normal(size=(3, 2))])
    known = random_triplets(points, 3000, random_state=0)
    about_new = random_triplets(every, 6000, random_state=1)
    model = od.SOE(random_state=0).fit(known)
    before = model.embedding_.copy()
    together = model.transform(about_new)
    np.testing.assert_array_equal(together[:20], before)
    np.testing.assert_array_equal(model.embedding_, before)
    test = random_triplets(every, 3000, random_state=2)
    test = test[(test.rows >= 20).any(axis=1)]
    assert od.metrics.triplet_accuracy(test, together) > 0.93
    np.testing.assert_array_equal(model.transform(known), before)
    with pytest.raises(od.InputError, match="Object 20 is in no comparison"):
        model.transform(od.Comparisons([[0, 1, 21]]))


def test_new_objects_end_where_their_gradient_vanishes(points):
    every = np.vstack([points, [[0.3, -0.4], [1.0, 0.5]]])
    about_new = random_triplets(every, 3000, random_state=1)
    known = random_triplets(points, 3000, random_state=0)
    model = od.STE(penalty=0, random_state=0, tol=1e-9).fit(known)
    placed = model.transform(about_new)
    objective = CPUObjective(about_new, od.losses.ste)
    beside = placed.copy()
    beside[20:] += 0.1
    there, here = (np.abs(objective(at)[1][20:]).max() for at in (beside, placed))
    assert here < 1e-2 * there


def test_objects_with_names_are_matched_by_name():
    fitted = od.Comparisons([[0, 1, 2], [1, 0, 2], [2, 1, 0]], names=["a", "b", "c"])
    model = od.SOE(random_state=0).fit(fitted)
    asked = od.Comparisons([[1, 0, 2], [2, 1, 0]], names=["c", "new", "a"])
    found = model.transform(asked)
    np.testing.assert_array_equal(found[[2, 0]], model.embedding_[[0, 2]])
    by_number = model.transform(od.Comparisons([[3, 2, 0], [0, 3, 2]]))
    np.testing.assert_array_equal(found[1], by_number[3])
