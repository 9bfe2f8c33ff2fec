"""`ordinate noise`: the estimate and the list of doubtful answers."""

import pytest

import ordinate as od


@pytest.fixture
def spoiled(answers):
    """The file of answers with one plain mistake, in row 400, line 402."""
    answers.write_text(answers.read_text() + "o00,o11,o01,0,200\n")
    return answers


def test_reports_everybody_each_participant_and_the_mistake(ordinate, spoiled):
    run = ordinate("noise", spoiled, "--method", "TETE", "--dim", 1, "--most", 1)
    assert run.code == 0
    assert run.out.startswith("Wrong answers, by TETE in 1 dimension\n  at least ")
    lines = run.out.splitlines()
    start = lines.index("0 of 3 disagree with the rest (false discovery rate 5%)")
    assert sorted(line.split()[0] for line in lines[start + 2 : start + 5]) == ["0", "1", "2"]
    assert run.out.endswith("  line 402: o00 is more like o11 than o01\n")


def test_json_is_what_python_gives(ordinate, spoiled):
    run = ordinate("noise", spoiled, "-d", 1, "--method", "soe", "--most", 2, "--seed", 4, "--json")
    record = od.read_comparisons(spoiled)
    expected = od.estimate_noise(
        record, "SOE", 1, per="participant", by="trial", random_state=4
    ).to_dict(2)
    for answer in expected["contradicted"]:
        answer["place"] = f"line {answer['row'] + 2}"
    assert run.json == expected


@pytest.mark.filterwarnings("default::ordinate.DroppedRowsWarning")
def test_answers_are_named_by_their_lines_in_the_file(ordinate, spoiled):
    """Remarks, blank lines, and rows that are left out or dropped, count as lines."""
    header, *rows = spoiled.read_text().splitlines()
    first, second = spoiled.with_name("part-1.csv"), spoiled.with_name("part-2.csv")
    first.write_text("\n".join([header, *rows[:300]]))
    useless = ["o00,o00,o01,0,300", "o00,o01,o11,9,301"]
    second.write_text("\n".join(["# second day", header, "", *useless, *rows[300:]]))
    options = ("--method", "SOE", "-d", 1, "--most", 1, "--on-invalid", "drop")
    run = ordinate("noise", second.with_name("part-?.csv"), *options, "--exclude", "participant=9")
    line = second.read_text().splitlines().index(rows[-1]) + 1
    assert run.out.endswith(f"  {second}, line {line}: o00 is more like o11 than o01\n")


def test_without_doubtful_answers_none_are_listed(ordinate, answers):
    options = ("--method", "SOE", "--dim", 1, "--most", 0, "--per", "trial")
    run = ordinate("noise", answers, *options)
    assert "disagree most" not in run.out
    assert "more, better predicted" in run.out
    everybody = ordinate("noise", answers, *options, "--all-participants").out
    assert "more, better predicted" not in everybody
    assert len(everybody.splitlines()) > 100


def test_unknown_group_is_explained(ordinate, answers):
    run = ordinate("noise", answers, "--per", "planet")
    assert (run.code, run.out) == (1, "")
    assert "planet" in run.err
