import ast
import re
from pathlib import Path

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


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("device='cuda' needs a GPU; choose device=\"cpu\".", "--device cuda needs a GPU; choose"),
        ("Use normalize='zscore'.", "Use --normalize zscore."),
        ("test_size 0.2 of each user's ratings", "--test-size 0.2 of each user's ratings"),
        ("pass on_invalid='drop' to", "pass --on-invalid drop to"),
        ("Rescale the features or use weights='rank'.", "or use --set weights=rank."),
    ],
)
def test_arguments_become_options(said, expected):
    assert expected in in_shell_words(said)


REACHED = ("comparisons", "engine", "features", "graphs", "io", "ratings", "triplets", "gram")
"""Rooms whose messages users of the command line meet."""
PYTHON_ONLY = {
    "answer=... and weight=...",  # partitions, which commands do not scan
    "user=..., item=..., value=...",  # an object that is no table of ratings
    "got by=",  # posteriors, which commands draw by name
    "got device=",
    "such as 'phase=test'",  # what --where is given
}


def messages():
    package = Path(od.__file__).parent
    for room in REACHED:
        for path in (package / room).rglob("*.py"):
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "InputError":
                    parts = (
                        node.value for node in ast.walk(call) if isinstance(node, ast.Constant)
                    )
                    yield "".join(part for part in parts if isinstance(part, str))


def test_no_message_advises_an_argument_of_python():
    found = list(messages())
    assert len(found) > 100
    for said in found:
        message = in_shell_words(said)
        for known in PYTHON_ONLY:
            message = message.replace(known, "")
        assert not re.search(r"(?<!--set )\b[a-z_]+=", message), message
