"""Names of devices, and the sentences where there is none of a name."""

from types import SimpleNamespace

import pytest

import ordinate as od
from ordinate.engine import objective as devices
from ordinate.engine.objective import resolve_device


def fake_torch(n_cuda=0, *, mps=False):
    return SimpleNamespace(
        __version__="2.9",
        cuda=SimpleNamespace(is_available=lambda: n_cuda > 0, device_count=lambda: n_cuda),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps)),
    )


@pytest.fixture
def torch_is(monkeypatch):
    return lambda torch: monkeypatch.setattr(devices, "_torch", lambda: torch)


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "CPU", 0, None])
def test_other_names_are_refused(device):
    with pytest.raises(od.InputError, match=r'device must be "cpu", "cuda".*; got'):
        resolve_device(device)


@pytest.mark.parametrize("device", ["cuda", "cuda:1", "mps"])
def test_without_torch_the_command_to_install_it_is_given(torch_is, device):
    torch_is(None)
    with pytest.raises(od.InputError, match=r'pip install "ordinate\[gpu\]"'):
        resolve_device(device)


def test_without_a_gpu_the_cpu_is_proposed(torch_is):
    torch_is(fake_torch())
    with pytest.raises(od.InputError, match=r"PyTorch 2\.9 finds none.*device='cpu'"):
        resolve_device("cuda")
    with pytest.raises(od.InputError, match="needs an Apple GPU"):
        resolve_device("mps")


def test_a_number_beyond_the_gpus_is_refused(torch_is):
    torch_is(fake_torch(2))
    assert resolve_device("cuda:1") == "cuda:1"
    with pytest.raises(od.InputError, match=r"device='cuda:2' does not exist: .* cuda:0 to cuda:1"):
        resolve_device("cuda:2")


@pytest.mark.parametrize(
    ("torch", "expected"),
    [
        (None, "cpu"),
        (fake_torch(), "cpu"),
        (fake_torch(1), "cuda"),
        (fake_torch(mps=True), "mps"),
    ],
    ids=["no-torch", "no-gpu", "cuda", "mps"],
)
def test_auto_takes_a_gpu_if_there_is_one(torch_is, torch, expected):
    torch_is(torch)
    assert resolve_device("auto") == expected


def test_the_cpu_needs_no_torch(torch_is):
    torch_is(None)
    assert resolve_device("cpu") == "cpu"
