"""The benchmark of sparse dimensions: published steps learn, priors are right, a page is made."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import ordinate as od

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "dimensions.py"


@pytest.fixture(scope="module")
def benchmark():
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("dimensions_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usual_data
def test_published_steps_learn(benchmark):
    kinds = 2.5 * np.repeat(np.eye(3), 10, axis=0)
    trials = od.sources.random_trials(kinds, 1500, random_state=0)
    test = od.sources.random_trials(kinds, 1000, random_state=1)
    for steps, setting in ((benchmark.spose_steps, 1.0), (benchmark.vice_steps, 0.25)):
        assert benchmark.score(steps(trials, setting, batch=100), test) > 0.65


@pytest.mark.parametrize("name", ["reweighted", "squared"])
def test_priors_by_finite_differences(benchmark, name):
    prior = {"reweighted": benchmark.reweighted(2.0, 0.3), "squared": benchmark.squared(3.0)}[name]
    x = np.array([0.2, 0.5, 1.5])
    slope = approx_fprime(x, lambda point: prior(point)[0], 1e-7)
    np.testing.assert_allclose(prior(x)[1], slope, rtol=1e-4)


def test_the_page_shows_what_was_measured(benchmark):
    measured = json.loads(benchmark.MEASURED.read_text(encoding="utf-8"))
    assert set(measured) <= set(benchmark.SECTIONS)
    assert benchmark.PAGE.read_text(encoding="utf-8") == benchmark.page(measured)
