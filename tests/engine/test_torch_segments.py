"""Ordered sums by Triton's kernels: on a GPU, or where there is none in Triton's interpreter."""

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu" and os.environ.get("TRITON_INTERPRET") != "1":
    pytest.skip("there is no CUDA GPU and TRITON_INTERPRET is not 1", allow_module_level=True)

import ordinate as od  # noqa: E402
from ordinate import losses  # noqa: E402
from ordinate.engine import cpu  # noqa: E402
from ordinate.engine.torch_segments import _PIECE, Segments  # noqa: E402

# The interpreter computes with NumPy, which warns of what lies beyond the end of a piece.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
RNG = np.random.default_rng(0)


def assert_agrees(rows, loss, parameters, points):
    """Compare sums in float64 with those of the CPU engine, start by start."""
    segments = Segments(rows, DEVICE, torch.float64)
    starts = torch.tensor(np.stack([points, 2.0 * points]), device=DEVICE)
    values, gradients = segments.sum(starts, loss, parameters, torch.float64)
    objective = cpu.CPUObjective(rows, loss, list(parameters))
    for start, value, gradient in zip(starts, values, gradients, strict=True):
        expected, expected_gradient = objective(start.cpu().numpy())
        assert value.item() == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(gradient.cpu(), expected_gradient, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("loss", "parameters"),
    [
        (losses.soe, (1.0,)),
        (losses.gnmds, ()),
        (losses.ckl, (0.05,)),
        (losses.ste, ()),
        (losses.tste, (1.0,)),
        (losses.tete, (1.5, 1.5)),
    ],
    ids=["soe", "gnmds", "ckl", "ste", "tste", "tete"],
)
@pytest.mark.parametrize("n_columns", [3, 4])
def test_every_loss_agrees_with_the_cpu_engine(loss, parameters, n_columns):
    rows = [RNG.permutation(5)[:n_columns] for _ in range(24)]
    weights = RNG.random(24) if n_columns == 4 else None
    comparisons = od.Comparisons(rows, n_objects=6, weights=weights)
    assert_agrees(comparisons, loss, parameters, RNG.normal(size=(6, n_columns)))


def test_objects_in_the_same_place():
    points = np.zeros((4, 2))
    points[3] = 1.0
    assert_agrees(od.Comparisons([[0, 1, 2], [0, 1, 3], [3, 2, 1]]), losses.soe, (1.0,), points)


def test_an_object_in_nearly_all_comparisons():
    others = RNG.permuted(np.tile(np.arange(1, 6), (2 * _PIECE + 9, 1)), axis=1)[:, :2]
    rows = od.Comparisons(np.column_stack([np.zeros(len(others), int), others]), n_objects=9)
    assert_agrees(rows, losses.soe, (1.0,), RNG.normal(size=(9, 2)))


def test_weights_of_each_object_in_each_role():
    rows = od.Comparisons([[0, 1, 2], [0, 2, 1]], weights=[1.0, 0.5])
    counted = Segments(rows, DEVICE, torch.float64).occurrences().cpu().numpy()
    np.testing.assert_array_equal(counted, [[1.5, 0, 0], [0, 1.0, 0.5], [0, 0.5, 1.0]])


@pytest.mark.skipif(DEVICE == "cpu", reason="the interpreter compiles nothing")
def test_what_triton_cannot_compile_is_reported():
    segments = Segments(od.Comparisons([[0, 1, 2]]), "cuda", torch.float32)

    def root(near2, far2):
        return np.cbrt(near2), near2, far2

    assert segments.compiles(losses.ste, (), 2)
    assert not segments.compiles(root, (), 2)
