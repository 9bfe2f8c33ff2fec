import pytest

import ordinate as od
from ordinate.plots import plot_methods


@pytest.fixture(scope="module")
def table():
    answers = od.datasets.load_cities(2000, random_state=0).comparisons
    return od.compare(answers, ["SOE", "STE"], [1, 2], folds=3)


def test_one_line_per_method_and_a_ring(table):
    ax = plot_methods(table)
    lines = [line for line in ax.lines if line.get_marker() in "os" and line.get_markersize() < 10]
    assert [len(line.get_xdata()) for line in lines] == [2, 2]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["SOE", "STE"]
    (ring,) = (line for line in ax.lines if line.get_markersize() == 15)
    assert ring.get_ydata()[0] == pytest.approx(100 * table.choice.error)
    assert str(table.choice) in ax.get_title()
