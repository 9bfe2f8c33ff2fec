"""Ordered sums: lists longer than a piece, objects without comparisons, losses of other kinds."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
if not torch.cuda.is_available():
    pytest.skip("there is no CUDA GPU", allow_module_level=True)

import ordinate as od  # noqa: E402
from ordinate import losses  # noqa: E402
from ordinate.engine import cpu  # noqa: E402
from ordinate.engine.torch_objective import TorchObjective  # noqa: E402
from ordinate.engine.torch_segments import _PIECE, Segments  # noqa: E402


def test_an_object_in_nearly_all_comparisons():
    rng = np.random.default_rng(0)
    others = rng.permuted(np.tile(np.arange(1, 60), (10 * _PIECE, 1)), axis=1)[:, :2]
    rows = od.Comparisons(np.column_stack([np.zeros(len(others), int), others]), n_objects=100)
    points = rng.normal(size=(100, 2))
    objective = TorchObjective(rows, losses.soe, [1.0], device="cuda", precision="float64")
    value, gradient = objective(points)
    expected, expected_gradient = cpu.Objective(rows, losses.soe, [1.0])(points)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(gradient[60:], 0.0)


def test_what_triton_cannot_compile_is_told():
    segments = Segments(od.Comparisons([[0, 1, 2]]), "cuda", torch.float32)

    def root(near2, far2):
        return np.cbrt(near2), near2, far2

    assert segments.compiles(losses.ste, (), 2)
    assert not segments.compiles(root, (), 2)
