from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_agreement
from ordinate.selection import AnswerNoise


@pytest.fixture(scope="module")
def estimate():
    """Three people, of whom one answers mostly wrong."""
    record = od.datasets.load_cities(3000, wrong=0.05, random_state=0).comparisons
    who = np.array(["Ann", "Bob", "Cem"])[np.arange(3000) % 3]
    holds = (who != "Bob") | (np.random.default_rng(0).random(3000) < 0.6)
    answers = od.Comparisons(record.rows, holds, groups={"participant": who})
    return od.estimate_noise(answers, "SOE", per="participant", folds=3)


def test_who_is_at_odds_comes_first_and_stands_out(estimate):
    ax = plot_agreement(estimate)
    assert ax.get_yticklabels()[0].get_text() == "Bob"
    others, odd = (container.lines[0] for container in ax.containers)
    assert odd.get_xdata().tolist() == [100 * estimate.per_group[0].share]
    assert len(others.get_xdata()) == 2
    assert odd.get_color() != others.get_color()
    assert ax.yaxis_inverted()


def test_very_many_are_not_named(estimate):
    many = [AnswerNoise(f"p{i}", 9, 0.1, 0.1, 0.05, 0.2) for i in range(500)]
    ax = plot_agreement(replace(estimate, per_group=tuple(many)))
    assert ax.get_ylabel() == "500 participants, most at odds first"


def test_refuses(estimate):
    with pytest.raises(od.InputError, match="call estimate_noise with per='participant'"):
        plot_agreement(replace(estimate, per_group=()))
