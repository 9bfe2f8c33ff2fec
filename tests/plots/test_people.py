"""The picture of people's weights."""

from copy import copy
from itertools import combinations

import numpy as np
import pytest

import ordinate as od


@pytest.fixture(scope="module")
def model():
    model = od.WeightedSpaces()
    model.participants_ = np.array(["Ann", "Bob", "Cem"])
    model.weights_ = np.array([[2.0, 0.5], [0.25, 4.0], [1.0, 1.0]])
    model.n_answers_ = np.array([10, 40, 90])
    return model


def test_points_lie_at_the_weights(model):
    ax = od.plots.plot_people(model)
    (points,) = ax.collections
    np.testing.assert_allclose(points.get_offsets(), model.weights_)
    assert {text.get_text() for text in ax.texts} == {"Ann", "Bob", "Cem"}
    assert (np.diff(points.get_sizes()) > 0).all()
    assert ax.get_xlim() == ax.get_ylim()
    assert ax.get_xlim()[0] < 0.25 < 4 < ax.get_xlim()[1]


def test_names_do_not_cover_one_another(model):
    alike = copy(model)
    alike.weights_ = np.array([[2.0, 0.5], [2.2, 0.46], [0.25, 4.0]])
    ax = od.plots.plot_people(alike)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == 3, "there is room"
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_classes_have_colours_and_a_legend(model):
    ax = od.plots.plot_people(model, ["old", "young", "old"], label_title="age")
    assert len(ax.collections) == 2
    assert ax.get_legend().get_title().get_text() == "age"


def test_other_things_are_refused(model):
    with pytest.raises(od.InputError, match="draws a fitted WeightedSpaces; got STE"):
        od.plots.plot_people(od.STE())
    with pytest.raises(od.InputError, match="got WeightedSpaces that is not fitted"):
        od.plots.plot_people(od.WeightedSpaces())
