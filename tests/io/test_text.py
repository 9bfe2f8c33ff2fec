import gzip

import pytest

from ordinate import InputError
from ordinate.io.text import TextTable


@pytest.fixture
def table(tmp_path):
    def make(content, header=None, name="answers.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return TextTable(path, header)

    return make


def test_entries_lose_blanks_and_whole_numbers_become_integers(table):
    found = table("a, b ,c,d\n1, x,007,1.5\n -2,y ,8,2\n").read()
    assert found.to_pydict() == {
        "a": [1, -2],
        "b": ["x", "y"],
        "c": ["007", "8"],
        "d": ["1.5", "2"],
    }


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters(table, delimiter):
    text = table(delimiter.join("abc") + "\n" + delimiter.join("123") + "\n")
    assert text.read().to_pylist() == [{"a": 1, "b": 2, "c": 3}]


def test_missing_entries_are_null_unless_quoted(table):
    found = table('a,b\nNA,"NA"\n,""\nNaN,x\n').read()
    assert found.to_pydict() == {"a": [None, None, None], "b": ["NA", "", "x"]}


def test_header_is_guessed_or_told(table):
    assert table("0,1\n2,3\n").names == ["0", "1"]
    assert table("0,1\n2,3\n").read().num_rows == 2
    assert table("cat,dog\ncow,yak\n").read().to_pylist() == [{"cat": "cow", "dog": "yak"}]
    assert table("cat,dog\ncow,yak\n", header=False).read().num_rows == 2
    assert table("10,20\n2,3\n", header=True).read().to_pylist() == [{"10": 2, "20": 3}]


def test_what_programs_write(table):
    assert table(b"\xef\xbb\xbfa,b\r\n1,2\r\n").read().to_pylist() == [{"a": 1, "b": 2}]  # Excel
    assert table(b"\xef\xbb\xbf1,2\r\n").read().to_pylist() == [{"0": 1, "1": 2}]
    assert table(b"a,b\r1,2\r3,4\r").read().to_pydict() == {"a": [1, 3], "b": [2, 4]}  # old Mac
    assert table("# a,b\n1,2\n").read().to_pylist() == [{"a": 1, "b": 2}]  # NumPy
    assert table(",a,b\n0,1,2\n").read().column_names == ["", "a", "b"]  # pandas with its index
    assert table('"a","b"\n"x","y"\n').read().to_pylist() == [{"a": "x", "b": "y"}]  # R


def test_gzip(table):
    found = table(gzip.compress(b"a,b\n1,2\n"), name="answers.csv.gz")
    assert found.read().to_pylist() == [{"a": 1, "b": 2}]


def test_lines_count_blank_ones_header_and_breaks_inside_quotes(table):
    text = table('\n\na,b\n1,2\n\n3,"x\ny"\n5,6\n')
    assert text.read().to_pydict() == {"a": [1, 3, 5], "b": ["2", "x\ny", "6"]}
    assert [text.line(row) for row in range(3)] == [4, 7, 8]
    assert table("\n1,2\n\n3,4\n").line(1) == 4


def test_a_long_file_has_its_type_from_all_rows(table):
    rows = "".join("1,2\n" for _ in range(600_000))  # more than one block of the reader
    found = table("a,b\n" + rows + "x,3\n").read()
    assert found["a"][-1].as_py() == "x"
    assert found["b"][-1].as_py() == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b,c\n1,2,3\n\n1,2\n", "Line 4 has 2 entries, the first line has 3"),
        ("a,b\n1,2,3\n", "Line 2 has 3 entries, the first line has 2"),
        ("My study\na,b,c\n1,2,3\n", "Line 2 has 3 entries.* a header must be the first line"),
    ],
)
def test_ragged_rows(table, content, message):
    with pytest.raises(InputError, match=message):
        table(content).read()


@pytest.mark.parametrize("content", ["", "\n\n", "  \n"])
def test_empty_file(table, content):
    with pytest.raises(InputError, match="There is nothing in the file"):
        table(content)


@pytest.mark.parametrize("content", ["né,b\n1,2\n", "a,b\n" + "1,2\n" * 10_000 + "é,2\n"])
def test_another_encoding(table, content):
    with pytest.raises(InputError, match="not UTF-8 text; save it again"):
        table(content.encode("latin-1")).read()
