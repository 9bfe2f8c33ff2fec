"""`ordinate rank`: the table, files, JSON and refusals."""

import csv
import re

import numpy as np
import pytest
from scipy.special import expit

import ordinate as od


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    scores, names = np.linspace(2, -2, 6), [f"model {letter}" for letter in "ABCDEF"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["model_a", "model_b", "winner", "judge"])
        for answer in range(600):
            a, b = rng.choice(6, 2, replace=False)
            chance = rng.random()
            p = expit(scores[a] - scores[b])
            winner = "tie" if chance < 0.1 else "model_a" if rng.random() < p else "model_b"
            writer.writerow([names[a], names[b], winner, f"j{answer % 10}"])
    return path


def test_table_on_the_screen(ordinate, votes):
    run = ordinate("rank", votes)
    assert run.code == 0
    lines = run.out.splitlines()
    assert lines[0].startswith("6 items, 600 answers (")
    assert "of 10 judges: Bradley–Terry, ties after " in lines[0]
    assert lines[1].startswith("One scale ")
    header = next(at for at, line in enumerate(lines) if line.startswith("  rank  item"))
    assert lines[header + 1].split()[:3] == ["1", "model", "A"]
    assert run.err.startswith("Read as pair: line 2: ")


def test_files_and_json(ordinate, votes, tmp_path):
    table, plot, wins = (tmp_path / name for name in ("s.csv", "r.png", "w.svg"))
    options = ("-o", table, "--plot", plot, "--wins", wins, "--scale", "elo", "--json", "--seed", 3)
    run = ordinate("rank", votes, *options)
    assert plot.exists()
    assert wins.exists()
    model = od.Ranking(random_state=3).fit(od.read_pairs(votes))
    expected = model.to_frame(scale="elo")
    assert run.json["scores"]["object"] == list(expected.index)
    np.testing.assert_allclose(run.json["scores"]["score"], expected["score"])
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["object"] for row in rows] == list(expected.index)
    assert run.json["files"] == [str(table), str(plot), str(wins)]
    assert run.json["check"]["fits"] in (True, False)


def test_judges(ordinate, votes):
    run = ordinate("rank", votes, "--by", "judge")
    assert "  judge  answers  agreement  reliability" in run.out
    assert "  j3     60" in run.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "planet"], "There is no group 'planet'"),
        (["--question", "triplet"], "rank reads answers about two items"),
        (["--where", "judge=nobody"], "no row has 'nobody'"),
        (["--ties", "rao-kupper", "--where", "winner=model_a"], "no answer is a tie"),
    ],
)
def test_refusals(ordinate, votes, options, message):
    run = ordinate("rank", votes, *options)
    assert run.code == 1
    assert run.err.startswith(("Error: ", "Read as pair"))
    assert re.search(message, run.err)
