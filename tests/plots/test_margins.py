import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_margins


@pytest.mark.parametrize("n", [7, 100_000])
def test_no_bar_holds_both_kinds(n):
    margins = np.random.default_rng(0).normal(0.5, 1, size=n)
    ax = plot_margins(margins)
    wrong, right = ([bar for bar in kind if bar.get_height()] for kind in ax.containers)
    assert sum(bar.get_height() for bar in wrong) == (margins <= 0).sum()
    assert sum(bar.get_height() for bar in right) == (margins > 0).sum()
    assert max(bar.get_x() + bar.get_width() for bar in wrong) <= 1e-9
    assert min(bar.get_x() for bar in right) >= -1e-9
    share = (margins <= 0).mean()
    assert ax.get_legend().get_texts()[0].get_text() == f"at odds, {share:.1%}"


def test_missing_margins_are_left_out():
    ax = plot_margins([np.nan, 1.0])
    assert ax.get_legend().get_texts()[1].get_text() == "as the map says, 100.0%"


def test_refuses():
    with pytest.raises(od.InputError, match="margins holds no number"):
        plot_margins([np.nan])
