"""GraphTSTE in torch, beside a plain sum over draws; here torch is on the CPU."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import ordinate as od
from ordinate.graphs import graph_tste
from ordinate.graphs.choices import shares_of_edges
from ordinate.graphs.torch_choices import TorchChoices

torch = pytest.importorskip("torch")

N, N_OTHERS, SEED = 12, 9, 4
RNG = np.random.default_rng([3])
EDGES = RNG.integers(0, N, size=(20, 2))
GRAPH = od.NeighborGraph.from_edges(
    EDGES, directed=True, n_objects=N, weights=RNG.uniform(1, 3, size=20)
)
POINTS = RNG.standard_normal((N, 3))


def plain_loss(points):
    """Return the loss with the first draw of others, pair by pair."""
    order = np.random.Generator(np.random.PCG64(SEED)).permutation(N)  # as the library draws
    place = np.argsort(order)
    shifts = np.random.default_rng([SEED, 1]).integers(1, N, size=N_OTHERS)
    shares = shares_of_edges(GRAPH)
    kernels = 1 / (1 + np.square(points[:, None] - points).sum(axis=2))
    value = 0.0
    for i in range(N):
        edges = range(GRAPH.indptr[i], GRAPH.indptr[i + 1])
        near = set(GRAPH.indices[edges.start : edges.stop].tolist())
        others = [order[(place[i] + shift) % N] for shift in shifts]
        total = sum(kernels[i, other] for other in others if other not in near)
        for edge in edges:
            kernel = kernels[i, GRAPH.indices[edge]]
            value -= shares[edge] * np.log(kernel / (kernel + total)) / N
    return value


def choices(**given):
    return TorchChoices(GRAPH, **{"n_others": N_OTHERS, "seed": SEED, "device": "cpu"} | given)


def test_the_loss_and_its_gradient_are_those_of_a_plain_sum():
    run = choices()
    value, gradient = run(run.to_device(POINTS))
    assert float(value) == pytest.approx(plain_loss(POINTS), rel=1e-5)
    expected = approx_fprime(POINTS.ravel(), lambda x: plain_loss(x.reshape(POINTS.shape)))
    np.testing.assert_allclose(run.to_host(gradient).ravel(), N * expected, atol=1e-4)


def test_draws_change_and_repeat():
    run = choices()
    points = run.to_device(POINTS)
    first, second = (float(run(points)[0]) for _ in range(2))
    assert first != second
    assert float(choices()(points)[0]) == first
    assert run.judged(points) == choices().judged(points)


def test_a_fit_preserves_as_much_as_compiled_loops(monkeypatch):
    ring = [[i, (i + step) % 60] for i in range(60) for step in (1, 2, 3)]
    graph = od.NeighborGraph.from_edges([*ring, [0, 30], [10, 45]])
    monkeypatch.setattr(graph_tste, "cpu_or_cuda", lambda device, who: "cpu:0")
    model = od.GraphTSTE(random_state=np.random.default_rng([0]), device="cuda").fit(graph)
    assert model.converged_
    assert model.score(graph) > 0.8
    again = od.GraphTSTE(random_state=np.random.default_rng([0]), device="cuda").fit(graph)
    np.testing.assert_array_equal(again.embedding_, model.embedding_)
