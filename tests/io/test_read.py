"""Logs as tools and people write them, one small file each in tests/data/layouts."""

import json
from pathlib import Path

import pandas as pd
import pytest

import ordinate as od
from ordinate import InputError
from ordinate.io.layout import Layout
from ordinate.io.read import read_log

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
        *(("car", "dog", "cat"), ("cat", "dog", "car")),
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
NEGATIVE_ANSWERS = (
    *("not_chosen", "odd.response", "lost", "eliminated", "discarded", "excluded", "removed"),
    *("outlier", "wrong", "worse", "less_preferred", "disliked", "weaker", "rejected", "loser"),
    *("negative_choice", "least_liked", "isLoser", "unchosenItem"),
)
QUESTION = dict.fromkeys(("things.txt", "psychophysics.csv"), "odd_one_out")
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
def test_every_layout_of_a_log_is_read(name):
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
    _, reading = read_log(FOLDER / "votes.csv", Layout())
    assert "than soup (7 votes) and tea is more like soup than coffee (3 votes)" in reading.example
    assert answers.groups["trial"].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("anchor,choice_1,choice_2,response", "tea,soup,coffee,2"),
        ("standard,left_image,right_image,resp", "tea,soup,coffee,right_image"),
        ("subj,probe,imgLeft,imgRight,choice", "p1,tea,soup,coffee,right"),
        ("probe,comparison1,comparison2,choice", "tea,coffee,soup,coffee"),
        ("head_id,left_id,right_id,winner_id", "tea,soup,coffee,coffee"),
        ("Query,Option A,Option B,Selected", "tea,coffee,soup,A"),
    ],
)
def test_other_headings_of_triplets(read, header, row):
    assert statements(read(f"{header}\n{row}\n")) == DRINKS[:1]


def test_a_row_is_shown_in_words_where_trials_are_counted_again(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("subj,trial,probe,left,right,choice\np,1,a,b,c,left\nq,1,d,b,c,left\n")
    _, reading = read_log(log, Layout())
    assert reading.example == "line 2: a is more like b than c, said by p"


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
    odd = od.read_comparisons(FOLDER / "psychophysics.csv", question="odd_one_out")
    assert odd.groups["trial"].tolist() == [1, 1, 2, 2]


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


def test_an_ambiguous_answer_is_read_as_requested(read):
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


@pytest.mark.parametrize(
    "options",
    [
        *("option_1,option_2", "choice_1,choice_2", "ref1,ref2", "image_1,image_2", "a,b"),
        *("first,second", "left,right", "option_a,option_b"),
    ],
)
@pytest.mark.parametrize(
    ("entries", "other"), [("0 1", "from-0"), ("0.0 1.0", "from-0"), ("-1 1", "from-0")]
)
def test_answers_that_fit_two_codings_are_refused_whatever_columns_are_called(
    read, options, entries, other
):
    no, yes = entries.split()
    first, second = options.split(",")
    text = f"anchor,{options},response\ntea,coffee,soup,{no}\nsoup,tea,stew,{yes}\n"
    with pytest.raises(InputError, match="can be read in two ways") as caught:
        read(text)
    assert f"{no} means {second!r} and {yes} means {first!r} (coding='holds')" in str(caught.value)
    assert f"{no} means {first!r} and {yes} means {second!r} (coding={other!r})" in str(
        caught.value
    )
    assert statements(read(text, coding=other)) == DRINKS


@pytest.mark.parametrize(("entries", "coding"), [("0,1", "from-0"), ("1,2", "auto")])
def test_numbers_of_pairs(read, entries, coding):
    first, second = entries.split(",")
    text = f"pair1_a,pair1_b,pair2_a,pair2_b,response\na,b,c,d,{first}\na,c,b,d,{second}\n"
    assert statements(read(text, coding=coding)) == [("a", "b", "c", "d"), ("b", "d", "a", "c")]
    if coding != "auto":
        with pytest.raises(InputError, match="can be read in two ways"):
            read(text)


def test_a_number_for_no_answer_is_not_an_answer(read):
    for entries in ("0 1 -1", "1 2 0"):
        rows = "".join(f"tea,coffee,soup,{entry}\n" for entry in entries.split())
        with pytest.raises(InputError, match="coded alike in all rows"):
            read(f"anchor,left,right,response\n{rows}")


@pytest.mark.parametrize("key", ["L", "r"])
def test_one_letter_in_all_rows_may_be_a_key(read, key):
    text = f"anchor,left,right,response\ntea,coffee,soup,{key}\nsoup,tea,stew,{key}\n"
    with pytest.raises(InputError, match=f"holds {key} beside .*a key that was pressed"):
        read(text)
    other = {"L": "R", "r": "l"}[key]
    assert len(read(text + f"tea,coffee,soup,{other}\n")) == 3


@pytest.mark.parametrize("words", ["true false", "TRUE FALSE", "True False", "T F"])
@pytest.mark.parametrize("columns", ["left,right", "option_1,option_2", "a,b", "first,second"])
def test_true_may_be_the_first_or_the_second(read, words, columns):
    """Logs hold `response == 1`, which is true for the second, as often as "is the first"."""
    yes, no = words.split()
    text = f"anchor,{columns},response\ntea,coffee,soup,{yes}\nsoup,tea,stew,{no}\n"
    with pytest.raises(InputError, match=r"in two ways: .*coding='holds'.* or .*coding='from-0'"):
        read(text)
    expected = [("tea", "coffee", "soup"), ("soup", "stew", "tea")]
    assert statements(read(text, coding="holds")) == expected
    assert statements(read(text, coding="from-0")) == [(a, c, b) for a, b, c in expected]
    stated = text.replace(f"anchor,{columns}", "i,j,k")
    assert statements(read(stated)) == expected, "a statement holds or not"


def test_true_and_false_may_say_which_of_two_pairs(read):
    text = "pair1_a,pair1_b,pair2_a,pair2_b,answer\ntea,milk,rum,ale,true\n"
    for entry in ("true", "yes"):
        with pytest.raises(InputError, match="can be read in two ways"):
            read(text.replace("true", entry))


def test_numbers_beside_columns_in_another_order_are_refused(read):
    text = "anchor,right,left,response\ntea,coffee,soup,1\nsoup,tea,stew,2\n"
    message = r"1 means 'left' .*1 means 'right' .*in which order .*columns=\[...\]"
    for coding in ("auto", "from-1"):
        with pytest.raises(InputError, match=message):
            read(text, coding=coding)
    assert statements(read(text, columns=["anchor", "right", "left"])) == DRINKS
    by_side = "anchor,right,left,response\ntea,soup,coffee,left\nsoup,stew,tea,right\n"
    assert statements(read(by_side)) == DRINKS


def test_names_are_matched_however_numbers_are_written(read):
    text = "anchor,left,right,response\n3,2,1,2.0\n3,1,2,1.0\n"
    with pytest.raises(InputError, match="it names the object"):
        read(text)
    assert statements(read(text, coding="name")) == [("3", "2", "1"), ("3", "1", "2")]


@pytest.mark.parametrize(
    "objects",
    ["head,winner,loser", "anchor,closer,farther", "anchor,near,far", "anchor,positive,negative"],
)
def test_an_answer_beside_columns_that_state_it_must_agree(read, objects):
    rows = [(*row, entry) for row, entry in zip(DRINKS, ("1", "0"), strict=True)]
    text = f"{objects},response\n" + "".join(",".join(row) + "\n" for row in rows)
    with pytest.raises(InputError, match=r"say which is nearer, but 'response', which holds 0 and"):
        read(text)
    assert statements(read(text, answer=[])) == DRINKS
    assert statements(read(text.replace(",0", ",1"))) == DRINKS, "it agrees"
    assert statements(read(text, coding="holds"))[1] == ("soup", "tea", "stew")
    named = text.replace(",1\n", ",coffee\n").replace(",0\n", ",stew\n")
    assert statements(read(named)) == DRINKS, "it agrees"
    with pytest.raises(InputError, match="does not say the same in all rows"):
        read(named.replace("tea,coffee,soup,coffee", "tea,coffee,soup,soup"))


@pytest.mark.parametrize("answers", ["3 5", "right left", "1 0", "2 1"])
def test_an_answer_may_choose_from_sides_beside_the_winner(read, answers):
    one, other = answers.split()
    header = "head,winner,loser,Center,Left,Right,Answer"
    read_as = statements(read(f"{header}\n5,3,7,5,7,3,{one}\n3,5,9,3,5,9,{other}\n"))
    assert read_as == [("5", "3", "7"), ("3", "5", "9")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Spreadsheet: Answer", "Response"),
        ("Response", "response"),
        ("winner", "answer"),
        ("resp", "chosen_item"),
    ],
)
def test_two_columns_of_answers_must_agree(read, one, other):
    text = f"anchor,left,right,{one},{other}\ntea,coffee,soup,coffee,left\nsoup,tea,stew,tea,R\n"
    message = (
        rf"{one!r} and {other!r} both say .* Line 3 has 'tea' and 'R'.*answer={other!r}.*columns"
    )
    with pytest.raises(InputError, match=message):
        read(text)
    assert statements(read(text, answer=other)) == DRINKS
    assert statements(read(text.replace("stew,tea,R", "stew,stew,R"))) == DRINKS
    numbers = text.replace("coffee,left", "coffee,0").replace("tea,R", "stew,1")
    assert statements(read(numbers)) == DRINKS, "0 and 1 agree with the names in one way alone"
    assert statements(read(text.replace(",left\n", ",\n").replace(",R\n", ",\n"))) == [
        DRINKS[0],
        ("soup", "tea", "stew"),
    ], "an empty column says nothing"


def test_a_second_column_of_answers_is_reported(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("anchor,left,right,winner,resp\ntea,coffee,soup,coffee,left\n")
    _, reading = read_log(path, Layout())
    assert reading.columns["winner"] == "the answer, which names the object that was chosen"
    assert reading.columns["resp"] == "the answer once more, which agrees"
    path.write_text("anchor,left,right,response,chosen\ntea,coffee,soup,j,coffee\n")
    with pytest.raises(InputError, match=r"'chosen' and 'response' both say .* 'coffee' and 'j'"):
        read_log(path, Layout())


def test_answers_on_screens_without_objects_do_not_count(read):
    text = "anchor,left,right,key_resp.keys\n,,,space\ntea,coffee,soup,left\nsoup,tea,stew,right\n"
    assert statements(read(text)) == DRINKS
    with pytest.raises(InputError, match="Line 2 has no entry in column 'anchor'"):
        read(text.replace(",,,space", ",tea,,space"))


def test_an_odd_one_that_was_planned_is_not_taken_for_the_answer(read):
    with pytest.raises(InputError, match="'odd' and 'response' both say what was chosen"):
        read("image1,image2,image3,odd,response\ncat,dog,car,3,image2\n")


def test_a_winner_that_is_a_side_or_a_position_is_not_an_object(read):
    for one, other in (("left", "right"), ("0", "1")):
        text = f"head,left,right,winner,loser\ntea,coffee,soup,{one},{other}\n"
        with pytest.raises(InputError, match="as an answer does, and has no object in common"):
            read(text)
    columns = ["head", "left", "right"]
    assert statements(read(text.replace("0,1", "left,right"), columns=columns)) == DRINKS[:1]


def test_numbers_beside_two_orders_of_the_objects_are_refused(read):
    text = "anchor,option_1,option_2,left,right,response\ntea,coffee,soup,soup,coffee,1\n"
    text += "soup,tea,stew,tea,stew,2\n"
    with pytest.raises(
        InputError, match="'option_1' and 'option_2' hold the same objects in anoth"
    ):
        read(text)
    columns = ["anchor", "option_1", "option_2"]
    assert statements(read(text, columns=columns)) == DRINKS
    assert statements(read(text.replace(",1\n", ",coffee\n").replace(",2\n", ",stew\n"))) == DRINKS


def test_two_columns_that_may_be_the_anchor_must_agree(read):
    text = "reference,probe,left,right,response\nSmith,tea,coffee,soup,left\n"
    with pytest.raises(InputError, match="'reference' and 'probe' may both hold the anchor, but"):
        read(text)
    assert statements(read(text.replace("Smith", "tea"))) == DRINKS[:1]
    assert statements(read(text, columns=["probe", "left", "right"])) == DRINKS[:1]


def test_votes_beside_an_answer_are_refused(read):
    text = "anchor,left,right,n_left,n_right,response\ntea,coffee,soup,1,3,left\n"
    with pytest.raises(InputError, match="may count votes, but 'response' says"):
        read(text)
    assert statements(read(text, answer="response")) == DRINKS[:1]
    assert read(text, answer=[]).weights.tolist() == [1, 3]


@pytest.mark.parametrize(
    "objects", ["anchor,a,b,c", "anchor,option_a,option_b,option_c", "anchor,left,middle,right"]
)
def test_no_option_is_passed_over(read, objects):
    answers = read(f"{objects},response\ntea,coffee,soup,stew,coffee\n")
    assert statements(answers) == [("tea", "coffee", "soup"), ("tea", "coffee", "stew")]
    with pytest.raises(InputError, match="Which columns hold the objects"):
        read("anchor,option_1,option_2,option_4,response\ntea,coffee,soup,stew,coffee\n")


def test_ranks_of_options_are_not_taken_for_objects(read):
    with pytest.raises(InputError, match="'option_1', 'option_2' are questions without answers"):
        read("anchor,option_1,option_2,rank_1,rank_2\ntea,coffee,soup,2,1\n")


def test_chosen_columns_have_the_answers_of_the_file(read):
    text = "q,x,y,response\ntea,coffee,soup,coffee\nsoup,tea,stew,stew\n"
    assert statements(read(text, columns=["q", "x", "y"])) == DRINKS
    numbers = text.replace("coffee\n", "0\n").replace("stew\n", "1\n")
    with pytest.raises(InputError, match="can be read in two ways"):
        read(numbers, columns=["q", "x", "y"])
    assert statements(read(numbers, columns=["q", "x", "y"], coding="from-0")) == DRINKS
    assert statements(read(numbers, columns=["q", "x", "y"], answer=[]))[1] == (
        "soup",
        "tea",
        "stew",
    )


@pytest.mark.parametrize("words", [("coffee", "stew"), ("x", "y"), ("left", "right")])
def test_chosen_columns_beside_what_seems_an_answer_are_refused(read, words):
    one, other = words
    text = f"q,x,y,Urteil,rt\ntea,coffee,soup,{one},1\nsoup,tea,stew,{other},2\n"
    with pytest.raises(InputError, match=r"'Urteil' may say which.*answer='Urteil'.*answer=\["):
        read(text, columns=["q", "x", "y"])
    assert len(read(text, columns=["q", "x", "y"], answer=[])) == 2
    if words != ("left", "right"):  # which column stands left nobody knows
        with pytest.raises(InputError, match="'Urteil' may"):
            read(text, columns=["q", "x", "y"], where="rt=2")
        assert statements(read(text, columns=["q", "x", "y"], answer="Urteil")) == DRINKS


def test_columns_of_any_type_may_stand_beside_chosen_ones():
    frame = pd.DataFrame({"q": ["a", "b"], "x": ["b", "c"], "y": ["c", "a"], "of": [[1], [2]]})
    frame = frame.assign(month=pd.period_range("2026", periods=2), at=pd.Timestamp(0), raw=b"a")
    assert len(od.read_comparisons(frame, columns=["q", "x", "y"])) == 2


def test_a_column_that_agrees_with_chosen_columns_does_not_matter(read):
    text = "q,x,y,copy\ntea,coffee,soup,coffee\nsoup,stew,tea,stew\n"
    assert statements(read(text, columns=["q", "x", "y"])) == DRINKS


@pytest.mark.parametrize("name", ["furthest", "Odd", "least_similar", *NEGATIVE_ANSWERS])
def test_an_answer_that_names_what_is_less_alike_is_refused(read, name):
    text = f"anchor,left,right,{name}\ntea,coffee,soup,soup\nsoup,tea,stew,tea\n"
    with pytest.raises(InputError, match=f"'{name}' is called as if it named what was not chosen"):
        read(text, answer=name)
    with pytest.raises(InputError, match="which is more alike with answer="):
        read(text)
    with pytest.raises(InputError, match="what was chosen with answer="):
        read("item_1,item_2,item_3\ntea,coffee,soup\n")


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ("left,right", "right_chosen"),
        ("left,right", "chose_second"),
        ("p0,p1", "chose_second"),
        ("compA,compB", "is_compB_selected"),
    ],
)
@pytest.mark.parametrize("words", [("no", "yes"), ("0", "1"), ("False", "True")])
def test_a_column_may_be_called_after_the_choice_of_one(read, columns, name, words):
    no, yes = words
    text = f"anchor,{columns},{name}\ntea,coffee,soup,{no}\nsoup,tea,stew,{yes}\n"
    told = {"columns": ["anchor", *columns.split(",")], "answer": name}
    assert statements(read(text, **told)) == DRINKS
    assert statements(read(text, **told, coding="holds")) == DRINKS
    if columns == "left,right":
        assert statements(read(text)) == DRINKS
        first = text.replace("right_chosen", "left_chosen").replace("second", "first")
        opposite = [(anchor, far, near) for anchor, near, far in DRINKS]
        assert statements(read(first)) == opposite


@pytest.mark.parametrize("keys", [("ArrowLeft", "ArrowRight"), ("arrowleft", "arrowright")])
def test_arrow_keys_are_sides(read, keys):
    text = "anchor,left,right,response\ntea,coffee,soup,{}\nsoup,tea,stew,{}\n"
    assert statements(read(text.format(*keys))) == DRINKS


def test_what_to_do_about_keys_and_codes_is_said(read):
    text = "anchor,left,right,response\ntea,coffee,soup,f\nsoup,tea,stew,j\n"
    with pytest.raises(InputError, match=r"what a key or code stands for.*exclude='response=j'"):
        read(text)


def test_the_id_of_a_response_is_no_answer(read):
    text = "ResponseId,anchor,near,far\nR_1,tea,coffee,soup\nR_2,soup,stew,tea\n"
    assert statements(read(text)) == DRINKS


def test_four_numbers_a_row_are_not_taken_for_pairs(read):
    text = "1 7 8 9\n2 8 9 7\n"
    with pytest.raises(
        InputError,
        match=r"pair_against_pair'.*odd_one_out'.*columns=.0, 1, 2. or columns=.1, 2, 3.; the",
    ):
        read(text, "log.txt")
    assert statements(read(text, "log.txt", columns=[1, 2, 3]))[0] == ("7", "8", "9")
    assert statements(read(text, "log.txt", question="pair_against_pair"))[0] == (
        "1",
        "7",
        "8",
        "9",
    )


def trials(*rows):
    return json.dumps(
        [dict(zip(("stimulus", "choices", "response"), r, strict=True)) for r in rows]
    )


def test_places_in_lists_are_checked_as_other_numbers_are(read):
    found = read(trials((7, [3, 1], 0), (3, [1, 7], 1)), "log.json")
    assert statements(found) == [("7", "3", "1"), ("3", "7", "1")]
    with pytest.raises(InputError, match=r"it names the object.*from-0"):
        read(trials((7, [1, 0], 0), (0, [7, 1], 1), (1, [0, 7], 0)), "log.json")
    with pytest.raises(InputError, match=r"coding='from-0'.*coding='from-1'"):
        read(trials(("a", ["b", "c", "d"], 1), ("b", ["a", "c", "d"], 2)), "log.json")


def test_keys_and_other_screens_are_not_objects(read):
    keys = trials(("tea", ["f", "j"], "f"), ("soup", ["f", "j"], "j"))
    with pytest.raises(InputError, match="hold 'f', 'j' in all rows: keys to press"):
        read(keys, "log.json")
    assert len(read(keys, "log.json", question="choose_k")) == 2
    survey = trials(
        ("tea", ["coffee", "soup"], 0),
        ("Your age?", ["-30", "31-"], 1),
        ("tea", ["soup", "stew"], 0),
    )
    with pytest.raises(InputError, match=r"Entry 1 has no object in common .*another screen"):
        read(survey, "log.json")
    assert len(read(survey, "log.json", exclude="stimulus=Your age?")) == 2
    with pytest.raises(InputError, match="expected lists such as"):
        read(trials(("tea", ["coffee", {"prompt": "?"}], 0)), "log.json")


def test_a_gap_in_json_is_not_an_object(read):
    text = '[{"anchor": "a", "near": "b", "far": NaN}, {"anchor": "a", "near": "b", "far": "c"}]'
    with pytest.raises(InputError, match="Entry 0 has no entry in column 'far'"):
        read(text, "log.json")


def test_rows_without_an_entry_can_be_named(read):
    text = "anchor,near,far,phase\na,b,c,NA\nb,c,a,\nc,a,b,test\n"
    assert len(read(text, exclude="phase=NA")) == 1
    assert len(read(text, where="phase=NA")) == 2
    assert len(read(text, exclude=["phase=", "phase=none"])) == 1


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


def test_a_letter_beside_two_options_may_be_no_option(read):
    text = "head,A,B,winner,c\nx,y,z,y,0\ny,x,z,z,1\nz,x,y,x,0\n"
    with pytest.raises(InputError, match=r"'c' .* no object in common with 'head', 'A', 'B'"):
        read(text)
    assert read(text, columns=["head", "A", "B"], answer="winner").n_objects == 3
    assert read("head,a,b,c,winner\nx,y,z,w,y\ny,x,z,w,z\nz,w,x,y,x\n").n_objects == 4


def test_what_was_not_chosen_must_not_be_what_was_chosen(read):
    text = "probe,left,right,response,loser\nx,y,z,left,{}\ny,x,z,right,{}\n"
    with pytest.raises(InputError, match=r"'response' and 'loser' do not agree.* 'left' and 'y'"):
        read(text.format("y", "z"))
    expected = [("x", "y", "z"), ("y", "z", "x")]
    assert statements(read(text.format("z", "x"))) == expected
    assert statements(read(text.format("0.3", "y"))) == expected, "it holds something else"
    with pytest.raises(InputError, match=r"pass answer='response' and coding="):
        read(text.format("y", "z"), answer="response")
    told = read(text.format("y", "z"), answer="response", coding="column")
    assert statements(told) == expected


def test_an_object_may_be_called_minus_one(read):
    text = "anchor,option_1,option_2,option_3,answer\n-2,-1,0,1,0\n0,1,-2,-1,-2\n"
    assert statements(read(text))[:2] == [("-2", "0", "-1"), ("-2", "0", "1")]
    assert len(read(text)) == 4, "nothing is lost"
    psiz = "q_idx,r1_idx,r2_idx,r3_idx,c1_idx,c2_idx\n5,6,7,8,6,-1\n6,5,7,-1,7,-1\n"
    assert statements(read(psiz))[2:] == [("6", "7", "5")], "none, in a log of PsiZ-collect"


def test_a_long_entry_does_not_fill_the_screen(read):
    with pytest.raises(InputError) as raised:
        read(f"stimulus,choices,response\na,{'[' * 100_000},b\n")
    assert len(str(raised.value)) < 400


def test_a_choice_of_three_is_refused_unless_the_question_is_known(read):
    text = "item1,item2,item3,response\ncat,dog,car,3\n"
    with pytest.raises(InputError, match=r"question='odd_one_out'.*question='most_central'"):
        read(text)
    assert statements(read(text, question="odd_one_out")) == [
        ("cat", "dog", "car"),
        ("dog", "cat", "car"),
    ]
    assert statements(read(text, question="most_central")) == [
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
        ("# x\nanchor,left,right,answer\na,b,b,b\n", r"Line 3 .*compares nothing.*"),
        ("a,b,c,odd\nx,y,z,z\nx,x,z,z\n", "Line 3 .*compares nothing"),
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


def test_a_doubt_that_no_choice_settles_is_said_once(read):
    text = "anchor,left,right,response\nu,v,w,q\nv,w,u,w\nw,u,v,u\n"
    with pytest.raises(od.LayoutError, match=r"^.*Line 2 has 'q' in column 'response'[^\n]*$"):
        read(text)
    both = "anchor,ref1,ref2,ref3,chosen1,chosen2\n" + "u,v,w,x,v,q\n" + "v,u,w,x,u,w\n" * 3
    with pytest.raises(InputError, match=r"Line 2 has 'q' in column 'chosen2'[^\n]*$") as caught:
        read(both)
    assert caught.value.choices == ()


def test_an_anchor_and_three_options_are_not_taken_for_two_pairs(read):
    text = "anchor,x,y,z,answer\ntea,soup,coffee,stew,2\n"
    told = {"columns": ["anchor", "x", "y", "z"]}
    with pytest.raises(InputError, match=r"may be the anchor of 'x'.*question='choose_k'"):
        read(text, **told)
    assert len(read(text, **told, question="choose_k", coding="from-1")) == 2


def test_columns_and_question_can_be_given(read):
    text = "w,x,y,z\ntea,soup,stew,soup\n"
    chosen = {"question": "choose_k", "columns": ["w", "x", "y"], "answer": "z"}
    assert statements(read(text, **chosen)) == [("tea", "soup", "stew")]
    chosen["question"] = "triplet"
    assert statements(read(text, **chosen)) == [("tea", "soup", "stew")]
    ranked = {"question": "ranking", "columns": ["w", "y", "x"]}
    assert statements(read(text, **ranked)) == [("tea", "stew", "soup")]
    with pytest.raises(InputError, match="question must be one of 'auto', 'triplet'"):
        read(text, question="riddle")
    with pytest.raises(InputError, match="columns must choose 4 different columns"):
        read(text, question="pair_against_pair", columns=["w", "x", "y"])
    with pytest.raises(InputError, match="Name it with answer="):
        read(text, question="most_central", columns=["w", "x", "y"])


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
    with pytest.raises(InputError, match=r"Line 6 .*compares nothing"):
        read(text, where="phase=test", exclude="participant=P07")


def test_a_reading_says_what_was_used_and_shows_a_row_in_words():
    _, reading = read_log(FOLDER / "next-flat.csv", Layout())
    assert reading.question == "triplet"
    assert reading.columns["Answer"].startswith("the answer, which names the object")
    assert reading.columns["Center"] == "the anchor"
    assert reading.columns["Participant.ID"] == "the group 'participant'"
    assert reading.ignored == ("Timestamp", "Response.Time..s.", "Alg.Label")
    assert reading.example == "line 2: tea is more like coffee than soup, said by u1"
    _, reading = read_log(
        FOLDER / "psychophysics.csv", Layout(question="odd_one_out", where="rater=R2")
    )
    assert reading.example.startswith("line 3: c is more like d than b and d is more like c than b")
    assert reading.left_out == {"rater other than R2": 1}
    assert "Left out 1 of 2 rows: 1 with rater other than R2." in str(reading)


@pytest.mark.parametrize("label", ["?", "-", "undefined", "none", "-999"])
def test_a_label_that_may_be_no_entry_is_named(read, label):
    text = f"anchor,near,far\ntea,{label},rum\nrum,tea,ale\n"
    with pytest.warns(od.DoubtfulObjectsWarning, match="no entry are read as objects: '"):
        answers = read(text)
    assert f"may be no entry    '{label}'" in str(answers.describe())


def test_one_of_several_negative_numbers_is_an_object(read):
    assert "no entry" not in str(read("anchor,near,far\n-3,-999,4\n4,-3,-999\n").describe())


@pytest.mark.parametrize("columns", ["option_1,option_2,option_3", "a,b,c", "ref1,ref2,ref3"])
def test_a_third_option_that_is_not_an_object_is_refused(read, columns):
    text = f"anchor,{columns},response\ntea,ale,rum,zero,ale\nale,rum,tea,zero,tea\n"
    with pytest.raises(InputError, match="has no object in common with 'anchor'"):
        read(text)
    called = ["anchor", *columns.split(",")[:2]]
    assert len(read(text, columns=called, answer="response", question="triplet")) == 2


def test_a_page_is_not_an_anchor_where_one_is_named(read):
    text = (
        "stimulus,choices,response,anchor\n"
        '<p>Which?</p>,"[""ale"", ""rum""]",ale,tea\n<p>Which?</p>,"[""tea"", ""rum""]",tea,ale\n'
    )
    assert statements(read(text)) == [("tea", "ale", "rum"), ("ale", "tea", "rum")]


@pytest.mark.parametrize("anchor", ["anchor", "reference", "probe", "standard", "query"])
@pytest.mark.parametrize("pair", ["winner,loser", "closer,farther", "positive,negative"])
def test_the_nearer_and_the_farther_may_stand_beside_any_anchor(read, anchor, pair):
    text = f"{anchor},{pair},response\ntea,ale,rum,{{}}\nale,tea,rum,{{}}\n"
    assert statements(read(text.format("ale", "tea"))) == [
        ("tea", "ale", "rum"),
        ("ale", "tea", "rum"),
    ]
    with pytest.raises(InputError, match=r"do(es)? not (say the same|agree)"):
        read(text.format("left", "right"))


def test_an_answer_may_count_either_of_two_orders(read):
    """Of i, j, k beside left and right, which hold the same objects the other way round."""
    text = "i,j,k,left,right,response\ntea,ale,rum,rum,ale,true\nale,tea,rum,tea,rum,false\n"
    with pytest.raises(InputError, match="hold the same objects in another order"):
        read(text)
    gap = text.replace("rum,ale,true", "rum,,true") + "rum,ale,tea,tea,ale,true\n"
    with pytest.raises(InputError, match="hold the same objects in another order"):
        read(gap)


@pytest.mark.parametrize("entry", ["1", "1.0", "left", "true", "2"])
def test_a_winner_that_is_not_an_object_is_refused(read, entry):
    text = f"anchor,winner,loser\ntea,{entry},rum\nrum,{entry},tea\n"
    with pytest.raises(InputError, match=f"'winner' holds {entry}, as an answer does"):
        read(text)
    assert len(read(text, columns=["anchor", "winner", "loser"])) == 2
    named = text.replace("\nrum,", f"\n{entry},").replace(f",{entry},tea", ",rum,tea")
    assert len(read(named)) == 2, "an object may be called so"


def test_numbers_of_rows_are_not_objects(read):
    text = "reference,near,far\n" + "".join(f"{row},tea,rum\n" for row in range(1, 6))
    with pytest.raises(
        InputError, match="'reference' numbers the rows and has no object in common"
    ):
        read(text)
    assert len(read(text, columns=["reference", "near", "far"])) == 5
    assert len(read(text.replace("reference", "anchor"))) == 5, "as files that Ordinate writes"


def test_a_column_of_counts_that_is_not_used_is_reported(read):
    log = "anchor,near,far,Count\ntea,milk,beer,3\nmilk,tea,beer,2\n"
    with pytest.warns(UserWarning, match=r"'Count' is not used.*pass weight='Count'"):
        assert read(log).weights is None
    assert read(log, weight="Count").weights.tolist() == [3, 2]
