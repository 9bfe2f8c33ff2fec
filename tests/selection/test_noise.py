import json

import numpy as np
import pytest
from scipy.stats import false_discovery_control

import ordinate as od

POINTS = np.random.default_rng(0).normal(size=(40, 2))


def answers(share, n_rows=3000, seed=0):
    noise = od.sources.FlippedAnswers(share)
    return od.sources.random_triplets(POINTS, n_rows, noise=noise, random_state=seed)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.3])
def test_flipped_answers_are_lapses_and_lie_in_the_bracket(share):
    noise = od.estimate_noise(answers(share), od.TETE(t=2, t_prime=1), 2, folds=8, random_state=0)
    assert noise.lapse_rate == pytest.approx(share, abs=0.035)
    assert f"lapse rate        about {noise.lapse_rate:.1%}: " in str(noise)
    assert noise.at_least <= share <= noise.at_most
    assert noise.overall.low < noise.overall.held_out_error < noise.overall.high


@pytest.mark.usual_data
def test_doubt_at_near_ties_is_in_the_bracket_and_no_lapse():
    once = od.sources.random_triplets(POINTS, 1000, random_state=0)
    twice = np.repeat(once.rows, 2, axis=0)
    margins = od.metrics.triplet_margins(od.Comparisons(twice), POINTS)
    holds = np.random.default_rng(0).random(2000) < 1 / (1 + np.exp(-3 * margins))
    estimate = od.estimate_noise(od.Comparisons(twice, holds), "STE", 2, random_state=0)
    wrong = 1 - holds.mean()
    assert wrong > 0.1
    assert wrong / 3 < estimate.at_least < wrong < estimate.at_most < 2 * wrong
    assert estimate.lapse_rate < wrong / 2
    text = str(estimate)
    assert f"between {estimate.at_least:.1%} (repeated answers differ) and" in text
    assert "lapse rate" in text


def test_without_repeats_only_the_upper_end_is_known():
    rows = answers(0.1, 2000).merge_repeats().rows
    rows = rows[~np.isin(np.arange(len(rows)), od.Comparisons(rows).contradictions())]
    estimate = od.estimate_noise(od.Comparisons(rows), "SOE", 2, random_state=0)
    assert estimate.at_least is None
    assert estimate.to_dict()["at_least"] is None
    assert "no question was asked twice, so a lower limit is not known" in str(estimate)


def people(n_each, **wrong):
    """Answers of participants who err at the given rates."""
    parts = [answers(share, n_each, seed=n).rows for n, share in enumerate(wrong.values())]
    groups = np.repeat(list(wrong), n_each)
    return od.Comparisons(np.vstack(parts), groups={"participant": groups})


def test_careless_and_reversed_participants_stand_out():
    record = people(500, a=0.05, b=0.05, c=0.05, d=0.05, e=0.05, zed=0.4, yan=0.95)
    estimate = od.estimate_noise(record, "TETE", 2, per="participant", folds=8, random_state=0)
    found = {one.label: one for one in estimate.per_group}
    assert found["yan"].verdict == "probably reversed"
    assert found["zed"].verdict == "disagrees"
    assert all(found[name].verdict == "" for name in "abcde")
    assert [one.label for one in estimate.deviating_groups] == ["yan", "zed"]
    assert sum(one.n_answers for one in estimate.per_group) == 3500
    assert "2 of 7 disagree with the rest" in str(estimate)
    assert "probably reversed" in str(estimate)


def test_who_guesses_and_is_often_wrong_is_not_called_reversed():
    record = people(500, a=0.05, b=0.05, c=0.05, d=0.05, e=0.05, zed=0.62)
    estimate = od.estimate_noise(record, "TETE", 2, per="participant", folds=8, random_state=0)
    (zed,) = estimate.deviating_groups
    assert zed.low > 0.5
    assert zed.verdict == "disagrees"


@pytest.mark.usual_data
def test_participants_who_are_all_alike_are_not_accused():
    """Of 600 p-values one in twenty is below 5 %; one in eight would be once in 10⁹ runs."""
    record = people(3000, everybody=0.15)
    p_values = []
    for seed in range(5):
        who = np.random.default_rng(seed).integers(120, size=len(record))
        record = od.Comparisons(record.rows, groups={"participant": who})
        estimate = od.estimate_noise(record, "SOE", 2, per="participant", folds=8, random_state=0)
        own = np.array([one.p_value for one in estimate.per_group])
        accused = [bool(one.verdict) for one in estimate.per_group]
        np.testing.assert_array_equal(accused, false_discovery_control(own) <= 0.05)
        p_values.extend(own)
    assert 0 < np.mean(np.array(p_values) <= 0.05) < 0.125


def test_whoever_got_the_harder_questions_is_not_accused():
    margins = od.metrics.triplet_margins(answers(0.0, 6000), POINTS)
    noise = od.sources.LogisticNoise(0.3)
    record = od.sources.random_triplets(POINTS, 6000, noise=noise, random_state=0)
    hard = np.abs(margins) < np.quantile(np.abs(margins), 0.2)
    who = np.where(hard, "hard", np.array(["b", "c", "d", "e"])[np.arange(6000) % 4])
    record = od.Comparisons(record.rows, groups={"participant": who})
    estimate = od.estimate_noise(record, "STE", 2, per="participant", random_state=0)
    found = {one.label: one for one in estimate.per_group}
    assert found["hard"].held_out_error > 1.5 * estimate.overall.held_out_error
    assert found["hard"].expected_error > 1.4 * estimate.overall.held_out_error
    assert found["hard"].p_value > 1e-6  # far below it if all questions were taken to be alike


def test_whoever_made_no_mistake_is_not_accused():
    """Not even by a single answer so plain that no mistake is expected."""
    record = answers(0.0, 500)
    plain = np.argmax(od.metrics.triplet_margins(record, POINTS))
    who = np.where(np.arange(500) == plain, "once", "often")
    record = od.Comparisons(record.rows, groups={"participant": who})
    found = {
        one.label: one
        for one in od.estimate_noise(record, "SOE", 2, per="participant", random_state=0).per_group
    }
    once = found["once"]
    assert (once.n_answers, once.held_out_error, once.expected_error) == (1, 0, 0)
    assert (once.p_value, once.verdict) == (1, "")


def test_method_and_dimension_are_chosen_unless_given(monkeypatch):
    """As `compare` chooses, and by the same folds."""
    usual = ("SOE", "CKL")
    monkeypatch.setattr("ordinate.selection._compare.USUAL_METHODS", usual)
    record = answers(0.1, 500)
    estimate, row = (
        od.estimate_noise(record, n_components=2, random_state=0),
        od.compare(record, n_components=2, random_state=0).choice,
    )
    assert (estimate.method, estimate.dimension, estimate.folds) == (row.method, 2, 20)


def test_planted_mistakes_are_listed_first():
    rows = answers(0.0).rows.copy()
    distances = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)
    gap = distances[rows[:, 0], rows[:, 2]] - distances[rows[:, 0], rows[:, 1]]
    planted = np.flatnonzero(gap > 1.5)[:25]
    rows[planted] = rows[planted][:, [0, 2, 1]]
    estimate = od.estimate_noise(
        od.Comparisons(rows), od.TETE(t=2, t_prime=1), 2, folds=8, random_state=0
    )
    assert set(estimate.contradicted[:25].tolist()) == set(planted.tolist())
    assert (np.diff(estimate.margins[estimate.contradicted]) >= 0).all()
    assert (estimate.margins[estimate.contradicted] <= 0).all()


def test_answers_never_held_out_have_no_margin():
    record = od.Comparisons(np.vstack([answers(0.0, 500).rows, [[40, 0, 1]]]))
    estimate = od.estimate_noise(record, "SOE", 2, random_state=0)
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(estimate.margins)), [500])
    assert estimate.overall.n_answers == 500


def test_jobs_change_nothing_and_the_seed_does():
    record = answers(0.1, 600)
    one, two, other = (
        od.estimate_noise(record, "SOE", 2, n_jobs=jobs, random_state=seed).margins
        for jobs, seed in ((1, 0), (2, 0), (1, 1))
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_guesses_are_not_analysed_as_if_they_were_answers():
    rng = np.random.default_rng(0)
    record = od.Comparisons(answers(0.0, 600).rows, rng.random(600) < 0.5)
    estimate = od.estimate_noise(record, "SOE", 2, random_state=0)
    assert not estimate.trustworthy
    assert "do not rely on these estimates" in str(estimate)


def test_figures_survive_json():
    figures = od.estimate_noise(answers(0.1, 600), "SOE", 2, random_state=0).to_dict(most=3)
    figures = json.loads(json.dumps(figures, allow_nan=False))
    assert figures["method"] == "SOE"
    assert len(figures["contradicted"]) == 3
    assert figures["contradicted"][0]["margin"] <= figures["contradicted"][1]["margin"] < 0


def test_many_participants_are_not_all_printed():
    record = answers(0.1, 600)
    record = od.Comparisons(record.rows, groups={"participant": np.arange(600) % 30})
    estimate = od.estimate_noise(record, "SOE", 2, per="participant", random_state=0)
    assert "and 20 more" in str(estimate)
    assert len(str(estimate).splitlines()) < 20
    assert len(estimate.report(everyone=True).splitlines()) > 35


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"per": "participant"}, "no group 'participant'"),
        ({"n_components": 0}, "n_components must be an integer >= 1"),
        ({"method": "MDS"}, "method must be one of"),
        ({"folds": 1}, "folds must be an integer >= 2"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(od.InputError, match=message):
        od.estimate_noise(answers(0.0, 100), **{"method": "SOE", "n_components": 2} | arguments)


@pytest.mark.parametrize("folds", [None, 4])
def test_the_error_and_its_interval_are_those_of_held_out_error(folds):
    rows = answers(0.1, 400).rows
    weighted = od.Comparisons(rows, weights=np.arange(400) % 3)
    noise = od.estimate_noise(weighted, "SOE", 2, folds=folds, random_state=3)
    model = od.SOE(2, random_state=3)
    expected = od.held_out_error(
        weighted, lambda part: model.fit(part).embedding_, folds=folds, random_state=3
    )
    assert noise.held_out == expected
    np.testing.assert_array_equal(np.isnan(noise.margins), weighted.weights == 0)
    assert weighted.weights[noise.contradicted].all()
    assert str(expected) in str(noise)


def test_a_slow_method_has_few_folds():
    record = od.sources.random_triplets(POINTS[:8], 60, random_state=0)
    assert od.estimate_noise(record, "DMOE", 2, random_state=0).folds == 5
