from collections import Counter

import numpy as np

import ordinate as od
from ordinate import sample_triples


def test_every_triple_is_drawn_equally_often_and_no_other():
    ratings = od.Ratings([0, 0, 0, 1, 1], [0, 1, 2, 0, 2], [3, 1, 1, 2, 3], normalize="none")
    # users are objects 0 and 1, items are objects 2, 3 and 4
    triples = {(0, 2, 3), (0, 2, 4), (1, 4, 2), (2, 0, 1), (4, 1, 0)}
    drawn = Counter(map(tuple, sample_triples(ratings, 20_000, random_state=0).rows.tolist()))
    assert set(drawn) == triples
    assert max(abs(count - 4000) for count in drawn.values()) < 300


def test_same_seed_same_triples():
    ratings = od.Ratings([0, 0, 0], [0, 1, 2], [3, 1, 2])
    one, two = (sample_triples(ratings, 50, random_state=seed).rows for seed in (1, 1))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, sample_triples(ratings, 50, random_state=2).rows)
