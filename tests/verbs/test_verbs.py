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
    }


VERBS = ["reduce", "draw_graph", "coembed"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_result_can_be_used_in_every_way(results, verb, tmp_path):
    result = results[verb]
    assert isinstance(result, Result)
    assert str(result)
    assert json.loads(json.dumps(result.to_dict()))
    assert len(result.to_frame()) == len(next(iter(next(iter(result.tables().values())).values())))
    assert result.plot().figure is not None
    for name in ("table.csv", "picture.png", "map.html"):
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
