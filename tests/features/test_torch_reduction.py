"""WeightedTETE in torch, beside the compiled loops; here torch is on the CPU."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits

import ordinate as od
from ordinate.features import weighted_tete
from ordinate.features.objective import MarginSchedule, ReductionObjective, WeightedTriplets
from ordinate.features.torch_reduction import LargePictureLoss, NeighborLoss, TorchReduction
from ordinate.features.triplets import split_by_distance

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:WeightedTETE stopped after")

N, M = 50, 4
SHIFTS = np.array([[3, 17], [1, 40]])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def on_torch(monkeypatch):
    monkeypatch.setattr(weighted_tete, "cpu_or_cuda", lambda device, who: "cpu:0")


def further(shifts):
    return ((np.arange(N)[:, None] + shifts) % N).astype(np.int32)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_neighbours_and_outliers_cost_what_compiled_loops_say(rng, n_components):
    neighbors = rng.integers(N, size=(N, M)).astype(np.int32)
    weights = rng.random((N, M), dtype=np.float32)
    schedule = MarginSchedule(5, 2)
    loss = NeighborLoss(torch.tensor(neighbors).long(), torch.tensor(weights), SHIFTS, schedule)
    points = rng.normal(size=(N, n_components)).astype(np.float32)
    for shifts, margin in zip(SHIFTS, (1.0, 1 + 4 * 0.5 / 0.6), strict=True):
        triplets = WeightedTriplets(neighbors, weights, 2, further(shifts))
        expected, slopes = ReductionObjective(triplets, margin=margin)(points)
        value, gradient = loss(torch.tensor(points))
        assert float(value) == pytest.approx(expected, rel=1e-5)
        np.testing.assert_allclose(gradient, slopes, atol=1e-5)
    triplets = WeightedTriplets(neighbors, weights, 2, further(SHIFTS[0]))
    expected, _ = ReductionObjective(triplets, margin=schedule.last)(points)
    assert float(loss.value(torch.tensor(points))) == pytest.approx(expected, rel=1e-5)


def test_the_large_picture_costs_what_compiled_loops_say(rng):
    X, shifts = rng.normal(size=(N, 5)), np.array([3, 17, 1, 40, 22, 9])
    drawn = further(shifts)
    distances = np.linalg.norm(X[:, None] - X[drawn], axis=2).astype(np.float32)
    nearer, farther, contrasts = split_by_distance(drawn, distances)
    weights = np.repeat(contrasts[:, None] ** 3, 3, axis=1)
    points = rng.normal(size=(N, 2)).astype(np.float32)
    expected, slopes = ReductionObjective(WeightedTriplets(nearer, weights, 3, farther))(points)
    loss = LargePictureLoss(torch.tensor(X), shifts)
    value, gradient = loss(torch.tensor(points))
    assert loss.mean_weight == pytest.approx(weights.mean(), rel=1e-5)
    assert float(value) == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(gradient, slopes, atol=1e-5)


def test_rows_come_back_in_their_order(rng):
    triplets = WeightedTriplets(further([1]), np.ones((N, 1), np.float32), 2)
    X = rng.normal(size=(N, 3)).astype(np.float32)
    settings = {
        "margin": MarginSchedule(1),
        "global_weight": 0,
        "max_iter": 2,
        "seed": 0,
        "device": "cpu",
    }
    run = TorchReduction(X, triplets, **settings)
    there = run.there(X)
    assert not np.array_equal(there, X)
    np.testing.assert_array_equal(run.back(there), X)
    np.testing.assert_array_equal(run.back(run.middles(there)), np.roll(X, -1, axis=0))


def test_maps_are_as_good_as_those_of_compiled_loops(on_torch):
    X, y = load_digits(return_X_y=True)
    X, y = X[::2], y[::2]
    model = od.WeightedTETE(random_state=0).fit(X)
    quality = od.metrics.map_quality(X, model.embedding_, y, random_state=0)
    # compiled loops, 5 seeds: 10-NN .968 to .972, trustworthiness .985 to .989, triplets .697 to
    # .708, global score .921 to .934; torch, 3 seeds: .966 to .976,
    # .985 to .988, .699 to .706, .922 to .929
    assert quality.accuracy_10 > 0.955
    assert quality.trustworthiness > 0.98
    assert quality.triplets > 0.685
    assert quality.global_score > 0.905
    np.testing.assert_array_equal(model.transform(X[:5]), model.embedding_[:5])


def test_the_seed_decides(on_torch, rng):
    X = rng.normal(size=(100, 5))
    maps = [od.WeightedTETE(random_state=s, max_iter=20).fit_transform(X) for s in (3, 3, 4)]
    np.testing.assert_array_equal(maps[0], maps[1])
    assert not np.allclose(maps[0], maps[2], atol=0.1)


def test_wide_and_sparse_features_and_a_start(on_torch, rng):
    X = rng.normal(size=(150, 200)) * (rng.random((150, 200)) < 0.2)
    for given in (X, csr_array(X), csr_array(X[:, :20])):
        model = od.WeightedTETE(max_iter=8, random_state=0, verbose=True).fit(given)
        assert model.n_iter_ == 8
        assert model.transform(given[:3]).shape == (3, 2)
        start = {"init": 100 * model.embedding_, "global_weight": 0, "margin": 1}
        on = od.WeightedTETE(max_iter=1, random_state=0, **start).fit(given)
        np.testing.assert_allclose(on.embedding_, 100 * model.embedding_, atol=10)


def test_directions_are_compared_on_a_device(monkeypatch, rng):
    monkeypatch.setattr(weighted_tete, "cpu_or_cuda", lambda device, who: "cpu:0")
    angles = rng.uniform(0, 6, size=300)
    X = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(1, 9, size=(300, 1))
    found = od.WeightedTETE(metric="cosine", random_state=0).fit_transform(X)
    assert od.metrics.trustworthiness(angles[:, None], found) > 0.99


def test_what_a_gpu_does_not_take(monkeypatch, rng):
    X = rng.normal(size=(20, 3))
    if not torch.cuda.is_available():
        with pytest.raises(od.InputError, match="needs a CUDA GPU"):
            od.WeightedTETE(device="cuda").fit(X)
    monkeypatch.setattr(weighted_tete, "cpu_or_cuda", lambda device, who: "cuda")
    for given in ({"metric": "manhattan"}, {"weights": "published"}):
        with pytest.raises(od.InputError, match="On a GPU WeightedTETE takes the metrics"):
            od.WeightedTETE(device="cuda", **given).fit(X)
    monkeypatch.setattr(weighted_tete, "cpu_or_cuda", lambda device, who: "cpu:0")
    sparse = csr_array(np.eye(150))
    with pytest.raises(od.InputError, match="sparse matrices of more than 100 features take"):
        od.WeightedTETE(device="cuda", metric="cosine").fit(sparse)
    monkeypatch.undo()
    monkeypatch.setattr("ordinate.engine.objective.resolve_device", lambda device: "mps")
    with pytest.raises(od.InputError, match='runs on "cpu" or "cuda"; got device=\'mps\''):
        od.WeightedTETE(device="mps").fit(X)
    assert od.WeightedTETE(device="auto", max_iter=2).fit(X).embedding_.shape == (20, 2)
