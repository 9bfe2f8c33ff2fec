"""LORE: the fit chooses the dimension."""

import numpy as np
import pytest

import ordinate as od
from ordinate.triplets.lore import _penalized_axes, _principal_axes


@pytest.fixture(scope="module")
def flat():
    points = np.random.default_rng([4]).normal(size=(30, 2))
    return od.sources.random_triplets(points, 4000, random_state=0)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_dimension_of_correct_answers_is_found(dimension):
    points = np.random.default_rng([dimension]).normal(size=(30, dimension))
    answers = od.sources.random_triplets(points, 4000, random_state=0)
    model = od.LORE(6, random_state=0).fit(answers)
    assert model.rank_ == model.embedding_.shape[1] == dimension
    assert model.score(answers) > 0.96


def test_a_larger_penalty_leaves_fewer_axes(flat):
    ranks = [od.LORE(4, penalty=p, random_state=0).fit(flat).rank_ for p in (0.0, 0.01, 0.2)]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] == 4 > ranks[-1]


def test_the_loss_is_that_of_the_definition(flat):
    model = od.LORE(4, power=0.7, penalty=0.02, margin=0.3, random_state=0).fit(flat)
    near, far = (
        np.linalg.norm(
            model.embedding_[flat.rows[:, 0]] - model.embedding_[flat.rows[:, k]], axis=1
        )
        for k in (1, 2)
    )
    values = np.linalg.svd(model.embedding_, compute_uv=False)
    expected = np.logaddexp(0, near - far + 0.3).sum() + 0.02 * len(flat) * np.sum(values**0.7)
    assert model.loss_ == pytest.approx(expected, rel=1e-9)


def test_the_penalised_gradient():
    rng = np.random.default_rng([1])
    points, weights = rng.normal(size=(5, 3)), rng.uniform(size=3)
    function = _penalized_axes(lambda x: (float(np.sum(x**3)), 3 * x**2), weights)
    gradient = function(points)[1]
    for at in np.ndindex(*points.shape):
        step = np.zeros_like(points)
        step[at] = 1e-6
        slope = (function(points + step)[0] - function(points - step)[0]) / 2e-6
        assert gradient[at] == pytest.approx(slope, rel=1e-5)


def test_principal_axes_keep_distances():
    points = np.random.default_rng([2]).normal(size=(7, 3))
    axes, values = _principal_axes(points)
    np.testing.assert_allclose(np.linalg.norm(axes, axis=0), values)
    np.testing.assert_allclose(
        np.linalg.norm(axes[0] - axes[1]), np.linalg.norm(points[0] - points[1])
    )


def test_new_answers_go_on_from_fewer_columns(flat):
    model = od.LORE(4, random_state=0).fit(flat)
    before = model.score(flat)
    assert model.partial_fit(flat).score(flat) > before - 0.02


def test_bad_parameters(flat):
    with pytest.raises(od.InputError, match="power"):
        od.LORE(2, power=0).fit(flat)
    with pytest.raises(od.InputError, match="penalty"):
        od.LORE(2, penalty=-1).fit(flat)
