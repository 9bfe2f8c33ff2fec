"""`ordinate people`: the table, the map, the picture and the sentence."""

import re

import numpy as np
import pytest

import ordinate as od
from ordinate.cli._verb import read_function
from ordinate.people.participants import POOLED


@pytest.fixture
def study(tmp_path):
    """Six people; three look at one axis, three at the other."""
    points = np.random.default_rng(0).normal(size=(10, 2))
    lines = ["anchor,near,far,participant"]
    for person in range(6):
        seen = points * ([4, 1] if person % 2 else [1, 4])
        for row in od.sources.random_triplets(seen, 80, random_state=person).rows:
            lines.append(",".join(f"o{number}" for number in row) + f",p{person}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_table_map_picture_and_sentence(ordinate, study, tmp_path):
    folder, picture = tmp_path / "people", tmp_path / "p.png"
    table, places = folder / "participants.csv", folder / "map.csv"
    ages = tmp_path / "ages.csv"
    ages.write_text("participant,age\n" + "".join(f"p{p},{20 + p}\n" for p in range(6)))
    run = ordinate(
        *("people", study, "-o", folder, "--plot", picture, "--groups", 2),
        *("--participants", ages, "--color", "age", "--folds", 3),
    )
    assert run.code == 0, run.err
    assert re.match(r"People see the objects differently \(p = [\d.e-]+\)", run.out)
    assert "Axis 1 is the one on which people differ most" in run.out
    assert "2 groups of people with a map each: 3, 3 participants" in run.out
    header, *rows = table.read_text().splitlines()
    columns = (
        "participant,answers,weight1,weight2,reliability,held_out_error,verdict,group"
        ",group_probability"
    )
    assert header.replace('"', "") == columns
    assert len(rows) == 6
    assert len(places.read_text().splitlines()) == 11
    assert picture.stat().st_size > 1000


def test_the_sentence_comes_first_and_a_short_table_after_it(ordinate, study):
    run = ordinate("people", study, "--folds", 2)
    first, *others = run.out.splitlines()
    assert first.startswith("People see the objects differently")
    header = next(line for line in others if "reliability" in line)
    assert header.split() == [
        "participant",
        "answers",
        "weight1",
        "weight2",
        "reliability",
        *("held", "out", "error"),
        "verdict",
    ]
    assert not re.search(r"\.\d{3,}", "\n".join(others))
    assert run.err.count("weight1") == 0


def test_report_says_the_same(ordinate, study, tmp_path):
    options = ("--method", "SOE", "--dim", 2, "--folds", 2, "--json")
    told = ordinate("report", study, "-o", tmp_path / "report.html", *options).json["people"]
    assert told == ordinate("people", study, "--folds", 2, "--json").json["comparison"]


def test_json_is_what_python_gives(ordinate, study):
    run = ordinate("people", study, "--folds", 2, "--seed", 3, "--json")
    figures = run.json
    answers = od.read_comparisons(study)
    model = od.WeightedSpaces(random_state=3).fit(answers)
    assert figures["participants"]["weight1"] == model.weights_[:, 0].tolist()
    assert figures["tau"] == model.tau_
    expected = od.compare_people(answers, model, folds=2, random_state=3)
    assert figures["comparison"] == expected.to_dict()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--by", "who"], r"no group 'who' .* \(the groups are: 'participant'\); .* --by"),
        (["--groups", "7"], "6 participants cannot form 7 groups; ask for fewer"),
        (["--groups", "some"], "'some' is not a whole number, auto"),
        (["--color", "age"], "There is no column 'age' to colour by; name a table"),
        (["--plot", "people.html"], r"its name must end in \.png"),
    ],
)
def test_what_cannot_be_is_reported_in_a_sentence(ordinate, study, options, words):
    run = ordinate("people", study, *options)
    assert run.code != 0
    assert re.search(words, " ".join(run.err.split()).replace("│ ", ""))


def test_the_help_names_the_losses_that_there_are():
    losses = read_function("ordinate.analysis.people", "study_people").parameters["loss"].choices
    assert set(losses) == set(POOLED)


def test_rows_of_features_without_labels_are_refused_as_in_embed(ordinate, study, tmp_path):
    answers = od.read_comparisons(study)
    np.save(tmp_path / "f.npy", np.eye(answers.n_objects))
    run = ordinate("people", study, "--features", tmp_path / "f.npy")
    assert run.code != 0
    assert "the rows have no labels" in run.err
    assert run.err == ordinate("embed", study, "--features", tmp_path / "f.npy").err
    (tmp_path / "names.txt").write_text("\n".join(map(str, answers.names)))
    named = ("--features", tmp_path / "f.npy", "--objects", tmp_path / "names.txt", "--folds", 2)
    assert "by STE and features" in ordinate("people", study, *named).out
