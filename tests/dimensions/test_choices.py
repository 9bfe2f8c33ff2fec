"""Choices of k objects among n: put together from triplets, their cost, dimensions found again."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import check_grad

import ordinate as od
from ordinate.dimensions.answers import ChoiceAnswers, TrialAnswers, answers_of
from ordinate.dimensions.objective import ChoiceObjective, TrialObjective
from ordinate.dimensions.sparse_fit import partners

KINDS = np.repeat(np.eye(3), 10, axis=0) * 2.5


def chosen_by(truth, n_questions, shown, choose, seed, *, ranked=False):
    """Let objects be chosen one after the other, by a softmax over what is left."""
    rng = np.random.default_rng([40, seed])
    items = np.array([rng.choice(len(truth), 1 + shown, replace=False) for _ in range(n_questions)])
    similar = np.einsum("qs,qns->qn", truth[items[:, 0]], truth[items[:, 1:]])
    order = np.argsort(-(similar + rng.gumbel(size=similar.shape)), axis=1)[:, :choose]
    chosen = np.take_along_axis(items[:, 1:], order, axis=1)
    return od.sources.from_choices(
        items[:, 0], items[:, 1:], chosen, ranked=ranked, n_objects=len(truth)
    )


def some_choices(n_chosen, n_answers=60, dtype=np.float64):
    """Return choices, some of them among fewer objects, with weights and loadings."""
    rng = np.random.default_rng([40, 1])
    rows = np.array([rng.choice(9, 6, replace=False) for _ in range(n_answers)], dtype=np.int32)
    rows[::3, -1] = -1
    counts = np.full(n_answers, n_chosen)
    return rows, counts, rng.uniform(0.1, 2, n_answers), rng.uniform(0, 1, (9, 4)).astype(dtype)


def reference(loadings, rows, n_chosen, weights):
    """Return the cost by adding up all orders of choosing."""
    total = 0.0
    for row, k, weight in zip(rows, n_chosen, weights, strict=True):
        odds = np.exp(loadings[row[1:][row[1:] >= 0]] @ loadings[row[0]])
        chance = 0.0
        for order in permutations(range(k)):
            left, of_order = odds.sum(), 1.0
            for option in order:
                of_order *= odds[option] / left
                left -= odds[option]
            chance += of_order
        total -= weight * np.log(chance)
    return total


@pytest.mark.parametrize("n_chosen", [1, 2, 3])
def test_cost_is_that_of_all_orders_and_its_gradient_by_finite_differences(n_chosen):
    rows, counts, weights, loadings = some_choices(n_chosen)
    objective = ChoiceObjective(rows, counts, weights, dtype=np.float64)
    expected = reference(loadings, rows, counts, weights)
    assert objective(loadings)[0] == pytest.approx(expected, rel=1e-10)

    def part(index):
        return lambda x: objective(x.reshape(loadings.shape))[index]

    error = check_grad(part(0), lambda x: part(1)(x).ravel(), loadings.ravel())
    assert error < 1e-4 * np.linalg.norm(part(1)(loadings))
    single, slope = ChoiceObjective(rows, counts, weights)(loadings)
    assert single == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(slope, part(1)(loadings), atol=3e-4)
    answers = ChoiceAnswers(rows, weights, 9, None, counts, np.arange(len(rows)))
    assert weights @ answers.losses(answers.similarities(loadings)) == pytest.approx(
        expected, rel=1e-10
    )


@pytest.mark.parametrize("n_chosen", [1, 3])
def test_torch_sums_the_same_in_parts(n_chosen, monkeypatch):
    pytest.importorskip("torch")
    from ordinate.dimensions import torch_objective

    monkeypatch.setattr(torch_objective, "_ENTRIES", 6 * 4 * 16)  # 16 choices at once
    rows, counts, weights, loadings = some_choices(n_chosen)
    counts[::2] = 1
    expected = ChoiceObjective(rows, counts, weights, dtype=np.float64)(loadings)
    objective = torch_objective.TorchChoiceObjective(rows, counts, weights, device="cpu")
    cost, gradient = objective(loadings)
    assert cost == pytest.approx(expected[0], rel=1e-5)
    np.testing.assert_allclose(gradient, expected[1], atol=3e-4)


def test_of_two_objects_it_is_the_cost_of_a_triplet():
    rng = np.random.default_rng([40, 2])
    rows = np.array([rng.choice(9, 3, replace=False) for _ in range(50)], dtype=np.int32)
    loadings = rng.uniform(0, 1, (9, 4))
    one = ChoiceObjective(rows, np.ones(50, dtype=np.intp), None, dtype=np.float64)(loadings)
    other = TrialObjective(rows, None, has_anchor=True, dtype=np.float64)(loadings)
    assert one[0] == pytest.approx(other[0])
    np.testing.assert_allclose(one[1], other[1], atol=1e-10)


def test_large_similarities_do_not_overflow():
    rows, counts, weights, loadings = some_choices(2)
    cost, gradient = ChoiceObjective(rows, counts, weights)(300 * loadings)
    assert np.isfinite(cost)
    assert np.isfinite(gradient).all()


def test_answers_are_put_together_from_their_triplets():
    record = od.sources.from_choices(
        [0, 4, 0], [[1, 2, 3], [0, 3, 2], [3, 2, 1]], [[3, 1], [2, 0], [2, 3]], n_objects=5
    )
    whole = answers_of(record, False)
    assert whole.n_chosen.tolist() == [2, 2, 2]
    assert whole.rows.tolist() == [[0, 1, 3, 2], [4, 0, 2, 3], [0, 2, 3, 1]]
    assert whole.questions().tolist() == [0, 1, 0]
    ordered = od.sources.from_choices([0], [[1, 2, 3, 4]], [[3, 1]], ranked=True, n_objects=5)
    stages = answers_of(ordered, False)
    assert stages.rows.tolist() == [[0, 3, 1, 2, 4], [0, 1, 2, 4, -1]]
    assert stages.n_chosen.tolist() == [1, 1]
    assert stages.questions().tolist() == [0, 0]


def test_triplets_that_are_no_whole_answer_stay_triplets():
    record = od.sources.from_choices([0], [[1, 2, 3]], [[3, 1]], n_objects=4)
    parts = record[:1], od.Comparisons(record.rows), od.Trials([[0, 1, 2]]).to_comparisons()
    for part in parts:
        assert isinstance(answers_of(part, False), TrialAnswers)
    too_many = od.sources.from_choices([0], [range(1, 14)], [range(1, 13)])
    with pytest.raises(od.InputError, match="may name 10 objects; got 12"):
        answers_of(too_many, False)


def test_what_is_predicted_right():
    rows = np.array([[0, 1, 2, 3, -1], [0, 1, 2, 3, 4]], dtype=np.int32)
    answers = ChoiceAnswers(rows, None, 5, None, np.array([2, 2]), np.arange(2))
    clear = np.array([1.0, 3, 1, 2, 0])[:, None]
    np.testing.assert_allclose(answers.right(answers.similarities(clear)), [1 / 2, 1 / 2])
    tied = np.ones((5, 1))
    np.testing.assert_allclose(answers.right(answers.similarities(tied)), [2 / 3, 2 / 4])
    assert answers.predicted_pairs(clear).tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("kind", ["trials", "triplets", "choices"])
def test_weak_dimensions_are_rewarded_by_the_slope_near_zero(kind):
    rows, counts, weights, loadings = some_choices(2)
    if kind == "choices":
        answers = ChoiceAnswers(rows, weights, 9, None, counts, np.arange(len(rows)))
        objective = ChoiceObjective(rows, counts, weights, dtype=np.float64)
    else:
        has_anchor = kind == "triplets"
        rows = np.ascontiguousarray(rows[:, :3])
        answers = TrialAnswers(rows, weights, 9, None, has_anchor)
        objective = TrialObjective(rows, weights, has_anchor=has_anchor, dtype=np.float64)
    slope = objective(1e-4 * loadings)[1]
    np.testing.assert_allclose(-slope, 1e-4 * (answers.reward() @ loadings), atol=1e-9)


@pytest.mark.parametrize("ranked", [False, True])
def test_planted_dimensions_are_found(ranked):
    answers = chosen_by(KINDS, 700, shown=6, choose=2, seed=3, ranked=ranked)
    model = od.SparseDimensions(6, penalty=(5.0, 1.0), n_init=1, random_state=0).fit(answers)
    assert model.n_dimensions_ == 3
    assert partners(KINDS, model.embedding_).min() > 0.9
    held_out = chosen_by(KINDS, 2000, shown=6, choose=2, seed=4, ranked=ranked)
    whole = answers_of(held_out, False)
    right = whole.right(whole.similarities(KINDS)).mean()
    assert model.score(held_out) > right - 0.03  # chance is far below
    assert model.shares_.sum() == pytest.approx(1)


def test_the_penalty_is_chosen_by_held_out_choices():
    answers = chosen_by(KINDS, 300, shown=5, choose=1, seed=6)
    model = od.SparseDimensions(4, n_init=1, max_iter=60, random_state=0).fit(answers)
    assert model.n_dimensions_ == 3
    assert model.search_.accuracies.max() > 0.5  # chance is 0.2


def test_a_new_object_is_placed_by_choices():
    answers = chosen_by(KINDS, 600, shown=6, choose=1, seed=5)
    model = od.SparseDimensions(6, penalty=(2.0, 1.0), n_init=1, random_state=0).fit(answers)
    of_kind = model.embedding_[:10].sum(axis=0).argmax()
    shown = np.array([[at % 10, 10 + at % 10, 20 + at % 10] for at in range(30)])
    new = od.sources.from_choices(np.full(30, 30), shown, shown[:, 0], n_objects=31)
    (placed,) = model.transform(new)
    assert placed.argmax() == of_kind
    assert placed[of_kind] > 0.5
