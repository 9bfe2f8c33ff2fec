"""Fits by the torch engine: as good as those of the CPU engine, on the CPU or on a GPU."""

import numpy as np
import pytest

import ordinate as od
from ordinate.engine.objective import make_objective
from ordinate.methods import load_method, names_of
from ordinate.sources import random_triplets
from ordinate.triplets import embedding, initialization

torch = pytest.importorskip("torch")

from ordinate.engine.torch_objective import TorchObjective  # noqa: E402

METHODS = [*map(load_method, names_of(is_comparable=True, has_device=True)), od.OrdinalEmbedding]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)


@pytest.fixture(autouse=True)
def torch_engine(monkeypatch):
    """Let ``device="cuda"`` mean the torch engine, on a GPU if there is one."""

    def make(comparisons, loss, parameters=(), *, device="cpu", n_threads=1):
        if device == "cpu" or torch.cuda.is_available():
            return make_objective(comparisons, loss, parameters, device=device)
        return TorchObjective(comparisons, loss, parameters, device="cpu")

    monkeypatch.setattr(embedding, "make_objective", make)
    monkeypatch.setattr(initialization, "make_objective", make)
    monkeypatch.setattr(embedding, "resolve_device", lambda device: device)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def noisy():
    points = np.random.default_rng(0).normal(size=(20, 2))
    triplets = random_triplets(points, 1000, random_state=1)
    wrong = np.random.default_rng(2).random(len(triplets)) < 0.15
    return od.Comparisons(triplets.rows, ~wrong)


@every_method
def test_fits_reach_the_loss_of_the_cpu_engine(method, noisy):
    settings = {"n_init": 3, "random_state": 0, "tol": 1e-5, "max_iter": 3000}
    here = method(**settings).fit(noisy)
    there = method(device="cuda", **settings).fit(noisy)
    assert there.loss_ <= 1.01 * here.loss_
    assert there.embedding_.dtype == np.float64
    assert there.history_[-1] == there.loss_
    assert there.score(noisy) > here.score(noisy) - 0.02


def test_a_start_on_the_device_is_as_good():
    points = np.random.default_rng(3).normal(size=(200, 2))
    triplets = random_triplets(points, 6000, random_state=4)
    for device in ("cpu", "cuda"):
        start = initialization.spectral_start(triplets, 2, np.random.default_rng(5), device=device)
        assert od.metrics.procrustes_distance(points, start) < 0.3


def test_tensors_are_taken_as_comparisons_and_as_a_start(noisy):
    generator = torch.Generator().manual_seed(0)
    rows, start = torch.tensor(noisy.rows), torch.randn(20, 2, generator=generator)
    from_tensors = od.STE(init=start, device="cuda").fit(rows)
    from_arrays = od.STE(init=start.numpy(), device="cuda").fit(noisy.rows)
    np.testing.assert_array_equal(from_tensors.embedding_, from_arrays.embedding_)
    assert isinstance(from_tensors.embedding_, np.ndarray)


def test_callback_and_progress_see_every_start(noisy, capsys):
    seen = []

    def callback(number, loss, points):
        seen.append(number)
        return number == 4

    model = od.TSTE(
        init="random", n_init=2, random_state=0, device="cuda", verbose=True, callback=callback
    )
    assert model.fit(noisy).n_iter_ == 4
    assert sorted(seen) == [1, 1, 2, 2, 3, 3, 4, 4]


def test_majorisation_stays_on_the_cpu(noisy):
    with pytest.raises(od.InputError, match=r"solver='majorize' runs on the CPU; got .*cuda"):
        od.SOE(solver="majorize", device="cuda").fit(noisy)
