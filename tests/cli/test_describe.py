"""`ordinate describe`: the record's own description, as text or JSON."""

from pathlib import Path

import pytest

import ordinate as od

LAYOUTS = Path(__file__).parents[1] / "data" / "layouts"


def test_prints_the_description_of_the_record(ordinate, answers):
    run = ordinate("describe", answers)
    assert run.code == 0
    assert run.out.endswith(f"{od.read_comparisons(answers).describe()}\n")
    assert run.err == ""


def test_says_how_the_file_was_read(ordinate):
    run = ordinate("describe", LAYOUTS / "next-flat.csv")
    lines = run.out.splitlines()
    assert lines[0] == "Read as triplet:"
    assert "  'Center' is the anchor" in lines
    assert "  'Answer' is the answer, which names the object that was chosen" in lines
    assert "  not used: 'Timestamp', 'Response.Time..s.', 'Alg.Label'" in lines
    assert "  line 2: tea is more like coffee than soup, said by u1" in lines


def test_rows_left_out_are_counted(ordinate):
    chosen = [
        "--where",
        "Alg.Label=Train",
        "--where",
        "Alg.Label=Test",
        "--exclude",
        "participant=u2",
    ]
    run = ordinate("describe", LAYOUTS / "next-flat.csv", *chosen)
    assert "Left out 1 of 2 rows: 0 by where Alg.Label=Train, Test, 1 by exclude" in run.out
    reading = ordinate("describe", LAYOUTS / "next-flat.csv", *chosen, "--json").json["reading"][0]
    assert reading["left_out"]["exclude Participant.ID=u2"] == 1


def test_objects_in_no_answer_are_never_seen(ordinate, tmp_path):
    (tmp_path / "foods.csv").write_text("object,kind\ntea,x\ncoffee,x\nsoup,y\nstew,y\nbun,z\n")
    chosen = ["--objects", tmp_path / "foods.csv"]
    run = ordinate("describe", LAYOUTS / "next-flat.csv", *chosen)
    assert "never seen         1 (bun)" in run.out


def test_json_holds_the_figures(ordinate, answers):
    figures = ordinate("describe", answers, "--json").json
    assert figures["n_rows"] == 400
    assert figures["n_objects"] == 12
    assert figures["n_contradictions"] == 0
    assert figures["groups"]["participant"] == 3


def test_columns_answers_and_weights_are_chosen_by_name(ordinate, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("ref,left,right,chose_left,w,who\n0,1,2,-1,2.5,x\n2,1,0,1,1,y\n")
    chosen = [
        "--columns",
        "ref,left,right",
        "--answer",
        "chose_left",
        "--coding",
        "holds",
        "--weight",
        "w",
        "--group",
        "who",
    ]
    figures = ordinate("describe", path, *chosen, "--json").json
    assert figures["kind"] == "triplet"
    assert figures["groups"] == {"who": 2}
    assert figures["n_contradictions"] == 0


def test_unknown_column_is_refused_with_the_columns_there_are(ordinate, answers):
    run = ordinate("describe", answers, "--columns", "anchor,near,distant")
    assert run.code == 1
    assert "distant" in run.err
    assert "participant" in run.err


@pytest.mark.filterwarnings("default::ordinate.DroppedRowsWarning")
def test_invalid_rows_are_refused_or_dropped_with_a_count(ordinate, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("anchor,near,far\n0,1,2\n0,1,1\n2,1,0\n")
    refused = ordinate("describe", path)
    assert refused.code == 1
    assert "Line 3" in refused.err
    assert "--on-invalid drop" in refused.err
    run = ordinate("describe", path, "--on-invalid", "drop", "--json")
    assert run.code == 0
    assert run.json["n_rows"] == 2
    assert run.err.startswith("Warning: ")
    assert "Dropped 1 of 3 rows" in run.err


def test_a_first_line_of_names_can_be_an_answer(ordinate, tmp_path):
    path = tmp_path / "headless.csv"
    path.write_text("tea,coffee,soup\nsoup,stew,coffee\n")
    run = ordinate("describe", path)
    assert run.code == 1
    assert "--columns A,B,C" in run.err
    assert "--no-header" in run.err
    assert ordinate("describe", path, "--no-header", "--json").json["n_rows"] == 2
