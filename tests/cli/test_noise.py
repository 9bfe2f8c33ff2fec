"""`ordinate noise`: the estimate and the list of doubtful answers."""

import pytest

import ordinate as od


@pytest.fixture
def spoiled(answers):
    """The file of answers with one plain mistake, in row 400."""
    answers.write_text(answers.read_text() + "o00,o11,o01,0,200\n")
    return answers


def test_reports_everybody_each_participant_and_the_mistake(ordinate, spoiled):
    run = ordinate("noise", spoiled, "--dim", 1, "--most", 1)
    assert run.code == 0
    assert run.out.startswith("Wrong answers, by TETE in 1 dimension\n")
    labels = [line.split()[0] for line in run.out.splitlines()[1:5]]
    assert labels[0] == "all"
    assert sorted(labels[1:]) == ["0", "1", "2"]
    assert run.out.endswith("  row 400: o00, o11, o01\n")


def test_json_is_what_python_gives(ordinate, spoiled):
    run = ordinate("noise", spoiled, "-d", 1, "--method", "soe", "--most", 2, "--seed", 4, "--json")
    record = od.read_comparisons(spoiled)
    expected = od.estimate_noise(
        record, "SOE", 1, per="participant", by="trial", random_state=4
    ).to_dict(2)
    assert run.json == expected


def test_without_doubtful_answers_none_are_listed(ordinate, answers):
    run = ordinate("noise", answers, "--dim", 1, "--most", 0, "--per", "trial")
    assert "Most at odds" not in run.out
    assert "more, less surely noisy" in run.out


def test_unknown_group_is_explained(ordinate, answers):
    run = ordinate("noise", answers, "--per", "planet")
    assert (run.code, run.out) == (1, "")
    assert "planet" in run.err
