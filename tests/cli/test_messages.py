import pytest

import ordinate as od
from ordinate.cli._messages import in_shell_words

ROWS = od.Comparisons([[0, 1, 2]])


@pytest.mark.parametrize(
    ("provoke", "option"),
    [
        (lambda path: od.read_ratings(path), "with --user."),
        (lambda path: od.read_ratings(path, user="x"), "with --item."),
        (lambda path: od.read_ratings(path, user="x", item="y"), "with --value."),
        (lambda path: od.read_comparisons(path), "--columns A,B,C"),
        (lambda path: od.read_graph(path), "gets with --neighbors."),
        (lambda path: ROWS.group_codes("planet"), "columns of labels with --group."),
    ],
    ids=["user", "item", "value", "columns", "neighbors", "group"],
)
def test_the_library_still_says_what_is_translated(tmp_path, provoke, option):
    path = tmp_path / "table.csv"
    path.write_text("x,y,z,w,v\n1,2,3,4,5\n")
    with pytest.raises(od.InputError) as refused:
        provoke(path)
    assert option not in str(refused.value)
    assert option in in_shell_words(str(refused.value))
