"""Pairs of one ranking belong together: their errors are those of whole trials."""

import numpy as np
import pytest

import ordinate as od

TRUE = np.arange(7) * 0.4 - 1.2


def rankings(seed, n_trials=60):
    """Rank five of seven items in each trial (Plackett-Luce), and return the pairs."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n_trials):
        shown = rng.choice(7, 5, replace=False)
        order = shown[np.argsort(-(TRUE[shown] + rng.gumbel(size=5)))]
        rows += [(order[a], order[b]) for a in range(5) for b in range(a + 1, 5)]
    trial = np.repeat(np.arange(n_trials), 10)
    return od.Pairs(rows, groups={"trial": trial}, n_objects=7)


def test_intervals_of_rankings_hold():
    held = {"auto": [], "answers": []}
    for seed in range(25):
        pairs = rankings(seed)
        for errors, found in held.items():
            low, high = (
                od.Ranking(side=False, errors=errors, random_state=0).fit(pairs).intervals().T
            )
            found.append(np.mean((low <= TRUE) & (high >= TRUE)))
    assert 0.9 < np.mean(held["auto"]) <= 1
    assert np.mean(held["answers"]) < np.mean(held["auto"]) - 0.03


def test_the_result_speaks_of_trials():
    result = od.rank(rankings(0))
    assert "7 items, 60 trials with 600 pairs (0 ties)." in str(result)
    assert "intervals by trials" in str(result)
    assert result.to_dict()["errors"] == "trials"


def test_single_pairs_are_independent_answers():
    pairs = od.Pairs([[0, 1], [1, 2], [0, 2]] * 5, groups={"trial": np.arange(15)})
    assert od.Ranking().fit(pairs).errors_ == "answers"
    with pytest.raises(od.InputError, match="needs the group 'trial'"):
        od.Ranking(errors="trials").fit(pairs)
