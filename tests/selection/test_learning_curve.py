import numpy as np
import pytest

import ordinate as od
from ordinate import learning_curve
from ordinate.selection import LearningCurve, LearningPoint
from ordinate.selection._learning_curve import quick_curve
from ordinate.solvers.intervals import HeldOutAnswers


@pytest.fixture(scope="module")
def answers():
    points = np.random.default_rng(0).normal(size=(20, 2))
    return od.sources.random_triplets(points, 1200, random_state=0)


def test_more_answers_make_better_maps(answers):
    curve = learning_curve(answers, "SOE", 2, folds=3, random_state=0)
    assert [point.n_answers for point in curve.points] == [100, 200, 400, 800]
    assert curve.points[0].error > curve.points[-1].error + 0.05
    assert (curve.method, curve.dimension, curve.folds) == ("SOE", 2, 3)


def test_all_answers_give_the_error_of_compare(answers):
    curve = learning_curve(answers, "SOE", 2, shares=(0.5, 1), folds=3, random_state=5)
    row = od.compare(answers, ["SOE"], [2], folds=3, repeats=1, random_state=5).rows[0]
    last = curve.points[-1]
    assert (last.error, last.low, last.high) == (row.error, row.low, row.high)


def test_seed_decides_and_jobs_do_not(answers):
    curves = [
        learning_curve(answers, "SOE", 2, shares=(0.2, 1), folds=3, n_jobs=n, random_state=0)
        for n in (1, 2)
    ]
    assert curves[0].points == curves[1].points
    other = learning_curve(answers, "SOE", 2, shares=(0.2, 1), folds=3, random_state=1)
    assert curves[0].points != other.points


def test_groups_are_held_out_whole(answers):
    trials = np.arange(1200) // 60
    grouped = od.Comparisons(answers.rows, groups={"trial": trials})
    fitted = []

    class Watching(od.SOE):
        def fit(self, X, y=None):
            fitted.append(np.bincount(X.groups["trial"], minlength=20))
            return super().fit(X, y)

    learning_curve(
        grouped, Watching(), 2, shares=(0.5, 1), folds=2, by="trial", n_jobs=1, random_state=0
    )
    assert [(counts == 0).sum() for counts in fitted] == [10] * 4
    # some answers to held-out questions are kept from the fit
    assert all(50 <= counts.max() <= 60 for counts in fitted[2:])
    assert 200 < fitted[0].sum() < 400


def curve_of(*errors):
    """Two points whose maps got the first so many of a thousand answers wrong."""
    wrong = np.array([np.arange(1000) < 1000 * error for error in errors], dtype=np.float32)
    points = [
        LearningPoint(100 * (n + 1), error, 0, error + 0.05) for n, error in enumerate(errors)
    ]
    held_out = HeldOutAnswers(wrong, np.arange(1000), None)
    return LearningCurve(tuple(points), held_out, 5, "SOE", 2)


def test_advice_follows_the_learning_curve():
    falling = curve_of(0.30, 0.20)
    assert falling.advice == (
        "More answers would help: doubling them would lower the error by about 10.0 points"
        " (8.4 to 11.6)."
    )
    flat = curve_of(0.200, 0.201)
    assert flat.advice == (
        "More answers would hardly help: doubling them would lower the error by at most 0.1 points."
    )
    assert "-0.0" not in curve_of(0.2000, 0.2001).advice
    assert curve_of(0.208, 0.2).verdict == "perhaps"
    assert "cannot tell" in curve_of(0.498, 0.5).advice
    assert falling.to_dict()["verdict"] == "yes"
    assert "100" in str(falling)
    assert str(falling).splitlines()[:2] == [falling.advice, "SOE in 2 dimensions, 5 folds"]


def test_what_doubling_gains_follows_a_power_of_the_number():
    """Errors 0.1 + 0.4 / n at n = 1, 2, 4 halve their gains; at n = 8 they are 0.05 lower."""
    wrong = np.array([np.arange(1000) < 1000 * e for e in (0.5, 0.3, 0.2)], dtype=np.float32)
    points = tuple(LearningPoint(n, e, 0, 0.4) for n, e in ((100, 0.5), (200, 0.3), (400, 0.2)))
    curve = LearningCurve(points, HeldOutAnswers(wrong, np.arange(1000), None), 5, "SOE", 2)
    assert curve.doubling_gain.mean == pytest.approx(0.05)
    assert curve_of(0.9, 0.05).doubling_gain.mean == pytest.approx(0.05), "no more than there is"


def test_the_same_mistakes_in_a_few_answers_prove_nothing():
    """Twenty answers, of which all maps of the last two points got the same five wrong."""
    wrong = np.array([np.arange(20) < n for n in (10, 5, 5)], dtype=np.float32)
    points = tuple(LearningPoint(n, e, 0, 0.4) for n, e in ((4, 0.5), (8, 0.25), (16, 0.25)))
    curve = LearningCurve(points, HeldOutAnswers(wrong, np.arange(20), None), 5, "SOE", 2)
    assert curve.gain.interval() == pytest.approx((-1.645 / 22, 1.645 / 22), rel=1e-3)
    assert curve.advice == (
        "It is unclear whether more answers would help: doubling them may change the error by"
        " anything from -7.5 to +7.5 points."
    )


def test_bad_arguments_are_refused(answers):
    with pytest.raises(od.InputError, match=r"two different numbers above 0 and at most 1"):
        learning_curve(answers, shares=(1.0,), random_state=0)
    with pytest.raises(od.InputError, match=r"got \[0.5, 2.0\]"):
        learning_curve(answers, shares=(0.5, 2), random_state=0)
    with pytest.raises(od.InputError, match=r"share of 0.0001 of 1200 answers leaves a fold"):
        learning_curve(answers, "SOE", 2, shares=(0.0001, 1), random_state=0)


def test_the_error_of_twice_the_answers_is_forecast(answers):
    said = quick_curve(answers).forecast
    assert said.startswith("Enough? A map in 2 dimensions should get ")
    assert "with twice as many answers about" in said
    random = answers.rows.copy()
    turned = np.random.default_rng(1).random(len(random)) < 0.5
    random[turned] = random[turned][:, [0, 2, 1]]
    assert "It cannot be known yet" in quick_curve(od.Comparisons(random[:300])).forecast
    assert quick_curve(od.Comparisons([[0, 1, 2]])) is None
