"""Findings are said once, and shown alike as text, JSON, page and notebook."""

import json
from dataclasses import dataclass, field

import numpy as np
import pytest

import ordinate as od
from ordinate.results.finding import Finding
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result


@dataclass(frozen=True, eq=False)
class Example(Result):
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def title(self):
        return "A <study>"

    def findings(self):
        yield Finding("best", "tea", "Tea leads.")
        yield Finding("error", np.float64(0.25), "It errs in 25 %.", low=0.2, high=0.3)
        yield Finding("advice", text="Ask more people.", kind="advice", section="trust")
        yield Finding("paragraph", None, "We ranked them.", section="methods")

    def tables(self):
        rows = {"object": np.array(["tea", "<b>"]), "score": np.array([1.23456, np.nan])}
        return {"scores": rows}

    def figures(self):
        return {"map": lambda: od.plots.plot_map(np.eye(2), ["tea", "<b>"])}


def test_text_and_json_say_the_same():
    assert str(Example()) == "Tea leads.\nIt errs in 25 %.\n→ Ask more people."
    found = json.loads(json.dumps(Example().to_dict()))
    assert found == {
        "best": "tea",
        "error": 0.25,
        "error_interval": [0.2, 0.3],
        "paragraph": None,
    }


def test_a_page_says_everything_and_escapes_labels(tmp_path):
    Example(Provenance("a", commands=["ordinate <x>"])).report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for text in ("A &lt;study&gt;", "Tea leads.", "Ask more people.", "We ranked them.", "1.23"):
        assert text in page
    assert "<b>" not in page
    assert "ordinate &lt;x&gt;" in page
    with pytest.raises(od.InputError, match=r"must end in \.html"):
        Example().report(tmp_path / "page.pdf")


def test_tables_and_figures_go_where_the_name_says(tmp_path):
    for name in ("scores.csv", "map.png"):
        Example().save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 20
    assert list(Example().to_frame().index) == ["tea", "<b>"]
    assert "Tea leads." in Example()._repr_html_()
    with pytest.raises(od.InputError, match="no figure 'wins'; there are map"):
        Example().plot("wins")


def test_the_call_that_gives_a_result_again_is_written_down(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("a,b\n1,2\n")
    asked = {"features": str(path), "n_components": 3, "device": "cuda"}
    given = dict.fromkeys(("n_neighbors", "metric_params", "color")) | {"random_state": 0}
    given |= {"metric": "euclidean", "scale": "auto", "missing": "refuse", "one_hot": False}
    said = provenance_of(od.reduce, given | asked | {"n_jobs": 2, "verbose": True})
    assert said.commands[1] == f"result = od.reduce({str(path)!r}, n_components=3, device='cuda')"
    assert list(said.checksums()) == ["features.csv"]
