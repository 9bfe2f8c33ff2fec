import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordinate import Comparisons, InputError
from ordinate.selection import split_folds


@st.composite
def records(draw):
    """Small records in which many objects occur in one or two rows only."""
    n_objects = draw(st.integers(3, 12))
    row = st.permutations(range(n_objects)).map(lambda order: order[:3])
    rows = draw(st.lists(row, min_size=4, max_size=40))
    trials = draw(st.lists(st.integers(0, 8), min_size=len(rows), max_size=len(rows)))
    weights = draw(
        st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=len(rows), max_size=len(rows))
    )
    return Comparisons(rows, weights=weights, groups={"trial": trials})


@given(records(), st.integers(2, 4), st.sampled_from([None, "trial"]), st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_no_object_becomes_unknown(record, folds, by, seed):
    try:
        parts = split_folds(record, folds, by=by, random_state=seed)
    except InputError:  # too few rows, or too few that can be spared
        return
    assert len(parts) == folds
    held_out = np.concatenate(parts)
    assert len(np.unique(held_out)) == len(held_out)
    counting = record.weights > 0
    seen = set(record.rows[counting].ravel().tolist())
    question = record.question_groups()
    for part in parts:
        assert len(part) > 0
        if not by:
            others = np.setdiff1d(held_out, part)
            assert not set(question[part].tolist()) & set(question[others].tolist())
        left = counting.copy()
        left[part] = False
        assert set(record.rows[left].ravel().tolist()) == seen
        if by:
            others = np.setdiff1d(np.arange(len(record)), part)
            trial = record.groups["trial"]
            assert not set(trial[part].tolist()) & set(trial[others].tolist())


def test_parts_are_of_one_size_and_cover_the_rows():
    # equal questions stay together: parts are of one size where few are equal by chance
    rows = np.array([np.random.default_rng([i]).permutation(15)[:3] for i in range(103)])
    parts = split_folds(Comparisons(np.vstack([rows, rows])), 5, random_state=0)
    assert all(38 <= len(part) <= 44 for part in parts)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(206))


def test_large_groups_are_spread_over_the_parts():
    rows = np.array([np.random.default_rng(i).permutation(15)[:3] for i in range(120)])
    trial = np.repeat(range(16), [30, 20] + [5] * 14)
    parts = split_folds(Comparisons(rows, groups={"trial": trial}), 4, by="trial", random_state=0)
    assert sorted(len(part) for part in parts) == [20, 20, 35, 45]


def test_the_only_row_about_an_object_is_never_held_out():
    # fixed: others may ask fewer than three questions
    rows = np.array([np.random.default_rng([i]).permutation(3) for i in range(9)] + [[0, 1, 3]])
    parts = split_folds(rows, 3, random_state=0)
    assert 9 not in np.concatenate(parts)


def test_the_seed_decides_the_folds():
    record = Comparisons([np.random.default_rng(i).permutation(9)[:3] for i in range(20)])
    first, again, other = (
        np.concatenate(split_folds(record, 4, random_state=seed)).tolist() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_bad_arguments_are_refused():
    rows = [[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 1, 3], [1, 0, 3], [3, 1, 0], [1, 2, 0]]
    record = Comparisons(rows, groups={"trial": [0, 0, 0, 1, 1, 1, 0]})
    with pytest.raises(InputError, match=r"7 folds need at least 7 questions, .*; collect more"):
        split_folds(record, 7)
    with pytest.raises(InputError, match="3 folds need at least 3 groups of 'trial'"):
        split_folds(record, 3, by="trial")
    with pytest.raises(InputError, match="no group 'day'"):
        split_folds(record, 2, by="day")
    with pytest.raises(InputError, match="folds must be an integer >= 2; got 1"):
        split_folds(record, 1)
    apart = Comparisons([[0, 1, 2], [3, 4, 5]], groups={"trial": [0, 1]})
    with pytest.raises(InputError, match="use fewer folds or smaller groups"):
        split_folds(apart, 2, by="trial")
    with pytest.raises(InputError, match="use fewer folds or collect more answers"):
        split_folds(apart, 2)
