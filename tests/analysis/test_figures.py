"""Every figure of a report is what its label says: recomputed from the answers by plain loops."""

from collections import defaultdict
from itertools import combinations
from math import sqrt

import numpy as np
import pytest

import ordinate as od

Z = 1.6448536269514722
"""Of 90 % intervals."""


@pytest.fixture(scope="module")
def study():
    """Answers of eight people about twelve objects, with noise and repeated questions."""
    rng = np.random.default_rng([4])
    points = rng.normal(size=(12, 2))
    asked = [rng.choice(12, 3, replace=False) for _ in range(250)]
    rows = []
    for at in rng.integers(250, size=640):
        a, b, c = asked[at]
        margin = np.sum((points[a] - points[c]) ** 2) - np.sum((points[a] - points[b]) ** 2)
        rows.append((a, b, c) if rng.random() < 1 / (1 + np.exp(-margin)) else (a, c, b))
    people = np.array([f"p{n % 8}" for n in range(640)])
    return od.Comparisons(np.array(rows), n_objects=12, groups={"participant": people})


@pytest.fixture(scope="module")
def analysis(study):
    return od.analyze(study, "STE", 2, complete=True, random_state=0, verbose=False)


@pytest.fixture(scope="module")
def questions(study):
    """The answers to each question: True where the object of the lower number is nearer."""
    found = defaultdict(list)
    for a, b, c in study.rows.tolist():
        found[a, min(b, c), max(b, c)].append(b < c)
    return found


def wilson(share, n):
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = sqrt(share * (1 - share) * Z**2 / n + Z**4 / (4 * n**2)) / (1 + Z**2 / n)
    return middle - half, middle + half


def test_pairs_that_contradict(analysis, questions):
    pairs = [pair for given in questions.values() for pair in combinations(given, 2)]
    n_differing = sum(one != other for one, other in pairs)
    text = str(analysis)
    assert f"contradictions: {n_differing} pairs of answers" in text
    n_repeated = sum(len(given) > 1 for given in questions.values())
    assert (
        f"wo answers to the same question differ in {n_differing / len(pairs):.1%} of cases"
        f" ({n_repeated} questions asked more than once)" in text
    )


def test_the_bracket(analysis, questions):
    """From: the error rate behind the least disagreement; to: the highest held-out error."""
    shares = [
        np.mean([one != other for one, other in combinations(given, 2)])
        for given in questions.values()
        if len(given) > 1
    ]
    mean, error = np.mean(shares), np.std(shares, ddof=1) / sqrt(len(shares))
    n_pairs = sum(len(g) * (len(g) - 1) // 2 for g in questions.values())
    n_independent = min(mean * (1 - mean) / error**2, n_pairs)
    least = (1 - sqrt(1 - 2 * wilson(mean, n_independent)[0])) / 2
    noise = analysis.to_dict()["noise"]
    assert noise["at_least"] == pytest.approx(least)
    assert noise["at_most"] == analysis.error.high
    assert f"Between {least:.1%} (repeated answers differ) and " in str(analysis)
    assert f"and {analysis.error.high:.1%} (the held-out error) of the answers" in str(analysis)


def test_errors(analysis, study):
    points = analysis.points

    def is_wrong(a, b, c):
        return np.linalg.norm(points[a] - points[b]) >= np.linalg.norm(points[a] - points[c])

    train = np.mean([is_wrong(*row) for row in study.rows])
    assert f"Training error: {train:.1%} of all answers." in str(analysis)
    margins = analysis.noise().margins
    held_out = np.mean(margins < 0)
    figures = analysis.to_dict()
    assert figures["held_out_error"] == pytest.approx(held_out)
    assert figures["accuracy"]["share"] == pytest.approx(1 - held_out)
    assert figures["accuracy"]["low"] == pytest.approx(1 - figures["held_out_interval"][1])
    for one in analysis.noise().per_group:
        own = study.groups["participant"] == one.label
        assert one.n_answers == own.sum()
        assert one.held_out_error == pytest.approx(np.mean(margins[own] < 0))


def test_shares_of_draws(analysis):
    """What is stable and what is certain, counted in the draws."""
    sure = analysis.last_uncertainty
    near = np.zeros((12, 12))
    for draw in sure.draws_:
        distances = np.linalg.norm(draw[:, None] - draw, axis=2)
        np.fill_diagonal(distances, np.inf)
        for row, order in enumerate(np.argsort(distances, axis=1)[:, : sure.n_neighbors]):
            near[row, order] += 1 / len(sure.draws_)
    for row, found in sure.stable_neighbors().items():
        for other, share in found.items():
            assert share >= sure.level
            assert near[int(row), int(other)] == pytest.approx(share)
    chance = sure.sure_of(0, 1, 2)
    holds = [np.linalg.norm(d[0] - d[1]) < np.linalg.norm(d[0] - d[2]) for d in sure.draws_]
    assert chance == pytest.approx(np.mean(holds))


def test_the_sentence_about_another_map_compares_what_was_compared(study):
    table = od.compare(study, random_state=0)
    scores = {str(row): row.brier_score + row.error / 2 for row in table.rows}
    best = min(scores.values())
    assert scores[str(table.best)] == pytest.approx(best)
    assert f"{scores[str(table.choice)]:.4f}" in table.advice
    assert scores[str(table.choice)] >= best
