"""New objects on a map that stays as it is."""

import numpy as np
import pytest

import ordinate as od
from ordinate.sources import random_triplets


def test_new_objects_are_placed_where_they_belong(points):
    rng = np.random.default_rng(5)
    every = np.vstack([points, rng.normal(size=(3, 2))])
    known = random_triplets(points, 3000, random_state=0)
    about_new = random_triplets(every, 6000, random_state=1)
    model = od.SOE(random_state=0).fit(known)
    before = model.embedding_.copy()
    new = model.place(about_new)
    assert new.shape == (3, 2)
    np.testing.assert_array_equal(model.embedding_, before)
    together = np.vstack([model.embedding_, new])
    test = random_triplets(every, 3000, random_state=2)
    test = test[(test.rows >= 20).any(axis=1)]
    assert od.metrics.triplet_accuracy(test, together) > 0.93
    with pytest.raises(od.InputError, match="numbered from 20"):
        model.place(known)
    with pytest.raises(od.InputError, match="Object 20 is in no comparison"):
        model.place(od.Comparisons([[0, 1, 21]]))
