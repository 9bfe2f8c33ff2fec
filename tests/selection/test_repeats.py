import numpy as np
import pytest

import ordinate as od
from ordinate.selection._noise import repeated_questions


def test_pairs_of_answers_to_one_question():
    # asked three times, twice and once
    rows = [[0, 1, 2], [0, 2, 1], [0, 1, 2], [1, 2, 0], [1, 2, 0], [2, 0, 1]]
    found = repeated_questions(od.Comparisons(rows))
    assert (found.n_pairs, found.n_questions) == (4, 2)
    assert found.disagreement == pytest.approx((2 / 3 + 0) / 2)
    assert found.implied_share == pytest.approx((1 - np.sqrt(1 / 3)) / 2)


def test_without_repeats_there_is_nothing_to_say():
    found = repeated_questions(od.Comparisons([[0, 1, 2], [1, 0, 2]]))
    assert (found.n_pairs, found.disagreement, found.implied_share) == (0, None, None)
    assert str(found) == "no question was asked twice"


def test_flips_are_recovered_and_uneven_ones_bounded_from_below():
    points = np.random.default_rng(0).normal(size=(8, 2))
    once = od.sources.all_triplets(points)
    rows = np.repeat(once.rows, 40, axis=0)
    rng = np.random.default_rng(1)
    even = od.Comparisons(rows, rng.random(len(rows)) > 0.1)
    found = repeated_questions(even)
    assert found.implied_share == pytest.approx(0.1, abs=0.01)
    assert found.implied_share - 0.02 < found.least_share < found.implied_share
    wrong = np.repeat(rng.choice([0.0, 0.4], len(once)), 40)
    uneven = od.Comparisons(rows, rng.random(len(rows)) > wrong)
    assert repeated_questions(uneven).implied_share < wrong.mean() - 0.02
    assert repeated_questions(uneven).implied_share > wrong.mean() / 2


def twice(n_questions, share_differing):
    """Different questions, each asked twice; a share of them answered in both ways."""
    rows = od.sources.all_triplets(np.arange(12.0)[:, None]).rows[:n_questions]
    again = rows.copy()
    differing = round(share_differing * n_questions)
    again[:differing] = again[:differing][:, [0, 2, 1]]
    return np.vstack([rows, again])


def test_a_question_asked_very_often_weighs_as_any_other():
    catch = np.repeat([[20, 21, 22]], 146, axis=0)  # nobody gets it wrong
    found = repeated_questions(od.Comparisons(np.vstack([twice(100, 0.4), catch])))
    assert found.n_questions == 101
    assert found.disagreement == pytest.approx(40 / 101)
    assert str(found).endswith("of cases (101 questions asked more than once)")
    alone = repeated_questions(od.Comparisons(np.vstack([catch, [[20, 22, 21]]])))
    assert alone.least_share < alone.implied_share / 2  # one question says little about others


def test_rows_that_were_counted_say_how_often_answers_differ():
    answers = od.Comparisons(np.repeat(twice(60, 0.3), 3, axis=0))
    counted = answers.merge_repeats()
    assert counted.weights is not None
    assert repeated_questions(counted) == repeated_questions(answers)


@pytest.mark.parametrize("weights", [None, [0.4] * 60])
def test_a_file_with_each_answer_once_shows_no_disagreement(weights):
    distinct = od.Comparisons(twice(60, 0.5)).merge_repeats().rows[:90]
    contradicted = od.Comparisons(twice(30, 1.0), weights=weights)
    found = repeated_questions(contradicted)
    assert (found.n_questions, found.disagreement, found.least_share) == (30, None, None)
    assert "as if repeats had been left out" in str(found)
    assert repeated_questions(od.Comparisons(distinct)).disagreement is None


@pytest.mark.usual_data
def test_rows_counted_before_give_no_false_floor():
    points = np.random.default_rng(0).normal(size=(10, 2))
    noise = od.sources.FlippedAnswers(0.05)
    answers = od.sources.random_triplets(points, 3000, noise=noise, random_state=0)
    counted = od.estimate_noise(answers.merge_repeats(), "SOE", 2, folds=2, random_state=0)
    assert counted.at_least < 0.06
    lost = od.estimate_noise(
        od.Comparisons(answers.merge_repeats().rows), "SOE", 2, folds=2, random_state=0
    )
    assert lost.at_least is None
    assert "so a lower limit is not known" in lost.bracket
