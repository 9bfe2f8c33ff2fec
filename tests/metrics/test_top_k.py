"""Lists of recommended items, judged by hand and by brute force."""

import numpy as np
import pytest

import ordinate as od
from ordinate.metrics import top_k


def test_two_lists_by_hand():
    # user 0 has items 2 and 3, user 1 item 0, user 2 nothing
    held_out = od.Ratings([0, 0, 1], [2, 3, 0], [1, 1, 1], user_names="abc", item_names="vwxyz")
    found = top_k([[1, 2, 3], [4, -1, -1], [1, 1, 1]], held_out)
    gains = 1 / np.log2([2, 3, 4])
    assert (found.k, found.n_users) == (3, 2)
    assert found.ndcg == pytest.approx((gains[1:].sum() / gains[:2].sum() + 0) / 2)
    assert (found.recall, found.mrr) == (0.5, 0.25)
    assert found.coverage == 4 / 5
    assert top_k([[1, 2, 3], [4, -1, -1], [1, 1, 1]], held_out, [True, False, False]).recall == 1


def test_the_best_list_has_one_and_lists_at_random_have_their_expectation():
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((300, 40)) < 0.25)
    held_out = od.Ratings(users, items, np.ones(len(users)))
    best = [[*items[users == user], *[-1] * 40][:5] for user in range(300)]
    assert top_k(best, held_out).ndcg == pytest.approx(1)
    chance = np.array([rng.permutation(40)[:5] for _ in range(300)])
    assert top_k(chance, held_out).recall == pytest.approx(5 / 40, abs=0.05)


@pytest.mark.parametrize(
    ("lists", "liked", "message"),
    [
        ([[0]], None, "a row for each of the 2 users"),
        ([[0], [2]], None, "numbers of items below 2"),
        ([[0.5], [1]], None, "numbers of items"),
        ([[0], [1]], [False, False], "counts as liked"),
    ],
)
def test_what_cannot_be_judged_is_refused(lists, liked, message):
    with pytest.raises(od.InputError, match=message):
        top_k(lists, od.Ratings([0, 1], [0, 1], [1, 1]), liked)
