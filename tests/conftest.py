"""Points and triplets that several tests of estimators use."""

import json
from pathlib import Path

import numpy as np
import pytest

from ordinate.sources import random_triplets


@pytest.fixture(scope="session")
def points():
    return np.random.default_rng(0).normal(size=(20, 2))


@pytest.fixture(scope="session")
def triplets(points):
    return random_triplets(points, 1500, random_state=1)


@pytest.fixture(scope="session")
def fixture():
    """Numbers of independent implementations; the file says whose."""
    path = Path(__file__).parent / "data" / "triplet_losses.json"
    return json.loads(path.read_text())
