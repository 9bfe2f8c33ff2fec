"""`ordinate describe`: the record's own description, as text or JSON."""

from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from ordinate.sources import random_triplets

LAYOUTS = Path(__file__).parents[1] / "data" / "layouts"


def test_prints_the_description_of_the_record(ordinate, answers):
    run = ordinate("describe", answers)
    assert run.code == 0
    assert f"{od.read_comparisons(answers).describe()}\nRepeated questions answered" in run.out
    assert "\nEnough? A map in 2 dim" in run.out
    assert run.err == ""


@pytest.mark.parametrize("header", ["anchor,left,right,response", "prompt,item_a,item_b,winner"])
def test_repeated_questions_are_scored_per_person(ordinate, tmp_path, header):
    path = tmp_path / "log.csv"
    rows = "p,u,v,w,v\np,u,w,v,v\np,u,v,w,w\nq,x,v,w,v\nq,v,w,u,u\nq,v,u,w,u\n"
    path.write_text(f"subject,{header}\n{rows}")
    run = ordinate("describe", path)
    assert "Repeated questions answered alike: 2 of 4; p: 1 of 3, q: 1 of 1." in run.out
    figures = ordinate("describe", path, "--json").json
    assert figures["repeated_answers"] == {"p": [1, 3], "q": [1, 1]}


def test_repeated_trials_count_once(ordinate, tmp_path):
    (tmp_path / "odd.csv").write_text("item1,item2,item3,odd\nu,v,w,u\nw,u,v,u\n")
    run = ordinate("describe", tmp_path / "odd.csv")
    assert "Repeated questions answered alike: 1 of 1." in run.out


def test_a_table_about_participants_beside_the_log_is_named(ordinate, tmp_path):
    (tmp_path / "log.csv").write_text("subject,anchor,near,far\np,u,v,w\n")
    export = tmp_path / "prolific_export_1.csv"
    export.write_text("Submission id,Participant id,Status,Time taken\ns,p,APPROVED,30\n")
    for source in (export, tmp_path / "*.csv"):
        run = ordinate("describe", source)
        assert run.code != 0
        assert "export_1.csv: It is Prolific's table about participants and holds no" in run.err


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
    assert "Left out 1 of 2 rows: 0 with Alg.Label other than Train, Test, 1 with" in run.out
    reading = ordinate("describe", LAYOUTS / "next-flat.csv", *chosen, "--json").json["reading"][0]
    assert reading["left_out"]["Participant.ID u2"] == 1


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


@pytest.mark.parametrize("verb", ["describe", "embed"])
@pytest.mark.filterwarnings("default")
def test_labels_that_look_alike_are_named(ordinate, tmp_path, verb):
    path = tmp_path / "answers.csv"
    path.write_text("anchor,near,far\n" + "Tea,milk,tea\nmilk,tea,Tea\ntea,Tea,milk\n" * 4)
    options = ["--dim", "1", "--error-folds", "0"] if verb == "embed" else []
    run = ordinate(verb, path, *options)
    assert "Warning: Labels look alike and may be one object: 'Tea' and 'tea'" in run.err


@pytest.fixture
def turned(tmp_path):
    """A log whose answer is 0 for left and 1 for right, and its true answers."""
    places = np.random.default_rng(0).normal(size=(12, 2))
    truth = random_triplets(places, 400, random_state=1).rows
    swap = np.random.default_rng(2).random(400) < 0.5
    lines = [
        f"s{a},s{far if right else near},s{near if right else far},{int(right)}"
        for (a, near, far), right in zip(truth.tolist(), swap, strict=True)
    ]
    path = tmp_path / "log.csv"
    path.write_text("anchor,left,right,response\n" + "\n".join(lines) + "\n")
    return path


@pytest.mark.filterwarnings("default")
def test_a_log_read_the_wrong_way_round_is_reported_with_the_option(ordinate, turned, tmp_path):
    wrong = ordinate("describe", turned, "--coding", "holds")
    assert "Warning: These answers fit better the other way round" in wrong.err
    assert "Try --coding from-0." in wrong.err
    assert ordinate("describe", turned, "--coding", "from-0").err == ""
    stated = tmp_path / "stated.csv"
    ordinate("describe", turned, "--coding", "holds", "-o", stated, "-q")
    assert "Try --reverse." in ordinate("describe", stated).err
    assert ordinate("describe", stated, "--reverse").err == ""
    swapped = ordinate("describe", stated, "--columns", "anchor,far,near")
    assert "'far' is called as if it named what was not chosen" in swapped.err


@pytest.mark.filterwarnings("default")
def test_a_coding_that_fits_far_worse_than_another_is_reported(ordinate, tmp_path):
    """The first of three options is never the nearest: 1 and 2 may count from 0 or from 1."""
    rng = np.random.default_rng(0)
    places = rng.normal(size=(12, 2))
    lines = []
    for anchor in rng.integers(12, size=400):
        others = rng.permutation(np.delete(np.arange(12), anchor))[:3]
        near = np.argmin(np.linalg.norm(places[others] - places[anchor], axis=1))
        at = rng.integers(1, 3)
        others[[near, at]] = others[[at, near]]
        lines.append(",".join([*(f"s{one}" for one in (anchor, *others)), str(at)]))
    path = tmp_path / "log.csv"
    path.write_text("anchor,option_1,option_2,option_3,answer\n" + "\n".join(lines) + "\n")
    assert "can be read in two ways" in ordinate("describe", path).err
    wrong = ordinate("describe", path, "--coding", "from-1")
    assert "Warning: These answers fit far better in another coding: maps get" in wrong.err
    assert "Try --coding from-0." in wrong.err
    assert ordinate("describe", path, "--coding", "from-0").err == ""


@pytest.mark.filterwarnings("default")
def test_one_question_taken_for_another_is_reported_with_the_option(ordinate, tmp_path):
    path = tmp_path / "log.csv"
    rng = np.random.default_rng(0)
    places = np.sort(rng.normal(size=12))
    lines = []
    for _ in range(300):
        a, b, c = sorted(rng.choice(12, 3, replace=False).tolist())
        odd = a if places[b] - places[a] > places[c] - places[b] else c
        lines.append(f"s{a},s{b},s{c},s{odd}")
    path.write_text("one,two,three,chosen\n" + "\n".join(lines) + "\n")
    options = ["--columns", "one,two,three", "--answer", "chosen", "--question"]
    assert "Try --question odd-one-out." in ordinate("describe", path, *options, "most-central").err
    assert ordinate("describe", path, *options, "odd-one-out").err == ""


def test_a_file_of_pairs_is_for_rank(ordinate, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("id,prompt,left,right,winner\n1,p,x,y,left\n2,p,y,z,right\n")
    run = ordinate("embed", path)
    assert run.code == 1
    assert "compared in pairs" in run.err
    assert "ordinate rank" in run.err


def test_a_file_of_pairs_is_described(ordinate, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("id,prompt,left,right,winner\n1,p,x,y,left\n2,p,y,z,right\n")
    run = ordinate("describe", path)
    assert "line 2: x beat y; x was shown first" in run.out
    assert "\n2 answers about 3 items\n  ties               0\n  prompt" in run.out
    figures = ordinate("describe", path, "--json").json
    assert (figures["n_rows"], figures["n_objects"]) == (2, 3)


OBSTACLES = """phase,judge,left,right,choice
practice,e1,a,b,0
main,e1,a,c,1
main,e2,b,c,timeout
main,e2,b,,1
main,e2,c,b,0
main,e2,c,a,1
"""


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("verb", ["describe", "rank"])
def test_all_obstacles_are_listed_with_a_command_that_settles_them(ordinate, tmp_path, verb):
    path = tmp_path / "votes.csv"
    path.write_text(OBSTACLES)
    run = ordinate(verb, path)
    assert run.code == 1
    assert f"{path}: It needs 4 decisions:\n  1. Column 'phase' says practice in 1 of 6" in run.err
    command = run.err.splitlines()[-1].split()
    assert command[:3] == ["ordinate", "describe", str(path)]
    settled = ordinate(*command[1:])
    assert settled.code == 0, settled.err
    beside = tmp_path / "votes.layout.toml"
    assert od.Layout.load(beside).exclude == ["phase=practice", "choice=timeout"]
    again = ordinate("describe", path)
    assert again.out.startswith(f"Read as pair by {beside}:")
    assert "\n3 answers about " in again.out
    ranked = ordinate("rank", path, "--no-side")
    assert ranked.code == 0
    assert f"Read by {beside}." in ranked.err
    with pytest.warns(od.DroppedRowsWarning):
        assert len(od.read_pairs(path, where="judge=e2")) == 2, "what is given comes besides"


def test_a_layout_may_lie_elsewhere(ordinate, tmp_path):
    path, layout = tmp_path / "votes.csv", tmp_path / "other.toml"
    path.write_text("left,right,choice\na,b,0\nb,c,1\n")
    layout.write_text('coding = "from-0"\n')
    assert "line 2: a beat b" in ordinate("describe", path, "--layout", layout).out
    assert "line 2: b beat a" in ordinate("describe", path, "--layout", layout, "--reverse").out
    typed = ordinate("describe", path, "--layout", layout, "--coding", "holds")
    assert "line 2: b beat a" in typed.out, "what is typed wins"
    layout.write_text('codings = "from-0"\n')
    assert "There is no field 'codings'" in ordinate("describe", path, "--layout", layout).err
    layout.write_text("coding = from-0\n")
    assert "cannot be read as TOML" in ordinate("describe", path, "--layout", layout).err


def test_a_repeated_header_is_left_out_by_the_command_that_is_proposed(ordinate, tmp_path):
    path = tmp_path / "joined.csv"
    header = "anchor,left,right,choice\n"
    path.write_text(f"{header}cat,dog,car,dog\n{header}dog,cat,van,cat\n")
    run = ordinate("describe", path)
    assert run.code == 1
    assert "Line 3 is a header in the wrong place" in run.err
    assert "--exclude anchor=anchor" in run.err
    assert ordinate("describe", path, "--exclude", "anchor=anchor", "--json").json["n_rows"] == 2


def test_a_number_for_a_tie_is_settled_by_the_command_that_is_proposed(ordinate, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item_a,item_b,winner\nx,y,1\ny,z,2\nz,x,0\nx,y,2\n")
    run = ordinate("describe", path)
    assert run.code == 1
    assert f"ordinate describe {path} --map 0=tie --save-layout" in run.err
    assert "\n  ties               1\n" in ordinate("describe", path, "--map", "0=tie").out


def test_of_many_people_the_least_consistent_are_named(ordinate, tmp_path):
    rows = [f"{who},u,v,{'u' if who < 2 else answer}" for who in range(12) for answer in "uv"]
    (tmp_path / "pairs.csv").write_text("judge,item_a,item_b,winner\n" + "\n".join(rows))
    said = ordinate("describe", tmp_path / "pairs.csv").out
    assert "answered alike: 2 of 12; the lowest are 2: 0 of 1, " in said
    assert said.count("0 of 1") == 8


def test_numbered_objects_may_have_a_longer_name(ordinate, tmp_path):
    header = "round,chosen_center,triplet_object_1,triplet_object_2,triplet_object_3"
    (tmp_path / "cars.csv").write_text(f"{header}\n1,b,a,b,c\n1,c,b,c,d\n")
    assert "line 2: a is more like b than c" in ordinate("describe", tmp_path / "cars.csv").out
