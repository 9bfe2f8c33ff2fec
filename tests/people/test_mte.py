"""Multi-view triplet embedding: as the authors' code does it, and the views are found."""

import json
from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from ordinate.engine.cpu import CPUObjective
from ordinate.people.mte import authors_weights

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def shapes():
    """Twenty coloured shapes, and answers by colour and by shape, mixed."""
    rng = np.random.default_rng([1])  # some pairs of maps are so alike that one start in six fails
    colour = rng.standard_normal((20, 2))
    shape = rng.standard_normal((20, 2))
    return [
        od.sources.random_triplets(view, 1600, random_state=rng).rows for view in (colour, shape)
    ]


def test_cost_gradient_and_weights_are_those_of_the_authors_code():
    inputs = json.loads((DATA / "triplet_losses.json").read_text())
    maps = [np.array(inputs["X0"]), np.array(inputs["X3"])[:, :2]]
    answers = od.Comparisons(inputs["triplets_noisy"], n_objects=30)
    shared = authors_weights(maps, answers)
    likelihoods = [(od.losses.ste, []), (od.losses.tste, [1.0])]
    runs = json.loads((DATA / "mvte.json").read_text())["mvte"]
    for (loss, parameters), expected in zip(likelihoods, runs, strict=True):
        np.testing.assert_allclose(shared[:5], expected["z_first5"], atol=1e-12)
        total = 0.0
        for number, points in enumerate(maps):
            weights = np.where(shared[:, number] < 1e-12, 0, shared[:, number])
            record = od.Comparisons(answers.rows, n_objects=30, weights=weights)
            value, gradient = CPUObjective(record, loss, parameters)(points)
            total += value
            ascent = expected[f"ascent_gradient_view{number + 1}"]
            np.testing.assert_allclose(-gradient, ascent, atol=1e-10)
        assert total == pytest.approx(expected["cost"])


@pytest.mark.parametrize("weights", ["mixture", "published"])
def test_two_views_are_recovered_from_mixed_answers(shapes, weights):
    starts = np.random.default_rng([3])  # of which one in six may have to be the good one
    model = od.MTE(weights=weights, n_init=6, random_state=starts).fit(np.vstack(shapes))
    errors = [
        [od.metrics.triplet_error(part, points) for part in shapes] for points in model.embeddings_
    ]
    best = np.min(errors, axis=0)
    if weights == "published":  # by far the less accurate
        assert (best < 0.4).all()
        return
    assert (best < 0.1).all()
    assert sorted(np.argmin(errors, axis=0).tolist()) == [0, 1]
    pooled = od.STE(random_state=0).fit(np.vstack(shapes)).embedding_
    assert all(
        error < od.metrics.triplet_error(part, pooled)
        for error, part in zip(best, shapes, strict=True)
    )


def test_the_number_of_views_by_held_out_answers(shapes):
    model = od.MTE(n_views="auto", max_views=2, n_init=4, random_state=0).fit(np.vstack(shapes))
    assert model.n_views_ == 2
    assert len(model.held_out_) == 2


def test_parameters_are_checked(shapes):
    with pytest.raises(od.InputError, match="weights must be one of 'mixture', 'published'"):
        od.MTE(weights="z").fit(shapes[0])
    with pytest.raises(od.InputError, match="n_views must be"):
        od.MTE(n_views=0).fit(shapes[0])


@pytest.mark.usual_data
def test_new_objects_find_their_place_in_each_view(shapes):
    answers = np.vstack(shapes)
    old = (answers < 19).all(axis=1)
    model = od.MTE(n_init=6, random_state=0).fit(od.Comparisons(answers[old], n_objects=19))
    placed = model.transform(answers)
    np.testing.assert_array_equal(placed[:, :19], model.embeddings_)
    errors = [
        [od.metrics.triplet_error(part[(part == 19).any(axis=1)], view) for part in shapes]
        for view in placed
    ]
    assert min(errors[0][0] + errors[1][1], errors[0][1] + errors[1][0]) / 2 < 0.25
