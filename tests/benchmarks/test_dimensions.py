"""The benchmark of sparse dimensions: published steps learn, priors are right, a page is made."""

import importlib.util
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


def test_page(benchmark):
    row = {"chosen": 0, "accuracy": 0.5, "dimensions": 5, "nonzero": 0.1}
    share = {
        **{"share": 1.0, "trials": 59_000, "test": 6_000, "SPoSE": 0.5, "VICE": 0.5},
        **{"SparseDimensions": 0.56, "penalty": [0.2, 9.0], "dimensions": 6, "seconds": 9.0},
    }
    found = {
        "when": "1 May 2026",
        "machine": "2 cores",
        "priors": {"L1": [row]},
        "shares": {
            **{"rows": [share], "features": 0.5, "published": 0.64},
            "ceiling": {"n_questions": 400, "lower": 0.6, "upper": 0.7},
        },
        "planted": [
            {
                **{"trials": 10**6, "penalty": [3.0, 10.0], "accuracy": 0.63, "of truth": 0.64},
                **{"dimensions": 50, "above .8": 30, "above .9": 20, "planted": 49},
                "CPU seconds": 60,
            }
        ],
        "speed": {
            **{"trials": 10**6, "dimensions": 100, "trials per CPU-second": 8_000_000},
            **{"fit seconds": 20.0, "iterations": 150},
            "of steps": {"SPoSE": 60_000, "VICE": 15_000},
        },
    }
    page = benchmark.page(found)
    assert "8,000,000 trials per processor second" in page
    assert "**0.560**" in page
