from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_agreement, plot_margins, plot_shepard
from ordinate.selection import AnswerNoise


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
    assert ax.get_legend().get_texts()[0].get_text() == f"disagree, {100 * share:.1f} %"


def test_missing_margins_are_left_out():
    ax = plot_margins([np.nan, 1.0])
    assert ax.get_legend().get_texts()[1].get_text() == "as the map says, 100.0 %"


def test_margins_without_a_number_are_refused():
    with pytest.raises(od.InputError, match="margins holds no number"):
        plot_margins([np.nan])


LINE = np.arange(30.0)[:, None]


@pytest.mark.parametrize("n", [40, 20_000])
def test_answers_lie_above_the_diagonal_where_the_map_agrees(n):
    answers = od.sources.random_triplets(LINE, n, random_state=0)
    ax = plot_shepard(answers, LINE)
    assert ax.get_title().startswith("100.0 % of the answers")
    near, far = ax.collections[0].get_offsets().T
    assert (far >= near - 0.1).all()
    assert plot_shepard(answers.reversed(), LINE).get_title().startswith("0.0 % of")


@pytest.fixture(scope="module")
def estimate():
    """Three people, of whom one answers mostly wrong."""
    record = od.datasets.load_cities(3000, wrong=0.05, random_state=0).comparisons
    who = np.array(["Ann", "Bob", "Cem"])[np.arange(3000) % 3]
    holds = (who != "Bob") | (np.random.default_rng(0).random(3000) < 0.6)
    answers = od.Comparisons(record.rows, holds, groups={"participant": who})
    return od.estimate_noise(answers, "SOE", 2, per="participant", folds=3, random_state=0)


def test_who_disagrees_comes_first_and_stands_out(estimate):
    ax = plot_agreement(estimate)
    assert ax.get_yticklabels()[0].get_text() == "Bob"
    others, odd = (container.lines[0] for container in ax.containers)
    assert odd.get_xdata().tolist() == [100 * estimate.per_group[0].held_out_error]
    assert len(others.get_xdata()) == 2
    assert odd.get_color() != others.get_color()
    assert ax.yaxis_inverted()


def test_very_many_are_not_named(estimate):
    many = [AnswerNoise(f"p{i}", 9, 0.1, 0.05, 0.2, 0.1) for i in range(500)]
    ax = plot_agreement(replace(estimate, per_group=tuple(many)))
    assert ax.get_ylabel() == "500 participants, who disagrees most first"


def test_no_participants_are_refused(estimate):
    with pytest.raises(od.InputError, match="call estimate_noise with per='participant'"):
        plot_agreement(replace(estimate, per_group=()))
