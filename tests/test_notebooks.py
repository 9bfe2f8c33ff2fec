"""Results and figures in a notebook: as reports in tables, and in a notebook that runs."""

import gzip
import html
import json
import re
from base64 import b64decode

import pytest

import ordinate as od
from ordinate._notebooks import in_notebook, report_as_html

CELLS = [
    "import ordinate as od\nanswers = od.datasets.load_cities(600).comparisons\nanswers",
    "od.compare(answers, 'SOE', 2, folds=2, repeats=1, n_jobs=1, verbose=True)",
    "od.plots.plot_map(od.SOE(2, random_state=0).fit(answers), answers.names)",
    "od.plots.plot_interactive_map(od.SOE(2, random_state=0).fit(answers).embedding_)",
    "model = od.SOE(2, random_state=0).fit(answers)\nmodel",
    "od.map_uncertainty(model, answers, n_draws=10)",
]


def test_sentences_and_tables_and_nothing_but_text():
    shown = report_as_html("Fits\n  name  a  b\n  <i>x  1  2 & 3\n  done\nUse x.")
    assert shown == (
        "<div><p>Fits</p><table>"
        '<tr><th scope="col">name</th><th scope="col">a</th><th scope="col">b</th></tr>'
        '<tr><th scope="row">&lt;i&gt;x</th><td>1</td><td>2 &amp; 3</td></tr>'
        '<tr><td colspan="3">done</td></tr></table><p>Use x.</p></div>'
    )


def test_records_and_results_show_what_they_print():
    answers = od.datasets.load_cities(300).comparisons
    table = od.compare(answers, "SOE", [1, 2], folds=2, repeats=1, n_jobs=1, random_state=0)
    ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 1, 1, 5])
    graph = od.NeighborGraph.from_edges([[0, 1], [1, 2]])
    for shown, sentence in [
        (answers, "300 triplets about"),
        (table, table.advice),
        (ratings, "4 values from 1 to 5"),
        (graph, "2 edges between 3 objects"),
    ]:
        written = shown._repr_html_()
        assert f"<p>{sentence}" in written
        assert "<table>" in written


def test_this_is_not_a_notebook():
    assert not in_notebook()


def test_figures_belong_to_nobody_unless_pyplot_shows_them():
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    od.plots.plot_map([[0, 0], [1, 1]])
    assert pyplot.get_fignums() == before
    with pyplot.ion():
        ax = od.plots.plot_map([[0, 0], [1, 1]])
    assert pyplot.fignum_exists(ax.figure.number)
    pyplot.close(ax.figure)


@pytest.fixture(scope="module")
def outputs():
    """What the cells of a notebook show, one list per cell."""
    pytest.importorskip("nbclient")
    import nbformat
    from nbclient import NotebookClient

    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    kernel = {"name": "python3", "display_name": "Python", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    NotebookClient(notebook, timeout=1200, startup_timeout=1200).execute()
    return [cell.outputs for cell in notebook.cells]


def test_a_notebook_shows_tables_figures_and_maps_without_a_warning(outputs):
    streams = [output for cell in outputs for output in cell if output.output_type == "stream"]
    assert streams == [], "nothing is written to standard error"
    record, table, figure, page, model, sure = outputs
    assert "600 triplets about" in record[-1].data["text/html"]
    assert "held-out error" in table[-1].data["text/html"]
    assert [output.data["text/html"] for output in table[:-1]] == [""], "the bar is gone at the end"
    assert any("image/png" in output.data for output in figure)
    assert page[-1].data["text/html"].startswith("<iframe")
    assert "sk-" in model[-1].data["text/html"], "scikit-learn's box of parameters"
    for cell, regions in ((model, 0), (sure, 125)):
        (frame,) = re.findall(r'srcdoc="([^"]*)"', cell[-1].data["text/html"])
        packed = re.search(r'id="contents">([^<]+)<', html.unescape(frame)).group(1)
        contents = json.loads(gzip.decompress(b64decode(packed)))
        assert "Lisbon" in contents["names"]
        assert len(contents["regions"]) == regions
    assert "<table>" in sure[-1].data["text/html"]


def test_what_is_not_fitted_or_very_large_shows_no_map(monkeypatch):
    assert "<iframe" not in od.SOE()._repr_html_()
    model = od.SOE(2, random_state=0).fit(od.datasets.load_cities(300).comparisons)
    assert "<iframe" in model._repr_html_()
    monkeypatch.setattr("ordinate._notebooks.MOST_SHOWN", 100)
    assert "<iframe" not in model._repr_html_()
