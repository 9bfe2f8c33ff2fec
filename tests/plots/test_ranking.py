"""Pictures of rankings: what is drawn is what the model says."""

import numpy as np
import pytest

import ordinate as od
from ordinate.plots._ranking import plot_judges, plot_ranking, plot_wins

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


def test_a_matrix_calls_items_without_names_by_their_numbers():
    model = od.Ranking(random_state=0).fit([[2, 0], [0, 1], [2, 1]] * 9)
    ax = plot_wins(model)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["2", "0", "1"]
    assert list(ax.get_yticks()) == [1, 2, 3]
    assert np.asarray(ax.images[0].get_array())[0, 2] == 1


def test_bars_of_groups_that_do_not_overlap_share_a_column():
    scores = np.repeat([3.0, 0.0, -3.0], 2)
    rng = np.random.default_rng([0])
    rows = np.argsort(rng.random((600, 6)), axis=1)[:, :2]
    ahead = scores[rows[:, 0]] - scores[rows[:, 1]] + rng.logistic(size=600)
    model = od.Ranking(side=False).fit(od.Pairs(rows, np.where(ahead > 0, 1, -1)))
    assert sorted(model.groups()) == ["a", "a", "b", "b", "c", "c"]
    bars = plot_ranking(model).lines[1::2]
    assert len({float(bar.get_xdata()[0]) for bar in bars}) == 1
    assert [list(bar.get_ydata()) for bar in bars] == [[0, 1], [2, 3], [4, 5]]


def test_judges_are_drawn_with_their_reliability():
    judges = {"participant": [f"judge {number % 4}" for number in range(60)]}
    answers = od.Pairs(ANSWERS, groups=judges)
    model = od.Ranking(slopes=True, side=False, errors="answers").fit(answers)
    ax = plot_judges(model)
    slopes = np.sort(model.slopes_)
    np.testing.assert_allclose(ax.lines[1].get_xdata(), slopes / slopes.mean())
    assert len(ax.get_yticklabels()) == 4
    with pytest.raises(od.InputError, match="slopes=True"):
        plot_judges(od.Ranking(side=False).fit(answers))


def test_a_matrix_of_too_many_items_is_refused(monkeypatch):
    monkeypatch.setattr("ordinate.plots._ranking.MOST_CELLS", 2)
    with pytest.raises(od.InputError, match="up to 2 items; there are 3"):
        plot_wins(od.Ranking(side=False).fit(ANSWERS))
