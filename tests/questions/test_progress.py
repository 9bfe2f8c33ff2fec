"""Progress: judged by random questions, never by those that a rule chose."""

from types import SimpleNamespace

import numpy as np
import pytest

import ordinate as od
from ordinate.questions.progress import _advice, _cross_validate

POINTS = np.random.default_rng(3).standard_normal((10, 2))


@pytest.mark.usual_data
def test_adaptive_answers_never_judge():
    questions = od.Questions(10, random_state=0)
    n_random = 0
    for _ in range(6):
        batch = questions.ask(20)
        items = np.array([row.items for row in batch])
        margins = questions._task.margins(items, POINTS[None])[:, 0, 0]
        questions.tell(batch.id, (margins < 0).astype(int))
        n_random += sum(row.pool == "random" for row in batch)
    progress = questions.progress()
    assert progress.n_test == n_random
    assert progress.low <= progress.accuracy <= progress.high
    assert progress.accuracy > 0.8
    assert len(progress.curve) == 1  # of 15 that came after the first map
    text = str(progress)
    assert "120 answers to 120 questions" in text
    assert f"Accuracy on {n_random} random questions held out" in text
    assert progress.to_dict()["accuracy"] == progress.accuracy


def test_the_map_of_random_questions_is_judged_too():
    questions = od.Questions(10, rule="random", random_state=0)
    batch = questions.ask(80)
    items = np.array([row.items for row in batch])
    margins = questions._task.margins(items, POINTS[None])[:, 0, 0]
    questions.tell(batch, (margins < 0).astype(int))
    assert questions.map is None
    progress = questions.progress()
    assert questions.map.shape == (10, 2)
    assert progress.n_test == 80
    assert "of all questions open" in progress.advice


def test_folds_leave_out_random_questions_alone(monkeypatch):
    """A map that lacks answers which nobody judges by would be worse than the one handed out."""
    seen = []

    def note(answers, n_components, rng, **_):
        seen.append(len(answers))
        return SimpleNamespace(mean=POINTS)

    monkeypatch.setattr("ordinate.questions.progress.draw_maps", note)
    draws = np.random.default_rng([0])  # few questions twice
    answers = od.sources.random_triplets(POINTS, 200, random_state=draws)
    right, _, factor = _cross_validate(answers, np.arange(200) < 20, 2)
    assert right.all()
    assert factor == 1  # all maps are the same, so no answer has helped to decide about others
    assert len(right) == 20
    assert len(seen) == 10
    assert min(seen) >= 200 - 6  # two questions each, which may have been asked before


def test_maps_that_depend_on_single_answers_make_the_interval_wider(monkeypatch):
    """Maps of folds that disagree say that mistakes come together."""

    def anything(answers, n_components, rng, **_):
        return SimpleNamespace(mean=rng.standard_normal((10, n_components)))

    monkeypatch.setattr("ordinate.questions.progress.draw_maps", anything)
    answers = od.sources.random_triplets(POINTS, 200, random_state=0)
    *_, factor = _cross_validate(answers, np.arange(200) < 100, 2)
    assert factor > 1 + 0.8 * np.sqrt(10)  # two maps disagree about nearly half of the questions


def test_without_answers_there_is_advice_only():
    progress = od.Questions(10).progress()
    assert progress.accuracy is None
    assert progress.advice == "Too few answers for a map; go on."


@pytest.mark.usual_data
def test_random_responses_are_not_predicted():
    rng = np.random.default_rng(0)
    questions = od.Questions(8, rule="random", random_state=0)
    batch = questions.ask(150)
    questions.tell(batch.id, rng.integers(2, size=150))
    progress = questions.progress()
    assert 0.35 < progress.accuracy < 0.65


def test_advice_follows_how_the_open_questions_fell():
    assert _advice([(100, 0.02)]) == "The answers leave 2.0% of all questions open: you may stop."
    assert "about 200 more would halve" in _advice([(100, 0.2), (200, 0.1)])
    assert _advice([(100, 0.1), (200, 0.1)]).endswith("open; go on.")
