"""Every claim of a command, on a few sets in which there is nothing to find.

The table of claims, and how often each is made about many sets, is that of benchmarks/nulls.py.
"""

import importlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
nulls = importlib.import_module("nulls")
sys.path.pop(0)


@pytest.mark.usual_data
@pytest.mark.parametrize("name", [name for name, null in nulls.NULLS.items() if null.quick])
def test_nothing_is_claimed_about_noise(name):
    null = nulls.NULLS[name]
    assert nulls.count(name, null.quick) <= null.most(null.quick)


def test_the_bound_is_one_that_the_level_rarely_exceeds():
    null = nulls.NULLS["rank"]
    assert [null.most(n) for n in (2, 4, 40)] == [1, 1, 5]
