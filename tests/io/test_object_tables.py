"""Tables about objects: lists of names, and columns in the order of names."""

import pytest

import ordinate as od
from ordinate.io.object_tables import columns_for, read_names


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.txt", "ice cream\nsalt, pepper\n\n"),
        ("a.csv", '"ice cream"\n"salt, pepper"\n'),
        ("a.csv", 'kind,object\nsweet,"ice cream"\nspice,"salt, pepper"\n'),
    ],
)
def test_names_are_a_list_or_a_column(tmp_path, file, text):
    (tmp_path / file).write_text(text)
    assert read_names(tmp_path / file) == ["ice cream", "salt, pepper"]


def test_a_list_has_no_columns_and_a_table_of_text_has(tmp_path):
    path = tmp_path / "objects.txt"
    path.write_text("ice cream\nsalt, pepper\n")
    assert columns_for(path, ["salt, pepper", "ice cream"]) == {}
    with pytest.raises(od.InputError, match=r"objects.txt: .*does not name the object 'tea'"):
        columns_for(path, ["tea"])
    path.write_text("object\tkind\tprice\ntea\tdrink\t2\nbun\tfood\t1.5\n")
    found = columns_for(path, ["bun", "tea"])
    assert found["kind"].tolist() == ["food", "drink"]
    assert found["price"].tolist() == [1.5, 2.0]
