import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import ordinate as od


def write(tmp_path, text, name="graph.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_edges_by_name_and_by_number(tmp_path):
    named = od.read_graph(write(tmp_path, "from,to\na,b\nb,c\n"))
    assert named.names == ("a", "b", "c")
    assert named.n_edges == 4
    numbered = od.read_graph(write(tmp_path, "0\t3\n3\t1\n", "graph.tsv"), directed=True)
    assert numbered.names is None
    assert (numbered.n_objects, numbered.n_edges) == (4, 2)
    mixed = od.read_graph(write(tmp_path, "from,to\n1,x\nx,2\n"))
    assert mixed.names == ("1", "2", "x")


def test_points_with_and_without_names(tmp_path):
    text = "city,x,y\nA,0,0.5\nB,0,1\nC,5,5\n"
    graph = od.read_graph(write(tmp_path, text), n_neighbors=1)
    assert graph.names == ("A", "B", "C")
    assert graph.indices.tolist() == [1, 0, 1]
    path = tmp_path / "points.parquet"
    pa.parquet.write_table(pa.table({"x": np.array([0.0, 1.0, 3.0])}), path)
    assert od.read_graph(path, n_neighbors=1).indices.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,\n", {}, r"graph.csv: Row 0 misses an end: \(1, None\)"),
        ("a,b,c\n1,2,3\n", {}, "two columns are expected; got 3"),
        ("a,b\nx,y\nx,z\n", {"n_neighbors": 1}, "Column 'b' holds text; only one column may"),
        ("a\nx\ny\n", {"n_neighbors": 1}, "No column holds numbers"),
        ("a\n1\n2\n", {"n_neighbors": 1, "directed": True}, "directed is for edges"),
    ],
)
def test_files_that_are_no_graphs_are_refused(tmp_path, text, options, message):
    with pytest.raises(od.InputError, match=message):
        od.read_graph(write(tmp_path, text), **options)
