"""Machines beside people: agreement, items seen differently, and what their answers are worth."""

import numpy as np
import pytest

import ordinate as od
from ordinate.scales.respondents import compare_respondents
from ordinate.solvers.respondents import fewer_answers, resampled


def study(seed, *, noise=1.0, bias=0.0, n_people=500, n_machines=500):
    """Ten items; machines have noise of their own, and may favour the first item."""
    rng = np.random.default_rng([seed])
    scores = rng.normal(0, 1.2, 10)
    by_machines = scores.copy()
    by_machines[0] += bias
    rows = np.argsort(rng.random((n_people + n_machines, 10)), axis=1)[:, :2]
    of_people = np.arange(len(rows)) < n_people
    felt = np.where(of_people[:, None], scores[rows], by_machines[rows] / noise)
    outcomes = np.where(felt[:, 0] - felt[:, 1] + rng.logistic(size=len(rows)) > 0, 1, -1)
    who = np.where(of_people, "person", "gpt")
    return od.Pairs(rows, outcomes, ordered=False, groups={"answered_by": who}), of_people


def compared(seed, **settings):
    pairs, of_people = study(seed, **settings)
    model = od.Ranking(random_state=0).fit(pairs)
    return compare_respondents(pairs, of_people, model, random_state=0)


def test_machines_like_people():
    found = [compared(seed) for seed in range(6)]
    assert all(one.agreement_interval[0] > 0 for one in found)
    assert sum((one.different["p_value"] < 0.05).any() for one in found) <= 1
    assert sum(one.p_differ < 0.05 for one in found) <= 1
    assert sum(one.worth_interval[0] <= 1 <= one.worth_interval[1] for one in found) >= 5


def test_noisy_machines_are_worth_less():
    plain, noisy = (
        np.median([compared(seed, noise=noise).worth for seed in range(4)]) for noise in (1.0, 3.0)
    )
    assert noisy > 2 * plain


def test_a_guessing_machine_is_worth_nothing():
    found = compared(0, noise=1e9)
    assert found.agreement_interval[0] <= 0
    assert found.worth > 20
    assert (found.different["p_value"] == 1).all()


def test_an_item_that_machines_favour_is_named():
    found = compared(1, bias=2.0)
    assert found.different["object"][0] == "0"
    assert found.different["difference"][0] > 0.5
    assert "differently: 0 (+" in " ".join(found.sentences(0.95))


def test_the_ranking_says_it():
    pairs, _ = study(1, bias=2.0)
    text = str(od.rank(pairs))
    assert "Machines agree with people's ranking" in text
    assert "machine answers are worth one of a person" in text
    assert od.rank(pairs[:500]).machines is None, "of people alone"


def test_few_answers_are_not_compared():
    pairs, of_people = study(0)
    with pytest.raises(od.InputError, match="from 20 decided answers of each on; there are 10"):
        compare_respondents(pairs[490:], of_people[490:], od.Ranking(random_state=0).fit(pairs))


def test_a_file_of_both():
    pairs, of_people = study(1, bias=2.0)
    names = np.array([f"item {number}" for number in range(10)])
    table = {"a": names[pairs.rows[:, 0]], "b": names[pairs.rows[:, 1]]}
    table["winner"] = np.where(pairs.outcomes > 0, table["a"], table["b"])
    table["answered_by"] = np.where(of_people, "human", "gpt")
    found = od.rank(table, respondent="all").machines
    assert found.n_people == 500
    assert found.n_machines == 500


def test_rankings_of_machines_are_resampled_and_left_out_whole():
    rng = np.random.default_rng(0)
    orders = [rng.permutation(6)[:4].tolist() for _ in range(30)]
    pairs = od.Pairs.from_rankings(orders)
    whole, *drawn = resampled(pairs, rng)
    assert len(whole) == len(pairs)
    for part in drawn:
        assert set(np.bincount(part.groups["trial"])) == {6}
        assert len(part) == len(pairs)
    for fold, _, _, rest in fewer_answers(pairs, 2, rng):
        held_out = set(pairs.groups["trial"][fold.held_out])
        assert not held_out & set(rest.groups["trial"])
        assert set(np.unique(rest.groups["trial"], return_counts=True)[1]) == {6}
