import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, train_test_split

import ordinate as od
from ordinate import InputError
from ordinate.comparisons.inputs import as_comparisons

TRIPLETS = [[0, 1, 2], [3, 1, 0], [2, 0, 3], [0, 1, 2]]
FULL = od.Comparisons(
    TRIPLETS,
    n_objects=5,
    weights=[1, 2, 0, 0.5],
    groups={"participant": ["b", "a", "b", "a"], "trial": [9, 8, 7, 9]},
    names=list("vwxyz"),
)

triplet_rows = st.lists(st.permutations(range(6)).map(lambda p: p[:3]), min_size=1, max_size=40)


def test_what_is_in_a_record():
    assert FULL.rows.tolist() == TRIPLETS
    assert FULL.rows.dtype == np.int32
    assert FULL.weights.tolist() == [1, 2, 0, 0.5]
    assert FULL.groups["trial"].tolist() == [9, 8, 7, 9]
    assert FULL.names == ("v", "w", "x", "y", "z")
    assert (FULL.n_objects, len(FULL), FULL.shape, FULL.kind) == (5, 4, (4, 3), "triplet")
    assert repr(FULL) == (
        "Comparisons(4 triplets, 5 objects, weighted, grouped by participant and trial)"
    )


def test_a_bare_record():
    record = od.Comparisons(np.array([[4, 2, 0]], dtype=np.uint8))
    assert (record.n_objects, record.weights, record.names, dict(record.groups)) == (
        5,
        None,
        None,
        {},
    )
    assert repr(record) == "Comparisons(1 triplet, 5 objects)"


def test_quadruplets_may_share_an_object():
    assert od.Comparisons([[0, 1, 1, 2]]).kind == "quadruplet"


@pytest.mark.parametrize("answers", [[True, False], [1, -1], [1.0, -1.0], np.array([1, -1], "i1")])
def test_answers_turn_rows(answers):
    assert od.Comparisons([[0, 1, 2], [3, 1, 0]], answers).rows.tolist() == [[0, 1, 2], [3, 0, 1]]
    quadruplets = od.Comparisons([[0, 1, 2, 3], [0, 1, 2, 3]], answers).rows.tolist()
    assert quadruplets == [[0, 1, 2, 3], [2, 3, 0, 1]]


def test_one_array_of_groups():
    assert od.Comparisons([[0, 1, 2]], groups=["ann"]).groups["group"].tolist() == ["ann"]


def test_groups_of_pandas_are_text():
    labels = pd.Series(["ann", "bob"], dtype=object)
    record = od.Comparisons([[0, 1, 2], [2, 1, 0]], groups={"who": labels})
    assert record.groups["who"].dtype.kind == "U"
    assert record.group_codes("who").tolist() == [0, 1]


def test_it_cannot_be_changed():
    rows, weights, labels = np.array([[0, 1, 2]]), np.array([1.0]), np.array([3])
    record = od.Comparisons(rows, weights=weights, groups={"trial": labels})
    for array in (record.rows, record.weights, record.groups["trial"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(TypeError):
        record.groups["other"] = labels
    rows[:], weights[:], labels[:] = 5, 5, 5
    assert record == od.Comparisons([[0, 1, 2]], weights=[1.0], groups={"trial": [3]})
    assert rows.flags.writeable


def test_records_are_equal_if_all_their_parts_are():
    assert od.Comparisons(TRIPLETS) == od.Comparisons(np.array(TRIPLETS, dtype=float))
    same = {"n_objects": 5, "weights": FULL.weights, "groups": FULL.groups, "names": FULL.names}
    assert od.Comparisons(TRIPLETS, **same) == FULL
    changes = [
        {"weights": None},
        {"weights": [1, 2, 0, 1]},
        {"groups": None},
        {"groups": {"trial": FULL.groups["trial"]}},
        {"groups": FULL.groups | {"trial": [9, 8, 7, 6]}},
        {"names": None},
        {"names": list("vwxyq")},
        {"n_objects": 6, "names": None},
    ]
    for change in changes:
        assert od.Comparisons(TRIPLETS, **(same | change)) != FULL
    assert FULL != "FULL"
    with pytest.raises(TypeError, match="unhashable"):
        hash(FULL)


def test_pickle_and_clone():
    copy = pickle.loads(pickle.dumps(FULL))
    assert copy == FULL
    assert not copy.rows.flags.writeable
    assert clone(FULL, safe=False) == FULL


@pytest.mark.parametrize(
    "key",
    [slice(1, 3), [1, 2], np.array([False, True, True, False]), (np.array([1, 2]), Ellipsis)],
    ids=["slice", "list", "mask", "scikit-learn"],
)
def test_indexing_takes_all_that_belongs_to_the_rows(key):
    part = FULL[key]
    assert part.rows.tolist() == TRIPLETS[1:3]
    assert part.weights.tolist() == [2, 0]
    assert part.groups["participant"].tolist() == ["a", "b"]
    assert (part.names, part.n_objects) == (FULL.names, 5)


def test_indexing_one_row_or_none():
    assert FULL[-1].rows.tolist() == [[0, 1, 2]]
    assert len(FULL[[]]) == 0
    with pytest.raises(InputError, match="indexed by row only"):
        FULL[0, 1]


def test_scikit_learn_splits_it():
    for train, test in KFold(2).split(FULL):
        assert len(FULL[train]) + len(FULL[test]) == 4
    participants = FULL.groups["participant"]
    for _, test in GroupKFold(2).split(FULL, groups=participants):
        assert len(set(participants[test])) == 1
    train, test = train_test_split(FULL, test_size=0.25, random_state=0)
    assert (len(train), len(test)) == (3, 1)
    assert train.n_objects == 5


def test_as_quadruplets():
    quadruplets = FULL.to_quadruplets()
    assert quadruplets.rows[1].tolist() == [3, 1, 3, 0]
    assert quadruplets.weights is FULL.weights
    assert quadruplets.to_quadruplets() == quadruplets


def test_swapped_rows_exchange_near_and_far():
    assert FULL.reversed().rows[1].tolist() == [3, 0, 1]
    assert FULL.reversed().reversed() == FULL
    assert FULL.to_quadruplets().reversed().rows[1].tolist() == [3, 0, 3, 1]


def test_split_by_row():
    record = od.Comparisons([[i, i + 1, i + 2] for i in range(100)])
    train, test = record.train_test_split(0.3, random_state=0)
    assert (len(train), len(test)) == (70, 30)
    rows = {tuple(row) for part in (train, test) for row in part.rows.tolist()}
    assert len(rows) == 100
    assert train == record.train_test_split(0.3, random_state=0)[0]
    assert train != record.train_test_split(0.3, random_state=1)[0]


def test_split_by_group():
    record = od.Comparisons(
        [[i, i + 1, i + 2] for i in range(100)], groups={"trial": np.arange(100) // 7}
    )
    train, test = record.train_test_split(0.4, by="trial", random_state=0)
    assert not set(train.groups["trial"]) & set(test.groups["trial"])
    assert len(set(test.groups["trial"])) == 6
    assert len(train) + len(test) == 100


def test_answers_to_the_same_question_fall_on_the_same_side():
    record = od.Comparisons([[i % 20, i % 20 + 1 + i % 2, i % 20 + 2 - i % 2] for i in range(100)])
    train, test = record.train_test_split(0.25, random_state=0)
    sides = [{(a, *sorted(pair)) for a, *pair in part.rows.tolist()} for part in (train, test)]
    assert [len(side) for side in sides] == [15, 5]
    assert not sides[0] & sides[1]


@pytest.mark.parametrize("n_objects", [5, 2**21 + 1])
def test_the_same_question_in_any_order(n_objects):
    triplets = od.Comparisons(
        [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [0, 1, 2]], n_objects=n_objects
    )
    assert triplets.question_groups().tolist() == [0, 1, 0, 2, 0]
    pairs = od.Comparisons([[0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3], [1, 0, 3, 2], [3, 1, 2, 0]])
    assert pairs.question_groups().tolist() == [0, 0, 1, 0, 1]
    assert triplets.to_quadruplets().question_groups().tolist() == [0, 1, 0, 2, 0]


def test_questions_and_groups_join():
    rows = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 0, 3], [2, 0, 1], [3, 1, 0]]
    record = od.Comparisons(rows, groups={"trial": [5, 6, 6, 7, 8, 7]})
    joined = record.question_groups("trial")
    assert joined.tolist() == [joined[0]] * 3 + [joined[3], joined[4], joined[3]]
    assert sorted(set(joined.tolist())) == [0, 1, 2]
    # half of the rows would have to stay together; a quarter is allowed: groups alone count
    assert record.question_groups("trial", largest=0.25).tolist() == [0, 1, 1, 2, 3, 2]


def test_trials_are_counted_within_participants_and_blocks():
    rows = [[0, 1, 2], [0, 2, 1], [1, 2, 3], [2, 3, 0], [3, 0, 1]]
    trial = [1, 1, 1, 1, 2]
    record = od.Comparisons(
        rows, groups={"trial": trial, "participant": list("aabba"), "block": [1, 2, 1, 1, 1]}
    )
    assert record.group_codes("trial").tolist() == [0, 1, 2, 2, 3]
    assert record.question_groups("trial").tolist() == [0, 0, 1, 1, 2]
    assert record.describe().groups["trial"] == 4
    alone = od.Comparisons(rows, groups={"trial": trial})
    assert alone.group_codes("trial").tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_size": 0}, r"test_size must be a number in \(0, 1\); got 0"),
        ({"test_size": 1.0}, r"test_size must be a number in \(0, 1\); got 1"),
        ({"test_size": 0.05}, "test_size=0.05 of 3 questions leaves one side empty"),
        ({"by": "trail"}, "no group 'trail'; the groups are: 'participant', 'trial'"),
        ({"by": "trial", "test_size": 0.1}, "of 4 groups of 'trial' leaves one side empty"),
        ({"random_state": -1}, "random_state must be None, an integer >= 0"),
    ],
)
def test_a_bad_split_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        FULL.train_test_split(**options)


def test_a_sample_is_part_of_the_record():
    part = FULL.sample(3, random_state=0)
    assert len(part) == 3
    assert len(set(part.groups["trial"].tolist()) - {7, 8, 9}) == 0
    assert len(FULL.sample(50, replace=True, random_state=0)) == 50
    assert part == FULL.sample(3, random_state=0)
    with pytest.raises(InputError, match="size must be an integer >= 1 and <= 4; got 5"):
        FULL.sample(5)


def test_concatenate_by_number():
    joined = od.Comparisons.concatenate(
        [od.Comparisons([[0, 1, 2]]), od.Comparisons([[5, 1, 0]], weights=[3])]
    )
    assert joined.rows.tolist() == [[0, 1, 2], [5, 1, 0]]
    assert joined.weights.tolist() == [1, 3]
    assert joined.n_objects == 6


def test_concatenate_by_name():
    one = od.Comparisons([[0, 1, 2]], names=["ant", "bee", "cat"], groups={"t": [1], "u": [1]})
    two = od.Comparisons([[0, 1, 2]], names=["cat", "dog", "ant"], groups={"t": [2], "v": [2]})
    joined = od.Comparisons.concatenate([one, two])
    assert joined.names == ("ant", "bee", "cat", "dog")
    assert joined.rows.tolist() == [[0, 1, 2], [2, 3, 0]]
    assert joined.groups.keys() == {"t"}
    assert joined.groups["t"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "at least one part; got none"),
        ([FULL, FULL.to_quadruplets()], "Triplets and quadruplets do not mix"),
        ([FULL, od.Comparisons(TRIPLETS)], "name all or none"),
    ],
)
def test_a_bad_concatenation_is_refused(parts, message):
    with pytest.raises(InputError, match=message):
        od.Comparisons.concatenate(parts)


def test_merge_repeats():
    merged = FULL.merge_repeats()
    assert merged.rows.tolist() == TRIPLETS[:3]
    assert merged.weights.tolist() == [1.5, 2, 0]
    assert (merged.names, dict(merged.groups)) == (FULL.names, {})
    # the order within a pair of a quadruplet says nothing
    assert len(od.Comparisons([[0, 1, 2, 3], [1, 0, 3, 2]]).merge_repeats()) == 1


def test_contradictions_are_pairs_of_opposite_rows():
    record = od.Comparisons([[0, 2, 1], [0, 1, 2], [0, 1, 2], [3, 1, 2], [0, 2, 1]])
    assert record.contradictions().tolist() == [[0, 1]]
    assert od.Comparisons([[0, 1, 2, 3], [3, 2, 1, 0]]).contradictions().tolist() == [[0, 1]]
    assert FULL.contradictions().shape == (0, 2)


@settings(max_examples=50, deadline=None)
@given(rows=triplet_rows)
def test_repeats_and_contradictions_by_definition(rows):
    record = od.Comparisons(rows)
    distinct = list(dict.fromkeys(map(tuple, rows)))
    merged = record.merge_repeats()
    assert list(map(tuple, merged.rows.tolist())) == distinct
    assert merged.weights.tolist() == [rows.count(list(row)) for row in distinct]
    denied = {frozenset([(a, i, j), (a, j, i)]) for a, i, j in distinct if (a, j, i) in distinct}
    found = {frozenset(map(tuple, record.rows[pair].tolist())) for pair in record.contradictions()}
    assert found == denied
    assert len(record.contradictions()) == len(denied)


def test_as_comparisons():
    assert as_comparisons(FULL) is FULL
    assert as_comparisons(TRIPLETS, n_objects=9).n_objects == 9
    turned = as_comparisons(FULL, answers=[1, -1, 1, 1], weights=[4, 3, 2, 1])
    assert turned.rows[1].tolist() == [3, 0, 1]
    assert turned.weights.tolist() == [4, 3, 2, 1]
    assert turned.groups == FULL.groups
    assert FULL.rows.tolist() == TRIPLETS


def test_text_is_labels():
    answers = od.Comparisons([["tea", "milk", "wine"], ["milk", "tea", "wine"]])
    assert answers.names == ("milk", "tea", "wine")
    assert answers.rows.tolist() == [[1, 0, 2], [0, 1, 2]]
    given = od.Comparisons(np.array([["b", "a", "c"]]), names=["c", "b", "a", "d"])
    assert given.rows.tolist() == [[1, 2, 0]]
    assert given.n_objects == 4


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, -1, 2]], "Row 0, column 1 is -1; object numbers start at 0"),
        ([[0, 1, 2**31]], r"Row 0, column 2 is 2147483648; .* below 2\*\*31"),
        ([[0, 1, 2**40]], r"Row 0, column 2 is 1099511627776; .* below 2\*\*31"),
        (np.array([[0, 1, 2**64 - 1]], dtype=np.uint64), r"18446744073709551615; .* below 2\*\*31"),
        ([[0, 1, 2], [0, 1, 2.5]], "Row 1, column 2 is 2.5; object numbers must be whole"),
        ([[0, np.nan, 2]], "Row 0, column 1 is nan; object numbers must be finite"),
        ([[np.inf, 1, 2]], "Row 0, column 0 is inf; object numbers must be finite"),
        ([[True, False, True]], "numbers of objects, counted from 0; got booleans"),
        ([[0, 1, None]], "got Python objects"),
        ([[1 + 1j, 0, 2]], "Complex data not supported"),
        ([[0, 1, 2], [5, 5, 1]], r"Row 1 is \(5, 5, 1\): the three objects of a triplet must dif"),
        ([[0, 1, 1], [2, 2, 1]], r"Row 0 is \(0, 1, 1\): .* \(1 more like it\)"),
        ([[0, 0, 1, 2]], r"Row 0 is \(0, 0, 1, 2\): each pair of a quadruplet needs two objects"),
        ([[0, 1, 1, 0]], "the two pairs must differ"),
        ([[0, 1]], "need 3 columns .* or 4 .*; got 2"),
        ([[0, 1, 2, 3, 4]], "need 3 columns .* or 4 .*; got 5"),
        ([0, 1, 2], r"2-D array, .*; got 1 dimension\(s\), shape \(3,\)"),
        ([[[0, 1, 2]]], r"got 3 dimension\(s\)"),
        ([], "2-D array"),
        ([[0, 1, 2], [0, 1, 2, 3]], "got rows of different lengths"),
        (np.empty((0, 3), dtype=int), "No comparisons; expected at least one row"),
    ],
)
def test_bad_rows_are_refused(rows, message):
    with pytest.raises(InputError, match=message):
        od.Comparisons(rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_objects": 3}, "Row 1, column 0 is 3; n_objects is 3, so numbers end at 2"),
        ({"n_objects": 1}, "n_objects must be an integer >= 2; got 1"),
        ({"n_objects": 4.0}, "n_objects must be an integer >= 2; got 4.0"),
        ({"answers": [1, 1, 1, 0.5]}, "Answer 3 is 0.5; answers must be booleans or"),
        ({"answers": [1, 1.7, 1, 1]}, "Answer 1 is 1.7; answers must be booleans or"),
        ({"answers": [2, 1, 1, 1]}, "Answer 0 is 2; answers must be booleans or"),
        ({"answers": [1, 0, 1, 1]}, "Answer 1 is 0; .* For answers coded 0 and 1 pass"),
        ({"answers": [1, np.nan, 1, 1]}, "Answer 1 is nan; answers must be booleans or"),
        ({"answers": ["yes"] * 4}, r"Answers must be booleans or \+1 and -1; got text"),
        ({"answers": [True]}, r"answers must have one entry per comparison, shape \(4,\); got sh"),
        ({"answers": [[True]] * 4}, r"answers must have one entry.*got shape \(4, 1\)"),
        ({"weights": [1, 2]}, r"weights must have one entry per comparison.*got shape \(2,\)"),
        ({"weights": [1, -2, 1, 1]}, "Weight 1 is -2.0; weights must be finite and not negative"),
        ({"weights": [1, np.nan, 1, 1]}, "Weight 1 is nan; weights must be finite"),
        ({"weights": [1, 1, 1, np.inf]}, "Weight 3 is inf; weights must be finite"),
        ({"weights": list("abcd")}, "Weights must be numbers; got text"),
        ({"groups": [1, 2]}, r"groups\['group'\] must have one entry per comparison"),
        ({"groups": {"who": [1] * 5}}, r"groups\['who'\] must have one entry per comparison"),
        (
            {"groups": {"who": np.array(["a", None, "b", "a"], dtype=object)}},
            r"groups\['who'\] must be all text or all numbers; entry 1 is None",
        ),
        ({"names": ["a", "b", "a", "c"]}, "Object names must differ; 'a' occurs more than once"),
        ({"names": ["a", "b", "c"]}, "Row 1, column 0 is 3; n_objects is 3"),
        ({"names": ["a", "b"], "n_objects": 4}, "names has 2 entries; n_objects is 4"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        od.Comparisons(TRIPLETS, **options)


def test_a_mistake_is_a_value_error():
    assert issubclass(InputError, ValueError)


def test_its_size_is_that_of_its_arrays():
    rows = np.tile([0, 1, 2], (1000, 1))
    plain, weighted = od.Comparisons(rows), od.Comparisons(rows, weights=np.ones(1000))
    assert 12_000 < sys.getsizeof(plain) < 13_000
    assert sys.getsizeof(weighted) - sys.getsizeof(plain) == 8000


def test_a_record_in_which_nothing_counts_is_refused_where_it_is_used():
    nothing = od.Comparisons([[0, 1, 2], [1, 2, 0]], weights=[0, 0])
    for made in (
        lambda: as_comparisons(nothing),
        lambda: as_comparisons([[0, 1, 2]], weights=[0.0]),
        lambda: od.SOE().fit(nothing),
        lambda: od.DMOE().fit([[0, 1, 2]], sample_weight=[0.0]),
        lambda: od.estimate_noise(nothing, random_state=0),
    ):
        with pytest.raises(od.InputError, match="All weights are 0"):
            made()


ROWS = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS + 1, r"Object 0 occurs in no row.*Subtract 1.*n_objects=5"),
        (ROWS * 2, r"3 of the objects 0 to 6 occur in no row \(1, 3, 5\)"),
    ],
)
@pytest.mark.parametrize("given", [np.asarray, od.Comparisons, od.read_comparisons])
def test_a_fit_to_an_array_with_objects_in_no_row(rows, message, given):
    with pytest.warns(od.DoubtfulObjectsWarning, match=message):
        od.SOE(random_state=0).fit(given(rows))


@pytest.mark.parametrize(
    "rows", [ROWS, od.Comparisons(ROWS + 1, n_objects=5), od.read_comparisons(ROWS.astype(str))]
)
def test_no_warning_where_all_objects_occur_or_were_counted(rows):
    od.SOE(random_state=0).fit(rows).predict(ROWS[:1])


def test_numbers_that_must_be_labels():
    with pytest.raises(InputError, match=r"largest object number is 2147483647.*astype"):
        od.Comparisons([[0, 1, 2**31 - 1]])
    assert od.read_comparisons(np.array([["0", "1", "2147483647"]])).n_objects == 3
