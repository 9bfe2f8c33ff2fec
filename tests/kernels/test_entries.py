"""Entries: counted, signed, of unit norm."""

import numpy as np
import pytest

import ordinate as od
from ordinate.kernels._entries import number_questions, unit_entries


def entries(answers, place=None, n_places=None):
    n_objects = answers.n_objects
    place = np.arange(n_objects, dtype=np.int32) if place is None else np.array(place, np.int32)
    return list(unit_entries(answers, od.K1._read, place, n_places or n_objects))


def test_answers_are_weighed_up():
    # object 3 says yes, yes, no about (0, 1) and no about (1, 2)
    answers = od.Comparisons([[3, 0, 1], [3, 0, 1], [3, 1, 0], [3, 2, 1]])
    [(objects, questions, values)] = entries(answers)
    np.testing.assert_array_equal(objects, [3, 3])
    np.testing.assert_array_equal(questions, number_questions(np.array([[0, 1], [1, 2]]), 4))
    np.testing.assert_allclose(values, np.array([1 / 3, -1]) / np.sqrt(1 / 9 + 1))


def test_ties_are_no_entries():
    [(objects, _, values)] = entries(od.Comparisons([[3, 0, 1], [3, 1, 0], [2, 0, 1]]))
    np.testing.assert_array_equal(objects, [2])
    np.testing.assert_array_equal(values, [1])


def test_questions_about_objects_without_a_place_do_not_count():
    answers = od.Comparisons([[3, 0, 1], [3, 0, 2]])
    [(objects, questions, values)] = entries(answers, [0, 1, -1, -1], 2)
    np.testing.assert_array_equal([objects, questions], [[3], [1]])
    np.testing.assert_array_equal(values, [1])
    assert entries(answers[1:], [0, 1, -1, -1], 2) == []


def test_more_objects_than_questions_can_be_numbered_for_are_refused():
    answers = od.Comparisons([[0, 1, 2]], n_objects=2_000_000)
    with pytest.raises(od.InputError, match=r"Among 2000000 objects .* choose landmarks"):
        entries(answers)
