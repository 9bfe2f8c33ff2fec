"""What is said about a log, kept in a file."""

import pytest

import ordinate as od
from ordinate.io.layout import layout_beside


def test_a_layout_is_read_back(tmp_path):
    layout = od.Layout(
        question="choose_k",
        columns=["q", 'a "b"', "ü"],
        answer=[],
        groups={"participant": "who"},
        where={"phase": ["test", "main"]},
        header=False,
        reverse=True,
        n_objects=7,
    )
    layout.save(tmp_path / "x.toml")
    read = od.Layout.load(tmp_path / "x.toml")
    assert read == layout
    assert read.file == str(tmp_path / "x.toml")
    assert str(od.Layout()) == ""


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.zip"])
def test_where_it_lies(name):
    assert layout_beside(f"folder/{name}").name == "log.layout.toml"


def test_it_is_used_beside_the_log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("anchor,left,right,response\nx,y,z,1\ny,x,z,0\n")
    with pytest.raises(od.LayoutError, match="can be read in two ways"):
        od.read_comparisons(path)
    od.Layout(coding="from-0").save(tmp_path / "log.layout.toml")
    assert od.read_comparisons(path).rows.tolist() == [[0, 2, 1], [1, 0, 2]]
    assert od.read(path, reverse=True).rows.tolist() == [[0, 1, 2], [1, 2, 0]]
    other = od.Layout(coding="holds")
    assert od.read_comparisons(path, layout=other).rows.tolist() == [[0, 1, 2], [1, 2, 0]]


def test_the_reverse_of_one_of_three_is_another_question():
    log = {"image1": ["a"], "image2": ["b"], "image3": ["c"], "odd": ["a"]}
    assert isinstance(od.read(log), od.Trials)
    with pytest.raises(od.InputError, match="do you mean question='most_central'"):
        od.read_comparisons(log, reverse=True)
