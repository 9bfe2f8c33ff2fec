"""Every benchmark can be imported without the libraries that it compares with."""

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_a_script_can_be_imported(name, monkeypatch):
    if name in ("gpu", "published_steps"):
        pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(FOLDER))
    assert importlib.import_module(name).__doc__
