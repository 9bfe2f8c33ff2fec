"""Budgets: simulated studies, and that the default is no worse than random questions."""

from contextlib import contextmanager

import numpy as np
import pytest

import ordinate as od
from ordinate.questions import budget
from ordinate.questions.budget import (
    Budget,
    BudgetCurve,
    logistic_observer,
    play,
    sharpness_for,
    simulate_budget,
)
from ordinate.tasks import make_task


def test_observers_are_as_often_wrong_as_stated():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((30, 2))
    items = make_task("triplet").draw(30, 20_000, rng)
    right = make_task("triplet").margins(items, points[None])[:, 0, 0] < 0
    told = logistic_observer(points, sharpness_for(points, 0.12, rng), rng)(items)
    assert np.mean(told != right) == pytest.approx(0.12, abs=0.01)
    told = logistic_observer(points, 1e6, rng, lapses=0.4)(items)
    assert np.mean(told != right) == pytest.approx(0.2, abs=0.01)


def test_needs_are_read_off_the_curve():
    curve = BudgetCurve("random", (100, 200, 400), (0.4, 0.2, 0.1))
    assert curve.needed(0.5) == 100
    assert curve.needed(0.2) == 200
    assert curve.needed(0.15) == round(200 * 2**0.5)
    assert curve.needed(0.05) is None
    found = Budget(10_000, 2, 0.15, 100, 3, (curve,))
    assert found.to_dict()["needed"][0] == {"error": 0.2, "random": 200}
    assert "more" in str(found)
    assert "--shown 16 --choose 4" in str(found)  # what tells more per minute
    assert "Simulated with 100 objects" in str(found)


@pytest.mark.usual_data
def test_the_default_is_no_worse_than_random_questions():
    """Fixed seeds; the benchmark has the figures."""
    errors = {0.15: [], 1.0: []}
    for seed in range(2):
        rng = np.random.default_rng(seed)
        points = rng.standard_normal((14, 2))
        for share, found in errors.items():
            questions = od.Questions(14, random_share=share, random_state=seed)
            observer = logistic_observer(points, 3.0, np.random.default_rng(seed))
            *_, last = play(questions, observer, points, [28, 56, 98, 140], 42)
            found.append(last)
    assert np.mean(errors[0.15]) < 0.9 * np.mean(errors[1.0])


def test_a_budget_moves_its_bar_with_every_map(monkeypatch):
    moves = []

    @contextmanager
    def bar(title, *, total, enabled, announced):
        yield lambda steps, note: moves.append((steps, note))
        assert (enabled, announced) == (True, True)
        assert sum(steps for steps, _ in moves) == total

    monkeypatch.setattr(budget, "progress", bar)
    monkeypatch.setattr(budget, "_LAST", 3.0)
    simulate_budget(6, n_studies=1, verbose=True, random_state=0)
    assert moves == [
        (0, "random questions, study 1 of 1"),
        (1, "random questions, study 1 of 1: 12 answers"),
        (1, "random questions, study 1 of 1: 17 answers"),
        (0, "posterior questions, study 1 of 1"),
        (2, "posterior questions, study 1 of 1: 12 answers"),
        (2, "posterior questions, study 1 of 1: 17 answers"),
    ]


def test_bad_budgets_are_refused():
    with pytest.raises(od.InputError, match="wrong must be a number"):
        simulate_budget(10, wrong=0.6, random_state=0)
    with pytest.raises(od.InputError, match="n_objects must be"):
        simulate_budget(3, random_state=0)
