"""What all estimators offer alike."""

import contextlib
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score

import ordinate as od
from ordinate._estimator import BaseEstimator, EmbeddingMixin
from ordinate._estimator import clone as own_clone
from ordinate.methods import METHODS

ROWS = [[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]]
NAMES = ("ant", "bee", "cat", "dog")
FEW = {
    "DMOE": {"penalty": 1.0},
    "GramEmbedding": {"penalty": 1.0},
    "STE": {"penalty": 0.1},
    "LORE": {"n_components": 2},
    "FeatureEmbedding": {"prior": {"share": 0.5, "variance": 10.0}},
    "SparseDimensions": {"max_dimensions": 2, "penalty": (0.1, 0.1), "n_init": 2},
}


def inputs(takes):
    if takes == "comparisons":
        return od.Comparisons(ROWS, names=NAMES)
    if takes == "people":
        return od.Comparisons(ROWS, names=NAMES, groups={"participant": [1, 1, 2, 2]})
    if takes == "graph":
        return od.NeighborGraph.from_edges([[0, 1], [1, 2], [2, 3]], names=NAMES)
    if takes == "trials":
        kinds = 3 * np.repeat(np.eye(2), 2, axis=0)
        return od.Trials(od.sources.random_trials(kinds, 400, random_state=0).rows, names=NAMES)
    if takes == "ratings":
        return od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 3, 2, 4], item_names=["x", "y"])
    features = pd.DataFrame(np.random.default_rng(0).normal(size=(4, 3)), index=NAMES)
    return features if takes == "features" else (inputs("comparisons"), {"features": features})


def fitted(name):
    method = METHODS[name]
    model = method.load()(**FEW.get(name, {}))
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model, inputs(method.takes)


MAPS = [name for name, method in METHODS.items() if not method.is_kernel]


@pytest.mark.usual_data
@pytest.mark.parametrize("name", MAPS)
def test_coordinates_with_names(name):
    model, X = fitted(name)
    assert isinstance(model, EmbeddingMixin)
    X, others = X if isinstance(X, tuple) else (X, {})
    found = model.fit_transform(X, **others)
    several = getattr(model, "embeddings_", None)  # a map for each group of people or view
    np.testing.assert_array_equal(found, model.embedding_ if several is None else several)
    assert not np.shares_memory(found, model.embedding_)
    frame = model.to_frame()
    assert list(frame.columns) == [f"x{axis}" for axis in range(1, model.embedding_.shape[1] + 1)]
    np.testing.assert_array_equal(frame.to_numpy(), model.embedding_)
    if METHODS[name].takes == "ratings":
        assert list(frame.index) == [("user", 0), ("user", 1), ("item", "x"), ("item", "y")]
        assert model.names_ == (0, 1, "x", "y")
    else:
        assert tuple(frame.index) == model.names_ == NAMES
        assert frame.index.name == "object"


@pytest.mark.parametrize(
    "name", [name for name, method in METHODS.items() if method.takes in ("comparisons", "people")]
)
def test_weights_given_to_fit_replace_those_of_the_record(name):
    model, X = fitted(name)
    weights = np.array([1.0, 3.0, 0.5, 2.0])
    weighted = od.Comparisons(X.rows, names=NAMES, weights=weights, groups=X.groups)
    by_fit, by_record = (
        model.fit_transform(X, sample_weight=weights),
        model.fit_transform(weighted),
    )
    if METHODS[name].is_kernel:
        by_fit, by_record = by_fit.toarray(), by_record.toarray()
    np.testing.assert_array_equal(by_fit, by_record)


def test_numbers_where_there_are_no_names():
    model = od.SOE(random_state=0).fit(ROWS)
    assert model.names_ is None
    assert list(model.to_frame().index) == [0, 1, 2, 3]


def test_without_pandas_a_frame_is_an_arrow_table(monkeypatch):
    pa.array(pd.Series([0]))  # PyArrow looks for pandas once, and fails halfway in old versions
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    model = od.SOE(random_state=0).fit(ROWS)
    table = model.to_frame()
    assert table.column_names == ["object", "x1", "x2"]
    assert table[:2]["object"].to_pylist() == [0, 1]
    np.testing.assert_array_equal(table["x2"], model.embedding_[:, 1])


@pytest.mark.usual_data
@pytest.mark.parametrize("name", METHODS)
def test_a_clone_repeats_the_fit_and_a_pickle_keeps_it(name):
    model, X = fitted(name)
    X, others = X if isinstance(X, tuple) else (X, {})
    copy, again = clone(model), clone(model)
    assert copy.get_params() == model.get_params()
    restored = pickle.loads(pickle.dumps(copy.fit(X, **others)))
    again.fit(X, **others).fit(X, **others)
    kept = [key for key, value in vars(copy).items() if isinstance(value, np.ndarray)]
    if METHODS[name].is_kernel:
        np.testing.assert_array_equal(restored.kernel(), again.kernel())
    else:
        assert kept
    for key in kept:
        np.testing.assert_array_equal(getattr(restored, key), getattr(copy, key))
        np.testing.assert_array_equal(getattr(again, key), getattr(copy, key))


@pytest.mark.parametrize("name", list(METHODS))
def test_what_is_the_same_is_spelt_the_same(name):
    parameters = set(METHODS[name].load()().get_params())
    other_spellings = {"dimension", "n_dims", "n_iter", "n_threads", "regularization", "seed"}
    assert not parameters & other_spellings
    number = "max_dimensions" if METHODS[name].takes == "trials" else "n_components"
    assert METHODS[name].is_kernel or number in parameters


SCORED = [name for name in MAPS if METHODS[name].takes in ("comparisons", "people")]


@pytest.mark.parametrize("name", SCORED)
def test_a_tie_is_not_an_answer_that_holds_and_weights_count(name):
    model, X = fitted(name)
    model.fit(X)
    # on a line at 0, 1, 2, 3: the first row holds, the second ties, the third does not hold
    line = np.zeros((4, 2))
    line[:, 0] = np.arange(4)
    model.embedding_ = line
    if hasattr(model, "gram_"):
        model.gram_ = line @ line.T
    if hasattr(model, "embeddings_"):
        model.embeddings_ = np.array([line] * len(model.embeddings_))
    rows = [[0, 1, 2], [1, 0, 2], [0, 3, 1]]
    assert model.predict(rows).tolist() == [True, False, False]
    assert model.score(rows) == pytest.approx(1 / 3)
    assert model.score(rows, sample_weight=[2, 1, 1]) == pytest.approx(1 / 2)
    assert model.score(rows, sample_weight=[0, 1, 0]) == 0
    assert model.score(od.Comparisons(rows, weights=[3, 0, 1])) == pytest.approx(3 / 4)


SETTINGS = [
    -1, 0, 2.5, float("nan"), float("inf"), -float("inf"), "nonsense", "", [], {}, (), None, True,
    1e300, -1e300, 1e-300, 10**30, b"x", [[1, 2], [3]], object(),
]  # fmt: skip
"""Values that some parameters take and most refuse."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(data=st.data())
def test_parameters_of_estimators(name, data):
    model, X = fitted(name)
    known = model.get_params(deep=False)
    few = {"max_iter": 2, "n_draws": 8}
    model.set_params(**{key: number for key, number in few.items() if key in known})
    parameter = data.draw(st.sampled_from(sorted(known)))
    model.set_params(**{parameter: data.draw(st.sampled_from(SETTINGS))})
    with contextlib.suppress(od.InputError, TypeError):  # anything else ends the test
        X, others = X if isinstance(X, tuple) else (X, {})
        model.fit(X, **others)


def test_scikit_learn_passes_weights_on_as_asked():
    rng = np.random.default_rng(0)
    answers = od.sources.random_triplets(rng.normal(size=(12, 2)), 300, random_state=0)
    weights = rng.uniform(size=300)
    model = od.SOE(random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        asking = clone(model)
        given = {"cv": KFold(3), "params": {"sample_weight": weights}, "error_score": "raise"}
        routed = cross_val_score(asking, answers.rows, **given)
    fitted = [
        clone(model)
        .fit(answers.rows[train], sample_weight=weights[train])
        .score(answers.rows[test])
        for train, test in KFold(3).split(answers.rows)
    ]
    np.testing.assert_allclose(routed, fitted)


def test_parameters_of_an_estimator_inside_another():
    class Outer(BaseEstimator):
        def __init__(self, inner=None, size=1):
            self.inner = inner
            self.size = size

    outer = Outer(od.SOE(3), size=2)
    assert outer.get_params()["inner__n_components"] == 3
    assert own_clone(outer.set_params(inner__n_components=4)).inner.n_components == 4
    assert own_clone(outer).inner is not outer.inner
    assert repr(outer) == "Outer(inner=SOE(n_components=4), size=2)"
    with pytest.raises(ValueError, match="Invalid parameter 'sise'"):
        outer.set_params(sise=3)


def test_a_model_without_a_fit_says_so():
    with pytest.raises(NotFittedError, match="SOE instance is not fitted yet"):
        od.SOE().to_frame()
