"""The test whether people differ: yes where they do, no where they do not."""

from dataclasses import replace

import numpy as np
import pytest

import ordinate as od

POINTS = np.random.default_rng([0]).normal(size=(12, 2))


def study(spread, n_people=8, n_answers=80):
    rng = np.random.default_rng([1])  # one draw in twenty of people who are alike is taken for more
    parts = []
    for person in range(n_people):
        seen = POINTS * np.exp(spread * np.array([1, -1]) * (-1) ** person / 2)
        asked = od.sources.random_triplets(
            seen, n_answers, noise=od.sources.LogisticNoise(0.3), random_state=rng
        )
        groups = {"participant": [person] * n_answers}
        parts.append(od.Comparisons(asked.rows, n_objects=12, groups=groups))
    return od.Comparisons.concatenate(parts)


@pytest.mark.usual_data
def test_differences_that_are_there_are_found():
    found = od.compare_people(study(1.5), random_state=0)
    assert found.are_real
    assert found.low < found.gain < found.high
    assert found.p_value < 0.05
    assert (found.n_answers, found.n_participants, found.folds) == (640, 8, 5)
    assert str(found).startswith("People see the objects differently (p = ")
    assert "lowers held-out error by" in str(found)
    assert found.to_dict()["gain"] == found.gain
    assert [view.label for view in found.participants] == [str(p) for p in range(8)]
    open_ = replace(found, low=-0.01)
    assert "This may not help to predict answers" in str(open_)


@pytest.mark.usual_data
def test_differences_of_people_who_hardly_err_are_found():
    """Nearly all of their answers are certain, so that residuals tell little; gains do."""
    rng = np.random.default_rng([4])
    points = rng.normal(size=(25, 2))
    rows, people = [], np.repeat(np.arange(14), 120)
    for person in range(14):
        seen = points * ([2, 0.5] if person < 5 else [1, 1])
        rows.append(od.sources.random_triplets(seen, 120, random_state=rng).rows)
    rows = np.vstack(rows)
    slips = rng.random(len(rows)) < 0.1
    rows[slips] = rows[slips][:, [0, 2, 1]]
    answers = od.Comparisons(rows, n_objects=25, groups={"participant": people})
    found = od.compare_people(answers, random_state=0)
    assert found.p_value < 0.01
    assert found.gain > 0.02


def test_none_are_where_people_are_alike():
    found = od.compare_people(study(0.0), random_state=0)
    assert found.predicts
    assert not found.are_real
    assert str(found).startswith("People seem to share one map (p = ")
    assert not any(view.verdict for view in found.participants)


def test_random_answers_do_not_show_that_people_share_a_map():
    rows = np.random.default_rng([6]).permuted(np.tile(np.arange(12), (600, 1)), axis=1)[:, :3]
    answers = od.Comparisons(rows, n_objects=12, groups={"participant": np.arange(600) % 10})
    found = od.compare_people(answers, random_state=0)
    assert not found.predicts
    assert not found.are_real
    assert str(found).startswith("These answers carry no map that surely predicts better than")


def test_people_who_differ_in_their_noise_alone_see_one_map():
    """Every second one hardly errs, the others nearly guess; announced as differences before."""
    rng = np.random.default_rng([5])
    deviations = np.where(np.arange(10) % 2, 0.1, 3.0)
    parts = [
        od.Comparisons(
            od.sources.random_triplets(
                POINTS, 60, noise=od.sources.GaussianNoise(deviation), random_state=rng
            ).rows,
            n_objects=12,
            groups={"participant": [person] * 60},
        )
        for person, deviation in enumerate(deviations)
    ]
    found = od.compare_people(od.Comparisons.concatenate(parts), folds=2, random_state=0)
    assert found.p_value > 0.05
    assert sum(view.verdict == "another view" for view in found.participants) <= 1


def people_of_three_kinds():
    """Six who see one map, one who guesses, one with another map, one whose keys are swapped."""
    rng = np.random.default_rng([8])  # a verdict in twenty is wrong
    rows = []
    for person in range(9):
        points = rng.standard_normal((12, 2)) if person == 7 else POINTS
        asked = od.sources.random_triplets(
            points, 150, noise=od.sources.GaussianNoise(0.2), random_state=rng
        ).rows
        turned = asked[:, [0, 2, 1]]
        if person == 6:
            asked = np.where(rng.random((150, 1)) < 0.5, asked, turned)
        rows.append(turned if person == 8 else asked)
    people = np.repeat(np.arange(9), 150)
    return od.Comparisons(np.vstack(rows), n_objects=12, groups={"participant": people})


def test_who_guesses_and_who_sees_something_else_get_different_verdicts():
    found = od.compare_people(people_of_three_kinds(), folds=3, random_state=0)
    verdicts = [view.verdict for view in found.participants]
    assert verdicts == [""] * 6 + ["guesses", "another view", "reversed"]
    said = "Probably guessing: 6. With a view of their own: 7. Probably reversed: 8."
    assert str(found).endswith(said)


@pytest.mark.usual_data
def test_groups_with_maps_of_their_own_are_tested_by_places():
    rng = np.random.default_rng(2)
    maps = rng.standard_normal((2, 10, 2))
    rows = [od.sources.random_triplets(maps[p % 2], 80, random_state=p).rows for p in range(6)]
    people = np.repeat(np.arange(6), 80)
    answers = od.Comparisons(np.vstack(rows), n_objects=10, groups={"participant": people})
    model = od.GroupMaps(2, n_groups=2, n_init=3, random_state=0)
    found = od.compare_people(answers, model, folds=2, random_state=0)
    assert found.are_real
    assert found.gain > 0.1


def test_the_result_does_not_depend_on_jobs():
    one, two = (od.compare_people(study(1.0), random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one == two


def test_answers_that_are_too_few_are_refused():
    with pytest.raises(od.InputError, match="5 folds need at least two participants with 10"):
        od.compare_people(study(1.0, n_people=2, n_answers=8), random_state=0)


def test_people_cannot_be_held_out_whole():
    with pytest.raises(od.InputError, match="Whole groups of 'participant' cannot be held out"):
        od.compare_people(study(1.0), by="participant", random_state=0)


def test_other_models_are_refused():
    with pytest.raises(od.InputError, match="model must be a WeightedSpaces or GroupMaps"):
        od.compare_people(study(1.0), od.SOE(), random_state=0)


@pytest.mark.usual_data
def test_people_with_lapses_are_named():
    """Three of twelve answer every other question at random."""
    rng = np.random.default_rng([1])
    places = rng.normal(size=(20, 2))
    parts = [od.sources.random_triplets(places, 120, random_state=k).rows.copy() for k in range(12)]
    for part in parts[:3]:
        turned = rng.random(len(part)) < 0.25
        part[turned] = part[turned][:, [0, 2, 1]]
    people = np.repeat([f"p{k:02}" for k in range(12)], 120)
    answers = od.Comparisons(np.vstack(parts), groups={"participant": people})
    found = od.compare_people(answers, random_state=0)
    assert [view.label for view in found.participants if view.verdict] == ["p00", "p01", "p02"]
    assert "With more errors than the others: p00, p01, p02." in str(found)


@pytest.mark.usual_data
def test_people_who_lapse_do_not_hide_one_another():
    rng = np.random.default_rng(0)
    people = np.arange(2_400) % 12
    asked = od.sources.random_triplets(
        POINTS, 2_400, noise=od.sources.LogisticNoise(0.3), random_state=rng
    )
    wrong = (people < 4) & (rng.random(2_400) < 0.25)  # of half of their answers, half
    rows = np.where(wrong[:, None], asked.rows[:, [0, 2, 1]], asked.rows)
    answers = od.Comparisons(rows, groups={"participant": people}, n_objects=12)
    found = od.compare_people(answers, random_state=0).participants
    assert [one.label for one in found if one.verdict] == ["0", "1", "2", "3"]
