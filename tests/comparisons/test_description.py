import json

import numpy as np
import pytest

import ordinate as od
from ordinate.comparisons import description
from ordinate.comparisons.description import connected_parts, count_statements, rows_per_object

# objects 0-2 and 4-6 are two parts, 3 and 7 never occur
RECORD = od.Comparisons(
    [[0, 1, 2], [0, 2, 1], [0, 1, 2], [4, 5, 6], [5, 4, 6], [4, 5, 6], [4, 5, 6], [4, 6, 5]],
    n_objects=8,
    groups={"participant": [1, 1, 1, 2, 2, 2, 3, 3]},
)


def test_the_figures_of_a_description():
    found = RECORD.describe()
    assert (found.kind, found.n_objects, found.n_rows) == ("triplet", 8, 8)
    assert (found.n_distinct, found.n_repeats, found.n_contradictions) == (5, 3, 5)
    assert found.rows_per_object == (0, 3, 5)
    assert found.never_seen == (3, 7)
    assert found.rarely_seen == (0, 1, 2)
    assert found.n_parts == 2
    assert found.groups == {"participant": 3}


def test_an_object_counts_once_per_row():
    record = od.Comparisons([[0, 1, 0, 2], [0, 1, 2, 1], [3, 1, 0, 2]])
    assert rows_per_object(record).tolist() == [3, 3, 3, 1]


def test_connected_parts_are_found():
    parts = connected_parts(RECORD)
    assert len({*parts[:3]}) == len({*parts[4:7]}) == 1
    assert len({parts[0], parts[3], parts[4], parts[7]}) == 4


def test_a_description_becomes_json():
    figures = json.loads(json.dumps(RECORD.describe().to_dict()))
    assert figures["never_seen"] == [3, 7]
    assert figures["n_repeats"] == 3
    assert "names" not in figures


def test_a_description_prints_in_words():
    text = str(RECORD.describe())
    assert text.startswith("8 triplets about 8 objects\n")
    assert "distinct rows      5 (3 repeat another)" in text
    assert "contradictions     5 pairs" in text
    assert "never seen         2 (3, 7)" in text
    assert "participant        3 different" in text


def test_names_in_words():
    named = od.Comparisons([[0, 1, 2]], names=[f"city {i}" for i in range(10)])
    text = str(named.describe())
    assert "never seen         7 (city 3, city 4, city 5, city 6, city 7 and 2 more)" in text
    assert "in under 5 rows    3 (city 0, city 1, city 2)" in text


@pytest.mark.parametrize("n_columns", [3, 4])
@pytest.mark.parametrize("n_objects", [5, 60_000])  # few enough to number statements, and too many
def test_parts_of_the_rows_give_what_all_rows_give(monkeypatch, n_columns, n_objects):
    rng = np.random.default_rng(n_columns)
    rows = np.array([rng.permutation(5)[:n_columns] for _ in range(200)])
    rows[:, 0] += n_objects - 5
    rows = rows[[len(set(row)) == n_columns for row in rows.tolist()]]
    record = od.Comparisons(rows, n_objects=n_objects)
    monkeypatch.setattr(description, "_CHUNK", 7)
    spoken = {tuple(row) for row in record.to_quadruplets().rows.tolist()}
    statements = {(tuple(sorted(row[:2])), tuple(sorted(row[2:]))) for row in spoken}
    said = [
        (tuple(sorted(row[:2])), tuple(sorted(row[2:])))
        for row in record.to_quadruplets().rows.tolist()
    ]
    contradicting = sum(one == other[::-1] for at, one in enumerate(said) for other in said[:at])
    assert count_statements(record) == (len(statements), contradicting)
    counts = [(rows == number).any(axis=1).sum() for number in range(n_objects - 5, n_objects)]
    assert rows_per_object(record)[-5:].tolist() == counts


def test_parts_are_joined_by_later_rows(monkeypatch):
    monkeypatch.setattr(description, "_CHUNK", 1)
    rows = [[4, 5, 6], [0, 1, 2], [7, 8, 9], [2, 4, 5], [1, 0, 2]]
    labels = connected_parts(od.Comparisons(rows, n_objects=11))
    assert len(set(labels[[0, 1, 2, 4, 5, 6]])) == 1
    assert len(set(labels)) == 4  # with 7, 8, 9 as one, 3 and 10 alone
