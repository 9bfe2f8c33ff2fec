"""Kernels by their definition, in loops, and the numbers that another program found."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

import ordinate as od

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="session")
def octave():
    return json.loads((DATA / "kernels_k1_k2.json").read_text())


def k1_features(rows, n_objects):
    """Entry (a, {i, j}) of the paper's definition for repeated and contradicting triplets."""
    count = Counter(map(tuple, np.asarray(rows).tolist()))
    features = np.zeros((n_objects, n_objects, n_objects))
    for a, i, j in np.ndindex(features.shape):
        yes, no = count[a, i, j], count[a, j, i]
        if i < j and yes + no:
            features[a, i, j] = (yes - no) / (yes + no)
    return unit_rows(features.reshape(n_objects, -1))


def k2_features(rows, n_objects):
    """Entry (a, (i, j)): i is nearer to a than to j."""
    count = Counter(map(tuple, np.asarray(rows).tolist()))
    features = np.zeros((n_objects, n_objects, n_objects))
    for a, i, j in np.ndindex(features.shape):
        yes, no = count[i, a, j], count[i, j, a]
        if yes + no:
            features[a, i, j] = (yes - no) / (yes + no)
    return unit_rows(features.reshape(n_objects, -1))


def unit_rows(features):
    norms = np.linalg.norm(features, axis=1, keepdims=True)
    return np.divide(features, norms, out=np.zeros_like(features), where=norms > 0)


@st.composite
def triplets(draw, most_objects=7):
    """Any triplets, repeated and contradicting ones among them."""
    n_objects = draw(st.integers(3, most_objects))
    row = st.permutations(range(n_objects)).map(lambda order: order[:3])
    return od.Comparisons(draw(st.lists(row, min_size=1, max_size=60)), n_objects=n_objects)
