import numpy as np
import pytest

import ordinate as od


def test_structure_is_seen(case):
    test = od.uncertainty.structure_test(od.STE(2), case[1], n_permutations=19, random_state=0)
    assert test.p_value == 0.05
    assert test.error < test.random_errors.min()
    assert "p = 0.05" in str(test)


def test_false_alarms_are_as_rare_as_they_should_be():
    """Bounds are five standard errors away."""
    p_values = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows = np.array([rng.choice(6, 3, replace=False) for _ in range(40)])
        test = od.uncertainty.structure_test(
            od.STE(1, max_iter=10), rows, n_permutations=9, random_state=rng, n_jobs=1
        )
        p_values.append(test.p_value)
    # uniform over 0.1, 0.2, …, 1 but for ties, which make it cautious
    assert np.mean(np.array(p_values) <= 0.2) <= 0.2 + 5 * np.sqrt(0.2 * 0.8 / 60)
    assert np.mean(p_values) > 0.55 - 5 * np.sqrt(0.99 / 12 / 60)


def test_same_bits_for_any_number_of_jobs(case):
    one, two = (
        od.uncertainty.structure_test(
            od.SOE(2), case[1], n_permutations=5, n_jobs=jobs, random_state=0
        )
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.random_errors, two.random_errors)


def test_refuses_no_permutation(case):
    with pytest.raises(od.InputError, match="n_permutations must be an integer >= 1"):
        od.uncertainty.structure_test(od.STE(2), case[1], n_permutations=0, random_state=0)


def test_what_a_fit_has_estimated_does_not_favour_its_answers(case):
    _, answers, _ = case
    rng = np.random.default_rng(0)
    careless = od.Comparisons(answers.rows, rng.random(len(answers)) > 0.1)
    model = od.STE(2, lapse_rate="estimate", random_state=0)
    before = od.uncertainty.structure_test(model, careless, n_permutations=3, random_state=0)
    after = od.uncertainty.structure_test(
        model.fit(careless), careless, n_permutations=3, random_state=0
    )
    np.testing.assert_array_equal(after.random_errors, before.random_errors)
