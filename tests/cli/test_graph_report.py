from pathlib import Path

import ordinate as od
from ordinate.cli._graph_report import GraphReport


def report(gari):
    description = od.NeighborGraph.from_edges([[0, 1], [1, 2]]).describe()
    return GraphReport(description, 2, 0, gari, 1.5, 0.25, (Path("a.csv"), Path("b.png")))


def test_a_poor_map_asks_for_more_dimensions():
    assert "try more (--dim)" in str(report(0.3))
    assert "try more (--dim)" not in str(report(0.9))


def test_files_are_named():
    assert str(report(0.9)).endswith("Wrote a.csv and b.png")
    assert report(0.9).to_dict()["files"] == ["a.csv", "b.png"]
