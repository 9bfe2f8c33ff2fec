import numpy as np

from ordinate.ratings.early_stopping import EarlyStopping

ROWS = np.array([[0, 1, 2]], dtype=np.uint32)
RIGHT, WRONG = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [2.0], [1.0]])


def test_it_stops_after_five_checks_without_a_gain_and_keeps_the_best():
    stopping = EarlyStopping(ROWS, 20)
    assert not stopping(1, RIGHT)
    assert [stopping(number, WRONG) for number in range(2, 7)] == [False] * 4 + [True]
    assert stopping.scores == [1, 0, 0, 0, 0, 0]
    np.testing.assert_array_equal(stopping.best, RIGHT)


def test_it_looks_only_now_and_then():
    stopping = EarlyStopping(ROWS, 200)
    for number in range(1, 21):
        stopping(number, RIGHT)
    assert len(stopping.scores) == 2


def test_without_triples_it_never_stops():
    stopping = EarlyStopping(None, 20)
    assert not any(stopping(number, WRONG) for number in range(1, 21))
    assert stopping.best is None
