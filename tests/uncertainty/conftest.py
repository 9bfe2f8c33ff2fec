import numpy as np
import pytest

import ordinate as od
from ordinate.engine.distances import squared_distances


def observe(points, n_answers, rng, *, sharpness=1.0, lapse=0.0, **settings):
    """Answers of a simulated observer to random questions."""
    n = len(points)
    rows = np.array([rng.choice(n, 3, replace=False) for _ in range(n_answers)])
    near2, far2 = squared_distances(points, rows)
    chance = lapse / 2 + (1 - lapse) / (1 + np.exp(sharpness * (near2 - far2)))
    return od.Comparisons(rows, rng.random(n_answers) < chance, n_objects=n, **settings)


@pytest.fixture(scope="session")
def case():
    """True points, answers and a map."""
    rng = np.random.default_rng(0)
    points = np.random.default_rng([0]).standard_normal(
        (12, 2)
    )  # far outliers would be a study apart
    names = [f"object {number}" for number in range(12)]
    answers = observe(points, 600, rng, names=names, groups={"participant": np.arange(600) % 20})
    return points, answers, od.STE(2, random_state=0).fit(answers)


@pytest.fixture(scope="session")
def sure(case):
    _, answers, model = case
    return od.map_uncertainty(model, answers, n_draws=60, random_state=0)
