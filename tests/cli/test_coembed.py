"""`ordinate coembed`: tables, a picture and a report from a file of ratings."""

import base64
import gzip
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import ordinate as od
from ordinate.metrics._coe_report import CoembeddingReport, NeighborAverage, TopK, TripleAccuracy
from ordinate.ratings.description import RatingsDescription
from ordinate.verbs.coembed import Coembedding


@pytest.fixture
def ratings(tmp_path):
    """A CSV file of 20 users and 15 items, valued by distance of planted positions."""
    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(20, 2)), rng.normal(size=(15, 2))
    u, i = np.nonzero(rng.random((20, 15)) < 0.8)
    frame = {"who": u, "film": [f"film {k}" for k in i]}
    frame["stars"] = np.round(5 - np.linalg.norm(users[u] - items[i], axis=1), 2)
    path = tmp_path / "ratings.csv"
    pd.DataFrame(frame).to_csv(path, index=False)
    return path


COLUMNS = ["--user", "who", "--item", "film", "--value", "stars", "--set", "draws_per_object=500"]


def test_it_writes_tables_a_picture_and_a_report(ordinate, ratings, tmp_path):
    folder, picture = tmp_path / "new" / "map", tmp_path / "map.png"
    run = ordinate("coembed", ratings, *COLUMNS, "-o", folder, "--plot", picture)
    assert run.code == 0
    assert "partly held out" in run.out
    assert len(pd.read_csv(folder / "users.csv")) == 20
    items = pd.read_csv(folder / "items.csv")
    assert set(items["object"]) == {f"film {k}" for k in range(15)}
    assert json.loads((folder / "result.json").read_text())["preservation"]["user_anchored"] > 0.8
    assert picture.stat().st_size > 1000


def test_json_holds_figures_and_coordinates(ordinate, ratings):
    run = ordinate("coembed", ratings, *COLUMNS, "--test-size", "0", "--dim", "1", "--json")
    assert run.json["prediction"] is None
    assert run.json["ratings"]["n_users"] == 20
    assert len(run.json["items"]["x1"]) == 15
    assert "x2" not in run.json["users"]


def test_options_reach_the_fit(ordinate, ratings):
    def users(*options):
        return ordinate("coembed", ratings, *COLUMNS, "--test-size", 0, *options, "--json").json

    plain = users()["users"]["x1"]
    assert users("--jobs", 1)["users"]["x1"] == plain
    for options in (["--seed", 1], ["--set", "probability=gompertz"], ["--objective", "predict"]):
        assert users(*options)["users"]["x1"] != plain
    assert users("--min-per-user", 12)["ratings"]["n_users"] < 20


def test_bad_input_is_refused_in_a_sentence(ordinate, ratings, tmp_path):
    run = ordinate("coembed", ratings, "-o", tmp_path / "map")
    assert run.code == 1
    assert "no column 'user'" in run.err
    assert not (tmp_path / "map").exists()
    run = ordinate("coembed", ratings, *COLUMNS, "-o", ratings)
    assert run.code == 1
    assert "it is read too" in run.err
    run = ordinate("coembed", ratings, *COLUMNS, "--plot", tmp_path / "map.docx")
    assert run.code == 1
    assert "its name must end in" in run.err
    run = ordinate("coembed", ratings, *COLUMNS, "--highlight", "3,Zoe")
    assert run.code == 1
    assert "no user 'Zoe' to highlight among 20" in run.err


def test_chosen_users_are_highlighted_and_a_page_is_made(ordinate, ratings, tmp_path):
    quick = [*COLUMNS, "--test-size", 0, "-o", tmp_path / "map"]
    picture, page = tmp_path / "map.svg", tmp_path / "map.html"
    assert ordinate("coembed", ratings, *quick, "--highlight", "3,7", "--plot", picture).code == 0
    assert "film 1" in picture.read_text()
    assert ordinate("coembed", ratings, *quick, "--highlight", "3,7", "--plot", page).code == 0
    contents = re.search(r'id="contents">([^<]*)<', page.read_text()).group(1)
    drawn = json.loads(gzip.decompress(base64.b64decode(contents)))
    assert [drawn["names"][spoke["from"]] for spoke in drawn["spokes"]] == ["user 3", "user 7"]
    assert drawn["names"][drawn["spokes"][0]["full"][0]].startswith("film ")


def test_items_are_coloured_by_what_is_known_of_them(ordinate, ratings, tmp_path):
    table = tmp_path / "films.csv"
    rows = "".join(f"film {k},{'old' if k % 2 else 'new'}\n" for k in range(15))
    table.write_text(f"object,age\n{rows}")
    quick = [*COLUMNS, "--test-size", 0, "-o", tmp_path / "map", "--objects", table]
    picture, page = tmp_path / "map.svg", tmp_path / "map.html"
    run = ordinate("coembed", ratings, *quick, "--color", "age", "--plot", picture)
    assert run.code == 0, run.err
    assert "old" in picture.read_text()
    assert ordinate("coembed", ratings, *quick, "--color", "age", "--plot", page).code == 0
    run = ordinate("coembed", ratings, *quick, "--color", "year")
    assert (run.code, "no column 'year' to colour by" in run.err) == (1, True)


def test_each_user_gets_recommendations(ordinate, ratings, tmp_path):
    folder = tmp_path / "map"
    run = ordinate("coembed", ratings, *COLUMNS, "--test-size", 0, "-o", folder, "--recommend", 2)
    assert str(folder / "recommendations.csv") in run.out
    found = pd.read_csv(folder / "recommendations.csv")
    assert list(found.columns) == ["user", "rank", "item", "distance"]
    assert found.groupby("user").size().max() == 2
    rated = pd.read_csv(ratings).rename(columns={"who": "user", "film": "item"})
    assert found.merge(rated, on=["user", "item"]).empty
    items = pd.read_csv(folder / "items.csv").set_index("object")
    users = pd.read_csv(folder / "users.csv").set_index("object")
    first = found.iloc[0]
    away = np.linalg.norm(items.loc[first["item"]] - users.loc[first["user"]])
    assert first["distance"] == pytest.approx(away)


@pytest.mark.parametrize(("choice", "value"), [("mean", 3), ("last", 5)])
def test_several_values_for_one_item(ordinate, ratings, choice, value):
    lines = ratings.read_text().splitlines()
    pair = lines[1].rpartition(",")[0]
    ratings.write_text("\n".join([lines[0], *lines[2:], f"{pair},1", f"{pair},5"]) + "\n")
    refused = ordinate("coembed", ratings, *COLUMNS)
    assert refused.code == 1
    assert "pass --on-duplicate mean or --on-duplicate last." in refused.err
    quick = [*COLUMNS, "--test-size", 0, "--on-duplicate", choice, "--json"]
    merged = ordinate("coembed", ratings, *quick).json
    ratings.write_text("\n".join([lines[0], *lines[2:], f"{pair},{value}"]) + "\n")
    one = ordinate("coembed", ratings, *quick).json
    assert merged["users"] == one["users"]


@pytest.fixture
def report():
    return Coembedding(
        od.COE(2),
        description=RatingsDescription(100, 10, 20, 1, 5, 300, 200, 0, 0),
        accuracy=CoembeddingReport(
            TripleAccuracy(0.8, 0.7, 0.6),
            TripleAccuracy(0.7, 0.6, 0.6),
            TripleAccuracy(0.65, 0.6, 0.6),
            (NeighborAverage(1, 4.5, 4.0),),
            0.6,
        ),
        seconds=1.5,
    )


def test_good_maps_need_no_advice(report):
    text = str(report)
    assert "COE in 2 dimensions, in 1.5 s." in text
    assert "→" not in text
    assert "The map predicts new ratings fairly. Of two items whose ratings by a user" in text
    assert "in 65.0% of the cases (mean ratings of the items: 60.0%; guessing: 50%); of two" in text
    assert report.to_dict()["prediction"]["h_mean"] == pytest.approx(2 * 0.7 * 0.6 / 1.3)


def test_poor_maps_and_silent_users_get_advice(report):
    poor = replace(
        report,
        accuracy=replace(report.accuracy, unseen=TripleAccuracy(0.5, 0.5, 0.5)),
        description=replace(report.description, users_without_triples=3),
    )
    assert "do not rely on it" in str(poor)
    assert "min_per_user=2" in str(poor)


def test_a_map_that_does_not_beat_item_means_is_not_praised(report):
    beaten = replace(report, accuracy=replace(report.accuracy, item_means=0.677))
    assert beaten.accuracy.verdict.startswith(
        "The map predicts new ratings no better than the mean rating of each item. Of two items"
    )
    assert "(mean ratings of the items: 67.7%; guessing: 50%)" in str(beaten)
    assert beaten.to_dict()["item_means"] == 0.677


def test_items_with_few_ratings_are_not_recommended(ordinate, ratings, tmp_path):
    rated = pd.read_csv(ratings)
    rare = rated["film"].unique()[:3]
    few = rated.groupby("film").cumcount() < 4
    rated[few | ~rated["film"].isin(rare)].to_csv(ratings, index=False)
    quick = [*COLUMNS, "--test-size", 0, "-o", tmp_path / "map"]
    assert ordinate("coembed", ratings, *quick).code == 0
    found = set(pd.read_csv(tmp_path / "map" / "recommendations.csv")["item"])
    assert found.isdisjoint(rare)
    assert ordinate("coembed", ratings, *quick, "--min-ratings", 1).code == 0
    assert set(pd.read_csv(tmp_path / "map" / "recommendations.csv")["item"]) >= set(rare)
    run = ordinate("coembed", ratings, *quick, "--recommend", 3, "--min-ratings", 99)
    assert (run.code, "Lower --min-ratings" in run.err) == (1, True)


def test_what_was_not_measured_is_not_judged(report):
    untested = replace(report, accuracy=replace(report.accuracy, unseen=None))
    assert "was not measured: hold some out" in str(untested)


def test_lists_behind_popular_items_are_told_how_to_get_better(report):
    lists = TopK(k=10, n_users=9, ndcg=0.1, recall=0.1, mrr=0.1, coverage=0.5)
    popular = replace(lists, ndcg=0.2)
    behind = replace(report, accuracy=replace(report.accuracy, top=lists, popular=popular))
    assert "use objective='predict' unrated=0.9 n_components=16" in str(behind)
    ahead = replace(report, accuracy=replace(report.accuracy, top=popular, popular=lists))
    assert "unrated" not in str(ahead)
