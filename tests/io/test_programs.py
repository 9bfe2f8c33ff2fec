"""Logs as programs write them: read without a question where the program defines the coding."""

import gzip
import json
import re
import zipfile

import numpy as np
import pytest

import ordinate as od
from ordinate.io import tables
from ordinate.io.layout import Layout
from ordinate.io.read import read_log

DRINKS = [("tea", "coffee", "soup"), ("soup", "stew", "tea")]


def statements(answers):
    return [tuple(answers.names[o] for o in row) for row in answers.rows]


@pytest.fixture
def write(tmp_path):
    def make(name, content):
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return make


TRIALS = [
    {"anchor": "tea", "left": "coffee", "right": "soup", "response": "left", "subject": "p"},
    {"anchor": "soup", "left": "tea", "right": "stew", "response": "right", "subject": "q"},
]


@pytest.mark.parametrize("lines", [[TRIALS], [TRIALS[:1], TRIALS[1:]], TRIALS])
def test_results_of_jatos_are_lines_of_json(write, lines):
    path = write("results.txt", "\n".join(map(json.dumps, lines)))
    answers = od.read_comparisons(path)
    assert statements(answers) == DRINKS
    assert answers.groups["participant"].tolist() == ["p", "q"]


def test_text_that_begins_with_a_bracket_may_be_a_table(write):
    path = write("log.csv", "[anchor],near,far\ntea,coffee,soup\n")
    assert len(od.read_comparisons(path, columns=["[anchor]", "near", "far"])) == 1


@pytest.mark.parametrize("by_name", [True, False])
def test_answers_of_next_hold_their_targets_in_lists(write, by_name):
    labels = ["tea", "coffee", "soup", "stew"]

    def answer(chosen, *shown):
        places = zip(("center", "left", "right"), shown, strict=True)
        named = "target" if by_name else "other"
        return {
            "participant_uid": "u",
            "target_indices": [
                {"label": place, "index": at, named: {"primary_description": labels[at]}}
                for place, at in places
            ],
            "target_winner": chosen,
        }

    content = {"meta": {}, "results": [answer(1, 0, 1, 2), answer(3, 2, 0, 3)]}
    answers = od.read_comparisons(write("next.json", json.dumps(content)))
    said = statements(answers)
    if not by_name:
        said = [tuple(labels[int(number)] for number in row) for row in said]
    assert said == DRINKS


def test_a_batch_of_mechanical_turk(write):
    text = "HITId,WorkerId,Input.ref,Input.left,Input.right,Answer.choice\n"
    text += "h,W1,tea,coffee,soup,left\nh,W2,soup,tea,stew,right\n"
    path = write("batch.csv", text)
    assert statements(od.read_comparisons(path)) == DRINKS
    assert isinstance(od.read(path), od.Comparisons)


def test_lines_that_qualtrics_adds_are_left_out_and_counted(write):
    text = 'anchor,near,far\n"What is\nshown",Near,Far\n'
    text += '"{""ImportId"":""a""}","{""ImportId"":""b""}","c"\ntea,coffee,soup\nsoup,stew,\n'
    path = write("survey.csv", text)
    with pytest.raises(od.InputError, match="Line 6 has no entry in column 'far'"):
        od.read_comparisons(path)
    assert statements(od.read_comparisons(path, exclude="far=")) == DRINKS[:1]


@pytest.mark.parametrize("last", ["END OF FILE,,,", ",,,"])
def test_rows_without_objects_are_no_trials(write, last):
    text = f"index,anchor,near,far\n1,tea,coffee,soup\n{last}\n2,soup,stew,tea\n"
    answers, reading = read_log(write("log.csv", text), Layout())
    assert statements(answers) == DRINKS
    assert reading.left_out_in_words == "Left out 1 of 3 rows: 1 without objects."
    assert reading.place(1) == "Line 4"


def test_buttons_of_jspsych_count_from_0(write):
    text = "trial_type,anchor,left,right,response\nhtml-button-response,tea,coffee,soup,0\n"
    text += "html-button-response,soup,tea,stew,1\n"
    assert statements(od.read_comparisons(write("log.csv", text))) == DRINKS
    other = write("keys.csv", text.replace("button", "keyboard"))
    with pytest.raises(od.LayoutError, match="can be read in two ways"):
        od.read_comparisons(other)
    pressed = text.replace("response\n", "button_pressed\n", 1).replace("html-", "")
    assert statements(od.read_comparisons(write("old.csv", pressed))) == DRINKS


def test_the_odd_one_may_stand_beside_the_two_others(write):
    path = write("odd.csv", "item1,item2,odd\ncat,dog,car\n")
    assert statements(od.read_comparisons(path)) == [("cat", "dog", "car"), ("dog", "cat", "car")]
    assert isinstance(od.read(path), od.Trials)
    with pytest.raises(od.InputError, match="compares nothing"):
        od.read_comparisons(write("odd2.csv", "item1,item2,odd\ncat,dog,dog\n"))
    with pytest.raises(od.InputError, match="as an answer does"):
        od.read_comparisons(write("odd3.csv", "item1,item2,odd\ncat,dog,item1\n"))
    with pytest.raises(od.InputError):
        od.read_comparisons(write("odd4.csv", "base,item1,item2,odd\ncar,cat,dog,cat\n"))


def test_several_columns_may_name_an_item_together(write):
    text = "type1,level1,type2,level2,choice\ntea,1,tea,2,1\ntea,2,rum,1,2\n"
    pairs = od.read_pairs(write("log.csv", text), columns=["type1+level1", "type2+level2"])
    assert pairs.names == ("rum 1", "tea 1", "tea 2")
    assert pairs.outcomes.tolist() == [1, -1]
    with pytest.raises(od.InputError, match="there is no column 'type1\\+size'"):
        od.read_pairs(write("log.csv", text), columns=["type1+size", "type2+level2"])


def test_codes_may_stand_for_columns(write):
    path = write("log.csv", "layout_a,layout_b,vote\nx,y,mapA\ny,z,mapB\n")
    mapped = {"mapA": "layout_a", "mapB": "layout_b"}
    assert od.read_pairs(path, map=mapped).outcomes.tolist() == [1, -1]
    with pytest.raises(od.InputError, match="'mapB' in column 'vote'"):
        od.read_pairs(path, map={"mapA": "layout_a"})
    layout = od.Layout(map=mapped)
    layout.save(path.with_name("log.layout.toml"))
    assert od.read_pairs(path).outcomes.tolist() == [1, -1]


def test_an_archive_may_hold_many_alike_rows(tmp_path):
    with zipfile.ZipFile(tmp_path / "log.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.csv", "anchor,near,far\n" + "tea,coffee,soup\n" * 20_000)
    assert len(od.read_comparisons(tmp_path / "log.zip")) == 20_000


def test_an_archive_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_MOST_UNPACKED", 10_000)
    text = b"anchor,near,far\n" + b"tea,coffee,soup\n" * 100_000
    with zipfile.ZipFile(tmp_path / "log.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.csv", text)
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress(text))
    for name in ("log.zip", "log.csv.gz"):
        with pytest.raises(od.InputError, match=rf"{re.escape(name)}: It holds over .* unpack it"):
            od.read_comparisons(tmp_path / name)


def test_what_is_masked_is_missing():
    rows = np.ma.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]], mask=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    with pytest.raises(od.InputError, match="Row 1 has no entry in column '1'"):
        od.read_comparisons(rows)
    with pytest.warns(od.DroppedRowsWarning):
        assert len(od.read_comparisons(rows, on_invalid="drop")) == 2
    with pytest.raises(od.InputError, match="are masked"):
        od.Comparisons(rows)
    assert len(od.Comparisons(np.ma.array(rows.data))) == 3


def test_a_column_of_items_beside_two_may_be_what_they_were_compared_with():
    table = {"sample": list("uvwx") * 2, "left": list("vwxu") * 2, "right": list("wxuv") * 2}
    table |= {"winner": ["left", "right"] * 4}
    with pytest.raises(od.LayoutError, match="was each compared with it") as caught:
        od.read_pairs(table)
    assert caught.value.choices[0] == {"columns": ["sample", "left", "right"]}
    assert len(od.read_pairs(table, columns=["left", "right"])) == 8


@pytest.mark.parametrize("name", ["teacher_code", "Kuerzel"])
def test_who_may_have_answered_is_named(name):
    items = {"a": list("uvw") * 3, "b": list("vwu") * 3, "winner": ["a", "b", "a"] * 3}
    people = {name: ["K7", "K8", "K9"] * 3, "colour": ["red", "blue", "green"] * 3}
    with pytest.warns(UserWarning, match=rf"'{name}' may say who answered \(3 labels\)"):
        od.read_pairs(items | people)
    assert "participant" in od.read_pairs(items | people, groups={"participant": name}).groups
    anchored = {"anchor": list("xyz") * 3, "near": list("uvw") * 3, "far": list("vwu") * 3}
    with pytest.warns(UserWarning, match=r"participant"):
        od.read_comparisons(anchored | people)


def test_catch_trials_are_scored_per_person():
    table = {
        "anchor": list("uvwuv"),
        "left": list("uwvuw"),
        "right": list("vuuwu"),
        "response": ["left", "left", "right", "right", "left"],
        "subject": list("ppqqq"),
    }
    with pytest.warns(od.DroppedRowsWarning):
        _, reading = read_log(table, Layout(on_invalid="drop"))
    assert reading.catch == {"p": (1, 1), "q": (0, 1)}
