"""A small soak: many fits in one process, and on several threads at once."""

import runpy
from pathlib import Path

import pytest

SOAK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "soak.py"))


@pytest.mark.filterwarnings("ignore")
def test_memory_does_not_grow_and_threads_agree():
    assert SOAK["grown"](40) < 1.2  # so few fits say little, but a leak of a record per fit shows
    assert SOAK["agree"](4)
