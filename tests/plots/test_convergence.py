import pytest

import ordinate as od
from ordinate.plots import plot_convergence


def test_one_line_per_fit():
    ax = plot_convergence({"slow": [4, 3, 2], "fast": [4, 1]})
    assert [line.get_ydata().tolist() for line in ax.lines] == [[4, 3, 2], [4, 1]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["slow", "fast"]
    assert ax.get_yscale() == "log"


def test_a_single_history_has_no_legend_and_zero_no_logarithm():
    ax = plot_convergence([1.0, 0.0])
    assert ax.get_legend() is None
    assert ax.get_yscale() == "linear"


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match=r"list of losses; got shape \(2, 2\). Take history_"):
        plot_convergence([[1, 2], [3, 4]])
