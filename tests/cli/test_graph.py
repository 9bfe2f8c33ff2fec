"""`ordinate graph`: a layout, a picture and a report from edges or points."""

import numpy as np
import pytest

import ordinate as od
from ordinate.verbs.draw_graph import GraphDrawing

KARATE = """1,2;1,3;1,4;1,5;1,6;1,7;1,8;1,9;2,3;2,4;2,8;3,4;3,8;3,9;4,8;5,7;6,7"""


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    lines = [f"p{line.replace(',', ',p')}" for line in KARATE.split(";")]
    path.write_text("from,to\n" + "\n".join(lines) + "\n")
    return path


def test_edges_become_a_layout_and_a_picture(ordinate, edges, tmp_path):
    layout, picture = tmp_path / "layout.csv", tmp_path / "layout.png"
    run = ordinate("graph", edges, "-o", layout, "--plot", picture)
    assert run.code == 0, run.err
    assert "GraphStress drew the graph in 2 dimensions" in run.out
    assert "17 edges between 9 objects" in run.out
    assert layout.read_text().splitlines()[1].startswith('"p1",')
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_page_is_made(ordinate, edges, tmp_path):
    page = tmp_path / "layout.html"
    assert ordinate("graph", edges, "--plot", page).code == 0
    assert page.read_bytes().startswith(b"<!doctype html>")


def test_figures_come_as_json(ordinate, edges):
    run = ordinate(
        "graph", edges, "--dim", 3, "--method", "stress", "--set", "max_iter=200", "--json"
    )
    assert run.json["dimension"] == 3
    assert run.json["graph"]["n_edges"] == 34
    assert len(run.json["coordinates"]["x3"]) == 9
    assert -1 <= run.json["gari"] <= 1


def test_points_are_joined_to_their_neighbours(ordinate, tmp_path):
    path = tmp_path / "points.csv"
    points = np.random.default_rng(0).uniform(size=(60, 2))
    path.write_text("x,y\n" + "\n".join(f"{x},{y}" for x, y in points) + "\n")
    run = ordinate("graph", path, "--neighbors", 8, "--json")
    assert run.json["graph"]["degrees"] == [8, 8, 8]
    assert run.json["gari"] > 0.9


def test_mistakes_are_explained(ordinate, edges, tmp_path):
    run = ordinate("graph", edges, "--neighbors", 3)
    assert run.code == 1
    assert "only one column may, with the names" in run.err
    wide = tmp_path / "wide.csv"
    wide.write_text("1,2,3\n4,5,6\n")
    run = ordinate("graph", wide)
    assert run.code == 1
    assert "two columns are expected; got 3" in run.err


def test_the_drawing_suits_the_graph(ordinate, edges, tmp_path):
    assert "hides no node" in ordinate("graph", edges).err
    points = np.random.default_rng(0).uniform(size=(60, 2))
    nearest = od.draw_graph(points, n_neighbors=5)
    assert type(nearest.model) is od.LOE
    assert "each object names its 5 nearest" in str(nearest)
    refused = ordinate("graph", edges, "--set", "max_iter=3")
    assert "name the method with --method" in refused.err


def report(gari):
    model = od.LOE(2)
    model.loss_ = 1.5
    return GraphDrawing(od.NeighborGraph.from_edges([[0, 1], [1, 2]]), model, gari, 0.5, 0.25)


def test_a_poor_map_asks_for_more_dimensions():
    said = "try more (n_components) or method='GraphTSTE'"
    assert said in str(report(0.3))
    assert said not in str(report(0.9))


def test_edges_separated_by_blanks_are_read(ordinate, edges, tmp_path):
    path = tmp_path / "edges.txt"
    lines = edges.read_text().splitlines()[1:]
    path.write_text("".join(line.replace(",", " ") + "\n" for line in lines))
    run = ordinate("graph", path)
    assert run.code == 0, run.err
    assert "17 edges between 9 objects" in run.err


def test_directed_edges_are_called_so(ordinate, edges):
    run = ordinate("graph", edges, "--directed")
    assert "17 directed edges between 9 objects" in run.err


def test_networks_are_drawn_by_choices_with_weights(ordinate, edges, tmp_path):
    path = tmp_path / "weighted.csv"
    header, *lines = edges.read_text().splitlines()
    rows = [f"{line},{i + 1}\n" for i, line in enumerate(lines)]
    path.write_text(f"{header},Weight\n" + "".join(rows))
    run = ordinate("graph", path, "--json")
    assert run.json["method"] == "GraphStress"
    assert run.json["graph"]["n_edges"] == 34
    assert len(run.json["coordinates"]["x1"]) == 9
    refused = ordinate("graph", path, "--weight", "Weight", "--method", "LOE")
    assert refused.code == 1
    assert "LOE takes edges without weights" in refused.err
