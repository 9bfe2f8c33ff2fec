import json

import numpy as np
import pytest

import ordinate as od

POINTS = np.random.default_rng(0).normal(size=(40, 2))


def answers(share, n_rows=3000, seed=0):
    noise = od.sources.FlippedAnswers(share)
    return od.sources.random_triplets(POINTS, n_rows, noise=noise, random_state=seed)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.3])
def test_share_of_flipped_answers_is_found(share):
    noise = od.estimate_noise(answers(share)).overall
    assert noise.share == pytest.approx(share, abs=0.035)
    assert noise.held_out_error > share
    assert noise.low <= noise.share <= noise.high


def test_unsure_people_are_not_called_careless():
    """Errors at near ties lie between the share at large margins and the held-out error."""
    noise = od.sources.LogisticNoise(0.5)
    record = od.sources.random_triplets(POINTS, 4000, noise=noise, random_state=0)
    truth = od.metrics.triplet_error(record, POINTS)
    estimate = od.estimate_noise(record).overall
    assert truth > 0.1
    assert estimate.share < truth < estimate.held_out_error


def test_careless_participants_stand_out():
    honest, careless = answers(0.02, 2400), answers(0.4, 600, seed=1)
    groups = np.concatenate([np.repeat(list("abcd"), 600), np.repeat("zed", 600)])
    rows = np.vstack([honest.rows, careless.rows])
    record = od.Comparisons(rows, groups={"participant": groups})
    estimate = od.estimate_noise(record, per="participant")
    assert estimate.per_group[0].label == "zed"
    shares = {noise.label: noise for noise in estimate.per_group}
    assert shares["zed"].share == pytest.approx(0.4, abs=0.06)
    assert all(shares[name].high < 0.1 for name in "abcd")
    assert sum(noise.n_answers for noise in estimate.per_group) == 3000
    assert "zed" in str(estimate)


def test_planted_mistakes_are_listed_first():
    rows = answers(0.0).rows.copy()
    distances = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)
    gap = distances[rows[:, 0], rows[:, 2]] - distances[rows[:, 0], rows[:, 1]]
    planted = np.flatnonzero(gap > 1.5)[:25]
    rows[planted] = rows[planted][:, [0, 2, 1]]
    estimate = od.estimate_noise(od.Comparisons(rows))
    assert set(estimate.at_odds[:25].tolist()) == set(planted.tolist())
    assert (np.diff(estimate.margins[estimate.at_odds]) >= 0).all()
    assert (estimate.margins[estimate.at_odds] <= 0).all()


def test_answers_never_held_out_have_no_margin():
    record = od.Comparisons(np.vstack([answers(0.0, 500).rows, [[40, 0, 1]]]))
    estimate = od.estimate_noise(record)
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(estimate.margins)), [500])
    assert estimate.overall.n_answers == 500


def test_jobs_change_nothing_and_the_seed_does():
    record = answers(0.1, 600)
    one, two, other = (
        od.estimate_noise(record, n_jobs=jobs, random_state=seed).margins
        for jobs, seed in ((1, 0), (2, 0), (1, 1))
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_guesses_are_not_analysed_as_if_they_were_answers():
    rng = np.random.default_rng(0)
    record = od.Comparisons(answers(0.0, 600).rows, rng.random(600) < 0.5)
    estimate = od.estimate_noise(record)
    assert not estimate.trustworthy
    assert "do not rely on these estimates" in str(estimate)


def test_figures_survive_json():
    figures = od.estimate_noise(answers(0.1, 600), "SOE", 2).to_dict(most=3)
    figures = json.loads(json.dumps(figures, allow_nan=False))
    assert figures["method"] == "SOE"
    assert len(figures["at_odds"]) == 3
    assert figures["at_odds"][0]["margin"] <= figures["at_odds"][1]["margin"] < 0


def test_many_participants_are_not_all_printed():
    record = answers(0.1, 600)
    record = od.Comparisons(record.rows, groups={"participant": np.arange(600) % 30})
    text = str(od.estimate_noise(record, per="participant"))
    assert "and 20 more" in text
    assert len(text.splitlines()) < 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"per": "participant"}, "no group 'participant'"),
        ({"dimension": 0}, "dimension must be an integer >= 1"),
        ({"method": "MDS"}, "method must be one of"),
        ({"folds": 1}, "folds must be an integer >= 2"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(od.InputError, match=message):
        od.estimate_noise(answers(0.0, 100), **arguments)
