"""Difference scaling: the scale is found, answers without one are noticed."""

import numpy as np
import pytest
from scipy.special import ndtr

import ordinate as od


def quadruples(rng, seen, noise, n_answers):
    """Answers about two differences that share no item, in the order of a normal observer."""
    n = len(seen)
    items = np.sort(np.argsort(rng.random((n_answers, n)), axis=1)[:, :4], axis=1)
    near, far = items[:, :2], items[:, 2:]
    gap = np.diff(seen[far])[:, 0] - np.diff(seen[near])[:, 0]
    holds = rng.random(n_answers) < ndtr(gap / noise)
    return np.column_stack([near, far]), holds


@pytest.mark.usual_data
def test_the_scale_is_found_with_its_noise():
    rng = np.random.default_rng([0])  # of ten dependent intervals three may miss now and then
    seen = np.linspace(0, 1, 10) ** 2
    rows, holds = quadruples(rng, seen, 0.15, 2_000)
    model = od.DifferenceScale(random_state=0).fit(rows, holds)
    np.testing.assert_allclose(model.scale_, seen, atol=0.06)
    assert model.noise_ == pytest.approx(0.15, rel=0.2)
    low, high = model.intervals_.T
    assert ((low <= seen) & (seen <= high)).mean() >= 0.8
    assert model.p_six_point_ > 0.05
    assert (np.diff(model.scale_) >= 0).all()


def test_random_answers_carry_no_scale():
    rng = np.random.default_rng(3)
    rows, _ = quadruples(rng, np.arange(8.0), 1.0, 300)
    found = []
    for seed in range(8):
        holds = np.random.default_rng([seed, 4]).random(300) < 0.5
        answers = od.Comparisons(rows, holds)
        result = od.scale_differences(answers, chosen="alike", random_state=0)
        assert (result.model.p_random_ > 0.05) == str(result).startswith("Random answers fit")
        found.append(result.model.p_random_)
    assert sum(p_value <= 0.05 for p_value in found) <= 2
    rows, holds = quadruples(rng, np.sqrt(np.arange(8.0)), 0.5, 300)
    sure = od.scale_differences(od.Comparisons(rows, holds), chosen="alike", random_state=0)
    assert sure.model.p_random_ <= 0.05
    assert str(sure).startswith("A scale from 0 to 1 of 8 items")
    with pytest.raises(od.InputError, match="chosen='alike'"):
        od.scale_differences(od.Comparisons(rows, holds), chosen="different")


def test_items_are_ordered_by_their_values():
    rng = np.random.default_rng(1)
    rows, holds = quadruples(rng, np.linspace(0, 1, 8), 0.2, 800)
    names = [str(value) for value in (80, 70, 60, 50, 40, 30, 20, 10)]
    answers = od.Comparisons(rows, holds, names=names)
    model = od.DifferenceScale(n_simulations=20, random_state=0).fit(answers)
    table = model.columns()
    assert table["object"].tolist() == ["10", "20", "30", "40", "50", "60", "70", "80"]
    assert table["scale"][0] == 0
    assert table["scale"][-1] == 1
    assert model.to_frame().shape[0] == 8


def test_answers_the_other_way_round_and_names_are_refused():
    rng = np.random.default_rng(2)
    rows, holds = quadruples(rng, np.linspace(0, 1, 8) ** 2, 0.1, 500)
    with pytest.raises(od.InputError, match="fit better the other way round"):
        od.DifferenceScale(n_simulations=10).fit(rows, ~holds)
    named = od.Comparisons(rows, holds, names=list("abcdefgh"))
    with pytest.raises(od.InputError, match="labels must be numbers, got 'a'"):
        od.DifferenceScale(n_simulations=10).fit(named)
    with pytest.raises(od.InputError, match="a different number for each of the 8 items"):
        od.DifferenceScale(n_simulations=10).fit(named, values=[1] * 8)
    assert od.DifferenceScale(n_simulations=10).fit(named, values=range(8)).scale_[-1] == 1


def test_the_reading_says_what_was_chosen(tmp_path, capsys):
    rows = [[1, 2, 3, 6, "right"], [1, 2, 4, 8, "right"], [1, 4, 5, 6, "left"]] * 20
    path = tmp_path / "answers.csv"
    lines = ["left_1,left_2,right_1,right_2,answer", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines))
    result = od.scale_differences(path, chosen="different", verbose=True)
    said = "line 2: 3 and 6 differ more than 1 and 2"
    assert said in capsys.readouterr().err
    assert result.provenance.readings[0].example == said
