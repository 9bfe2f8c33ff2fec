"""Pictures of rankings: what is drawn is what the model says."""

import numpy as np

import ordinate as od
from ordinate.plots._ranking import plot_ranking, plot_wins

ANSWERS = [["a", "b"], ["b", "c"], ["a", "c"], ["c", "b"], ["b", "a"]] * 12


def test_scores_intervals_and_groups():
    model = od.Ranking(random_state=0).fit(ANSWERS)
    ax = plot_ranking(model, scale="probability")
    table = model.columns(scale="probability")
    np.testing.assert_allclose(ax.lines[0].get_xdata(), table["score"])
    assert [text.get_text() for text in ax.get_yticklabels()] == list(table["object"])
    assert ax.get_xlabel() == "chance to beat the average item, 95% intervals"


def test_wins_are_in_the_order_of_scores():
    model = od.Ranking(random_state=0).fit(ANSWERS)
    ax = plot_wins(model)
    share = ax.images[0].get_array()
    best, second = np.argsort(-model.scores_)[:2]
    wins = model.counts_.wins()
    assert share[0, 1] == wins[best, second] / (wins[best, second] + wins[second, best])
    assert np.ma.getmaskarray(np.ma.masked_invalid(share)).diagonal().all()
