import codecs
import gzip
import io
import json
import sys
import zipfile

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import ordinate as od
from ordinate import InputError
from ordinate.io.columns import arrow_copy
from ordinate.io.delimited_text import TextTable
from ordinate.io.layout import Layout
from ordinate.io.read import read_log
from ordinate.io.tables import open_table


@pytest.fixture
def table(tmp_path):
    def make(content, header=None, name="answers.csv", encoding=None):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Read(open_table(path, header=header, encoding=encoding))

    return make


class Read:
    """A table with all its columns read, as labels or as numbers."""

    def __init__(self, table):
        self.table = table
        self.names = table.names

    def read(self, numbers=()):
        labels = [name for name in self.names if name not in numbers]
        return self.table.read(labels, list(numbers)).select(self.names)

    def line(self, row):
        return int(self.table.place(row).removeprefix("Line "))


def test_entries_lose_blanks_and_whole_numbers_become_integers(table):
    found = table("a, b ,c,d\n1, x,007,1.5\n -2,y ,8,2\n").read()
    assert found.to_pydict() == {
        "a": [1, -2],
        "b": ["x", "y"],
        "c": ["007", "8"],
        "d": ["1.5", "2"],
    }


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_delimiter_is_recognised(table, delimiter):
    text = table(delimiter.join("abc") + "\n" + delimiter.join("123") + "\n")
    assert text.read().to_pylist() == [{"a": 1, "b": 2, "c": 3}]


def test_missing_entries_are_null_unless_quoted(table):
    found = table('a,b\nNA,"NA"\n,""\nNaN,x\n').read()
    assert found.to_pydict() == {"a": [None, None, None], "b": ["NA", None, "x"]}
    found = table("a,b\nN/A,n/a\nNULL,None\n<NA>,#N/A\n").read()
    assert found.to_pydict() == {"a": [None] * 3, "b": [None] * 3}, "as databases write it"


def test_rows_may_have_names_as_r_writes_them(table):
    """R's write.table has no name for the column of row names, and quotes them."""
    for delimiter in " \t,":
        text = '"anchor" "near" "far"\n"1" "tea" "oat milk" 5\n"3" "ale" "rum" 6\n'
        found = table(text.replace(" ", delimiter).replace(f"oat{delimiter}milk", "oat milk"))
        assert found.names == ["", "anchor", "near", "far"]
        assert found.read().column("near").to_pylist() == ["oat milk", "rum"]


def test_entries_may_be_separated_by_bars(table):
    assert table("a|b\n1|2\n").read().to_pylist() == [{"a": 1, "b": 2}]


def test_several_columns_may_have_no_name(table):
    assert table("a,,\n1,,3\n").names == ["a", "column 2", "column 3"]
    assert table(",b\n1,2\n").names == ["", "b"]


def test_a_header_is_guessed_or_given(table):
    assert table("0,1\ncow,yak\n").read().to_pylist() == [{"0": "cow", "1": "yak"}], "pandas"
    assert table("0,2\ncow,yak\n").read().num_rows == 2
    assert table("0,1\n2,3\n").names == ["0", "1"]
    assert table("0,1\n2,3\n").read().num_rows == 2
    assert table("cat,dog\ncow,yak\n").read().to_pylist() == [{"cat": "cow", "dog": "yak"}]
    assert table("cat,dog\ncow,yak\n", header=False).read().num_rows == 2
    for mixed in ("0,1\n7,yak\ncow,8\n", "0,1\n7,8\ncow,yak\n", "0,1\n0,yak\n7,cow\n"):
        assert table(mixed).read().num_rows == 2, "a header above numbers and words"
    with pytest.raises(InputError, match=r"number the columns.*header=True or header=False"):
        table("0,1\n0,cow\nyak,1\n").read()
    assert table("10,20\n2,3\n", header=True).read().to_pylist() == [{"10": 2, "20": 3}]


def test_what_programs_write(table):
    assert table(b"\xef\xbb\xbfa,b\r\n1,2\r\n").read().to_pylist() == [{"a": 1, "b": 2}]  # Excel
    assert table(b"\xef\xbb\xbf1,2\r\n").read().to_pylist() == [{"0": 1, "1": 2}]
    assert table(b"a,b\r1,2\r3,4\r").read().to_pydict() == {"a": [1, 3], "b": [2, 4]}  # old Mac
    assert table("# a,b\n1,2\n").read().to_pylist() == [{"a": 1, "b": 2}]  # NumPy
    assert table(",a,b\n0,1,2\n").read().column_names == ["", "a", "b"]  # pandas with its index
    assert table('"a","b"\n"x","y"\n').read().to_pylist() == [{"a": "x", "b": "y"}]  # R


def test_a_gzipped_file_is_read(table):
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
        ("a,b\n1,2,3\n", "Line 2 has 3 entries, but the first line has 2 names.*row.names"),
        ('"a" "b"\n"2" 2 3\n"1" 2 3\n', "Line 2 has 3 entries, but .* 2 names.*row.names"),
        ("a,b\n1,2,\n", "Line 2 has 3 entries, the first line has 2"),
        ("My study\na,b,c\n1,2,3\n", "Line 2 has 3 entries.* a header must be the first line"),
    ],
)
def test_ragged_rows_are_refused(table, content, message):
    with pytest.raises(InputError, match=message):
        table(content).read()


@pytest.mark.parametrize("content", ["", "\n\n", "  \n"])
def test_an_empty_file_is_refused(table, content):
    with pytest.raises(InputError, match="There is nothing in the file"):
        table(content)


@pytest.mark.parametrize("content", ["né,b\n1,2\n", "a,b\n" + "1,2\n" * 10_000 + "é,2\n"])
def test_another_encoding(table, content):
    with pytest.raises(InputError, match="not UTF-8 text; pass its encoding"):
        table(content.encode("latin-1")).read()
    assert table(content.encode("latin-1"), encoding="latin-1").read().num_rows


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
@pytest.mark.parametrize("encoding", ["utf-16", None])
def test_text_of_excel_in_utf_16(table, mark, encoding):
    order = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
    content = mark + "a\tb\né\t2\n".encode(order)
    found = table(content, name="a.txt", encoding=encoding)
    assert found.read().to_pydict() == {"a": ["é"], "b": [2]}


def test_an_unknown_encoding(table):
    with pytest.raises(InputError, match="no encoding 'klingon'; common ones are utf-8"):
        table("a,b\n1,2\n", encoding="klingon")


def test_numbers_are_typed_where_asked_for(table):
    found = table("a,b,c\n1, 2.5,x\n3,-1e3,y\n").read(numbers=["a", "b", "c"])
    assert found.to_pydict() == {"a": [1, 3], "b": [2.5, -1000.0], "c": ["x", "y"]}


def test_decimal_commas_between_semicolons(table):
    found = table("a;w\nx;0,5\ny;2\n").read(numbers=["w"])
    assert found.to_pydict() == {"a": ["x", "y"], "w": [0.5, 2.0]}
    assert table("a;w\nx;0.5\n").read(numbers=["w"]).to_pydict() == {"a": ["x"], "w": [0.5]}


def test_blanks_between_entries(table):
    expected = {"0": [0, 10], "1": [1, 2], "2": [2, 3]}
    for text in ("0 1 2\n10 2 3\n", "  0   1 2 \n 10\t2  3\r\n"):
        assert table(text, name="triplets.txt").read().to_pydict() == expected
    assert table("a b\nx y\n", name="t.dat").read().to_pydict() == {"a": ["x"], "b": ["y"]}


def test_blanks_between_quoted_entries_as_r_writes_them(table):
    found = table('"a" "b"\n"green  tea" 2\n "x"   "3"\n', name="log.txt").read()
    assert found.to_pydict() == {"a": ["green  tea", "x"], "b": [2, 3]}


def test_a_single_column_may_hold_blanks(table):
    assert table("object\nice cream\n").read().to_pydict() == {"object": ["ice cream"]}


def test_remarks_are_not_rows_but_count_as_lines(table):
    text = table("# made by us\n#\na,b\n1,2\n# pause here\n3,4\n#x\n5,6\n")
    assert text.read().to_pydict() == {"a": [1, 3, 5], "b": [2, 4, 6]}
    assert [text.line(row) for row in range(3)] == [4, 6, 8]


def test_colours_are_not_remarks(table):
    found = table("a,b\n#ff0000,#00ff00\n#0000ff,#ff0000\n").read()
    assert found["a"].to_pylist() == ["#ff0000", "#0000ff"]


def test_a_json_file_is_read(table):
    records = [{"a": 1, "b": "x", "c": [0, "y"]}, {"a": 2.5, "b": None, "d": True}]
    expected = {"a": ["1", "2.5"], "b": ["x", None], "c": ['[0, "y"]', None], "d": [None, "true"]}
    for content in (records, {"trials": records, "version": 3}):
        assert table(json.dumps(content), name="log.json").read().to_pydict() == expected
    columns = {name: [record.get(name) for record in records] for name in "abcd"}
    assert table(json.dumps(columns), name="log.json").read().to_pydict() == expected
    lines = table("\n".join(map(json.dumps, records)), name="log.jsonl")
    assert lines.read().to_pydict() == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "[1, 2]", "list of objects, one per answer"),
        ("a.json", "{", "cannot be read as JSON"),
        ("a.jsonl", '{"a": 1}\n\n{', "Line 3 cannot be read as JSON"),
    ],
)
def test_json_that_is_not_a_table_is_refused(table, name, content, message):
    with pytest.raises(InputError, match=message):
        table(content, name=name)


def zipped(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_dot_", "."), content)
    return path


def test_zip_with_one_table(tmp_path):
    path = zipped(tmp_path / "a.zip", readme_dot_md="hello", log_dot_csv="a,b\n1,2\n")
    assert open_table(path).read(["a"]).to_pydict() == {"a": [1]}
    path = zipped(tmp_path / "b.zip", x_dot_csv="a\n1\n", y_dot_csv="a\n1\n")
    with pytest.raises(InputError, match=r"must hold one table; found 'x\.csv', 'y\.csv'"):
        open_table(path)


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b'[{"a": 1, "b": 2}]', b'{"a": 1}\n{"a": 1}'])
def test_answers_are_read_from_standard_input(monkeypatch, content):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    found = open_table("-").read(["a"])
    assert str(found["a"][0].as_py()) == "1"


@pytest.mark.parametrize("entries", [[["a"], ["b"]], [{"x": 1}, {"x": 2}], [None, None]])
def test_columns_that_hold_no_labels_are_refused(tmp_path, entries):
    table = pa.table({"anchor": entries, "near": ["b", "c"], "far": ["c", "a"]})
    pq.write_table(table, tmp_path / "odd.parquet")
    with pytest.raises(od.InputError, match=r"odd.parquet: Column 'anchor' has "):
        od.read_comparisons(tmp_path / "odd.parquet")


def test_names_that_no_system_takes(tmp_path):
    for name in ("y/" * 3000 + "y.csv", "x" * 300 + ".csv"):
        with pytest.raises(InputError, match=r"\.csv: It cannot be read: File name too long"):
            od.read_comparisons(tmp_path / name)
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    with pytest.raises(InputError, match=r"loop\.csv: There is no such file"):
        od.read_comparisons(loop)


def test_json_that_python_does_not_parse(table):
    digits = "9" * 5000
    for content, name in (f'[{{"a": {digits}}}]', "x.json"), (f'{{"a": {digits}}}', "x.jsonl"):
        assert table(content, name=name).read().to_pylist() == [{"a": digits}]
    for name, where in ("x.json", "It"), ("x.jsonl", "Line 1"):
        with pytest.raises(InputError, match=f"{where} cannot be read as JSON: its brackets nest"):
            table("[" * 100_000, name=name)


def test_lists_of_brackets_in_a_column():
    with pytest.raises(InputError, match="expected lists such as"):
        od.read_comparisons({"stimulus": ["a"], "choices": ["[" * 100_000], "response": [0]})


def quoted(at, mark=lambda line: line.replace("\t", '\t"', 1)):
    """A thousand rows; some of them with a stray quotation mark."""
    lines = [f"a{row % 7}\tb{row % 5}\tc{row % 3}" for row in range(1000)]
    for row in at:
        lines[row] = mark(lines[row])
    return "anchor\tnear\tfar\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "line", "how"),
    [
        (quoted([100, 900]), 102, "closed in line 902: the rows between would be lost"),
        (quoted([0, 999], '"{}'.format), 2, "closed in line 1001"),
        (quoted([100]), 102, "never closed"),
        (quoted([500], lambda line: line.replace("\tc", '\t"c')), 502, "never closed"),
        (quoted([100]).replace("b3\tc0", 'b3"\tc0'), 102, "closed in line 110"),
    ],
)
def test_a_stray_quotation_mark_swallows_no_rows(table, text, line, how, end):
    with pytest.raises(InputError, match=f"Line {line} .*{how}"):
        table(text.replace("\n", end), name="answers.tsv").read()


def test_entries_of_several_lines_are_read_and_said(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text('anchor,near,far,why\na,b,c,"red,\n\nbut, I think, not very"\nb,c,a,"so\nso"\n')
    assert len(od.read_comparisons(path)) == 2
    _, reading = read_log(path, Layout())
    assert "2 rows in 5 lines: some entries have several" in str(reading)


def test_a_label_that_begins_like_a_comment_is_not_lost_silently(table):
    text = "anchor,near,far\na,b,c\n# nothing, much\n#,b,c\n# d,b,c\n"
    with pytest.warns(od.DroppedRowsWarning, match=r"Line 4 begins with #.*lines like it: 2"):
        assert len(table(text).read()) == 1
    assert len(table(text.replace("#,", '"#",').replace("# d", "#d")).read()) == 3


def workbook(path, **sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)


def test_an_excel_sheet_reads_as_its_csv(tmp_path):
    rows = [("anchor", "near", "far"), (1, 2, 10), (2, 1, 10), (None, None, None), (10, 2, 1)]
    workbook(tmp_path / "a.xlsx", answers=rows, empty=[])
    found = od.read_comparisons(tmp_path / "a.xlsx")
    assert found.names == ("1", "2", "10")
    assert found.rows.tolist() == [[0, 1, 2], [1, 0, 2], [2, 1, 0]]


def test_a_workbook_of_several_sheets_is_refused(tmp_path):
    workbook(tmp_path / "a.xlsx", one=[("a",)], two=[("b",)])
    with pytest.raises(od.InputError, match=r"got 'one', 'two'\. Save the sheet"):
        od.read_comparisons(tmp_path / "a.xlsx")


def test_without_the_library_excel_files_have_a_way_out(tmp_path, monkeypatch):
    workbook(tmp_path / "a.xlsx", one=[("a",)])
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(od.InputError, match=r'pip install "ordinate\[excel\]", or save .* as CSV'):
        od.read_comparisons(tmp_path / "a.xlsx")


def test_arrow_is_given_no_memory_of_pythons(monkeypatch):
    """Its threads would give such memory back when Python may have ended, and abort."""
    data = b"anchor,near,far\n" + b"a,b,c\n" * 9
    owners = sys.getrefcount(data)
    copy = arrow_copy(data)
    assert sys.getrefcount(data) == owners
    assert copy.to_pybytes() == data
    assert arrow_copy(b"").to_pybytes() == b""

    given = []
    read = pa.csv.read_csv
    monkeypatch.setattr(
        pa.csv, "read_csv", lambda source, *rest: (given.append(source), read(source, *rest))[1]
    )
    assert TextTable(data).read(["anchor"]).num_rows == 9
    assert all(buffer.is_mutable for buffer in given)  # Python's bytes are not
