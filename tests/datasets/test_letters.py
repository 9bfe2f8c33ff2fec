import pytest

import ordinate as od
from ordinate.datasets._about import files_of
from ordinate.datasets._parsers import ALPHABET

ROWS = b"T,2,8,3,5,1,8,13,0,6,6,10,8,0,8,0,8\nA,1,1,3,2,1,8,2,2,2,8,2,8,1,6,2,7\n"
COUNTS = {"features": 16, **{f"letters_{letter}": letter in "AT" for letter in ALPHABET}}


def test_a_file_as_published_is_read(publish):
    dataset = od.datasets.load_letters(
        publish("letters", {"letter-recognition.data": ROWS}, **COUNTS)
    )
    assert dataset.points.shape == (2, 16)
    assert dataset.points[0].tolist() == [2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8]
    assert [dataset.label_names[label] for label in dataset.labels] == ["T", "A"]


def test_the_published_counts_are_those_of_20000_letters():
    counts = dict(files_of("letters").counts)
    assert counts.pop("features") == 16
    assert len(counts) == 26
    assert sum(counts.values()) == 20_000


def test_without_a_checksum_another_file_is_refused_by_its_counts(publish):
    counts = {**COUNTS, "letters_A": 789}
    folder = publish("letters", {"letter-recognition.data": ROWS}, **counts)
    with pytest.raises(od.InputError, match=r"Expected 789 letters A as published; .* have 1\."):
        od.datasets.load_letters(folder)
