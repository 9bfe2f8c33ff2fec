"""GNMDS separates what can be separated by its margin of 1."""

import numpy as np
import pytest

import ordinate as od


@pytest.mark.usual_data
def test_squared_distances_differ_by_the_margin(triplets, points):
    model = od.GNMDS(random_state=0).fit(triplets)
    rows = triplets.rows
    near = np.square(model.embedding_[rows[:, 0]] - model.embedding_[rows[:, 1]]).sum(axis=1)
    far = np.square(model.embedding_[rows[:, 0]] - model.embedding_[rows[:, 2]]).sum(axis=1)
    assert np.mean(far - near > 0.9) > 0.98
