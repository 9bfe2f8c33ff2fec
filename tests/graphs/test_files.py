import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import ordinate as od


def write(tmp_path, text, name="graph.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_ends_of_edges_are_labels(tmp_path):
    named = od.read_graph(write(tmp_path, "from,to\na,b\nb,c\n"))
    assert named.names == ("a", "b", "c")
    assert named.n_edges == 4
    numbered = od.read_graph(write(tmp_path, "0\t3\n3\t1\n", "graph.tsv"), directed=True)
    assert numbered.names == ("0", "1", "3")
    assert (numbered.n_objects, numbered.n_edges) == (3, 2)
    large = od.read_graph(write(tmp_path, "a,b\n1500000000,017\n017,9\n"))
    assert large.names == ("9", "017", "1500000000")
    mixed = od.read_graph(write(tmp_path, "from,to\n1,x\nx,2\n"))
    assert mixed.names == ("1", "2", "x")


def test_frames_are_read_as_files_are(tmp_path):
    ends = {"from": ["a", "b"], "to": ["b", "c"]}
    taken = od.read_graph(ends)
    read = od.read_graph(write(tmp_path, "from,to\na,b\nb,c\n"))
    assert taken.names == read.names == ("a", "b", "c")
    assert (taken.adjacency != read.adjacency).nnz == 0


def test_a_first_line_that_names_objects_is_an_edge(tmp_path):
    graph = od.read_graph(write(tmp_path, "ann bob\nbob cat\ncat ann\n", "graph.txt"))
    assert graph.names == ("ann", "bob", "cat")
    assert graph.n_edges == 6
    leaf = od.read_graph(write(tmp_path, "zoe,bob\nbob,cat\n"))
    assert leaf.names == ("bob", "cat", "zoe")
    numbered = od.read_graph(write(tmp_path, "0,1\n1,2\n"))
    assert numbered.n_edges == 4


def test_points_with_and_without_names(tmp_path):
    text = "city,x,y\nA,0,0.5\nB,0,1\nC,5,5\n"
    graph = od.read_graph(write(tmp_path, text), n_neighbors=1)
    assert graph.names == ("A", "B", "C")
    assert graph.indices.tolist() == [1, 0, 1]
    numbered = od.read_graph(write(tmp_path, "ID,x\n08,0\n11,1\n2,9\n"), n_neighbors=1)
    assert numbered.names == ("08", "11", "2")
    path = tmp_path / "points.parquet"
    pa.parquet.write_table(pa.table({"x": np.array([0.0, 1.0, 3.0])}), path)
    assert od.read_graph(path, n_neighbors=1).indices.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,\n", {}, "graph.csv: Line 2 misses an end: it has no entry in 'b'"),
        ("a,b,c\n1,2,3\n", {}, "two columns are expected; got 3"),
        ("a,b\nx,y\nx,z\n", {"n_neighbors": 1}, "Column 'b' holds text; only one column may"),
        ("a\nx\ny\n", {"n_neighbors": 1}, "No column holds numbers"),
        ("a\n1\n2\n", {"n_neighbors": 1, "directed": True}, "directed is for edges"),
    ],
)
def test_files_that_are_not_graphs_are_refused(tmp_path, text, options, message):
    with pytest.raises(od.InputError, match=message):
        od.read_graph(write(tmp_path, text), **options)


def test_ends_are_named_among_attributes(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("id,source,target,weight\n1,ann,bob,3\n2,bob,cyd,1\n")
    found = od.read_graph(path, columns=["source", "target"])
    assert found.names == ("ann", "bob", "cyd")
    with pytest.raises(od.InputError, match=r"got 4 \('id', 'source', .*\)\. Name"):
        od.read_graph(path)
    (tmp_path / "bare.data").write_text("ann bob 3\nbob cyd 1\n")
    bare = od.read_graph(tmp_path / "bare.data", columns=["0", "1"], header=False)
    assert bare.names == ("ann", "bob", "cyd")
    by_first_line = od.read_graph(tmp_path / "bare.data", columns=["ann", "bob"])
    assert repr(by_first_line) == repr(bare), "the first line is an edge"


def test_a_list_of_nearest_neighbours_keeps_its_directions(tmp_path):
    path = write(tmp_path, "from,to\na,b\na,c\nb,a\nb,c\nc,b\nc,a\nd,a\nd,b\n")
    graph = od.read_graph(path)
    assert graph.degrees.tolist() == [2, 2, 2, 2]
    assert od.read_graph(path, directed=False).n_edges == 10
    twice = write(tmp_path, "from,to\na,b\nb,a\na,c\nc,a\nb,c\nc,b\n")
    assert od.read_graph(twice).n_edges == 6
    ring = write(tmp_path, "from,to\n0,1\n0,2\n1,2\n1,3\n2,3\n2,4\n3,4\n3,0\n4,0\n4,1\n")
    assert od.read_graph(ring).n_edges == 20, "no pair is listed twice"


def test_weights_are_read_from_a_column(tmp_path):
    path = write(tmp_path, "source,target,weight\nann,bob,3\nbob,cyd,1.5\n")
    assert od.read_graph(path, weight="weight").weights.tolist() == [3, 3, 1.5, 1.5]
    with pytest.raises(od.InputError, match="holds text; weights are numbers"):
        od.read_graph(write(tmp_path, "a,b,w\n1,2,x\n"), weight="w")
    with pytest.raises(od.InputError, match="columns and weight are those of edges"):
        od.read_graph(path, weight="weight", n_neighbors=1)
