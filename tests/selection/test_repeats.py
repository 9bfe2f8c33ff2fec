import numpy as np
import pytest

import ordinate as od
from ordinate.selection._noise import repeated_questions


def test_pairs_of_answers_to_one_question():
    # asked three times, twice and once
    rows = [[0, 1, 2], [0, 2, 1], [0, 1, 2], [1, 2, 0], [1, 2, 0], [2, 0, 1]]
    found = repeated_questions(od.Comparisons(rows))
    assert found.n_pairs == 4
    assert found.disagreement == pytest.approx(2 / 4)
    assert found.implied_share == pytest.approx(0.5)


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
