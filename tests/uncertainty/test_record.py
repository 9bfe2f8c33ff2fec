import json
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import ordinate as od


def test_moments_and_ellipses(sure):
    draws = sure.draws_.astype(float)
    np.testing.assert_allclose(sure.mean_, draws.mean(axis=0), atol=1e-6)
    for number in (0, 5):
        np.testing.assert_allclose(
            sure.covariances_[number], np.cov(draws[:, number].T), rtol=1e-4, atol=1e-8
        )
    ellipses = sure.ellipses_
    away = draws - ellipses.centers
    along = np.einsum("rns,nts->rnt", away, ellipses.directions) / ellipses.semi_axes
    inside = (np.sum(along**2, axis=2) <= 1).mean(axis=0)
    np.testing.assert_allclose(inside, 0.9, atol=0.03)
    assert np.all(np.diff(ellipses.semi_axes, axis=1) <= 0)


def test_angles_are_those_of_the_longest_axes():
    turned = np.array([[[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]], np.eye(2)[::-1]])
    ellipses = od.uncertainty.Ellipses(np.zeros((2, 2)), np.ones((2, 2)), turned)
    np.testing.assert_allclose(ellipses.angles, [np.degrees(0.3), 90])
    solid = od.uncertainty.Ellipses(np.zeros((1, 3)), np.ones((1, 3)), np.eye(3)[None])
    with pytest.raises(od.InputError, match="An ellipse in 3 dimensions has no single angle"):
        _ = solid.angles


def test_distances_and_chances_by_hand(sure):
    draws = sure.draws_.astype(float)
    distances = np.linalg.norm(draws[:, 2] - draws[:, 7], axis=1)
    expected = np.quantile(distances, [0.05, 0.95], method="weibull")
    np.testing.assert_allclose(sure.distance_interval("object 2", "object 7"), expected, rtol=1e-5)
    np.testing.assert_allclose(sure.distance_interval(2, 7), expected, rtol=1e-5)
    farther = np.linalg.norm(draws[:, 2] - draws[:, 3], axis=1)
    assert sure.sure_of("object 2", "object 7", "object 3") == np.mean(distances < farther)
    assert sure.sure_of(2, 7, 3) + sure.sure_of(2, 3, 7) == 1


def test_neighbours_that_never_change_and_that_always_do(sure):
    fixed = np.repeat(sure.embedding_[None], 10, axis=0).astype(np.float32)
    still = replace(sure, draws_=fixed)
    np.testing.assert_array_equal(still.neighbor_stability_, 1)
    assert still.sure_share_ > 0.999
    assert len(still.badly_placed_) == 0
    random = np.random.default_rng(0).standard_normal((500, 12, 2)).astype(np.float32)
    guessing = replace(sure, draws_=random, n_neighbors=3)
    np.testing.assert_allclose(guessing.neighbor_stability_, 3 / 11, atol=0.08)
    assert guessing.sure_share_ < 0.01


def in_a_row(sure):
    """Twelve objects in a row, each farther from the next one than the last."""
    return replace(sure, embedding_=np.cumsum([np.arange(12.0), np.zeros(12)], axis=1).T)


def test_which_neighbours_are_stable(sure):
    sure = in_a_row(sure)
    draws = np.repeat(sure.embedding_[None], 10, axis=0).astype(np.float32)
    draws[:4, 3] += 100  # away from its neighbours in four draws of ten
    some = replace(sure, draws_=draws, n_neighbors=2)
    name, nearest = "object 3", some.neighbors_[3]
    assert np.all((some.neighbor_chances_[3] >= 0.6) & (some.neighbor_chances_[3] < 0.95))
    assert name not in some.stable_neighbors()
    assert set(some.stable_neighbors(0.6)[name]) == {f"object {near}" for near in nearest}
    still = replace(some, draws_=draws[4:])
    assert still.stable_neighbors()[name] == {f"object {near}": 1.0 for near in nearest}
    assert json.loads(json.dumps(still.to_dict()))["stable_neighbors"] == still.stable_neighbors()


def test_a_further_draw_lies_within_as_often_as_promised(sure):
    """Nineteen draws leave 20 gaps, 18 of them between the first and the last."""
    draws = np.zeros((19, 12, 2), dtype=np.float32)
    draws[:, 1, 0] = np.arange(1, 20)
    few = replace(sure, draws_=draws)
    np.testing.assert_allclose(few.distance_interval(0, 1), [1, 19])


def test_figures_by_blocks_are_those_of_all_draws_at_once(sure, monkeypatch):
    pairs = np.column_stack(np.triu_indices(12, 1))

    def figures():
        again = replace(sure)
        return (
            again.covariances_,
            again.ellipses_.semi_axes,
            again.distance_intervals(pairs),
        )

    whole = figures()
    monkeypatch.setattr("ordinate.uncertainty._record._BLOCK", 70)
    for one, other in zip(figures(), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_figures_take_little_more_room_than_the_draws(sure, monkeypatch):
    monkeypatch.setattr("ordinate.uncertainty._record._BLOCK", 20_000)
    n = 150
    draws = np.random.default_rng(0).standard_normal((400, n, 2)).astype(np.float32)
    large = replace(sure, embedding_=draws[0].astype(float), draws_=draws, names_=None)
    pairs = np.column_stack(np.triu_indices(n, 1))
    tracemalloc.start()
    try:
        _ = large.ellipses_, large.neighbor_stability_, large.sure_share_
        large.distance_intervals(pairs)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # all distances of all draws would take 18 MB in single precision, their differences 36
    assert peak < 6_000_000


def test_frame_and_dictionary(sure):
    frame = sure.to_frame()
    assert list(frame.columns) == [
        "x1", "x2", "semi_axis1", "semi_axis2", "angle", "stability", "answers", "contradicted",
    ]  # fmt: skip
    assert frame.index[3] == "object 3"
    assert frame["answers"].sum() == 3 * 600
    figures = json.loads(json.dumps(sure.to_dict()))
    assert figures["n_draws"] == 60
    assert 0 < figures["sure_share"] < 1
    assert "certain at 90%" in str(sure)


def test_few_groups_are_warned_about(sure):
    said = "With only 12 participants"
    assert said in str(replace(sure, by="participant", n_groups_=12.0))
    assert said not in str(replace(sure, by="participant", n_groups_=40.0))
    assert said not in str(replace(sure, by=None, n_groups_=None))


def test_pickling_keeps_everything(sure):
    again = pickle.loads(pickle.dumps(sure))
    np.testing.assert_array_equal(again.draws_, sure.draws_)
    assert again.distance_interval(0, 1) == sure.distance_interval(0, 1)


def test_badly_placed_objects_are_named_with_the_reason(sure):
    draws = sure.draws_.copy()
    draws[:, 4] = 10 * np.random.default_rng(0).standard_normal((len(draws), 2))
    counts = sure.n_answers_.copy()
    counts[4] = 2
    unsure = replace(sure, draws_=draws, n_answers_=counts)
    assert unsure.badly_placed_.tolist() == [4]
    assert "object 4 (few answers: 2)" in str(unsure)
    assert "ordinate questions objects.txt --adaptive --given answers.csv" in str(unsure)
    assert unsure.to_dict()["badly_placed"] == [{"object": "object 4", "why": "few answers: 2"}]
    odds = np.where(np.arange(12) == 4, 0.6, 0.1)
    denied = replace(sure, draws_=draws, contradicted_=odds)
    assert "contradictions: 60% of its" in str(denied)
    assert "answers leave its place open" in str(replace(denied, contradicted_=np.full(12, 0.1)))
    rare = np.where(np.arange(12) < 3, 0.3, np.where(np.arange(12) == 4, 0.02, 0.0))
    assert "answers leave its place open" in str(replace(denied, contradicted_=rare)), (
        "fewer than most"
    )
    assert "ordinate questions" not in str(replace(sure, draws_=np.stack([sure.draws_[0]] * 10)))


def test_unknown_objects(sure):
    with pytest.raises(od.InputError, match="There is no object 'tea' on the map"):
        sure.distance_interval("tea", "object 1")
    with pytest.raises(od.InputError, match="from 0 to 11; got 12"):
        sure.sure_of(0, 1, 12)
    with pytest.raises(od.InputError, match="level must be"):
        sure.distance_interval(0, 1, level=2)


@pytest.mark.usual_data
def test_a_dimension_that_is_not_there_is_called_noise():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2))
    rows = np.array([rng.permutation(20)[:3] for _ in range(1600)])
    near2, far2 = (np.sum((points[rows[:, 0]] - points[rows[:, k]]) ** 2, axis=1) for k in (1, 2))
    answers = od.Comparisons(rows, rng.random(1600) < 1 / (1 + np.exp(near2 - far2)))
    noise = {}
    for d in (2, 3):
        model = od.STE(d, n_init=1, random_state=0).fit(answers)
        sure = od.map_uncertainty(model, answers, n_draws=20, random_state=0)
        noise[d] = sure.axis_noise_
        told = [line for line in sure.warnings_ if "more than a quarter is noise" in line]
        assert len(told) == (d == 3)
    assert noise[2].max() < 0.2
    assert noise[3][-1] > 1 / 3 > noise[3][1]
    assert "more than a quarter is noise: 1 of 3." in told[0]
    assert told[0].endswith("Intervals of distances are then too narrow.")
