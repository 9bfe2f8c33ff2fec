"""People who differ, on maps with a prior from features."""

import numpy as np
import pandas as pd
import pytest

import ordinate as od
from tests.people.conftest import ask


@pytest.fixture(scope="module")
def study():
    """Features of 30 objects, few answers of ten people about them, and error-free ones."""
    rng = np.random.default_rng(0)
    points = 1.3 * rng.standard_normal((30, 2))
    features = np.c_[points, rng.standard_normal((30, 2))] @ rng.standard_normal((4, 12))
    weights = np.exp(0.7 * rng.standard_normal((10, 2)))
    few, clear = ask(points, weights, 20, seed=1, sharpness=1), ask(points, weights, 200, 2, 1e6)
    return features, few, clear


@pytest.mark.usual_data
@pytest.mark.parametrize("kind", [od.WeightedSpaces, od.GroupMaps])
def test_features_spare_answers(study, kind):
    features, few, clear = study
    more = {"n_groups": 1} if kind is od.GroupMaps else {}
    alone = kind(random_state=0, **more).fit(few).score(clear)
    both = kind(features=features, random_state=0, **more).fit(few)
    assert both.score(clear) > alone + 0.03
    np.testing.assert_allclose(both.embedding_.mean(axis=0), 0, atol=1e-9)


def test_rows_of_a_frame_are_matched_by_name(study):
    features, few, _ = study
    names = [f"o{number}" for number in range(30)]
    named = od.Comparisons(few.rows, names=names, groups=few.groups)
    shuffled = pd.DataFrame(features, index=names).sample(frac=1, random_state=0)
    one, other = (
        od.WeightedSpaces(features=given, random_state=0).fit(named).embedding_
        for given in (features, shuffled)
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.usual_data
def test_groups_have_maps_of_their_own_under_the_prior():
    rng = np.random.default_rng(1)
    features = rng.standard_normal((20, 6))
    maps = [1.5 * features @ rng.standard_normal((6, 2)) / 6**0.5 for _ in range(2)]
    alike = np.ones((6, 2))
    parts = [ask(points, alike, 80, seed, sharpness=1) for seed, points in enumerate(maps)]
    people = [f"{who}{at}" for at in range(2) for who in parts[at].groups["participant"]]
    answers = od.Comparisons(
        np.vstack([part.rows for part in parts]), n_objects=20, groups={"participant": people}
    )
    model = od.GroupMaps(n_groups=2, features=features, n_init=4, random_state=0).fit(answers)
    ends = np.array([label[-1] == "1" for label in model.participants_])
    assert len(set(model.groups_[ends])) == len(set(model.groups_[~ends])) == 1
    assert set(model.groups_[ends]) != set(model.groups_[~ends])
    clear = ask(maps[0], alike, 200, 7, 1e6)
    own = clear[clear.groups["participant"] != ""]
    labels = [f"{label}0" for label in own.groups["participant"]]
    asked = od.Comparisons(own.rows, n_objects=20, groups={"participant": labels})
    assert model.score(asked) > 0.85


@pytest.mark.usual_data
def test_people_are_compared_on_maps_with_features(study):
    features, few, _ = study
    plain, told = (
        od.compare_people(few, od.WeightedSpaces(features=given), folds=2, random_state=0)
        for given in (None, features)
    )
    assert told.pooled_error < plain.pooled_error


def test_features_that_cannot_be_used(study):
    features, few, _ = study
    with pytest.raises(od.InputError, match=r"Features need loss='STE'; got 'SOE'"):
        od.WeightedSpaces(loss="SOE", features=features).fit(few)
    with pytest.raises(od.InputError, match=r"a row per object, 30; got shape \(29, 12\)"):
        od.GroupMaps(features=features[1:]).fit(few)


def test_the_command_reads_features(study, tmp_path):
    features, few, _ = study
    path = tmp_path / "features.npy"
    np.save(path, features)
    with pytest.warns(UserWarning, match="row 0 is taken for object 0"):  # as in embed
        found = od.study_people(few, features=str(path), folds=2)
    direct = od.study_people(few, features=features, folds=2)
    np.testing.assert_array_equal(found.model.embedding_, direct.model.embedding_)
    assert "and features" in str(found)
