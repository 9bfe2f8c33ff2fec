"""Tables about objects and pictures of them, for maps."""

import numpy as np
import pytest
from PIL import Image

import ordinate as od
from ordinate.results.object_display import read_display


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "objects.csv"
    path.write_text(
        "object,kind,price,image\nmilk,soft,1.5,milk.png\nbeer,hard,3,\ntea,soft,2,t.png\n"
    )
    Image.new("RGB", (2, 1)).save(tmp_path / "milk.png")
    Image.new("RGB", (1, 2)).save(tmp_path / "t.png")
    return path


def test_rows_come_in_the_order_of_the_names(table):
    look = read_display(["tea", "milk"], table, "kind", None)
    assert look.color == "kind"
    assert look.columns["kind"].tolist() == ["soft", "soft"]
    np.testing.assert_array_equal(look.columns["price"], [2, 1.5])
    assert [image.shape for image in look.images] == [(2, 1, 3), (1, 2, 3)]


def test_no_picture_where_the_entry_is_empty(table):
    assert read_display(["beer"], table, None, None).images == [None]


def test_the_first_column_names_the_objects_if_none_is_called_object(tmp_path):
    (tmp_path / "stimuli.csv").write_text("stimulus,hue\n0,red\n1,blue\n")
    look = read_display(range(2), tmp_path / "stimuli.csv", None, None)
    assert look.columns["hue"].tolist() == ["red", "blue"]


def test_pictures_are_found_by_name(tmp_path):
    for name, width in {"tea.png": 4, "milk.jpg": 8}.items():
        Image.new("RGB", (width, 4)).save(tmp_path / name)
    milk, beer, tea = read_display(["milk", "beer", "tea"], None, None, tmp_path).images
    assert (milk.shape, beer, tea.shape) == ((4, 8, 3), None, (4, 4, 3))


def test_objects_may_be_called_like_files_in_folders(tmp_path):
    (tmp_path / "drinks").mkdir()
    Image.new("RGB", (3, 1)).save(tmp_path / "drinks" / "tea.png")
    Image.new("RGB", (1, 4)).save(tmp_path / "beer.png")
    names = ["drinks/tea.png", "study/drinks/beer.png", "tea"]
    tea, beer, again = read_display(names, None, None, tmp_path).images
    assert (tea.shape[:2], beer.shape[:2], again.shape[:2]) == ((1, 3), (4, 1), (1, 3))


def test_pictures_are_looked_at_before_the_fit(table):
    (table.parent / "t.png").write_bytes(b"not a picture")
    with pytest.raises(od.InputError, match=r"t\.png is not a picture that can be read"):
        read_display(["tea", "milk"], table, None, None)


def test_nothing_is_asked_for():
    look = read_display(["tea"], None, None, None)
    assert (look.columns, look.color, look.images) == ({}, None, None)


def test_bad_arguments_are_refused(table, tmp_path):
    with pytest.raises(od.InputError, match=r"objects.csv: .*not name the object 'wine' and 1"):
        read_display(["wine", "rum"], table, None, None)
    with pytest.raises(od.InputError, match="no column 'size' to colour by; there are kind, price"):
        read_display(["tea"], table, "size", None)
    with pytest.raises(od.InputError, match="colour by; name a table with objects"):
        read_display(["tea"], None, "size", None)
    with pytest.raises(od.InputError, match=r"There is no folder .*gone of pictures"):
        read_display(["tea"], None, None, tmp_path / "gone")
    with pytest.raises(
        od.InputError, match=r"named after an object; expected names such as tea.png"
    ):
        read_display(["tea"], None, None, tmp_path)
