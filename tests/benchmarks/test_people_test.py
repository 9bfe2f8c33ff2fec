"""The simulation of the test whether people differ: its designs, one small run and its page."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "people_test.py"


@pytest.fixture(scope="module")
def simulation():
    spec = importlib.util.spec_from_file_location("people_test", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_designs_are_studies_of_several_people(simulation):
    for design in (simulation.ALIKE | simulation.DIFFERENT).values():
        answers = design(np.random.default_rng(0))
        assert len(np.unique(answers.groups["participant"])) >= 6


@pytest.mark.usual_data
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_planted_groups_are_found_and_noise_is_not(simulation):
    """Twenty people, 1,200 answers; some who nearly guess, or axes of 1.8 : 0.4 beside 1 : 1."""
    noisy = simulation.ALIKE["noise .1 and 3, 20 people"]
    groups = simulation.DIFFERENT["two groups, 1.8 : 0.4 and 1 : 1"]
    found = [
        [simulation.tested(design(np.random.default_rng(seed)), 0) for seed in (1, 2, 3)]
        for design in (noisy, groups)
    ]
    for test in ("weights", "places"):
        assert sum(p[test] <= 0.05 for p in found[0]) <= 1
    assert sum(p["weights"] <= 0.05 for p in found[1]) >= 2


def test_the_page_has_a_row_per_design(simulation, tmp_path, monkeypatch):
    lines = [
        {"design": design, "draw": 0, "weights": p, "places": 1.0, "seconds": 0.1}
        for design, p in (("all alike", 0.5), ("two groups, 30 answers each", 0.01))
    ]
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(simulation, "PAGE", tmp_path / "page.rst")
    simulation.page(path)
    page = (tmp_path / "page.rst").read_text()
    assert "   * - all alike\n     - 1\n     - 0.0 % (0.0 to 79.3)" in page
    assert "   * - two groups, 30 answers each\n     - 1\n     - 100.0 % (20.7 to 100.0)" in page
