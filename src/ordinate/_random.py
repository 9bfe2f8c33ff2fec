"""One way to turn `random_state` into a source of random numbers."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ordinate._checks import InputError

RandomState: TypeAlias = "int | np.random.Generator | np.random.RandomState | None"


def as_seed(random_state: RandomState | object) -> int:
    """Return a seed for several calls that shall see the same folds and starts."""
    rng = as_generator(random_state)
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(rng.integers(2**31))


def as_generator(random_state: RandomState | object) -> np.random.Generator:
    """Return a Generator: the one given, or a new one from the seed."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        seed = int(random_state)
        if seed >= 0:
            return np.random.default_rng(seed)
    raise InputError(
        f"random_state must be None, an integer >= 0 or a NumPy Generator; got {random_state!r}."
    )
