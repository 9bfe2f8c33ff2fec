"""`ordinate questions`: a questionnaire through landmarks, and the way back from its answers."""

import numpy as np
import pytest

import ordinate as od


@pytest.fixture
def objects(tmp_path):
    path = tmp_path / "objects.txt"
    path.write_text("\n".join(f"object {letter}" for letter in "abcdefghij") + "\n\n")
    return path


@pytest.mark.parametrize("design", ["k1", "k2"])
def test_lists_every_question_of_the_design_once(ordinate, objects, design):
    run = ordinate("questions", objects, "--landmarks", 4, "--design", design, "--json")
    asked = list(zip(*run.json["questions"].values(), strict=True))
    assert len(asked) == od.sources.count_landmark_questions(10, 4, design=design)
    assert len({(anchor, frozenset(pair)) for anchor, *pair in asked}) == len(asked)
    landmarks = set(run.json["landmarks"])
    assert len(landmarks) == 4
    for anchor, *pair in asked:
        assert len({anchor, *pair}) == 3
        if design == "k1":
            assert set(pair) <= landmarks
        else:
            assert anchor in landmarks
            assert set(pair) & landmarks


def test_neither_side_is_preferred(ordinate, objects):
    run = ordinate("questions", objects, "--landmarks", 10, "--json")
    columns = run.json["questions"]
    first = np.mean(np.array(columns["left"]) < np.array(columns["right"]))
    assert 0.4 < first < 0.6  # 360 questions: four standard deviations
    assert columns["anchor"] != sorted(columns["anchor"])


def test_answers_can_be_read_back(ordinate, objects, tmp_path):
    path = tmp_path / "questions.csv"
    run = ordinate("questions", objects, "-l", 3, "--size", 20, "--seed", 1, "-o", path)
    assert run.code == 0
    assert run.out.startswith("20 of 24 questions about 10 objects; landmarks: object ")
    assert run.out.splitlines()[-1] == f"Wrote {path}"
    header, *lines = path.read_text().splitlines()
    run = ordinate("embed", path)
    assert run.code == 1
    assert "are questions without answers; add a column 'answer'" in run.err
    path.write_text("\n".join([f"{header},answer", *(f"{line},right" for line in lines)]))
    answers = od.read_comparisons(path)
    assert len(answers) == 20
    anchor, near, far = lines[0].replace('"', "").split(",")
    assert [answers.names[number] for number in answers.rows[0]] == [anchor, far, near]


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("a\nb", ["-l", 2], "has 2 objects; expected 3 or more, each on its own line"),
        ("a\nb\na", ["-l", 2], "has 'a' 2 times; every object counts once"),
        ("a\nb\nc", ["-l", 4], "--landmarks must be"),
        ("a\nb\nc", ["-l", 2, "--size", 9], "--size must be"),
        ("a\nb\nc", ["-l", 2, "-o", "x.docx"], "Cannot tell the format"),
    ],
)
def test_mistakes_are_explained(ordinate, tmp_path, text, arguments, message):
    path = tmp_path / "objects.txt"
    path.write_text(text)
    run = ordinate("questions", path, *arguments)
    assert run.code == 1
    assert message in run.err


def test_missing_file_is_explained(ordinate, tmp_path):
    run = ordinate("questions", tmp_path / "none.txt", "-l", 2)
    assert run.code == 1
    assert "Cannot read" in run.err
