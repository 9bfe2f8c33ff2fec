import numpy as np
import pytest

import ordinate as od
from ordinate.plots import save_map
from ordinate.plots._saving import check_map_path

POINTS = np.random.default_rng(0).normal(size=(6, 2))
SIGNATURES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".html": b"<!doctype html>"}


@pytest.mark.parametrize("suffix", SIGNATURES)
@pytest.mark.parametrize("edges", [None, [[0, 1], [2, 3]]], ids=["map", "graph"])
def test_the_name_decides(tmp_path, suffix, edges):
    path = tmp_path / f"map{suffix}"
    columns = {"kind": list("aabbcc"), "age": range(6)}
    save_map(path, POINTS, list("uvwxyz"), columns, color="kind", edges=edges)
    assert path.read_bytes().startswith(SIGNATURES[suffix])


def test_bad_arguments_are_refused(tmp_path):
    with pytest.raises(od.InputError, match=r"must end in \.png, \.svg, \.pdf, \.html"):
        check_map_path("map.docx")
    with pytest.raises(od.InputError, match="there is no folder"):
        save_map(tmp_path / "gone" / "map.html", POINTS)
