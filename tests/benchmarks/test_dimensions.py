"""The benchmark of sparse dimensions: published steps learn, priors are right, a page is made."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import ordinate as od

FOLDER = Path(__file__).parents[2] / "benchmarks"


def load(name):
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def benchmark():
    return load("dimensions")


def test_published_steps_learn():
    pytest.importorskip("torch")
    steps = load("published_steps")
    steps.N_OBJECTS, steps.N_DIMENSIONS, steps.RATE = 30, 10, 0.01
    kinds = 2.5 * np.repeat(np.eye(3), 10, axis=0)
    trials = od.sources.random_trials(kinds, 1500, random_state=0).rows
    test = od.sources.random_trials(kinds, 1000, random_state=1).rows
    for method, setting in ((steps.SPoSE, 0.1), (steps.VICE, (0.25, 1.0))):
        method.settings = (setting,)
        (_, accuracy) = steps.fit(method, [trials], [test], 16, "cpu")[-1]
        assert accuracy[0, 0] > 0.65


@pytest.mark.parametrize("name", ["reweighted", "squared", "spike_and_slab"])
def test_priors_by_finite_differences(benchmark, name):
    settings = {"reweighted": (2.0, 0.3), "squared": (3.0,), "spike_and_slab": (0.2, 1.0)}
    prior = getattr(benchmark, name)(*settings[name])
    x = np.array([0.2, 0.5, 1.5])
    slope = approx_fprime(x, lambda point: prior(point)[0], 1e-7)
    np.testing.assert_allclose(prior(x)[1], slope, rtol=1e-4)


def test_the_page_shows_what_was_measured(benchmark):
    measured = json.loads(benchmark.MEASURED.read_text(encoding="utf-8"))
    assert set(measured) == {part for parts in benchmark.SECTIONS.values() for part in parts}
    assert benchmark.PAGE.read_text(encoding="utf-8") == benchmark.page(measured)
