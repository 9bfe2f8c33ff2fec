import ast
import inspect
import re
from pathlib import Path

import pytest

import ordinate as od
from ordinate._arguments import argument, parameter, written_by
from ordinate.cli import VERBS
from ordinate.cli._messages import writer_for
from ordinate.cli._typer import spread_options

VERB = writer_for(
    {
        name
        for verb in [*VERBS["Other kinds of data"], *VERBS["Make a map"]]
        for name in inspect.signature(spread_options(verb)).parameters
    }
)
ROWS = od.Comparisons([[0, 1, 2]])


@pytest.mark.parametrize(
    ("provoke", "in_python", "typed"),
    [
        (lambda path: od.read_ratings(path), "with user=.", "with --user."),
        (lambda path: od.read_ratings(path, user="x"), "with item=.", "with --item."),
        (lambda path: od.read_ratings(path, user="x", item="y"), "with value=.", "with --value."),
        (lambda path: od.read_comparisons(path), "columns=[...]", "--columns A,B,C"),
        (lambda path: od.read_comparisons(path), "pass header=False.", "pass --no-header."),
        (lambda path: od.read_graph(path), "gets with n_neighbors=.", "gets with --neighbors."),
        (lambda path: ROWS.group_codes("planet"), "with groups=[...].", "with --group COLUMNS."),
        (lambda path: od.SOE(9).fit(ROWS), "n_components must be at most 3", "--dim must be"),
        (lambda path: od.SOE(1, device="vax").fit(ROWS), "device", "device"),
    ],
)
def test_arguments_are_written_as_one_passes_them(tmp_path, provoke, in_python, typed):
    path = tmp_path / "table.csv"
    path.write_text("x,y,z,w,v\n1,2,3,4,5\n")
    with pytest.raises(od.InputError, match=re.escape(in_python)):
        provoke(path)
    with written_by(VERB), pytest.raises(od.InputError, match=re.escape(typed)):
        provoke(path)


@pytest.mark.parametrize(
    ("given", "in_python", "typed"),
    [
        (("device", "cpu"), "device='cpu'", "--device cpu"),
        (("on_invalid", "drop"), "on_invalid='drop'", "--on-invalid drop"),
        (("weights", "rank"), "weights='rank'", "--set weights=rank"),
        (("answer", "The: answer"), "answer='The: answer'", "--answer 'The: answer'"),
        (("answer", []), "answer=[]", "--answer ''"),
        (("columns", ["head", "near"]), "columns=['head', 'near']", "--columns head,near"),
        (("columns", [1, 2, 3]), "columns=[1, 2, 3]", "--columns 1,2,3"),
        (("n_components", 2), "n_components=2", "--dim 2"),
        (("question",), "question=", "--question"),
        (("side", True), "side=True", "--side"),
        (("header", False), "header=False", "--no-header"),
    ],
)
def test_every_kind_of_value_has_its_way(given, in_python, typed):
    assert argument(*given) == in_python
    with written_by(VERB):
        assert argument(*given) == typed


def test_parameters_go_by_the_names_of_options():
    assert parameter("n_init") == "n_init"
    with written_by(VERB):
        assert [parameter(name) for name in ("n_init", "tol")] == ["--starts", "--set tol"]


def test_arguments_that_are_no_options_of_the_verb_are_set():
    with written_by(writer_for(["dim"])):
        assert argument("n_init", 3) == "--set n_init=3"
        assert argument("n_components", 3) == "--dim 3"


def test_after_a_command_messages_are_for_python_again(ordinate, tmp_path):
    assert "--dim" not in ordinate("embed", tmp_path / "none.csv").out
    assert argument("n_components", 2) == "n_components=2"


REACHED = (
    "comparisons",
    "engine",
    "features",
    "graphs",
    "io",
    "ratings",
    "scales",
    "triplets",
    "gram",
)
"""Rooms whose messages users of the command line meet."""
PYTHON_ONLY = {
    "answer=... and weight=...",  # partitions, which commands do not scan
    "user=..., item=..., value=...",  # an object that is no table of ratings
    "groups={'participant': ...}",  # trials made from arrays
    "question='odd_one_out'",
    "such as 'phase=test'",  # what --where is given
    "prior='auto'",  # the commands have no other
    "slopes=True",
    "values=",  # difference scales
    "y=-1",
}


def messages():
    package = Path(od.__file__).parent
    for room in REACHED:
        for path in (package / room).rglob("*.py"):
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "InputError":
                    yield "".join(map(text_of, call.args))


def text_of(node):
    """Return the text of an expression, without what is put in."""
    if isinstance(node, ast.FormattedValue):
        return ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return "".join(map(text_of, ast.iter_child_nodes(node)))


def test_no_message_writes_an_argument_by_itself():
    found = list(messages())
    assert len(found) > 100
    for message in found:
        for known in PYTHON_ONLY:
            message = message.replace(known, "")
        assert not re.search(r"\b[a-z_]+=", message), message
