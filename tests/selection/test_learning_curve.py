import numpy as np
import pytest

import ordinate as od
from ordinate import learning_curve
from ordinate.selection import LearningCurve, LearningPoint


@pytest.fixture(scope="module")
def answers():
    points = np.random.default_rng(0).normal(size=(20, 2))
    return od.sources.random_triplets(points, 1200, random_state=0)


def test_more_answers_make_better_maps(answers):
    curve = learning_curve(answers, folds=3)
    assert [point.n_answers for point in curve.points] == [100, 200, 400, 800]
    assert curve.points[0].error > curve.points[-1].error + 0.05
    assert (curve.method, curve.dimension, curve.folds) == ("SOE", 2, 3)


def test_all_answers_give_the_error_of_compare(answers):
    curve = learning_curve(answers, shares=(0.5, 1), folds=3, random_state=5)
    row = od.compare(answers, ["SOE"], [2], folds=3, random_state=5).rows[0]
    assert curve.points[-1].fold_errors == row.fold_errors


def test_seed_decides_and_jobs_do_not(answers):
    curves = [learning_curve(answers, shares=(0.2, 1), folds=3, n_jobs=n) for n in (1, 2)]
    assert curves[0] == curves[1]
    other = learning_curve(answers, shares=(0.2, 1), folds=3, random_state=1)
    assert curves[0] != other


def test_groups_are_held_out_whole(answers):
    trials = np.arange(1200) // 60
    grouped = od.Comparisons(answers.rows, groups={"trial": trials})
    fitted = []

    class Watching(od.SOE):
        def fit(self, X, y=None):
            fitted.append(np.bincount(X.groups["trial"], minlength=20))
            return super().fit(X, y)

    learning_curve(grouped, Watching(), shares=(0.5, 1), folds=2, by="trial", n_jobs=1)
    assert [(counts == 0).sum() for counts in fitted] == [10] * 4
    # some answers to held-out questions are kept from the fit
    assert all(50 <= counts.max() <= 60 for counts in fitted[2:])
    assert 200 < fitted[0].sum() < 400


def curve_of(*folds):
    points = [
        LearningPoint(size, float(np.mean(errors)), 0, 1, errors)
        for size, errors in zip((100, 200), folds, strict=True)
    ]
    return LearningCurve(tuple(points), len(folds[0]), "SOE", 2)


def test_advice():
    falling = curve_of((0.30, 0.31, 0.29), (0.20, 0.205, 0.195))
    assert falling.helpful
    assert falling.advice == (
        "More answers are likely to help: from 100 to 200 answers the error fell by 10.0 points."
    )
    flat = curve_of((0.20, 0.22, 0.18), (0.19, 0.22, 0.20))
    assert not flat.helpful
    assert flat.advice.startswith("More answers will hardly help: from 100 to 200 answers")
    assert "cannot tell" in curve_of((0.5, 0.48, 0.51), (0.49, 0.5, 0.5)).advice
    assert falling.to_dict()["helpful"] is True
    assert "100" in str(falling)
    assert str(falling).endswith(falling.advice)


def test_refuses(answers):
    with pytest.raises(od.InputError, match=r"two different numbers above 0 and at most 1"):
        learning_curve(answers, shares=(1.0,))
    with pytest.raises(od.InputError, match=r"got \[0.5, 2.0\]"):
        learning_curve(answers, shares=(0.5, 2))
    with pytest.raises(od.InputError, match=r"share of 0.0001 of 1200 answers leaves a fold"):
        learning_curve(answers, shares=(0.0001, 1))
