"""WeightedTETE: scikit-learn's contract, what each parameter does, and the faults of its peers."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse import random as random_sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors
from sklearn.utils.estimator_checks import parametrize_with_checks

import ordinate as od
from ordinate.features import cpu_reduction, neighbor_search, weighted_tete
from ordinate.metrics import knn_overlap, nearest_neighbor_error, trustworthiness

pytestmark = pytest.mark.filterwarnings("ignore:WeightedTETE stopped after")


@parametrize_with_checks([od.WeightedTETE(max_iter=60)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(400, 12, centers=5, random_state=0)


@pytest.fixture(scope="module")
def fitted(blobs):
    return od.WeightedTETE(random_state=0).fit(blobs[0])


def test_classes_and_neighbours_stay_together(blobs, fitted):
    X, y = blobs
    assert nearest_neighbor_error(fitted.embedding_, y, n_neighbors=10) == 0
    assert trustworthiness(X, fitted.embedding_) > 0.9
    assert fitted.embedding_.dtype == np.float32
    assert fitted.history_[-1] < 0.5 * fitted.history_[0]
    np.testing.assert_allclose(fitted.embedding_.mean(axis=0), 0, atol=1e-4)


@pytest.mark.usual_data
def test_a_plane_in_many_dimensions_comes_back_as_it_is():
    rng = np.random.default_rng(0)
    plane = rng.uniform(size=(500, 2))
    X = plane @ np.linalg.qr(rng.normal(size=(10, 2)))[0].T
    Y = od.WeightedTETE(random_state=0).fit_transform(X)
    assert od.metrics.procrustes_distance(Y, plane) < 0.05


def test_the_seed_decides_and_threads_do_not(blobs):
    X, _ = blobs
    one, four = (
        od.WeightedTETE(random_state=3, n_jobs=n, max_iter=50).fit_transform(X) for n in (1, 4)
    )
    np.testing.assert_array_equal(one, four)
    other = od.WeightedTETE(random_state=4, max_iter=50).fit_transform(X)
    assert not np.array_equal(one, other)


def test_an_earlier_object_or_verbosity_leaves_no_trace(blobs):
    X, _ = blobs
    fresh = od.WeightedTETE(random_state=0, max_iter=30, verbose=True).fit_transform(X[:200])
    od.WeightedTETE(random_state=9)
    used = od.WeightedTETE(random_state=0, max_iter=30).fit(X)
    before = X.copy()
    np.testing.assert_array_equal(used.fit_transform(X[:200]), fresh)
    np.testing.assert_array_equal(X, before)
    assert used.transform(X[200:]).shape == (200, 2)


def test_fitted_rows_are_transformed_to_where_they_are(blobs, fitted):
    np.testing.assert_array_equal(fitted.transform(blobs[0]), fitted.embedding_)


def test_new_rows_join_their_class_whatever_else_is_asked_for(blobs, fitted):
    X, y = blobs
    new = X[:40] + np.random.default_rng(0).normal(scale=0.3, size=(40, X.shape[1]))
    together = fitted.transform(new)
    np.testing.assert_allclose(fitted.transform(new[7:9]), together[7:9], atol=1e-4)
    nearest = cdist(together, fitted.embedding_).argmin(axis=1)
    assert (y[nearest] == y[:40]).all()
    assert np.linalg.norm(together - fitted.embedding_[:40], axis=1).mean() < 0.3 * np.std(
        fitted.embedding_
    )


@pytest.mark.usual_data
def test_a_sphere_is_opened_and_not_flattened():
    sphere = od.datasets.make_sphere(600, random_state=0).points
    opened, flat = (
        od.WeightedTETE(random_state=0, margin=1, global_weight=weight).fit_transform(sphere)
        for weight in (4, 0)
    )
    assert trustworthiness(sphere, opened) > trustworthiness(sphere, flat) + 0.002
    triplets = od.sources.random_triplets(sphere, 20_000, random_state=0)
    assert od.metrics.triplet_accuracy(triplets, opened) > 0.8


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_neighbors": 5},
        {"global_weight": 0},
        {"metric": "cosine"},
        {"weights": "published"},
        {"max_iter": 29},
    ],
    ids=str,
)
def test_each_parameter_changes_the_map(blobs, parameters):
    usual = {"random_state": 0, "max_iter": 30}
    plain = od.WeightedTETE(**usual).fit_transform(blobs[0])
    assert not np.allclose(
        od.WeightedTETE(**(usual | parameters)).fit_transform(blobs[0]), plain, atol=1e-3
    )


def test_published_weights_bring_the_settings_of_the_paper():
    X = od.datasets.make_sphere(120, random_state=0).points
    short = od.WeightedTETE(weights="published", max_iter=50, random_state=0)
    spelt = {"n_neighbors": 20, "global_weight": 0, "margin": 1}
    found = short.fit_transform(X)
    np.testing.assert_array_equal(clone(short).set_params(**spelt).fit_transform(X), found)
    for name, other in {"n_neighbors": 10, "global_weight": 4, "margin": 4}.items():
        changed = clone(short).set_params(**{name: other}).fit_transform(X)
        assert not np.array_equal(changed, found), name
    # it begins at random, so near to one place that all triplets cost a half
    assert short.fit(X).history_[0] == pytest.approx(0.5, abs=1e-3)
    assert od.WeightedTETE(max_iter=1, global_weight=0).fit(X).history_[0] < 0.45


def test_sparse_features_give_the_map_of_dense_ones(blobs):
    X = np.maximum(blobs[0], 0)
    dense = od.WeightedTETE(random_state=0).fit(X)
    sparse = od.WeightedTETE(random_state=0).fit(csr_array(X))
    assert knn_overlap(dense.embedding_, sparse.embedding_, n_neighbors=20) > 0.5
    assert sparse.transform(csr_array(X[:3])).shape == (3, 2)


def test_many_sparse_features_are_reduced_first():
    rng = np.random.default_rng(0)
    X = csr_array(rng.random((300, 400)) * (rng.random((300, 400)) < 0.05))
    assert od.WeightedTETE(random_state=0, max_iter=20).fit_transform(X).shape == (300, 2)


def test_distances_and_neighbours_can_be_given(blobs):
    X, y = blobs
    model = od.WeightedTETE(metric="precomputed", random_state=0)
    distances = cdist(X, X)
    Y = model.fit_transform(distances)
    assert nearest_neighbor_error(Y, y, n_neighbors=10) == 0
    np.testing.assert_array_equal(model.transform(distances[:5]), Y[:5])
    graph = KNeighborsTransformer(n_neighbors=30).fit_transform(X)
    with pytest.raises(od.InputError, match="holds no distances of far pairs, which the global"):
        clone(model).set_params(global_weight=1).fit(graph)
    assert nearest_neighbor_error(clone(model).fit_transform(graph), y, n_neighbors=10) == 0
    graph_of_new = KNeighborsTransformer(n_neighbors=30).fit(X[:300])
    part = clone(model).set_params(max_iter=100, init=Y[:300])
    part.fit(graph_of_new.transform(X[:300]))
    new = part.transform(graph_of_new.transform(X[300:]))
    assert (y[:300][cdist(new, part.embedding_).argmin(axis=1)] == y[300:]).all()
    with pytest.raises(od.InputError, match="far pairs, which are not computed for"):
        clone(model).set_params(weights="published").fit(graph)


def test_more_dimensions_than_features():
    X = np.random.default_rng(0).normal(size=(60, 2))
    assert od.WeightedTETE(3, random_state=0, max_iter=20).fit_transform(X).shape == (60, 3)


def test_a_fit_continues_from_an_earlier_one(blobs):
    X, _ = blobs
    model = od.WeightedTETE(random_state=0, global_weight=0, margin=1, max_iter=10).fit(X)
    assert model.n_iter_ == len(model.history_) == 10
    again = clone(model).set_params(random_state=1, max_iter=200, init=model.embedding_)
    resumed = again.fit(X)
    assert resumed.history_[0] == pytest.approx(model.history_[-1], rel=0.2)
    assert resumed.history_[-1] < model.history_[-1]


def test_it_survives_pickling(blobs, fitted):
    copy = pickle.loads(pickle.dumps(fitted))
    new = blobs[0][:5] + 0.1
    np.testing.assert_array_equal(copy.transform(new), fitted.transform(new))


def test_some_identical_rows_do_not_break_it():
    X = np.repeat([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]], 25, axis=0)
    Y = od.WeightedTETE(random_state=0, max_iter=20).fit_transform(X)
    assert np.isfinite(Y).all()


@pytest.mark.parametrize(
    ("X", "init", "message"),
    [
        (np.ones((50, 3)), "auto", "All objects came out at one place: X is constant"),
        (np.arange(150.0).reshape(50, 3), np.zeros((50, 2)), "All objects came out at one place"),
        (np.arange(150.0).reshape(50, 3) * 1e-200, "auto", "All objects came out at one place"),
        (np.arange(150.0).reshape(50, 3) * 1e30, "auto", r"X reaches 1.49e\+32; beyond 1e\+15"),
    ],
    ids=["constant", "init", "small", "large"],
)
def test_a_map_of_one_place_is_refused(X, init, message):
    with pytest.raises(od.InputError, match=message):
        od.WeightedTETE(random_state=0, max_iter=20, init=init).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer >= 1; got 0"),
        ({"n_neighbors": 2.5}, r"n_neighbors must be an integer >= 1; got 2\.5"),
        ({"global_weight": -1}, r"global_weight must be a number in \[0, inf\); got -1"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1; got 0"),
        ({"weights": "log"}, "weights must be one of 'rank', 'published'; got 'log'"),
        ({"metric": "precomputed"}, r"X must be a square matrix; got shape \(400, 12\)"),
    ],
    ids=str,
)
def test_mistakes_are_explained(blobs, parameters, message):
    with pytest.raises(od.InputError, match=message):
        od.WeightedTETE(**parameters).fit(blobs[0])


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (np.zeros((400, 3)), "init has 3 columns; n_components is 2"),
        (np.full((400, 2), 1e300), r"init reaches 1e\+300; beyond 1e\+15"),
        (np.zeros((4, 2)), "init has 4 rows; expected 400"),
        ("pca", "init must be one of 'auto'; got 'pca'"),
    ],
    ids=["wide", "large", "short", "word"],
)
def test_a_start_that_does_not_fit_is_explained(blobs, init, message):
    with pytest.raises(od.InputError, match=message):
        od.WeightedTETE(max_iter=2, init=init).fit(blobs[0])


def test_rows_to_place_are_of_moderate_size_too(blobs, fitted):
    with pytest.raises(od.InputError, match=r"X reaches .*; beyond 1e\+15"):
        fitted.transform(blobs[0] * 1e25)


def test_more_neighbours_than_the_cells_of_a_search_hold(monkeypatch):
    monkeypatch.setattr(neighbor_search, "EXACT_LIMIT", 100)
    X = np.random.default_rng(0).normal(size=(1000, 10))
    model = od.WeightedTETE(n_neighbors=200, max_iter=3, random_state=0).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(X[:5] + 0.1)).all()


@pytest.mark.usual_data
def test_the_margin_keeps_neighbours_nearer(blobs):
    X, _ = blobs
    away = []
    for margin in (1.0, 8.0):
        model = od.WeightedTETE(margin=margin, random_state=0).fit(X)
        near = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(return_distance=False)
        gaps = model.embedding_[:, None] - model.embedding_[near]
        away.append(np.median(np.linalg.norm(gaps, axis=2)) / model.embedding_.std())
    assert away[1] < 0.85 * away[0]  # 2 seeds: .71 and .75
    for margin in (0.5, np.inf):
        with pytest.raises(od.InputError, match="margin must be a number in"):
            od.WeightedTETE(margin=margin).fit(X)


def test_strays_come_back_to_their_neighbours(blobs, monkeypatch):
    points = np.random.default_rng(0).normal(size=(50, 2))
    middles = points + 0.1
    points[3] += 1e4
    before = points.copy()
    weighted_tete.bring_back(points, middles)
    np.testing.assert_array_equal(points[3], middles[3])
    np.testing.assert_array_equal(np.delete(points, 3, axis=0), np.delete(before, 3, axis=0))
    calls, usual = [], cpu_reduction.ReductionObjective.__call__

    def counted(objective, points):
        calls.append("step")
        return usual(objective, points)

    monkeypatch.setattr(cpu_reduction.ReductionObjective, "__call__", counted)
    monkeypatch.setattr(cpu_reduction.CPUReduction, "loss", lambda *given: 0.0)
    monkeypatch.setattr(weighted_tete, "bring_back", lambda *given: calls.append("back"))
    od.WeightedTETE(max_iter=20, global_weight=0, random_state=0).fit(blobs[0])
    assert calls.index("back") == 14
    assert calls.count("back") == 1


def test_places_of_the_map_have_features_of_those_around(blobs, fitted):
    X, y = blobs
    np.testing.assert_allclose(fitted.inverse_transform(fitted.embedding_[:5]), X[:5], atol=1e-3)
    middles = np.array([fitted.embedding_[y == k].mean(axis=0) for k in range(5)])
    centers = np.array([X[y == k].mean(axis=0) for k in range(5)])
    found = fitted.inverse_transform(middles)
    np.testing.assert_array_equal(cdist(found, centers).argmin(axis=1), range(5))
    sparse = od.WeightedTETE(max_iter=60, random_state=0).fit(csr_array(X))
    np.testing.assert_allclose(sparse.inverse_transform(sparse.embedding_[:3]), X[:3], atol=1e-3)
    wide = np.hstack([X] * 10)
    model = od.WeightedTETE(max_iter=60, random_state=0).fit(wide)
    np.testing.assert_allclose(model.inverse_transform(model.embedding_[:3]), wide[:3], atol=1e-2)
    with pytest.raises(od.InputError, match="X has 3 columns; the map has 2"):
        fitted.inverse_transform(np.zeros((1, 3)))
    distances = od.WeightedTETE(metric="precomputed", max_iter=60).fit(cdist(X, X))
    with pytest.raises(od.InputError, match="no features to go back to"):
        distances.inverse_transform(np.zeros((1, 2)))


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
def test_fixed_objects_stay_where_they_were_put(blobs, monkeypatch, device):
    if device != "cpu":
        pytest.importorskip("torch")
    monkeypatch.setattr(weighted_tete, "cpu_or_cuda", lambda asked, who: device)
    X, y = blobs
    fixed = np.full((len(X), 2), np.nan)
    corners = np.array([[0, 0], [1000, 0], [1000, 1000], [0, 1000]])
    for corner, place in enumerate(corners):
        fixed[np.flatnonzero(y == corner)[:5]] = place + np.arange(5)[:, None]
    model = od.WeightedTETE(random_state=0, max_iter=200).fit(X, fixed=fixed)
    given = ~np.isnan(fixed[:, 0])
    np.testing.assert_array_equal(model.embedding_[given], fixed[given].astype(np.float32))
    middles = [np.median(model.embedding_[(y == corner) & ~given], axis=0) for corner in range(4)]
    np.testing.assert_array_equal(cdist(middles, corners).argmin(axis=1), range(4))
    free = np.flatnonzero(~given)[:20]
    near = model.transform(X[free] + 0.01)
    assert np.median(np.linalg.norm(near - model.embedding_[free], axis=1)) < 50


@pytest.mark.usual_data
def test_classes_draw_objects_together_as_much_as_asked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 8)), rng.integers(3, size=400).astype(str)
    X[:, 0] += 1.2 * y.astype(int)
    half = y.astype(object)
    half[::2] = None
    errors = []
    for weight, labels in ((0, y), (0.5, y), (1, y), (1, half)):
        model = od.WeightedTETE(target_weight=weight, random_state=0, max_iter=150)
        errors.append(nearest_neighbor_error(model.fit_transform(X, labels), y, n_neighbors=10))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.05
    assert errors[2] < errors[3] < errors[0]


@pytest.mark.parametrize(
    ("y", "given", "message"),
    [
        (None, {}, "A target_weight above 0 needs the classes y"),
        (np.zeros(3), {}, r"y must have one class per object, shape \(400,\); got shape \(3,\)"),
        (np.arange(400.0), {}, "y has 400 different values for 400 objects"),
        (np.zeros(400), {"weights": "published"}, "target_weight needs weights='rank'"),
        (np.zeros(400), {"target_weight": 2}, r"target_weight must be a number in \[0, 1\]; got 2"),
    ],
    ids=["none", "short", "numbers", "paper", "large"],
)
def test_mistakes_about_classes_are_explained(blobs, y, given, message):
    with pytest.raises(od.InputError, match=message):
        od.WeightedTETE(**({"target_weight": 0.5} | given)).fit(blobs[0], y)


@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_rows_are_added_to_a_map_that_stays(blobs, kind):
    X, y = blobs
    model = od.WeightedTETE(random_state=0, max_iter=200)
    before = model.partial_fit(kind(X[:200])).embedding_
    for rows in (slice(200, 300), slice(300, 400)):
        model.partial_fit(kind(X[rows]))
    np.testing.assert_array_equal(model.embedding_[:200], before)
    assert nearest_neighbor_error(model.embedding_, y, n_neighbors=10) == 0
    np.testing.assert_array_equal(model.transform(kind(X[250:252])), model.embedding_[250:252])
    # a class that comes later is not put into those that are there
    late = od.WeightedTETE(random_state=0, max_iter=200).fit(kind(X[y != 0]))
    late.partial_fit(kind(X[y == 0]))
    classes = np.concatenate([y[y != 0], y[y == 0]])
    assert nearest_neighbor_error(late.embedding_, classes, n_neighbors=5) < 0.05


def test_rows_are_not_added_to_distances_and_names_are_kept(blobs):
    X, _ = blobs
    distances = od.WeightedTETE(metric="precomputed", max_iter=20).fit(cdist(X, X))
    with pytest.raises(od.InputError, match="cannot be added to a fit of distances"):
        distances.partial_fit(cdist(X, X))
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, index=[f"o{i}" for i in range(400)])
    model = od.WeightedTETE(max_iter=20, random_state=0).fit(frame[:300]).partial_fit(frame[300:])
    assert model.names_ == tuple(frame.index)


def test_sparse_features_are_never_made_dense():
    features = csr_array(random_sparse(2000, 20_000, density=5e-4, random_state=0))
    features.data += 1
    tracemalloc.start()
    model = od.WeightedTETE(random_state=0, max_iter=5).fit(features)
    model.transform(features[:50])
    model.partial_fit(features[:50])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 0.3 * features.shape[0] * features.shape[1] * 8


def test_comparisons_are_not_features():
    answers = od.Comparisons([[0, 1, 2], [1, 2, 0], [2, 0, 1], [3, 0, 1]])
    with pytest.raises(od.InputError, match="one row of numbers per object; got Comparisons"):
        od.WeightedTETE().fit(answers)
    with pytest.raises(od.InputError, match="The answers come first"):
        od.FeatureEmbedding().fit(answers, answers)
