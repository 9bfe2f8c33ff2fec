"""Logs as tools and people write them, one small file each in tests/data/layouts."""

from pathlib import Path

import pytest

import ordinate as od
from ordinate import InputError
from ordinate.io.layouts import Wanted
from ordinate.io.logs import read_log

FOLDER = Path(__file__).parents[1] / "data" / "layouts"
DRINKS = [("tea", "coffee", "soup"), ("soup", "stew", "tea")]

EXPECTED = {
    "salmon.csv": [("0", "3", "12"), ("12", "0", "3")],
    "next.csv": [("101", "7", "30"), ("30", "101", "7")],
    "next-flat.csv": DRINKS,
    "jspsych.csv": DRINKS,
    "jspsych.json": DRINKS,
    "psychopy.csv": DRINKS,
    "gorilla.csv": DRINKS,
    "tripletTools.csv": DRINKS,
    "psiz-collect.csv": [
        *(("10", "23", other) for other in ("21", "22", "24")),
        *(("10", "21", other) for other in ("22", "24")),
        ("11", "22", "21"),
    ],
    "things.txt": [("0", "1", "2"), ("1", "0", "2"), ("12", "7", "3"), ("7", "12", "3")],
    "psychophysics.csv": [("a", "b", "c"), ("b", "a", "c"), ("c", "d", "b"), ("d", "c", "b")],
    "cblearn.csv": [("0", "1", "2"), ("3", "2", "1")],
    "votes.csv": [("tea", "coffee", "soup"), ("tea", "soup", "coffee"), ("soup", "stew", "tea")],
    "sides-by-word.csv": DRINKS,
    "sides-by-number.csv": DRINKS,
    "sides-by-yes-and-no.csv": DRINKS,
    "odd-by-name.csv": [("cat", "dog", "car"), ("dog", "cat", "car")],
    "odd-by-column.csv": [("cat", "dog", "car"), ("dog", "cat", "car")],
    "central-by-number.csv": [
        *(("cat", "dog", "car"), ("car", "dog", "cat")),
        *(("cat", "dog", "car"), ("car", "dog", "cat")),
    ],
    "choose.csv": [("tea", "soup", "stew"), ("tea", "coffee", "stew")],
    "choose-one.csv": [("tea", "stew", "coffee"), ("tea", "stew", "soup")],
    "pairs.csv": [("tea", "coffee", "tea", "soup"), ("car", "van", "cat", "dog")],
    "ranking.csv": [
        *(("tea", "coffee", other) for other in ("soup", "stew")),
        ("tea", "soup", "stew"),
    ],
    "remarks.dat": DRINKS,
}
QUESTION = {"things.txt": "odd-one-out"}
PARTICIPANTS = {
    "salmon.csv": ["P07", "P08"],
    "next.csv": ["u1", "u2"],
    "next-flat.csv": ["u1", "u2"],
    "jspsych.csv": ["W1", "W2"],
    "psychopy.csv": ["P07", "P07"],
    "gorilla.csv": [1001, 1001],
    "tripletTools.csv": ["w1", "w2"],
    "psychophysics.csv": ["R1", "R1", "R2", "R2"],
    "sides-by-word.csv": ["P07", "P08"],
    "sides-by-number.csv": ["P07", "P08"],
    "odd-by-name.csv": ["s1", "s1"],
    "ranking.csv": ["P1"] * 3,
}


def statements(answers):
    return [tuple(answers.names[o] for o in row) for row in answers.rows]


def test_every_file_is_tried():
    assert {path.name for path in FOLDER.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_layouts(name):
    answers = od.read_comparisons(FOLDER / name, question=QUESTION.get(name, "auto"))
    assert statements(answers) == EXPECTED[name]
    if name in PARTICIPANTS:
        assert answers.groups["participant"].tolist() == PARTICIPANTS[name]


@pytest.fixture
def read(tmp_path):
    def make(content, name="log.csv", **options):
        path = tmp_path / name
        path.write_text(content)
        return od.read_comparisons(path, **options)

    return make


def test_votes_are_weights_of_rows_that_stay_together():
    answers = od.read_comparisons(FOLDER / "votes.csv")
    assert answers.weights.tolist() == [7, 3, 10]
    _, reading = read_log(FOLDER / "votes.csv", Wanted())
    assert "than soup (7 votes) and tea is more like soup than coffee (3 votes)" in reading.example
    assert answers.groups["trial"].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("anchor,choice_1,choice_2,response", "tea,coffee,soup,1"),
        ("standard,left_image,right_image,resp", "tea,soup,coffee,right_image"),
        ("subj,probe,imgLeft,imgRight,choice", "p1,tea,soup,coffee,right"),
        ("probe,comparison1,comparison2,choice", "tea,coffee,soup,coffee"),
        ("head_id,left_id,right_id,winner_id", "tea,soup,coffee,coffee"),
        ("Query,Option A,Option B,Selected", "tea,coffee,soup,A"),
    ],
)
def test_other_headings_of_triplets(read, header, row):
    assert statements(read(f"{header}\n{row}\n")) == DRINKS[:1]


def test_a_row_is_read_aloud_where_trials_are_counted_anew(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("subj,trial,probe,left,right,choice\np,1,a,b,c,left\nq,1,d,b,c,left\n")
    _, reading = read_log(log, Wanted())
    assert reading.example == "line 2: a is more like b than c, said by p"


def test_any_three_numbered_columns_may_hold_the_objects(read):
    text = "round,chosen_center,triplet_object_1,triplet_object_2,triplet_object_3\n1,32,32,16,30\n"
    assert statements(read(text)) == [("16", "32", "30"), ("30", "32", "16")]


def test_choices_may_be_called_so_beside_references(read):
    text = "query,ref1,ref2,ref3,choice1,choice2\na,b,c,d,c,d\n"
    assert statements(read(text)) == [("a", "c", "b"), ("a", "d", "b")]


def test_a_choice_column_may_be_empty_throughout(read):
    text = "query,ref1,ref2,ref3,chosen1,chosen2\na,b,c,d,c,\na,b,c,,b,\n"
    assert statements(read(text)) == [("a", "c", "b"), ("a", "c", "d"), ("a", "b", "c")]
    with pytest.raises(InputError, match="Line 3 has no entry in column 'chosen1'"):
        read("query,ref1,ref2,ref3,chosen1,chosen2\na,b,c,d,c,\na,b,c,d,,\n")


def test_rows_of_one_trial_share_it():
    answers = od.read_comparisons(FOLDER / "odd-by-name.csv")
    assert answers.groups["trial"].tolist() == [0, 0]
    assert od.read_comparisons(FOLDER / "psychophysics.csv").groups["trial"].tolist() == [
        1,
        1,
        2,
        2,
    ]


@pytest.mark.parametrize("coding", ["1", "0"])
def test_0_and_1_beside_left_and_right_are_refused(read, coding):
    text = f"anchor,left,right,answer\ntea,coffee,soup,{coding}\nsoup,tea,stew,1\n"
    with pytest.raises(InputError, match="can be read in two ways") as caught:
        read(text)
    message = str(caught.value)
    assert "1 means 'left'" in message
    assert "1 means 'right'" in message
    assert "coding='holds'" in message
    assert "coding='from-0'" in message


def test_an_ambiguous_answer_is_read_as_told(read):
    text = "anchor,left,right,answer\ntea,coffee,soup,0\nsoup,tea,stew,1\n"
    assert statements(read(text, coding="from-0")) == DRINKS
    opposite = [(anchor, far, near) for anchor, near, far in DRINKS]
    assert statements(read(text, coding="holds")) == opposite


def test_chosen_columns_called_left_and_right_are_no_exception(read):
    text = "standard,left,right,resp\ntea,coffee,soup,0\nsoup,tea,stew,1\n"
    chosen = {"columns": ["standard", "left", "right"], "answer": "resp"}
    with pytest.raises(InputError, match="can be read in two ways"):
        read(text, **chosen)
    assert statements(read(text, coding="from-0", **chosen)) == DRINKS


def test_signs_beside_left_and_right_are_refused(read):
    with pytest.raises(InputError, match=r"-1 means 'right'.*coding='holds'.*-1 means 'left'"):
        read("anchor,left,right,answer\na,b,c,-1\nb,c,a,1\n")


def test_numbers_that_may_be_names_or_positions_are_refused(read):
    text = "anchor,left,right,answer\n3,2,1,1\n4,2,1,2\n"
    with pytest.raises(InputError, match=r"it names the object.*coding='name'.*1 means 'left'"):
        read(text)
    assert statements(read(text, coding="name")) == [("3", "1", "2"), ("4", "2", "1")]
    more = text + "1,7,8,7\n"
    assert statements(read(more))[0] == ("3", "1", "2"), "the last row names an object"


def test_positions_that_may_count_from_0_or_1_are_refused(read):
    text = "a,b,c,odd\ncat,dog,car,2\ncat,car,dog,1\n"
    with pytest.raises(InputError, match=r"2 means 'c' .*from-0.*2 means 'b' .*from-1"):
        read(text)
    expected = [("cat", "dog", "car"), ("dog", "cat", "car")]
    assert statements(read(text, coding="from-0")) == expected * 2
    assert statements(read(text + "cat,dog,car,3\n"))[-2:] == expected


def test_a_choice_of_three_is_refused_unless_the_question_is_known(read):
    text = "item1,item2,item3,response\ncat,dog,car,3\n"
    with pytest.raises(InputError, match=r"question='odd-one-out'.*question='most-central'"):
        read(text)
    assert statements(read(text, question="odd-one-out")) == [
        ("cat", "dog", "car"),
        ("dog", "cat", "car"),
    ]
    assert statements(read(text, question="most-central")) == [
        ("cat", "car", "dog"),
        ("dog", "car", "cat"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("anchor,left,right\na,b,c\n", "'anchor', 'left', 'right' are questions without answers"),
        ("anchor,left,right,answer\na,b,c,\n", "'answer' has no entries at all: the questions are"),
        ("anchor,left,right,answer\na,b,c,b\na,b,c,\n", "Line 3 has no entry in column 'answer'"),
        ("anchor,left,right,answer\na,b,c,b\na,b,c,x\n", r"Line 3 has 'x' .*expected the object"),
        ("# x\nanchor,left,right,answer\na,b,b,b\n", r"Line 3 compares nothing.*\('a', 'b', 'b'\)"),
        ("a,b,c,odd\nx,y,z,z\nx,x,z,z\n", "Line 3 compares nothing"),
        ("stimulus,choices,response\na,b,0\n", "Column 'choices' holds 'b'; expected lists"),
        ("anchor,option_a,option_b,votes_a,votes_b\na,b,c,many,1\n", "votes must be numbers"),
    ],
)
def test_refused_logs(read, content, message):
    with pytest.raises(InputError, match=rf"log\.csv: .*{message}"):
        read(content)


def test_trials_that_say_nothing_are_dropped_on_request(read):
    text = "a,b,c,odd\nx,y,z,z\nx,x,z,z\nx,y,,y\n"
    with pytest.warns(od.DroppedRowsWarning, match="Dropped 2 of 3 rows") as caught:
        answers = read(text, on_invalid="drop")
    assert statements(answers) == [("x", "y", "z"), ("y", "x", "z")]
    assert caught[0].filename == __file__


def test_columns_and_question_can_be_told(read):
    text = "w,x,y,z\ntea,soup,stew,soup\n"
    chosen = {"question": "choose", "columns": ["w", "x", "y"], "answer": "z"}
    assert statements(read(text, **chosen)) == [("tea", "soup", "stew")]
    chosen["question"] = "triplet"
    assert statements(read(text, **chosen)) == [("tea", "soup", "stew")]
    ranked = {"question": "ranking", "columns": ["w", "y", "x"]}
    assert statements(read(text, **ranked)) == [("tea", "stew", "soup")]
    with pytest.raises(InputError, match="question must be one of 'auto', 'triplet'"):
        read(text, question="riddle")
    with pytest.raises(InputError, match="columns must choose 4 different columns"):
        read(text, question="pairs", columns=["w", "x", "y"])
    with pytest.raises(InputError, match="Name it with answer="):
        read(text, question="most-central", columns=["w", "x", "y"])


LOG = """phase,participant_id,anchor,near,far
test,P07,tea,coffee,soup
practice,P07,cup,tea,soup
test,P08,tea,soup,coffee
test,P09,soup,stew,tea
"""


def test_rows_are_chosen_by_their_entries(read):
    assert statements(read(LOG, where="phase=test", exclude={"participant": "P08"})) == DRINKS
    assert len(read(LOG, where=["phase=test", "phase=practice"])) == 4
    assert len(read(LOG, exclude=["participant_id=P07", "phase=practice"])) == 2
    assert "cup" not in read(LOG, where="phase=test").names


def test_entries_of_rows_left_out_are_not_looked_at(read):
    text = """stimulus,choices,response,kind
hello,ALL_KEYS,space,text
tea,"[""coffee"",""soup""]",0,answer
"""
    with pytest.raises(InputError, match="Column 'choices' holds 'ALL_KEYS'"):
        read(text)
    assert statements(read(text, where="kind=answer")) == DRINKS[:1]
    text = "anchor,near,far,answer,phase\na,b,c,maybe,x\na,b,c,1,y\n"
    assert len(read(text, exclude="phase=x")) == 1


def test_conditions_may_stand_in_files(read, tmp_path):
    (tmp_path / "people.txt").write_text("P07\n\nP08\n")
    (tmp_path / "conditions.txt").write_text("participant=P07\nphase=practice\n")
    assert len(read(LOG, exclude=f"participant=@{tmp_path}/people.txt")) == 1
    assert len(read(LOG, exclude=f"@{tmp_path}/conditions.txt")) == 2


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("phase=Test", "where: no row has 'Test' in column 'phase'; it has 'test', 'practice'"),
        ("stage=test", "where: there is no column 'stage'; there are 'phase'"),
        ("phase", "where takes conditions such as 'phase=test'; got 'phase'"),
    ],
)
def test_conditions_that_make_no_sense(read, condition, message):
    with pytest.raises(InputError, match=message):
        read(LOG, where=condition)


def test_lines_are_those_of_the_file_although_rows_are_left_out(read):
    text = LOG + "test,P10,tea,tea,soup\n"
    with pytest.raises(InputError, match="Line 6 compares nothing"):
        read(text, where="phase=test", exclude="participant=P07")


def test_a_reading_says_what_was_used_and_reads_a_row_aloud():
    _, reading = read_log(FOLDER / "next-flat.csv", Wanted())
    assert reading.question == "triplet"
    assert reading.columns["Answer"].startswith("the answer, which names the object")
    assert reading.columns["Center"] == "the anchor"
    assert reading.columns["Participant.ID"] == "the group 'participant'"
    assert reading.ignored == ("Timestamp", "Response.Time..s.", "Alg.Label")
    assert reading.example == "line 2: tea is more like coffee than soup, said by u1"
    _, reading = read_log(FOLDER / "psychophysics.csv", Wanted(), where="rater=R2")
    assert reading.example.startswith("line 3: c is more like d than b and d is more like c than b")
    assert reading.left_out == {"where rater=R2": 1}
    assert "Left out 1 of 2 rows: 1 by where rater=R2." in str(reading)
