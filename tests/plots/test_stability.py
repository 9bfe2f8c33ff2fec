from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_stability


@pytest.fixture(scope="module")
def sure():
    cities = od.datasets.load_cities()
    model = od.STE(n_components=2, random_state=0).fit(cities.comparisons)
    return od.map_uncertainty(model, cities.comparisons, n_draws=10, random_state=0)


def test_the_most_and_the_least_stable_of_many_are_drawn(sure):
    ax = plot_stability(sure)
    (line,) = (line for line in ax.lines if line.get_marker() == "o")
    drawn = line.get_xdata()
    expected = np.sort(sure.neighbor_stability_)
    np.testing.assert_array_equal(drawn, np.concatenate([expected[:30], expected[-30:]]))
    assert len(ax.get_yticklabels()) == 60
    assert "5 nearest" in ax.get_xlabel()
    (line,) = (line for line in plot_stability(sure, most=11).lines if line.get_marker() == "o")
    np.testing.assert_array_equal(line.get_xdata(), [*expected[:5], *expected[-5:]])


def test_long_names_are_shortened(sure):
    long = replace(
        sure, names_=tuple(f"a_series_of_long_names_{k:03}_of_objects" for k in range(125))
    )
    assert plot_stability(long).get_yticklabels()[0].get_text()[0] == "…"


def test_something_else_is_refused():
    with pytest.raises(od.InputError, match=r"what map_uncertainty.* returns; got ndarray"):
        plot_stability(np.zeros(3))
