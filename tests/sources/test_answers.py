import numpy as np
import pytest

from ordinate import InputError
from ordinate.sources import answer_questions, random_triplets
from ordinate.sources._noise import GaussianNoise

LINE = [[0.0], [1.0], [3.0], [-1.0]]


def test_rows_are_turned_so_that_they_hold():
    questions = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 3]])
    answers = answer_questions(questions, LINE)
    assert answers.rows.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert answers.n_objects == 4
    assert questions.tolist() == [[0, 1, 2], [0, 2, 1], [1, 2, 3]]


def test_quadruplets_work_too():
    assert answer_questions([[0, 2, 0, 1]], LINE).rows.tolist() == [[0, 1, 0, 2]]


def test_ties_give_no_row_unless_perceived_as_different():
    tie = np.tile([0, 1, 3], (1000, 1))
    with pytest.raises(InputError, match="All 1000 questions are ties"):
        answer_questions(tie, LINE)
    rows = answer_questions(tie, LINE, noise=GaussianNoise(0.1), random_state=0).rows
    assert 400 < (rows[:, 1] == 1).sum() < 600


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ([[0, 1, 4]], r"Row 0, column 2 is 4; n_objects is 4, so numbers end at 3"),
        ([[0, 1, 1]], r"Row 0 is \(0, 1, 1\): the three objects of a triplet must differ"),
    ],
)
def test_bad_questions_are_refused(questions, message):
    with pytest.raises(InputError, match=message):
        answer_questions(questions, LINE)


def test_equal_distances_only():
    corners = np.eye(4)
    with pytest.raises(InputError, match="None of 10000 random questions has two different"):
        random_triplets(corners, 10, random_state=0)


def test_rare_untied_questions_are_found():
    # 48 of 50 objects lie on one spot
    points = np.zeros((50, 1))
    points[:2] = [[1.0], [2.0]]
    rows = random_triplets(points, 500, random_state=0).rows
    near = np.abs(points[rows[:, 0]] - points[rows[:, 1]])
    far = np.abs(points[rows[:, 0]] - points[rows[:, 2]])
    assert len(rows) == 500
    assert (near < far).all()
