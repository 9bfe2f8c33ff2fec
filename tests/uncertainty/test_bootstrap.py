import numpy as np
import pytest

import ordinate as od
from ordinate.uncertainty._bootstrap import bootstrap_draws, quiet_clone, resampling_units


def test_repeated_questions_and_trials_stay_together():
    rows = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 1, 3], [3, 0, 1], [3, 1, 2]] + [
        [a, b, c] for a in range(4, 9) for b in range(4) for c in range(b)
    ]
    trial = np.arange(len(rows))
    trial[3] = trial[2]
    units = resampling_units(od.Comparisons(rows), None)
    assert units[0] == units[1] != units[2]
    assert units[2] != units[3]
    joined = resampling_units(od.Comparisons(rows, groups={"trial": trial}), None)
    assert joined[2] == joined[3]
    assert joined[0] == joined[1]


def test_whole_groups_are_drawn():
    seen = []

    class Recorder(od.STE):
        def fit(self, X, y=None, sample_weight=None):
            seen.append(X)
            return super().fit(X, y, sample_weight)

    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(5, 3, replace=False) for _ in range(60)])
    answers = od.Comparisons(rows, groups={"participant": np.repeat(np.arange(6), 10)})
    units = resampling_units(answers, "participant")
    draws = bootstrap_draws(
        Recorder(1), answers, [], units, 12, rng, lambda found: found, n_jobs=1, verbose=False
    )
    assert draws.shape == (12, 5, 1)
    for record in seen:
        assert record.weights.sum() == 60
        codes = record.group_codes("participant")
        for code in range(codes.max() + 1):
            weights = record.weights[codes == code]
            assert len(weights) == 10
            assert np.ptp(weights) == 0
    assert len({tuple(record.weights) for record in seen}) > 1


@pytest.mark.usual_data
def test_a_lapse_rate_is_estimated_again_in_the_refits(case):
    _, answers, _ = case
    rng = np.random.default_rng(0)
    careless = od.Comparisons(answers.rows, rng.random(len(answers)) > 0.1)
    model = od.STE(2, lapse_rate="estimate", random_state=0).fit(careless)
    assert model.lapse_rate_ > 0.05
    assert quiet_clone(model).lapse_rate == "estimate"
    sure = od.map_uncertainty(model, careless, n_draws=10, random_state=0)
    assert f"lapses             {model.lapse_rate_:.0%} of the responses" in str(sure)
    assert model.lapse_rate == "estimate"
