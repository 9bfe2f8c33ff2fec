from collections import Counter

import numpy as np
import pytest

import ordinate as od
from ordinate import sample_triples
from ordinate.ratings.ranked_lists import RankedLists
from ordinate.ratings.triples import (
    ListSampler,
    MemberSampler,
    RowSampler,
    TripleRounds,
    alias_table,
)

N = 40_000


def drawn(sampler, seed=1, size=N):
    rows = np.empty((size, 3), dtype=np.uint32)
    sampler.draw(np.array([seed], dtype=np.uint64), rows)
    return rows


@pytest.fixture
def lists():
    """User 0 makes three triples, user 1 one; item 0 (object 2) makes one."""
    users, items = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1])
    scores = np.array([3.0, 2, 1, 4, 2])
    return RankedLists(users.astype(np.int32), items.astype(np.int32), scores, 2, 3)


@pytest.mark.parametrize(
    ("by", "shares"),
    [
        ("objects", {(0, 2, 3): 1, (0, 2, 4): 1, (0, 3, 4): 1, (1, 2, 3): 3, (2, 1, 0): 2}),
        ("triples", {(0, 2, 3): 3, (0, 2, 4): 3, (0, 3, 4): 3, (1, 2, 3): 3, (2, 1, 0): 4}),
    ],
)
def test_triples_are_drawn_as_often_as_asked(lists, by, shares):
    counts = Counter(map(tuple, drawn(ListSampler(lists, by, user_anchored=0.75)).tolist()))
    assert set(counts) == set(shares)
    for triple, share in shares.items():
        assert counts[triple] / N == pytest.approx(share / sum(shares.values()), abs=0.01)


@pytest.mark.parametrize(("user_anchored", "anchors"), [(0.0, {2}), (1.0, {0, 1})])
def test_one_type_alone_can_be_drawn(lists, user_anchored, anchors):
    assert set(drawn(ListSampler(lists, "objects", user_anchored), size=500)[:, 0]) == anchors


def test_ties_make_no_triple():
    users, items = np.zeros(4, dtype=np.int32), np.arange(4, dtype=np.int32)
    tied = RankedLists(users, items, np.array([2.0, 2, 2, 1]), 1, 4)
    rows = drawn(ListSampler(tied, "objects", user_anchored=1.0), size=500)
    assert set(map(tuple, rows.tolist())) == {(0, 1, 4), (0, 2, 4), (0, 3, 4)}


def test_rows_are_drawn_by_weight():
    rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    counts = Counter(drawn(RowSampler(od.Comparisons(rows, weights=[1, 0, 3])))[:, 0].tolist())
    assert counts[1] == 0
    assert counts[2] / N == pytest.approx(0.75, abs=0.01)
    even = Counter(drawn(RowSampler(od.Comparisons(rows)))[:, 0].tolist())
    assert min(even.values()) / N == pytest.approx(1 / 3, abs=0.01)


def test_same_seed_same_triples(lists):
    sampler = ListSampler(lists)
    np.testing.assert_array_equal(drawn(sampler, 5, 500), drawn(sampler, 5, 500))
    assert not np.array_equal(drawn(sampler, 5, 500), drawn(sampler, 6, 500))


def test_alias_table_gives_back_its_weights():
    rng = np.random.default_rng(0)
    weights = rng.gamma(0.3, size=50) + 1e-6
    limit, alias = alias_table(weights)
    share = limit / 2**32
    found = share.copy()
    np.add.at(found, alias, 1 - share)
    np.testing.assert_allclose(found / 50, weights / weights.sum(), atol=1e-8)


def test_nothing_to_draw_is_reported():
    tied = RankedLists(np.array([0, 0], np.int32), np.array([0, 1], np.int32), np.ones(2), 1, 2)
    with pytest.raises(od.InputError, match="no triple to draw"):
        ListSampler(tied)
    with pytest.raises(od.InputError, match="all weights are 0"):
        RowSampler(od.Comparisons([[0, 1, 2]], weights=[0]))


def test_rounds_are_drawn_part_by_part_into_the_buffer_and_handed_to_the_step(lists):
    steps = []
    seeds = np.array([7, 8], dtype=np.uint64)
    rounds = TripleRounds(
        ListSampler(lists), lambda points, rows, rate: steps.append((rows.copy(), rate)), seeds, 5
    )
    for part in (1, 0):
        rounds.draw(part, 1)
    rounds.move(np.zeros((5, 2)), 1, 0.3)
    rows, rate = steps[0]
    assert rate == 0.3
    np.testing.assert_array_equal(rows[:2], drawn(ListSampler(lists), 7, 2))
    np.testing.assert_array_equal(rows[2:], drawn(ListSampler(lists), 8, 3))
    np.testing.assert_array_equal(seeds, [7, 8])


def test_every_triple_is_drawn_equally_often_and_no_other():
    ratings = od.Ratings([0, 0, 0, 1, 1], [0, 1, 2, 0, 2], [3, 1, 1, 2, 3])
    # users are objects 0 and 1, items are objects 2, 3 and 4
    triples = {(0, 2, 3), (0, 2, 4), (1, 4, 2), (2, 0, 1), (4, 1, 0)}
    sample = sample_triples(ratings, 20_000, normalize="none", random_state=0)
    drawn = Counter(map(tuple, sample.rows.tolist()))
    assert set(drawn) == triples
    assert max(abs(count - 4000) for count in drawn.values()) < 300


def test_same_seed_same_comparisons():
    ratings = od.Ratings([0, 0, 0], [0, 1, 2], [3, 1, 2])
    one, two = (sample_triples(ratings, 50, random_state=seed).rows for seed in (1, 1))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, sample_triples(ratings, 50, random_state=2).rows)


def test_tied_ratings_make_no_triple():
    tied = od.Ratings([0, 0, 1], [0, 1, 2], [3, 3, 4])
    with pytest.raises(od.InputError, match="no triple to draw: all scores are tied"):
        sample_triples(tied, 5)
    with pytest.raises(od.InputError, match="no triple to draw"):
        od.COE(random_state=0).fit(tied)


def test_a_share_of_triples_puts_rated_objects_above_unrated_ones():
    rng = np.random.default_rng(0)
    table = rng.random((6, 9)) < 0.5
    table[0] = True  # this user has rated everything
    users, items = np.nonzero(table)
    lists = RankedLists(users, items, rng.random(len(users)), 6, 9)
    rows = drawn(ListSampler(lists, "objects", unrated=0.75), size=8000).astype(int)
    by_item = rows[:, 0] >= 6
    item, near, far = rows[by_item].T
    assert table[near, item - 6].all()
    some = ~table[:, item - 6].all(axis=0)
    assert np.mean(~table[far, item - 6][some]) == pytest.approx(0.75, abs=0.03)
    anchor, near, far = rows[~by_item].T
    assert table[anchor, near - 6].all()
    above_unrated = ~table[anchor, far - 6]
    assert not above_unrated[anchor == 0].any()
    assert np.mean(above_unrated[anchor != 0]) == pytest.approx(0.75, abs=0.03)
    counts = Counter(far[above_unrated & (anchor == 1)].tolist())
    assert set(counts) == set(6 + np.flatnonzero(~table[1]))
    assert max(counts.values()) < 2 * min(counts.values())


def test_without_a_share_both_types_are_drawn_as_they_are(lists):
    n_pairs = lists.count_pairs()
    rows = drawn(ListSampler(lists, "triples", None), size=20_000)
    share = n_pairs[: lists.n_users].sum() / n_pairs.sum()
    # chance of a false alarm below 1e-6: five standard errors
    assert abs(np.mean(rows[:, 0] < lists.n_users) - share) < 5 * np.sqrt(0.25 / len(rows))


@pytest.mark.parametrize("by", ["objects", "triples"])
def test_members_of_lists_are_drawn_beside_others(lists, by):
    # user 1 (object 1) has items 0 and 1 and not item 2; user 0 has all; of items only 2 lacks one
    counts = Counter(map(tuple, drawn(MemberSampler(lists, by, user_anchored=0.75)).tolist()))
    shares = {(1, 2, 4): 3, (1, 3, 4): 3, (4, 0, 1): 2}
    assert set(counts) == set(shares)
    for triple, share in shares.items():
        assert counts[triple] / N == pytest.approx(share / 8, abs=0.02)
