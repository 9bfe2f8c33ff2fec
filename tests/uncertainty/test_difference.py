import json
from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.uncertainty import compare_maps

RNG = np.random.default_rng(0)
POINTS = RNG.standard_normal((15, 2))
POINTS -= POINTS.mean(axis=0)
NOISE = 0.1


def estimate(points, seed, n_draws=100, **settings):
    """A map with errors, and draws that err as it does."""
    rng = np.random.default_rng(seed)
    found = points + NOISE * rng.standard_normal(points.shape)
    found -= found.mean(axis=0)
    draws = found + NOISE * rng.standard_normal((n_draws, *points.shape))
    given = {"names_": None, "method": "bootstrap", "by": None, "level": 0.9, "n_neighbors": 5}
    counts = {"n_answers_": np.full(len(points), 9), "contradicted_": np.zeros(len(points))}
    return od.uncertainty.MapUncertainty(
        embedding_=found, draws_=draws.astype("f4"), **given | counts | settings
    )


def test_maps_of_one_truth_differ_as_often_as_the_test_says():
    p_values, named = [], []
    for seed in range(50):
        # size and direction mean nothing
        turned = 3 * POINTS @ [[0.6, 0.8], [0.8, -0.6]]
        other = estimate(turned / 3, 1000 + seed)
        found = compare_maps(estimate(POINTS, seed), other)
        p_values.append(found.p_value)
        named.append(len(found.moved) > 0)
    assert np.mean(np.array(p_values) <= 0.1) <= 0.1 + 3 * 0.042
    assert 0.37 < np.mean(p_values) < 0.63
    assert np.mean(named) <= 0.05 + 3 * 0.031


def test_an_object_that_moved_is_named():
    moved = POINTS.copy()
    moved[4] += [1.0, -1.0]
    names = tuple(f"object {number}" for number in range(15))
    found = compare_maps(estimate(POINTS, 0, names_=names), estimate(moved, 1, names_=names))
    assert found.differ
    assert found.p_value == pytest.approx(1 / 101)
    assert found.moved[0] == 4
    assert found.distance == pytest.approx(
        od.metrics.procrustes_distance(
            estimate(POINTS, 0).embedding_, estimate(moved, 1).embedding_
        )
    )
    assert "The maps are really different" in str(found)
    assert "Objects that lie elsewhere: " in str(found)
    assert json.loads(json.dumps(found.to_dict()))["moved"][0] == "object 4"
    same = compare_maps(estimate(POINTS, 2), estimate(POINTS, 3))
    assert not same.differ
    assert "no more than new answers would make one of them differ" in str(same)


def test_a_size_of_its_own_makes_no_difference():
    one, other = estimate(POINTS, 0), estimate(POINTS, 1)
    large = replace(other, embedding_=7 * other.embedding_, draws_=7 * other.draws_)
    assert compare_maps(one, large).p_value == compare_maps(one, other).p_value


def test_another_dimension_is_reported_if_it_is_there():
    solid = np.column_stack([POINTS, RNG.standard_normal(15)])
    flat = np.column_stack([POINTS, np.zeros(15)])
    plane = estimate(POINTS, 0)
    assert compare_maps(plane, estimate(solid, 1)).differ
    assert compare_maps(estimate(solid, 1), plane).differ
    thin = estimate(flat, 1)
    assert (
        compare_maps(plane, replace(thin, embedding_=thin.embedding_ * [1, 1, 0.1])).distance < 0.1
    )


def test_maps_that_cannot_be_compared():
    one = estimate(POINTS, 0)
    with pytest.raises(od.InputError, match=r"two results of map_uncertainty.*got ndarray"):
        compare_maps(one, POINTS)
    with pytest.raises(od.InputError, match="The maps place 15 and 14 objects"):
        compare_maps(one, estimate(POINTS[1:], 0))
    names = [tuple(f"{kind} {number}" for number in range(15)) for kind in ("tea", "milk")]
    with pytest.raises(od.InputError, match="name their objects differently"):
        compare_maps(*(estimate(POINTS, 0, names_=name) for name in names))
