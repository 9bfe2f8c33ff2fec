"""Every verb is one public function, whose result is printed, drawn and saved like any other."""

import json

import numpy as np
import pytest

import ordinate as od
from ordinate.results.result import Result


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng([3])
    users, items = np.divmod(np.arange(60), 6)
    ratings = {"user": users, "item": items, "rating": rng.integers(1, 6, 60)}
    return {
        "reduce": od.reduce(rng.normal(size=(40, 4)), random_state=0),
        "draw_graph": od.draw_graph([[0, 1], [1, 2], [2, 3], [3, 0]], random_state=0),
        "coembed": od.coembed(ratings, draws_per_object=100, random_state=0),
        "rank": od.rank(VOTES),
        "find_dimensions": od.find_dimensions(
            od.sources.random_trials(3 * np.repeat(np.eye(2), 4, axis=0), 400, random_state=0),
            max_dimensions=4,
            penalty=(3, 1),
            n_init=1,
        ),
        "align": od.align(*FEATURES, similarity="euclidean", map_dimensions=[2]),
        "describe": od.describe(CITIES.comparisons),
        "plan_questions": od.plan_questions(list("abcde"), budget=True),
        "place": od.place(KNOWN, features=KNOWN | {"object": ["e", "f", "g", "b", "c"]}),
        "scale_differences": od.scale_differences(DIFFERENCES, chosen="alike"),
    }


VOTES = [["tea", "milk"], ["tea", "wine"], ["milk", "wine"], ["wine", "milk"]] * 9
DIFFERENCES = [[0, 1, 2, 3], [2, 1, 0, 3], [0, 1, 1, 3], [1, 2, 0, 3]] * 5
CITIES = od.datasets.load_cities(500)
FEATURES = (CITIES.comparisons, {"true": CITIES.points, "one axis": CITIES.points[:, :1]})
KNOWN = {"object": list("abcde"), "x1": [0, 1, 2, 3, 4], "x2": [0, 2, 1, 0, 2]}
VERBS = [
    "reduce", "draw_graph", "coembed", "rank", "scale_differences", "find_dimensions", "align",
    "describe", "place", "plan_questions",
]  # fmt: skip
MAPS = ["reduce", "draw_graph", "coembed", "place"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_result_can_be_used_in_every_way(results, verb, tmp_path):
    result = results[verb]
    assert isinstance(result, Result)
    assert str(result)
    assert json.loads(json.dumps(result.to_dict()))
    assert len(result.to_frame()) == len(next(iter(next(iter(result.tables().values())).values())))
    assert result.plot().figure is not None
    for name in ("table.csv", "picture.png", *["map.html"] * (verb in MAPS)):
        result.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 20
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"od.{verb}(" in page
    assert result._repr_html_().startswith("<div>")


def test_frames_arrays_and_files_give_the_same_map(tmp_path):
    X = np.random.default_rng([4]).normal(size=(30, 3))
    columns = {name: X[:, at] for at, name in enumerate("abc")}
    path = tmp_path / "features.csv"
    rows = "\n".join(",".join(map(repr, row)) for row in X.tolist())
    path.write_text(f"a,b,c\n{rows}\n")
    maps = [od.reduce(source, random_state=0).points for source in (X, columns, path)]
    np.testing.assert_array_equal(maps[0], maps[1])
    np.testing.assert_array_equal(maps[0], maps[2])


def test_filled_gaps_are_counted(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text(
        "a,b\n" + "\n".join(f"{i * i % 7},{'' if i == 3 else i % 5}" for i in range(12))
    )
    said = str(od.reduce(path, missing="mean", random_state=0))
    assert "Filled in by the mean of their column: 1 gap." in said


def test_the_headline_of_a_ranking_answers():
    def first_line(answers):
        return str(od.rank(answers)).splitlines()[0]

    clear = [["a", "b"], ["a", "c"], ["b", "c"]] * 40
    assert first_line(clear) == "a leads, and b is second."
    level = [["a", "b"], ["a", "c"]] * 40 + [["b", "c"], ["c", "b"]] * 20
    assert first_line(level).startswith("a leads; ")
    assert "but cannot be distinguished from" in first_line(level)
    equal = [["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"], ["a", "c"], ["c", "a"]] * 9
    assert first_line(equal) == "The answers do not distinguish any of the 3 items."


def test_a_ranking_by_judges_has_tables_of_judges_and_items():
    votes = {"winner": ["a", "b", "a", "a"] * 20, "loser": ["b", "c", "c", "b"] * 20}
    result = od.rank(votes | {"judge": list("uvwxuvwv") * 10}, by="judge")
    assert list(result.tables()) == ["judges", "scores"]
    assert list(result.figures()) == ["judges", "scores", "wins"]
    with pytest.raises(od.InputError, match="n_groups does not go with lapse"):
        od.rank(votes, n_groups=2, lapse_rate=True)


def test_people_have_no_ceiling_from_a_dozen_questions():
    """The ceiling is recomputed from the answers, and needs more than a few questions."""
    rng = np.random.default_rng([5])
    points = rng.normal(size=(40, 2))

    def answers(n_questions):
        asked = od.sources.random_triplets(points, n_questions, random_state=1).rows
        rows = np.repeat(asked, 5, axis=0)
        wrong = rng.random(len(rows)) < 0.2
        rows[wrong] = rows[wrong][:, [0, 2, 1]]
        return od.Comparisons(rows, n_objects=40)

    record = answers(60)
    rows = record.rows
    result = od.align(record, points, similarity="euclidean", map_dimensions=[])
    found = result.to_dict()["ceiling"]
    counts = {}
    for anchor, near, far in rows.tolist():
        votes = counts.setdefault((anchor, *sorted((near, far))), [0, 0])
        votes[near > far] += 1
    most = sum(max(votes) for votes in counts.values()) / len(rows)
    assert found["upper"] == pytest.approx(most)
    low, high = found["upper_interval"]
    assert low < found["upper"] < high
    assert f"{most:.1%} ({low:.1%} to {high:.1%})" in str(result)
    few = od.align(answers(12), points, similarity="euclidean", map_dimensions=[])
    assert few.to_dict()["ceiling"] is None
    assert "Too few questions were asked more than once" in str(few)


def test_a_pattern_reads_all_files_that_match(tmp_path):
    for name, row in (("part-1", "cat,dog,car"), ("part-2", "dog,cat,bus"), ("other", "a,b,c")):
        (tmp_path / f"{name}.csv").write_text(f"anchor,near,far\n{row}\n")
    answers = od.describe(tmp_path / "part-*.csv").answers
    named = [[answers.names[o] for o in row] for row in answers.rows]
    assert named == [["cat", "dog", "car"], ["dog", "cat", "bus"]]


def test_the_file_that_is_empty_is_named(tmp_path):
    (tmp_path / "part-1.csv").write_text("anchor,near,far\na,b,c\n")
    (tmp_path / "part-2.csv").touch()
    with pytest.raises(od.InputError, match=r"part-2\.csv: There is nothing in the file"):
        od.describe(tmp_path / "part-*.csv")


def test_a_pattern_without_a_match_is_refused(tmp_path):
    with pytest.raises(od.InputError, match=r"part-\*.csv: No file matches this pattern"):
        od.describe(tmp_path / "part-*.csv")


def test_answers_that_are_described_can_be_written_and_read_again(tmp_path):
    votes = {"item_a": ["tea", "milk"], "item_b": ["milk", "wine"], "winner": ["tie", "wine"]}
    found = od.describe(votes)
    found.save(tmp_path / "pairs.csv")
    again, first = od.read_pairs(tmp_path / "pairs.csv"), od.read_pairs(votes)
    assert again.names == first.names
    np.testing.assert_array_equal(again.rows[again.outcomes == 0], first.rows[first.outcomes == 0])
    np.testing.assert_array_equal(again.outcomes, first.outcomes)
    assert found.description is None
    assert str(found).startswith("Read as ")


def test_a_layout_needs_a_file_to_be_saved_beside():
    with pytest.raises(od.InputError, match="no such file here"):
        od.describe(CITIES.comparisons, save_layout=True)


def test_a_map_may_be_a_result_a_frame_or_a_file(tmp_path):
    drawn = od.analyze(CITIES.comparisons, "SOE", 2, error_folds=0)
    drawn.save(tmp_path / "map.csv")
    names = [*CITIES.names, "new"]
    features = {"object": names, "x": [*CITIES.points[:, 0], 0.0], "y": [*CITIES.points[:, 1], 0.0]}
    maps = drawn, drawn.tables()["coordinates"], tmp_path / "map.csv"
    places = [od.place(one, features=features).points for one in maps]
    np.testing.assert_allclose(places[0], places[1])
    np.testing.assert_allclose(places[0], places[2])
    with pytest.raises(od.InputError, match="Give either features or answers"):
        od.place(drawn)
    with pytest.raises(od.InputError, match="The name of object 1 is empty"):
        od.place(drawn, features=features | {"object": ["", *names[1:]]})


def votes(difference, *, seed, n_people=20, n_answers=30):
    """Return pairs of people in two conditions, each with tastes of their own."""
    rng = np.random.default_rng(seed)
    scores, rows, outcomes, who = rng.normal(size=6), [], [], []
    for person in range(n_people):
        own = scores + rng.normal(size=6) * 0.5
        own[0] += difference * (person % 2)
        for _ in range(n_answers):
            i, j = rng.choice(6, 2, replace=False)
            rows.append((i, j))
            outcomes.append(1 if rng.random() < 1 / (1 + np.exp(own[j] - own[i])) else -1)
            who.append(person)
    groups = {"participant": who, "condition": [("calm", "loud")[one % 2] for one in who]}
    return od.Pairs(rows, outcomes, groups=groups, n_objects=6)


def test_rankings_of_conditions_stand_side_by_side():
    found = od.rank(votes(5.0, seed=[1]), by="condition", folds=2)
    table = found.conditions.sides["calm", "loud"].different
    row = table["object"].tolist().index("0")
    assert table["p_value"][row] < 0.05
    assert table["difference"][row] == max(table["difference"])
    assert "calm and loud differ on " in str(found)
    assert " 0 (+" in str(found)
    assert {"score_calm", "rank_loud"} <= set(found.to_frame().columns)
    assert not found.lists_judges
    assert found.to_dict()["by"]["calm – loud"]["agreement"] > 0


def test_a_verdict_is_one_sentence_however_many_judges_have_it():
    rng = np.random.default_rng(0)
    rows = rng.random((2_400, 6)).argsort(axis=1)[:, :2]
    often = np.arange(2_400) % 24 < 12
    won = rng.random(2_400) < 1 / (1 + np.exp((rows[:, 0] - rows[:, 1]) / 2))
    outcomes = np.where(rng.random(2_400) < np.where(often, 0.7, 0.02), 0, 2 * won - 1)
    who = [f"j {number % 24}" for number in range(2_400)]
    pairs = od.Pairs(rows, outcomes, groups={"participant": who}, n_objects=6)
    found = od.rank(pairs, folds=2, scale="elo")
    weighted = np.max(found.table["score_weighted"])
    assert f"has the highest score: {weighted:.0f} (" in str(found)
    said = [line for line in str(found).splitlines() if line.startswith("→ Judges")]
    assert [line.split(" call ")[1] for line in said] == [
        "more ties than the others.", "fewer ties than the others.",
    ]  # fmt: skip
    assert said[0].count('"j ') == 8
    assert "and 4 more call" in said[0]
    assert len(found.to_dict()["judges_named"]["calls more ties than the others"]) == 12
    assert "leans to first" in found.listings()["judges"][0]


def test_rankings_of_conditions_are_said_to_be_pooled():
    pairs = votes(0.0, seed=[2], n_answers=10)
    assert "Answers of 2 conditions (calm, loud) are pooled" in str(od.rank(pairs, folds=2))
    assert "are pooled" not in str(od.rank(pairs, by="condition", folds=2))
    assert od.rank(pairs, by="participant", folds=2).lists_judges


@pytest.mark.parametrize(
    ("argument", "value"),
    [("size", 0), ("size", "x"), ("participants", 0), ("per", 0), ("catch", -1), ("repeats", -1),
     ("random_state", -1)],
)  # fmt: skip
def test_numbers_of_questions_are_checked(argument, value):
    with pytest.raises(od.InputError, match=rf"{argument} must be an integer >= \d; got"):
        od.plan_questions(list("abcdef"), **{argument: value})
    with pytest.raises(od.InputError, match="random_state"):
        od.place(KNOWN, answers=[["new", "a", "b"]], random_state=-1)


def test_new_objects_are_drawn_on_the_map(results):
    placed = results["place"]
    assert placed.objects == ["f", "g"]
    assert (
        len(placed.plot().collections[0].get_offsets())
        + len(placed.plot().collections[1].get_offsets())
        == 7
    )
    assert "Map of 7 objects" in placed.frames()["map"]()._repr_html_()


def test_records_of_another_kind_and_names_that_are_none_are_refused():
    pairs = od.Pairs([[0, 1], [1, 2], [2, 0]] * 4)
    for verb in (od.analyze, od.scale_differences):
        with pytest.raises(od.InputError, match=r"Use od\.rank for a ranking"):
            verb(pairs)
    with pytest.raises(od.InputError, match=r"Use od\.analyze for a map"):
        od.rank(od.Comparisons([[0, 1, 2]]))
    for option in ("by", "split_by"):
        with pytest.raises(od.InputError, match="Expected the name of a group"):
            od.rank(pairs, **{option: 3})
