"""Rows that are no answers of the study: refused, left out or kept as one says."""

import warnings

import pytest

import ordinate as od

TRIPLETS = {"anchor": list("uvwz"), "near": list("vwzu"), "far": list("wzuv")}
PAIRS = {"item_a": list("uvwz"), "item_b": list("vwzu"), "winner": list("uwwu")}
READERS = [(od.read_comparisons, TRIPLETS), (od.read_pairs, PAIRS), (od.read, PAIRS)]


@pytest.mark.parametrize(("read", "table"), READERS)
@pytest.mark.parametrize(
    ("column", "entries", "condition"),
    [
        ("phase", ["practice", "main", "main", "main"], "phase=practice"),
        ("trial_type", ["Catch trial", "test", "test", "test"], "trial_type=Catch trial"),
        ("block", ["warm-up 1", "2", "3", "3"], "block=warm-up 1"),
        ("is_practice", [True, False, False, False], "is_practice=true"),
        ("is_catch_trial", [1, 0, 0, 0], "is_catch_trial=1"),
        ("attentionCheck", ["yes", "no", "no", "no"], "attentionCheck=yes"),
        ("task", ["instructions", "main", "main", "main"], "task=instructions"),
        ("pool", ["catch", "random", "random", "repeat"], "pool=catch"),
    ],
)
def test_practice_and_catch_trials_are_refused_until_one_decides(
    read, table, column, entries, condition
):
    log = table | {column: entries}
    with pytest.raises(od.LayoutError, match=rf"'{column}' says .* in 1 of 4 rows") as caught:
        read(log)
    assert caught.value.choices == ({"exclude": [condition]},)
    assert len(read(log, exclude=condition)) == 3
    assert len(read(log, exclude=[])) == 4
    assert len(read(log, exclude="")) == 4
    assert len(read(log, where=f"{column}={entries[0]}" if "=tr" not in condition else condition))


@pytest.mark.parametrize(
    ("column", "entries"),
    [
        ("category", ["instruction following", "math", "math", "math"]),
        ("phase", ["test", "train", "test", "test"]),
        ("catch_correct", [1, 0, 0, 0]),
        ("n_practice", [1, 0, 0, 0]),
        ("phase", ["practice"] * 4),
        ("attention", ["0.3", "1", "0", "1"]),
        ("trial_index", [0, 1, 2, 3]),
        ("trial_data", [["practice"], [], [], []]),
    ],
)
def test_other_columns_are_left_alone(column, entries):
    assert len(od.read_comparisons(TRIPLETS | {column: entries})) == 4
    assert len(od.read_pairs(PAIRS | {column: entries})) == 4


def test_two_columns_that_mark_the_same_rows_are_one_condition():
    marked = {"phase": ["practice", "main", "main", "main"], "practice": [1, 0, 0, 0]}
    with pytest.raises(od.LayoutError) as caught:
        od.read_pairs(PAIRS | marked)
    assert caught.value.choices == ({"exclude": ["phase=practice"]},)
    assert len(od.read_pairs(PAIRS | marked, exclude=["phase=practice"])) == 3


@pytest.mark.parametrize(("read", "table"), READERS)
@pytest.mark.parametrize("column", ["answered_by", "group:answered_by"])
def test_machines_are_left_out_unless_wanted(read, table, column):
    log = table | {column: ["person", "person", "person", "gpt"]}
    with pytest.warns(UserWarning, match=r"1 of 4 rows are of machines \(gpt in .*='all'"):
        assert len(read(log)) == 3
    assert len(read(log, respondent="people")) == 3
    assert len(read(log, respondent="machine")) == 1
    assert len(read(log, respondent="all")) == 4
    assert len(read(log, where=f"{column}=gpt")) == 1, "a condition decides"
    for alone in (["person"] * 4, ["gpt"] * 4):
        with warnings.catch_warnings(action="error"):
            assert len(read(table | {column: alone})) == 4


@pytest.mark.parametrize("name", ["student", "user", "evaluator", "person", "expert", "coder"])
def test_judges_have_many_names(name):
    assert "participant" in od.read_pairs(PAIRS | {name: ["u", "u", "v", "v"]}).groups
