"""Trials stay whole: read, sliced, split, and turned into comparisons."""

import pickle

import numpy as np
import pytest

import ordinate as od

ROWS = [["cat", "dog", "car"], ["bus", "car", "dog"], ["dog", "car", "cat"], ["bus", "cat", "dog"]]


@pytest.fixture
def trials():
    return od.Trials(ROWS, groups={"participant": [0, 0, 1, 1]}, weights=[1, 2, 1, 1])


def test_labels_in_natural_order(trials):
    assert trials.names == ("bus", "car", "cat", "dog")
    np.testing.assert_array_equal(trials.rows[0], [2, 3, 1])
    assert (
        repr(trials) == "Trials(4 odd-one-out trials, 4 objects, weighted, grouped by participant)"
    )


def test_a_trial_becomes_two_triplets_and_one_trial_again(trials):
    answers = trials.to_comparisons()
    np.testing.assert_array_equal(answers.rows[:2], [[2, 3, 1], [3, 2, 1]])
    np.testing.assert_array_equal(answers.groups["trial"], [0, 0, 1, 1, 2, 2, 3, 3])
    np.testing.assert_array_equal(answers.weights, [1, 1, 2, 2, 1, 1, 1, 1])
    again = od.Trials.from_comparisons(answers)
    np.testing.assert_array_equal(again.rows, trials.rows)
    assert set(again.groups) == {"participant", "trial"}


def test_other_comparisons_are_refused():
    with pytest.raises(od.InputError, match="two triplets per odd-one-out trial"):
        od.Trials.from_comparisons(od.Comparisons([[0, 1, 2], [0, 2, 1]]))
    with pytest.raises(od.InputError, match="3 columns"):
        od.Trials([[0, 1, 2, 3]])


def test_a_question_is_a_set_of_three_objects(trials):
    np.testing.assert_array_equal(
        trials.question_groups() == trials.question_groups()[0], [1, 0, 1, 0]
    )
    train, test = trials.train_test_split(0.5, random_state=0)
    asked = [{frozenset(row) for row in part.rows.tolist()} for part in (train, test)]
    assert not asked[0] & asked[1]
    train, test = trials.train_test_split(0.5, by="participant", random_state=0)
    assert len(set(train.groups["participant"]) & set(test.groups["participant"])) == 0


def test_slices_and_copies(trials):
    assert trials[[True, False, False, True]] == trials[[0, 3]]
    assert pickle.loads(pickle.dumps(trials)) == trials
    assert trials[:2] != trials[2:]


def test_ceiling_by_hand():
    # one question answered a a a b, another a b, and one asked once, which says nothing
    rows = [[0, 1, 2]] * 3 + [[0, 2, 1]] + [[3, 4, 5], [4, 5, 3]] + [[0, 1, 5]]
    ceiling = od.Trials(rows).ceiling(random_state=0)
    assert (ceiling.n_questions, ceiling.n_trials) == (2, 6)
    assert ceiling.upper == pytest.approx((3 + 1) / 6)
    assert ceiling.lower == pytest.approx(3 / 6)
    assert ceiling.lower_interval[0] <= ceiling.lower <= ceiling.lower_interval[1]
    assert np.isnan(od.Trials([[0, 1, 2]]).ceiling(random_state=0).lower)
