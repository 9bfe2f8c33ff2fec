"""Elementary functions of kernels, and binding: the kernels' sums are tested by the engine."""

from __future__ import annotations

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")

from ordinate import losses  # noqa: E402
from ordinate.engine import triton_kernels  # noqa: E402


def test_binding_leaves_the_function_alone_and_happens_once():
    assert triton_kernels.jit(losses.soe) is triton_kernels.jit(losses.soe)
    assert losses.np is np
    assert triton_kernels.tl is None


tl = None  # as in the file under test, bound when a kernel is compiled


def apply_to_all(x, out, SIZE: tl.constexpr):
    places = tl.arange(0, SIZE)
    numbers = tl.load(x + places)
    tl.store(out + places, np.expm1(numbers))
    tl.store(out + SIZE + places, np.log1p(numbers))


DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.mark.skipif(
    DEVICE == "cpu" and os.environ.get("TRITON_INTERPRET") != "1",
    reason="there is no CUDA GPU and TRITON_INTERPRET is not 1",
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the interpreter computes with NumPy
@pytest.mark.parametrize("number", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_expm1_and_log1p_are_exact_near_zero(number):
    x = torch.logspace(-20, 1.5, 64, dtype=number, device=DEVICE)
    x[::2] *= -1
    x.clamp_(min=-0.99)
    out = torch.empty((2, 64), dtype=number, device=DEVICE)
    triton_kernels.jit(apply_to_all)[(1,)](x, out, SIZE=64)
    tolerance = 1e-6 if number == torch.float32 else 1e-14
    numbers = x.double().cpu().numpy()
    np.testing.assert_allclose(out[0].cpu(), np.expm1(numbers), rtol=10 * tolerance)
    np.testing.assert_allclose(out[1].cpu(), np.log1p(numbers), rtol=tolerance)
