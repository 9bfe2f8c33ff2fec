import itertools

import dask.array
import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import ordinate as od
from ordinate.comparisons import dask_tasks as _dask
from ordinate.comparisons.inputs import as_comparisons, as_record, in_memory, kept
from ordinate.comparisons.partitions import PartitionedComparisons


class Reader:
    """Reads slices of a record, and counts how often."""

    def __init__(self, record):
        self.record = record
        self.calls = []

    def __call__(self, piece):
        self.calls.append(piece)
        return self.record[piece]


def in_partitions(record, bounds, reader=None):
    """Cut a record into partitions of two pieces each."""
    cuts = list(itertools.pairwise(bounds))
    pieces = [[slice(a, (a + b) // 2), slice((a + b) // 2, b)] for a, b in cuts]
    return PartitionedComparisons(
        pieces,
        [b - a for a, b in cuts],
        reader or Reader(record),
        n_objects=record.n_objects,
        n_columns=record.shape[1],
        names=record.names,
        weighted=record.weights is not None,
    )


@pytest.fixture
def record():
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(9, size=3, replace=False) for _ in range(100)])
    return od.Comparisons(rows, weights=rng.random(100), names="abcdefghi")


@pytest.fixture
def answers(record):
    return in_partitions(record, [0, 10, 10, 60, 100])


def test_it_knows_what_it_holds(answers, record):
    assert len(answers) == 100
    assert answers.shape == (100, 3)
    assert answers.kind == "triplet"
    assert answers.names == record.names
    assert answers.n_objects == 9
    expected = "PartitionedComparisons(100 triplets in 4 partitions, 9 objects, weighted)"
    assert repr(answers) == expected


@pytest.mark.parametrize(
    "key",
    [
        slice(None),
        slice(5, 70, 3),
        slice(0),
        slice(-3, None),
        slice(None, None, -7),
        np.array([99, 0, 42, 42, 9, 10]),
        [0, -1, -100],
        [],
        -3,
        np.int64(7),
        np.arange(100) % 7 == 3,
        [True] * 3 + [False] * 97,
        ([5, 80], ...),
    ],
    ids=str,
)
def test_rows_come_as_from_memory(answers, record, key):
    assert answers[key] == record[key]


@pytest.mark.parametrize("key", [[0, 100], [-101], 100, [True, False], [0.5], [[0, 1]]], ids=str)
def test_rows_that_are_not_there_are_refused(answers, record, key):
    for either in (answers, record):
        with pytest.raises(IndexError):
            either[key]


def test_rows_one_at_a_time_are_refused(answers):
    with pytest.raises(od.InputError, match="needs comparisons in memory"):
        list(answers)


def test_scikit_learn_cross_validates_partitions(answers, record):
    model = od.STE(2, random_state=0, max_iter=100, n_init=1, tol=1.0)
    found = cross_val_score(model, answers, cv=3)
    np.testing.assert_allclose(found, cross_val_score(model, record, cv=3))


def test_a_model_matches_partitions_by_label(answers, record):
    names = tuple("ihgfedcba")
    model = od.STE(2, random_state=0).fit(od.Comparisons(8 - record.rows, names=names))
    assert model.score(answers) == pytest.approx(model.score(record))
    np.testing.assert_array_equal(model.predict(answers), model.predict(record))
    with kept(answers.renumbered(np.arange(8, -1, -1, dtype=np.int32), 9, names)) as held:
        assert held[:] == record.renumbered(np.arange(8, -1, -1, dtype=np.int32), 9, names)


def test_a_slice_reads_only_the_pieces_it_needs(record):
    reader = Reader(record)
    _ = in_partitions(record, [0, 10, 60, 100], reader)[:4]
    assert reader.calls == [slice(0, 5)]


def test_a_sample_repeats_with_its_seed(answers):
    drawn = answers.sample(20, random_state=1)
    assert len(drawn) == 20
    assert drawn == answers.sample(20, random_state=1)
    assert drawn != answers.sample(20, random_state=2)


def test_a_sample_cannot_be_larger_than_the_record(answers):
    with pytest.raises(od.InputError, match="size must be an integer >= 1 and <= 100; got 101"):
        answers.sample(101)


def test_map_goes_through_the_pieces_in_order(answers, record):
    parts = answers.map(lambda piece, factor: factor * piece.rows, 2)
    np.testing.assert_array_equal(np.concatenate(parts), 2 * record.rows)


def test_sums_have_the_same_bits_for_any_number_of_threads(answers, record):
    def totals(piece):
        return piece.weights.sum(), piece.weights @ piece.rows

    value, array = answers.sum(totals, n_threads=1)
    assert value == pytest.approx(record.weights.sum(), rel=1e-14)
    for n_threads in (2, 7):
        again = answers.sum(totals, n_threads=n_threads)
        assert again[0] == value
        np.testing.assert_array_equal(again[1], array)


@pytest.mark.parametrize(("room", "readings"), [(1e9, 1), (0.0, 3)], ids=["room", "no-room"])
def test_partitions_are_kept_where_there_is_room(record, monkeypatch, room, readings):
    monkeypatch.setattr(_dask, "memory", lambda: room)
    reader = Reader(record)
    with in_partitions(record, [0, 40, 100], reader).kept() as held:
        for _ in range(3):
            assert held.sum(lambda piece: (len(piece),)) == (100,)
    assert reader.calls.count(slice(0, 20)) == readings


def test_comparisons_in_memory_are_kept_as_they_are(record):
    with kept(record) as held:
        assert held is record


@pytest.mark.parametrize(
    "use",
    [
        lambda answers: answers.rows,
        in_memory,
        as_comparisons,
        od.SOE(solver="majorize").fit,
        od.DMOE().fit,
        od.K1().fit,
        od.compare,
        od.Ranking().fit,
        od.check_scale,
        od.SparseDimensions().fit,
    ],
    ids=[
        "rows",
        "in_memory",
        "as_comparisons",
        "majorize",
        "DMOE",
        "K1",
        "compare",
        "Ranking",
        "check_scale",
        "SparseDimensions",
    ],
)
def test_what_needs_memory_refuses(answers, use):
    with pytest.raises(od.InputError, match=r"needs comparisons in memory.*\.sample\(1_000_000\)"):
        use(answers)


def test_a_dask_array_is_refused_where_memory_is_needed():
    with pytest.raises(od.InputError, match="needs comparisons in memory"):
        od.DMOE().fit(dask.array.from_array([[0, 1, 2]]))


def test_records_pass_and_arrays_become_records():
    in_memory = od.Comparisons([[0, 1, 2]])
    assert as_record(in_memory) is in_memory
    in_partitions = od.from_dask(dask.array.from_array([[0, 1, 2]]))
    assert as_record(in_partitions) is in_partitions
    assert as_record([[0, 1, 2]], [False]).rows.tolist() == [[0, 2, 1]]


def test_answers_to_partitions_must_be_a_column():
    with pytest.raises(od.InputError, match="must be columns of the same table"):
        as_record(od.from_dask(dask.array.from_array([[0, 1, 2]])), [True])
