import numpy as np
import pyarrow as pa
import pytest

import ordinate as od
from ordinate.io.dask_data import FramePiece
from ordinate.io.layout import Layout
from ordinate.io.layout_table import find_layout
from ordinate.io.partition_reader import Checked, PieceReader, Vocabulary, distinct_words


def columns(rows, **others):
    anchor, near, far = zip(*rows, strict=True)
    return {"anchor": list(anchor), "near": list(near), "far": list(far), **others}


def reader(piece, *, vocabulary=None, on_invalid="raise", n_objects=9):
    found = find_layout(list(piece.content), Layout(groups=()))
    return PieceReader(found, vocabulary, None, n_objects, on_invalid)


WORDS = Vocabulary(
    pa.array(["a", "b", "c"], pa.large_string()), np.array([2, 0, 1], dtype=np.int32)
)


@pytest.mark.parametrize(
    "kind",
    [
        lambda values: values,
        lambda values: pa.array(values, pa.int64()),
        lambda values: pa.array(values, pa.uint8()),
        lambda values: pa.array(values, pa.float64()),
    ],
    ids=["list", "int64", "uint8", "float64"],
)
def test_numbers_of_objects_stay_as_they_are(kind):
    piece = FramePiece(0, {name: kind(v) for name, v in columns([(0, 1, 2), (5, 4, 3)]).items()})
    read = reader(piece)
    assert read.check(piece) == Checked(2, 0, 5, 0)
    assert read(piece) == od.Comparisons([[0, 1, 2], [5, 4, 3]], n_objects=9)


@pytest.mark.parametrize("encode", [False, True], ids=["text", "dictionary"])
def test_words_get_their_numbers(encode):
    content = {
        name: pa.chunked_array([pa.array(values[:1]), pa.array(values[1:])])
        for name, values in columns([("a", "b", "c"), ("c", "a", "b")]).items()
    }
    if encode:
        content = {name: column.dictionary_encode() for name, column in content.items()}
    piece = FramePiece(0, content)
    assert reader(piece, vocabulary=WORDS)(piece).rows.tolist() == [[2, 0, 1], [1, 2, 0]]


def test_words_that_no_row_has_are_left_alone():
    codes = {"anchor": [0], "near": [1], "far": [2]}
    words = pa.array(["a", "b", "c", "unused"])
    piece = FramePiece(
        0, {name: pa.DictionaryArray.from_arrays(pa.array(c), words) for name, c in codes.items()}
    )
    assert reader(piece, vocabulary=WORDS)(piece).rows.tolist() == [[2, 0, 1]]
    assert distinct_words(piece, ["anchor", "near", "far"], None).to_pylist() == ["a", "b", "c"]


def test_answers_and_weights_belong_to_their_rows():
    piece = FramePiece(0, columns([(0, 1, 2), (0, 1, 3)], answer=[1, -1], weight=[1, 2]))
    read = reader(piece)
    read.check(piece)
    assert read(piece) == od.Comparisons([[0, 1, 2], [0, 3, 1]], weights=[1.0, 2.0], n_objects=9)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (columns([(0, 1, 2), (3, 3, 4)]), "Partition 0: Row 1 .*compares nothing"),
        (columns([(0, 1, 2), (3, None, 4)]), "Partition 0: Row 1 has no entry in column 'near'"),
        (columns([(0, 1, 2), (3, -1, 4)]), "Partition 0: Row 1, column 1 is -1; object numbers"),
        (columns([(0, 1, 2), (3, 0.5, 4)]), "Partition 0: Row 1, column 1 is 0.5; object numbers"),
        (columns([(0, 1, 9)]), "Partition 0: Row 0, column 2 is 9; n_objects is 9"),
        (columns([(0, 1, 2)], weight=[-1]), "Partition 0: Weight 0 is -1.0"),
        (columns([(0, 1, 2)], answer=["maybe"]), "Partition 0: Column 'answer' holds 'maybe'"),
    ],
    ids=["twice", "missing", "negative", "fraction", "too-large", "weight", "answer"],
)
def test_errors_name_the_piece_and_the_row(content, message):
    piece = FramePiece(0, content)
    with pytest.raises(od.InputError, match=message):
        reader(piece).check(piece)


def test_rows_that_say_nothing_are_dropped_on_request():
    rows = [(0, 1, 2), (3, 3, 4), (None, 1, 2), (5, 6, 7)]
    piece = FramePiece(0, columns(rows, weight=[1, 2, 3, 4], answer=[True, True, True, False]))
    read = reader(piece, on_invalid="drop")
    assert read.check(piece) == Checked(2, 2, 7, 0)
    expected = od.Comparisons([[0, 1, 2], [5, 7, 6]], weights=[1.0, 4.0], n_objects=9)
    assert read(piece) == expected


@pytest.mark.parametrize("on_invalid", ["raise", "drop"])
def test_an_empty_piece_is_not_a_mistake(on_invalid):
    empty = pa.array([], pa.int64())
    piece = FramePiece(0, {"anchor": empty, "near": empty, "far": empty})
    read = reader(piece, on_invalid=on_invalid)
    assert read.check(piece) == Checked(0, 0, -1, 2**31 - 1)
    assert read(piece).shape == (0, 3)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 1], [3, 1]),
        ([3.0, None], [3]),
        ([0.5, 2.0], ["0.5", "2.0"]),
        (["a", "01"], ["a", "01"]),
    ],
)
def test_words_are_whole_numbers_or_text(values, expected):
    piece = FramePiece(0, {"x": values})
    assert distinct_words(piece, ["x"], None).to_pylist() == expected
