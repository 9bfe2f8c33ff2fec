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
        "scale_differences": od.scale_differences(DIFFERENCES, chosen="alike"),
    }


VOTES = [["tea", "milk"], ["tea", "wine"], ["milk", "wine"], ["wine", "milk"]] * 9
DIFFERENCES = [[0, 1, 2, 3], [2, 1, 0, 3], [0, 1, 1, 3], [1, 2, 0, 3]] * 5
CITIES = od.datasets.load_cities(500)
FEATURES = (CITIES.comparisons, {"true": CITIES.points, "one axis": CITIES.points[:, :1]})
VERBS = [
    "reduce", "draw_graph", "coembed", "rank", "scale_differences", "find_dimensions", "align",
]  # fmt: skip
MAPS = ["reduce", "draw_graph", "coembed"]


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
