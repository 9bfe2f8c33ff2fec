import inspect
import pkgutil
import runpy
from pathlib import Path

import numpy as np
import pytest

from ordinate import InputError, verbs
from ordinate._random import as_generator

VERBS = {"ordinate.analysis.analyze", "ordinate.analysis.people"} | {
    info.name for info in pkgutil.iter_modules(verbs.__path__, "ordinate.verbs.")
}


def draw(random_state):
    return as_generator(random_state).integers(2**60, size=4).tolist()


def test_same_seed_same_numbers():
    assert draw(3) == draw(3) == draw(np.int64(3))
    assert draw(3) != draw(4)


def test_a_generator_is_used_and_advanced():
    rng = np.random.default_rng(0)
    assert as_generator(rng) is rng
    assert draw(rng) != draw(rng)


def test_an_old_random_state_is_advanced():
    state = np.random.RandomState(0)
    first = draw(state)
    assert first == draw(np.random.RandomState(0))
    assert first != draw(state)


def test_none_gives_new_numbers():
    assert draw(None) != draw(None)


@pytest.mark.parametrize("wrong", [-1, 1.5, "0", True])
def test_bad_seeds_are_refused(wrong):
    with pytest.raises(InputError, match="random_state must be None, an integer >= 0 or a NumPy"):
        as_generator(wrong)


def test_the_default_is_none_but_for_data_sets_and_verbs():
    names = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "_ext" / "public_names.py"))
    checked = 0
    for name in names["public_names"]():
        thing = pkgutil.resolve_name(name)
        is_error = inspect.isclass(thing) and issubclass(thing, BaseException)
        if is_error or not callable(thing):
            continue
        given = inspect.signature(thing).parameters.get("random_state")
        if given is None:
            continue
        # the same at each call, and a verb's function as the command
        is_repeated = ".load_" in name or thing.__module__ in VERBS
        assert given.default == (0 if is_repeated else None), name
        checked += 1
    assert checked > 40
