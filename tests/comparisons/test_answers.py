"""Answers are predicted and judged with objects matched by label, for every method."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import ordinate as od
from ordinate.comparisons.answers import answer_classes
from ordinate.engine.distances import squared_distances
from ordinate.methods import METHODS

LABELS = [f"city {letter}" for letter in "abcdefghijkl"]
POINTS = np.random.default_rng(0).normal(size=(len(LABELS), 2))
TRUE_ROWS = od.sources.random_triplets(POINTS, 400, random_state=0).rows
PEOPLE = np.arange(len(TRUE_ROWS)) % 4
ON_EMBEDDING = [
    name
    for name, row in METHODS.items()
    if row.takes in ("comparisons", "people") and not row.is_kernel
]
CHOOSE_PENALTY = ("GramEmbedding", "DMOE")
"""Methods that choose it by cross-validation unless it is given."""


@pytest.mark.parametrize(
    ("y", "classes"),
    [(None, [False, True]), ([True, False], [False, True]), ([1, -1], [-1, 1])],
    ids=["none", "booleans", "signs"],
)
def test_answers_are_written_as_they_came(y, classes):
    found = answer_classes(y)
    assert found.tolist() == classes
    assert (found.dtype.kind == "b") == (classes == [False, True])


@cache
def fitted(name):
    answers = od.Comparisons(TRUE_ROWS, names=LABELS, groups={"participant": PEOPLE})
    parameters = {"n_components": 2, "random_state": 0}
    if name == "GroupMaps":
        parameters["n_groups"] = 1
    if name == "MTE":
        parameters["n_views"] = 1
    if name in CHOOSE_PENALTY:
        parameters["penalty"] = 1.0
    return METHODS[name].load()(**parameters).fit(answers)


def by_label(model, rows):
    """Which label rows hold, computed from what the model says of each label."""
    number = {label: at for at, label in enumerate(model.names_)}
    numbers = np.array([[number[label] for label in row] for row in rows])
    if hasattr(model, "gram_"):
        gram, (a, b, c) = model.gram_, numbers.T
        near = gram[a, a] + gram[b, b] - 2 * gram[a, b]
        far = gram[a, a] + gram[c, c] - 2 * gram[a, c]
    else:
        near, far = squared_distances(model.embedding_, numbers)
    return np.sqrt(np.maximum(near, 0)) < np.sqrt(np.maximum(far, 0))


@st.composite
def label_rows(draw):
    known = draw(st.permutations(LABELS))[: draw(st.integers(3, len(LABELS)))]
    row = st.permutations(known).map(lambda order: order[:3])
    return draw(st.lists(row, min_size=1, max_size=12))


def containers(rows, folder):
    """The same label rows as a frame, a file, a list, a record in another order and numbers."""
    frame = pd.DataFrame(rows, columns=["anchor", "near", "far"])
    frame.to_csv(folder / "answers.csv", index=False)
    yield od.read_comparisons(frame)
    yield od.read_comparisons(folder / "answers.csv")
    yield rows
    yield np.array(rows)
    backwards = LABELS[::-1]
    numbers = [[backwards.index(label) for label in row] for row in rows]
    yield od.Comparisons(numbers, names=backwards)
    yield np.array([[LABELS.index(label) for label in row] for row in rows])


@pytest.mark.parametrize("name", ON_EMBEDDING)
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=label_rows())
def test_every_method_matches_objects_by_label(name, rows, tmp_path):
    model = fitted(name)
    expected = by_label(model, rows)
    for answers in containers(rows, tmp_path):
        assert model.predict(answers).tolist() == expected.tolist()
        assert model.score(answers) == pytest.approx(expected.mean())


@pytest.mark.parametrize("name", ON_EMBEDDING)
def test_an_object_that_was_not_in_the_fit_is_named(name):
    model = fitted(name)
    with pytest.raises(od.InputError, match="Object 'atlantis' was not in the fit; place it"):
        model.predict([["city a", "city b", "atlantis"]])
    with pytest.raises(od.InputError, match="Object 12 was not in the fit, which had 12 objects"):
        model.predict([[0, 1, 12]])


def test_a_label_written_otherwise_is_another_object():
    fitted, scored = (
        od.read_comparisons({"anchor": [a, b], "near": [b, a], "far": [c, c]})
        for a, b, c in (("0", "1", "2"), ("0.0", "1", "2"))
    )
    model = od.SOE(n_components=1, random_state=0).fit(fitted)
    with pytest.raises(od.InputError, match=r"Object '0\.0' was not in the fit"):
        model.score(scored)


@pytest.mark.parametrize("name", ON_EMBEDDING)
def test_positions_among_another_number_of_objects_are_refused(name):
    with pytest.raises(od.InputError, match="about 5 objects and the fit had 12"):
        fitted(name).score(od.Comparisons([[0, 1, 2]], n_objects=5))


def test_labels_for_a_fit_without_labels_are_refused():
    model = od.STE(2, random_state=0).fit(TRUE_ROWS)
    with pytest.raises(od.InputError, match="about 3 objects and the fit had 12"):
        model.predict([["tea", "milk", "wine"]])


def test_triples_of_users_and_items_match_by_label():
    model = od.COE(2, random_state=0).fit(od.Comparisons(TRUE_ROWS, names=LABELS))
    rows = [LABELS[9:6:-1], LABELS[7:10]]
    numbers = [[9, 8, 7], [7, 8, 9]]
    for some in ([0], [1], [0, 1]):
        expected = model.score(np.array(numbers)[some])
        assert model.score([rows[at] for at in some]) == expected


def test_features_match_answers_by_label():
    features = pd.DataFrame(POINTS, index=LABELS)
    answers = od.Comparisons(TRUE_ROWS, names=LABELS)
    model = od.FeatureEmbedding(2, random_state=0).fit(answers, features=features)
    some = od.read_comparisons(
        pd.DataFrame([LABELS[9:6:-1], LABELS[7:10]], columns=["anchor", "near", "far"])
    )
    numbers = np.array([[9, 8, 7], [7, 8, 9]])
    for known in (None, features, features.iloc[::-1]):
        expected = model.decision_function(numbers, features=None if known is None else POINTS)
        np.testing.assert_allclose(
            model.decision_function(some, features=known), expected, atol=1e-9
        )


@pytest.mark.usual_data
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_new_object_moves_nobody_in_a_partial_fit():
    model = od.STE(2, random_state=0).fit(od.Comparisons(TRUE_ROWS, names=LABELS))
    before = dict(zip(model.names_, model.embedding_, strict=True))
    answers = od.Comparisons([[0, 1, 2], [0, 2, 3]], names=["Aa", *LABELS])
    model.set_params(max_iter=1, n_init=1)
    model.partial_fit(answers)
    assert model.names_ == (*LABELS, "Aa")
    after = dict(zip(model.names_, model.embedding_, strict=True))
    moved = np.mean([np.linalg.norm(after[name] - before[name]) for name in LABELS])
    assert moved < 0.1 * np.std(model.embedding_)


@pytest.mark.parametrize("name", ON_EMBEDDING)
def test_a_row_of_weight_0_equals_a_row_left_out(name):
    rng = np.random.default_rng(1)
    true_rows, n = TRUE_ROWS[:120], 120
    false_rows = true_rows[rng.choice(n, size=50)][:, [0, 2, 1]]
    weights = np.append(rng.integers(1, 3, size=n), np.zeros(50)).astype(float)
    groups = np.append(PEOPLE[:n], np.zeros(50, dtype=int))
    answers = od.Comparisons(
        np.vstack([true_rows, false_rows]), names=LABELS, groups={"participant": groups}
    )
    model = clone(fitted(name))
    if name in CHOOSE_PENALTY:
        model.set_params(penalty=None)  # folds count what has a weight alone
    some = model.fit(answers, sample_weight=weights).embedding_
    np.testing.assert_array_equal(
        some, clone(model).fit(answers[:n], sample_weight=weights[:n]).embedding_
    )


def test_features_are_weighed_as_answers_are():
    wrong = TRUE_ROWS[:, [0, 2, 1]]
    weights = np.append(np.full(400, 1.0), np.full(400, 1e-9))
    model = od.FeatureEmbedding(2, random_state=0, folds=2)
    model.fit(od.Comparisons(np.vstack([TRUE_ROWS, wrong]), weights=weights), features=POINTS)
    assert model.cv_results_["answers_error"].min() < 0.1
