"""Blocks of comparisons add up to the same sums, whatever their size and place."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import ordinate as od  # noqa: E402
from ordinate import losses  # noqa: E402
from ordinate.engine import torch_blocks  # noqa: E402
from ordinate.engine.torch_blocks import Blocks  # noqa: E402

DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()
TRIPLETS = od.Comparisons(
    [np.random.default_rng(seed).permutation(9)[:3] for seed in range(100)],
    weights=np.random.default_rng(0).random(100),
)


def total(blocks, device):
    points = torch.tensor(np.random.default_rng(1).normal(size=(2, 9, 2)), device=device)
    values, gradients = blocks.sum(points, losses.ste, (), torch.float64)
    return values.cpu().numpy(), gradients.cpu().numpy()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("resident", [False, True], ids=["streamed", "resident"])
@pytest.mark.parametrize("block_rows", [1, 7, 50, 100, 1000])
def test_sums_do_not_depend_on_the_blocks(device, resident, block_rows):
    whole = total(Blocks(TRIPLETS, "cpu", torch.float64, resident=True), "cpu")
    blocks = Blocks(TRIPLETS, device, torch.float64, resident=resident, block_rows=block_rows)
    for _ in range(2):  # a stream can be passed through again
        for ours, expected in zip(total(blocks, device), whole, strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


def test_sums_do_not_depend_on_how_much_is_done_at_once(monkeypatch):
    whole = total(Blocks(TRIPLETS, "cpu", torch.float64, resident=True), "cpu")
    monkeypatch.setattr(torch_blocks, "_NUMBERS_AT_ONCE", 300)
    parts = total(Blocks(TRIPLETS, "cpu", torch.float64, resident=True), "cpu")
    for ours, expected in zip(parts, whole, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


def test_the_record_is_not_changed():
    rows, weights = TRIPLETS.rows.copy(), TRIPLETS.weights.copy()
    total(Blocks(TRIPLETS, "cpu", torch.float64, resident=False), "cpu")
    np.testing.assert_array_equal(TRIPLETS.rows, rows)
    np.testing.assert_array_equal(TRIPLETS.weights, weights)
