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
    assert "are questions without answers;" in run.err
    assert "with --answer, or add a column 'answer'." in run.err
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
    assert "none.txt: It cannot be read: No such file" in run.err


@pytest.fixture
def answered(ordinate, objects, tmp_path):
    """Return a table of 40 random questions, answered by the alphabet."""
    path = tmp_path / "random.csv"
    assert ordinate("questions", objects, "-n", 40, "-o", path).code == 0
    header, *lines = path.read_text().splitlines()
    told = []
    for line in lines:
        anchor, left, right = (ord(entry.strip('"')[-1]) for entry in line.split(","))
        told.append(f"{line},{'left' if abs(anchor - left) <= abs(anchor - right) else 'right'}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join([f"{header},answer", *told]))
    return path


def test_adaptive_questions_follow_the_answers(ordinate, objects, answered, tmp_path):
    path = tmp_path / "next.csv"
    run = ordinate(*("questions", objects, "--adaptive", "--given", answered, "-n", 20, "-o", path))
    assert run.code == 0
    assert "20 questions about 10 objects" in run.out
    assert "18 adaptive" in run.out
    assert "2 random" in run.out
    run = ordinate("questions", objects, "--adaptive", "--given", answered, "-n", 20, "--json")
    table = run.json["questions"]
    asked = set(
        zip(
            table["anchor"],
            map(frozenset, zip(table["left"], table["right"], strict=False)),
            strict=False,
        )
    )
    assert len(asked) == 20
    given = od.read_comparisons(answered)
    before = {
        (given.names[a], frozenset([given.names[i], given.names[j]])) for a, i, j in given.rows
    }
    assert not asked & before


def test_adaptive_without_answers_says_what_the_questions_are(ordinate, objects):
    run = ordinate("questions", objects, "--adaptive", "-n", 5)
    assert run.code == 0
    assert "5 random (too few answers)" in run.err


@pytest.mark.parametrize("task", ["triplet", "odd-one-out", "pair-against-pair", "choose-k"])
def test_lists_are_balanced(ordinate, objects, task):
    run = ordinate(
        *("questions", objects, "--participants", 5, "--per", 20, "--task", task),
        *("--shown", 4, "--catch", 2, "--repeats", 3, "--json"),
    )
    table = run.json["questions"]
    assert len(table["pool"]) == 5 * 25
    assert table["index"] == list(range(1, 26)) * 5
    columns = [name for name in table if name not in ("participant", "index", "pool", "expected")]
    rows = list(zip(*(table[name] for name in columns), strict=True))
    main = [row for row, pool in zip(rows, table["pool"], strict=True) if pool == "random"]
    counts = np.unique([label for row in main for label in row], return_counts=True)[1]
    assert len(counts) == 10
    assert np.ptp(counts) <= (2 if columns[0] in ("anchor", "reference") else 1)
    assert all(len(set(row)) == len(row) for row in main)
    for row, pool, expected in zip(rows, table["pool"], table["expected"], strict=True):
        assert (pool == "catch") == bool(expected)
        assert (pool == "catch") == (len(set(row)) < len(row))
    own = {tuple(sorted(row)) for row in rows[:25] if len(set(row)) == len(row)}
    assert len(own) <= 20  # three come again


def test_repeats_come_later_with_sides_swapped(ordinate, objects):
    run = ordinate("questions", objects, "--participants", 1, "--per", 30, "--repeats", 5, "--json")
    table = run.json["questions"]
    rows = list(zip(table["anchor"], table["left"], table["right"], strict=True))
    for place, pool in enumerate(table["pool"]):
        if pool == "repeat":
            anchor, left, right = rows[place]
            assert rows.index((anchor, right, left)) < place
    assert table["pool"].count("repeat") == 5


def test_lists_go_through_landmarks(ordinate, objects):
    run = ordinate("questions", objects, "-l", 3, "--participants", 4, "--per", 6, "--json")
    table = run.json["questions"]
    assert set(table["pool"]) == {"landmarks"}
    assert set(table["left"]) | set(table["right"]) == set(run.json["landmarks"])
    rows = zip(
        table["anchor"],
        map(frozenset, zip(table["left"], table["right"], strict=False)),
        strict=False,
    )
    assert len(set(rows)) == 24  # each of the 24 once


def test_a_budget_is_a_table_and_a_curve(ordinate, objects, tmp_path, monkeypatch):
    from ordinate.questions import budget

    monkeypatch.setattr(budget, "_LAST", 3.0)
    path = tmp_path / "budget.svg"
    run = ordinate("questions", objects, "--budget", "--noise", 0.05, "--plot", path)
    assert run.code == 0
    assert "5% of answers to random questions wrong" in run.out
    assert "random   posterior" in run.out
    assert path.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--adaptive", "-l", 3], "goes with neither --landmarks nor --participants"),
        (["--given", "answers.csv"], "is read for --adaptive"),
        (["--catch", 2], "are for lists; add --participants"),
        (["--task", "odd-one-out", "-l", 3], "--landmarks is for triplets"),
        (["--participants", 2, "--per", 500], "360 different questions, too few for lists"),
        (["--participants", 2, "--per", 5, "--repeats", 4], "repeats must be"),
        (["--budget", "--noise", 0.7], "wrong must be"),
    ],
)
def test_options_that_do_not_go_together_are_explained(ordinate, objects, arguments, message):
    run = ordinate("questions", objects, *arguments)
    assert run.code == 1
    assert message in run.err


def test_a_list_of_questions_has_no_picture(ordinate, objects, tmp_path):
    run = ordinate("questions", objects, "-o", tmp_path / "q.csv", "--plot", tmp_path / "q.png")
    assert run.code == 1
    assert "There is nothing to draw" in run.err
    assert (tmp_path / "q.csv").exists()


def test_pairs_are_asked_answered_and_ranked(ordinate, objects, tmp_path):
    path, answers = tmp_path / "pairs.csv", tmp_path / "answers.csv"
    run = ordinate("questions", objects, "--task", "pair", "-o", path)
    assert run.code == 0
    assert run.out.startswith("45 questions about 10 objects.")
    assert "ordinate rank then reads the table." in run.out
    header, *lines = path.read_text().splitlines()
    told = [
        f"{line},{'left' if line.split(',')[0] > line.split(',')[1] else 'right'}" for line in lines
    ]
    answers.write_text("\n".join([f"{header},answer", *told]))
    assert ordinate("rank", answers, "--json").json["scores"]["object"][0] == "object j"
    run = ordinate(
        "questions", objects, "--task", "pair", "--adaptive", "--given", answers, "-n", 9, "--json"
    )
    assert run.json["pools"] == {"adaptive": 9}
    asked = run.json["questions"]
    assert set(asked) == {"left", "right", "pool"}
    assert all(one != other for one, other in zip(asked["left"], asked["right"], strict=True))
    best = ordinate(
        *("questions", objects, "--task", "pair", "--adaptive", "--given", answers),
        *("--goal", "top", "-n", 9, "--json"),
    ).json["questions"]
    top = {"object j", "object i", "object h"}
    assert sum(name in top for name in best["left"] + best["right"]) > 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "pair", "--budget"], "--budget simulates maps"),
        (["--goal", "top"], "--goal is for --task pair --adaptive"),
        (["--task", "pair", "--landmarks", 3], "--landmarks is for triplets"),
    ],
)
def test_what_pairs_cannot_do_is_reported(ordinate, objects, arguments, message):
    run = ordinate("questions", objects, *arguments)
    assert run.code == 1
    assert message in run.err


def test_features_take_the_place_of_answers(ordinate, objects, tmp_path):
    names = objects.read_text().split("\n\n")[0].split("\n")
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(len(names), 2)))
    asked = ("questions", objects, "--adaptive", "-n", 10)
    run = ordinate(*asked, "--features", tmp_path / "x.npy", "--json")
    assert run.json["pools"] == {"adaptive": 9, "random": 1}
    np.save(tmp_path / "x.npy", np.ones((len(names) - 1, 2)))
    refused = ordinate(*asked, "--features", tmp_path / "x.npy")
    assert f"{len(names) - 1} rows without labels and {len(names)} objects" in refused.err
    refused = ordinate("questions", objects, "--features", tmp_path / "x.npy")
    assert "--features is read for --adaptive" in refused.err
