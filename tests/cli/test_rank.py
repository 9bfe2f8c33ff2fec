"""`ordinate rank`: the table, files, JSON and refusals."""

import csv
import json
import re

import numpy as np
import pytest
from scipy.special import expit

import ordinate as od

PAIRS = ("--question", "pair-against-pair")


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


@pytest.mark.usual_data
def test_table_on_the_screen(ordinate, votes):
    run = ordinate("rank", votes)
    assert run.code == 0
    lines = run.out.splitlines()
    assert lines[0].startswith("model A leads")
    assert lines[1].startswith("Best: model A, worst: model F (line ")
    assert " beat model " in lines[1]
    assert lines[1].endswith("If it is the other way round, use --reverse.")
    assert lines[2].startswith("6 items, 600 answers (")
    assert lines[2].endswith("of 10 judges.")
    assert lines[3].startswith("Bradley–Terry, ties after ")
    assert lines[4].startswith("One scale ")
    header = next(at for at, line in enumerate(lines) if line.startswith("  item     rank"))
    assert lines[header + 1].split()[:3] == ["model", "A", "1"]
    assert run.err.startswith("Read as pair: line ")


def test_equal_items_have_no_best(ordinate, tmp_path):
    path = tmp_path / "ties.csv"
    path.write_text("model_a,model_b,winner\n" + "a,b,tie\nb,c,tie\nc,a,tie\n" * 10)
    run = ordinate("rank", path)
    assert "All items have the same score" in run.out
    assert "Best" not in run.out


def test_the_result_can_be_reversed(ordinate, votes):
    plain, reversed_ = (
        ordinate("rank", votes, *more, "--json").json for more in ([], ["--reverse"])
    )
    assert (plain["best"], plain["worst"]) == ("model A", "model F")
    assert (reversed_["best"], reversed_["worst"]) == ("model F", "model A")
    np.testing.assert_allclose(
        plain["scores"]["score"], -np.array(reversed_["scores"]["score"])[::-1], atol=1e-6
    )
    assert reversed_["example"].endswith(", reversed")
    assert "--reverse" not in ordinate("rank", votes, "--reverse").out


@pytest.fixture(scope="module")
def consistent(tmp_path_factory):
    """Six items, 120 answers without a contradiction."""
    rng = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("consistent") / "answers.csv"
    rows = np.sort(np.argsort(rng.random((120, 6)), axis=1)[:, :2], axis=1)
    lines = [f"{'abcdef'[winner]},{'abcdef'[loser]}" for winner, loser in rows]
    path.write_text("\n".join(["winner,loser", *lines]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "options", [(), ("--lapse-rate",), ("--model", "thurstone"), ("--prior", "2")]
)
def test_answers_without_a_contradiction_are_ranked_in_their_order(ordinate, consistent, options):
    run = ordinate("rank", consistent, *options, "--json")
    assert run.json["scores"]["object"] == list("abcdef")
    assert np.abs(run.json["scores"]["score"]).max() < 30


def test_no_chance_is_called_certain(ordinate, consistent, tmp_path):
    page = tmp_path / "page.html"
    run = ordinate("rank", consistent, "--scale", "probability", "--report", page)
    assert ">0.99" in run.out
    assert "1.00" not in run.out
    assert "1.00" not in page.read_text(encoding="utf-8").split("<svg")[0]


def test_a_prior_is_a_number_estimated_or_none(ordinate, votes, consistent):
    sizes = {
        p: ordinate("rank", votes, "--prior", p, "--json").json["prior"] for p in ("0.5", "none")
    }
    assert sizes == {"0.5": 0.5, "none": None}
    groups = ordinate("rank", votes, "--prior", "0.5", "--groups", "1", "--json").json
    assert groups["prior"] == 0.5
    assert "prior must be a number in (0, inf)" in ordinate("rank", votes, "--prior", "-1").err
    refused = ordinate("rank", consistent, "--prior", "none")
    assert refused.code != 0
    assert refused.err.rstrip().endswith("Use --prior auto.")


def test_files_and_json(ordinate, votes, tmp_path):
    table, plot = (tmp_path / name for name in ("s.csv", "r.png"))
    options = ("-o", table, "--plot", plot, "--scale", "elo", "--json", "--seed", 3)
    run = ordinate("rank", votes, *options)
    assert plot.exists()
    model = od.Ranking(random_state=3).fit(od.read_pairs(votes))
    expected = model.to_frame(scale="elo")
    assert run.json["scores"]["object"] == list(expected.index)
    np.testing.assert_allclose(run.json["scores"]["score"], expected["score"])
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["object"] for row in rows] == list(expected.index)
    assert run.json["files"] == [str(table), str(plot)]
    assert run.json["check"]["fits"] in (True, False)


@pytest.mark.usual_data
def test_a_page_for_a_paper(ordinate, votes, tmp_path):
    page = tmp_path / "page.html"
    run = ordinate("rank", votes, "--report", page)
    assert run.code == 0
    assert str(page) in run.out
    text = page.read_text(encoding="utf-8")
    assert "model A leads" in text
    assert "One scale " in text
    assert "Bradley–Terry model with ties after" in text
    assert text.count("data:image/svg+xml") == 3, "scores, wins and judges"
    assert '<figure class="map' not in text, "only maps are stretched to the window"
    assert '<td data-label="level with">' in text
    assert "<td>model A</td>" in text  # the item heads its row, also on a phone
    run = ordinate("rank", votes, "--report", tmp_path / "page.pdf")
    assert run.code == 1
    assert "must end in .html" in run.err


def test_judges_are_listed_and_drawn(ordinate, votes, tmp_path):
    picture, page = tmp_path / "judges.png", tmp_path / "judges.html"
    run = ordinate("rank", votes, "--by", "judge", "--plot", picture, "--report", page)
    text = page.read_text(encoding="utf-8")
    assert "<h2>Judges</h2>" in text
    assert "<h2>Scores</h2>" in text
    assert picture.stat().st_size > 0
    assert "  judge  answers  reliability" in run.out
    assert "  j3     60" in run.out
    assert "judges differ in what they prefer; they may differ in reliability (p = " in run.out


def test_groups_of_judges(ordinate, votes, tmp_path):
    table, picture = tmp_path / "groups.csv", tmp_path / "groups.png"
    run = ordinate("rank", votes, "--groups", "2", "-o", table, "--plot", picture)
    assert "2 groups of judges, each with a ranking" in run.out
    assert "group 1 (" in run.out
    assert table.read_text().startswith('"group","object","rank"')
    assert picture.stat().st_size > 0
    run = ordinate("rank", votes, "--by", "judge", "--groups", "2", "--json")
    found = json.loads(run.out)
    assert sum(len(group["judges"]) for group in found["groups"]) == len(found["judges"]["group"])
    run = ordinate("rank", votes, "--groups", "2", "--lapse-rate")
    assert "--groups does not go with --lapse-rate" in run.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "planet"], "There is no group 'planet'"),
        (["--groups", "2", "--lapse-rate"], "--groups does not go with --lapse-rate"),
        (["--question", "ranking"], "Which columns hold the items"),
        (["--where", "judge=nobody"], "no row has 'nobody'"),
        (["--ties", "rao-kupper", "--where", "winner=model_a"], "no answer is a tie"),
    ],
)
def test_bad_arguments_are_refused(ordinate, votes, options, message):
    run = ordinate("rank", votes, *options)
    assert run.code == 1
    assert run.err.startswith(("Error: ", "Read as pair"))
    assert re.search(message, run.err)


@pytest.fixture
def differences(tmp_path):
    """Compared differences of five items whose scale is the root of their value."""
    rng = np.random.default_rng([1])
    values, path = np.array([0, 1, 4, 9, 16]), tmp_path / "differences.csv"
    seen = np.sqrt(values) / 4
    lines = ["i,j,k,l,answer"]
    for _ in range(150):
        a, b, c, d = np.sort(rng.choice(5, 4, replace=False))
        wider = seen[b] - seen[a] + rng.normal(0, 0.15) > seen[d] - seen[c]
        shown = ",".join(str(values[item]) for item in (a, b, c, d))
        lines.append(f"{shown},{'first' if wider else 'second'}")
    path.write_text("\n".join(lines))
    return path


def test_compared_differences_give_a_scale(ordinate, differences, tmp_path):
    plot = tmp_path / "scale.png"
    run = ordinate("scale", differences, *PAIRS, "--plot", plot)
    assert run.code == 0
    assert "The chosen pair is taken for the more different one" in run.out
    assert plot.exists()
    found = ordinate("scale", differences, *PAIRS, "--chosen", "different", "--json")
    np.testing.assert_allclose(found.json["table"]["scale"], [0, 0.25, 0.5, 0.75, 1], atol=0.12)
    assert found.json["table"]["value"] == [0, 1, 4, 9, 16]


def test_items_may_have_names_and_values_of_their_own(ordinate, differences, tmp_path):
    named, values = tmp_path / "named.csv", tmp_path / "values.csv"
    text = differences.read_text()
    for value, name in (("16", "e"), ("9", "d"), ("4", "c"), ("1", "b"), ("0", "a")):
        text = re.sub(rf"\b{value}\b", name, text)
    named.write_text(text)
    run = ordinate("scale", named, *PAIRS)
    assert "labels must be numbers" in run.err
    values.write_text("item,contrast\na,0\nb,1\nc,4\nd,9\n")
    run = ordinate("scale", named, *PAIRS, "--values", values)
    assert "does not name the item 'e'" in run.err
    values.write_text("item,contrast\na,0\nb,1\nc,4\nd,9\ne,16\n")
    assert ordinate("scale", named, *PAIRS, "--values", values).code == 0


def test_a_known_order_refuses_answers_the_other_way_round(ordinate, differences, tmp_path):
    run = ordinate("scale", differences, "--chosen", "alike")
    assert run.code == 1
    assert "fit better the other way round" in run.err
    page = tmp_path / "page.html"
    assert ordinate("scale", differences, "--report", page).code == 0
    assert "A scale from 0 to 1" in page.read_text(encoding="utf-8")


def test_a_column_may_say_who_was_shown_first(ordinate, tmp_path):
    path = tmp_path / "votes.csv"
    lines = ["item_a,item_b,winner,on_top", *["x,y,y,y", "x,y,x,x", "x,y,x,y"] * 9]
    path.write_text("\n".join(lines))
    run = ordinate("rank", path, "--side", "--shown-first", "on_top", "--json")
    assert run.err.startswith("Read as pair: line 2: y beat x; y was shown first")
    assert run.json["side"] > 0
    assert "x is taken as shown first" in ordinate("rank", path).err


def test_judges_are_called_as_they_were_typed_if_there_are_none(ordinate, tmp_path):
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\nx,y,x\ny,z,y\nx,z,x\n")
    run = ordinate("rank", tmp_path / "votes.csv", "--by", "judge")
    assert run.code == 1
    assert "'judge'" in run.err
    assert "'participant'" not in run.err
