"""`ordinate convert`: logs of any layout become plain answers."""

import io
from pathlib import Path

import pytest

import ordinate as od

LAYOUTS = Path(__file__).parents[1] / "data" / "layouts"


def test_a_log_becomes_plain_answers(ordinate, tmp_path):
    path = tmp_path / "answers.csv"
    run = ordinate("convert", LAYOUTS / "next-flat.csv", "-o", path)
    assert run.code == 0
    assert "line 2: tea is more like coffee than soup, said by u1" in run.out
    assert run.out.endswith(f"2 triplets\nWrote {path}\n")
    assert path.read_text().splitlines() == [
        '"anchor","near","far","participant"',
        '"tea","coffee","soup","u1"',
        '"soup","stew","tea","u2"',
    ]
    assert od.read_comparisons(path) == od.read_comparisons(LAYOUTS / "next-flat.csv")


def test_answers_go_to_the_screen_by_default(ordinate):
    run = ordinate("convert", LAYOUTS / "votes.csv")
    assert run.out.splitlines()[1] == '"tea","coffee","soup",7,0'
    run = ordinate("convert", LAYOUTS / "votes.csv", "--json")
    assert run.json["answers"]["near"] == ["coffee", "soup", "stew"]
    assert run.json["readings"][0]["columns"]["votes_a"] == "the votes for the first"


def test_further_objects_are_kept(ordinate, tmp_path):
    (tmp_path / "objects.txt").write_text("tea\ncoffee\nsoup\nstew\nice cream\n")
    path = tmp_path / "answers.parquet"
    source = LAYOUTS / "next-flat.csv"
    assert ordinate("convert", source, "-o", path, "--objects", tmp_path / "objects.txt").code == 0
    assert od.read_comparisons(path).names == ("tea", "coffee", "soup", "stew", "ice cream")


def test_answers_are_read_from_standard_input(ordinate, monkeypatch):
    text = (LAYOUTS / "jspsych.json").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    run = ordinate("convert", "-", "--exclude", "participant=W2")
    assert run.out.splitlines()[1:] == ['"tea","coffee","soup","W1"']
    assert "Left out 1 of 2 rows: 1 by exclude worker_id=W2." in run.err


def test_the_log_itself_is_not_replaced(ordinate, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("anchor,near,far\na,b,c\n")
    run = ordinate("convert", path, "-o", path)
    assert run.code == 1
    assert path.read_text() == "anchor,near,far\na,b,c\n"


def test_an_ambiguous_log_is_refused_in_words_of_the_shell(ordinate, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("anchor,left,right,answer\ntea,coffee,soup,0\nsoup,tea,stew,1\n")
    run = ordinate("convert", path)
    assert run.code == 1
    for words in ("0 means 'right'", "--coding holds", "0 means 'left'", "--coding from-0"):
        assert words in run.err
    run = ordinate("convert", path, "--coding", "from-0")
    assert run.out.splitlines()[1] == '"tea","coffee","soup"'


@pytest.mark.parametrize("question", ["odd-one-out", "most-central"])
def test_the_question_can_be_given(ordinate, tmp_path, question):
    path = tmp_path / "log.csv"
    path.write_text("item1,item2,item3,response\ncat,dog,car,3\n")
    assert f"--question {question}" in ordinate("convert", path).err
    assert ordinate("convert", path, "--question", question).code == 0
