"""The torch engine against the CPU engine: every loss, ordinary and extreme coordinates."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import ordinate as od  # noqa: E402
from ordinate import losses  # noqa: E402
from ordinate.engine import cpu  # noqa: E402
from ordinate.engine.torch_blocks import Blocks  # noqa: E402
from ordinate.engine.torch_objective import TorchObjective  # noqa: E402

CASES = [
    (losses.soe, (1.0,)),
    (losses.gnmds, ()),
    (losses.ckl, (0.05,)),
    (losses.ste, ()),
    (losses.ste_with_lapses, (0.2,)),
    (losses.tste, (1.0,)),
    (losses.tete, (1.5, 1.5)),
    (losses.tete, (1.0, 1.0)),
]
IDS = ["soe", "gnmds", "ckl", "ste", "lapses", "tste", "tete", "tete-1-1"]
every_loss = pytest.mark.parametrize(("loss", "parameters"), CASES, ids=IDS)

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU")
ENGINES = {"cpu": {"device": "cpu", "block_rows": 70}}
if torch.cuda.is_available():
    ENGINES |= {
        "cuda": {"device": "cuda"},
        "cuda-blocks": {"device": "cuda", "memory": 2**14},
        "cuda-streamed": {"device": "cuda", "memory": 0, "block_rows": 70},
    }
every_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}
both_precisions = pytest.mark.parametrize("precision", TOLERANCE)


@pytest.fixture(autouse=True)
def one_thread():
    """Small tensors gain nothing from threads, and waking them on a busy machine takes long."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def comparisons(n_columns, *, weighted=False, n_objects=15, n_rows=240):
    rng = np.random.default_rng(n_columns)
    rows = [rng.permutation(n_objects)[:n_columns] for _ in range(n_rows)]
    return od.Comparisons(
        rows, n_objects=n_objects + 1, weights=rng.random(n_rows) if weighted else None
    )


def assert_agrees(rows, loss, parameters, points, precision, engine):
    value, gradient = TorchObjective(rows, loss, parameters, precision=precision, **engine)(points)
    expected, expected_gradient = cpu.CPUObjective(rows, loss, parameters)(points)
    tolerance = TOLERANCE[precision]
    assert value == pytest.approx(expected, rel=tolerance)
    error = np.linalg.norm(gradient - expected_gradient)
    assert error <= tolerance * np.linalg.norm(expected_gradient)


@every_loss
@every_engine
@both_precisions
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("n_columns", [3, 4], ids=["triplets", "quadruplets"])
def test_agrees_with_the_cpu_engine(loss, parameters, engine, precision, weighted, n_columns):
    rows = comparisons(n_columns, weighted=weighted)
    points = np.random.default_rng(0).normal(size=(16, 2))
    assert_agrees(rows, loss, parameters, points, precision, engine)


@every_engine
@both_precisions
@pytest.mark.parametrize("dimension", [1, 3, 10, 40])
def test_agrees_in_other_dimensions(engine, precision, dimension):
    points = np.random.default_rng(0).normal(size=(16, dimension))
    assert_agrees(comparisons(3), losses.soe, (1.0,), points, precision, engine)


@every_loss
@every_engine
@both_precisions
@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e3, 1e6])
def test_agrees_on_tiny_and_huge_maps(loss, parameters, engine, precision, scale):
    points = scale * np.random.default_rng(1).normal(size=(16, 2))
    assert_agrees(comparisons(3), loss, parameters, points, precision, engine)


@every_loss
@every_engine
@both_precisions
def test_agrees_where_points_coincide(loss, parameters, engine, precision):
    points = np.random.default_rng(2).normal(size=(16, 2))
    points[:6] = points[6:12]
    assert_agrees(comparisons(3), loss, parameters, points, precision, engine)
    assert_agrees(comparisons(3), loss, parameters, np.zeros((16, 2)), precision, engine)


@every_engine
def test_float32_does_not_mind_where_the_map_lies(engine):
    points = np.random.default_rng(3).normal(size=(16, 2)) + 1e6
    assert_agrees(comparisons(3), losses.ste, (), points, "float32", engine)


@every_engine
def test_a_batch_is_its_members(engine):
    objective = TorchObjective(comparisons(4, weighted=True), losses.ckl, (0.05,), **engine)
    points = np.random.default_rng(4).normal(size=(5, 16, 3))
    values, gradients = objective.evaluate(objective.tensor(points))
    for number in range(5):
        value, gradient = objective(points[number])
        assert float(values[number]) == pytest.approx(value, rel=1e-6)
        np.testing.assert_allclose(gradients[number].cpu(), gradient, rtol=1e-4, atol=1e-5)


@every_engine
def test_parameters_can_change(engine):
    rows = comparisons(3)
    points = np.random.default_rng(5).normal(size=(16, 2))
    objective = TorchObjective(rows, losses.soe, [1.0], precision="float64", **engine)
    other = objective.with_parameters([2.0])
    assert other(points)[0] == pytest.approx(cpu.CPUObjective(rows, losses.soe, [2.0])(points)[0])
    assert objective(points)[0] == pytest.approx(
        cpu.CPUObjective(rows, losses.soe, [1.0])(points)[0]
    )


@every_engine
def test_a_loss_of_your_own(engine):
    shape = 2.0

    def mine(near2, far2, strength):
        gap = np.minimum(near2 - far2, np.log(1e6))
        value = np.exp(strength * gap / shape)
        slope = np.where(near2 - far2 < np.log(1e6), strength / shape * value, 0.0)
        return value, slope, -slope

    points = np.random.default_rng(6).normal(size=(16, 2))
    assert_agrees(comparisons(3), mine, (0.7,), points, "float64", engine)


@every_engine
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_occurrences_are_counted_by_column(engine, weighted):
    rows = comparisons(4, weighted=weighted)
    counts = TorchObjective(rows, losses.ste, **engine).occurrences()
    expected = [np.bincount(column, rows.weights, minlength=16) for column in rows.rows.T]
    np.testing.assert_allclose(counts, expected, rtol=1e-6)


def test_a_loss_must_be_a_function():
    with pytest.raises(od.InputError, match="plain Python function"):
        TorchObjective(comparisons(3), np.exp, device="cpu")


def test_points_of_the_wrong_number_are_refused():
    with pytest.raises(od.InputError, match="points has 2 rows; expected 16"):
        TorchObjective(comparisons(3), losses.ste, device="cpu")(np.zeros((2, 2)))


@needs_cuda
def test_ordered_sums_have_the_same_bits_in_every_run():
    rng = np.random.default_rng(7)
    rows = od.Comparisons(rng.permuted(np.tile(np.arange(40), (20_000, 1)), axis=1)[:, :3])
    points = rng.normal(size=(40, 2))
    objective = TorchObjective(rows, losses.soe, [1.0], device="cuda")
    assert not isinstance(objective._sums, Blocks)
    value, gradient = objective(points)
    for _ in range(5):
        again = TorchObjective(rows, losses.soe, [1.0], device="cuda")(points)
        assert again[0] == value
        np.testing.assert_array_equal(again[1], gradient)


@needs_cuda
def test_starts_that_do_not_fit_go_in_several_batches(monkeypatch):
    monkeypatch.setattr("ordinate.engine.torch_objective._BYTES_PER_COORDINATE", 2**31)
    objective = TorchObjective(comparisons(3), losses.ste, device="cuda")
    batches = list(objective.batches([np.zeros((16, 2))] * 9))
    assert len(batches) > 1
    assert sum(len(batch) for batch in batches) == 9
