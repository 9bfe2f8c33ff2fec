"""Shared parts of docstrings are filled in."""

import inspect

import pytest

import ordinate as od
from ordinate._estimator import sharing


@pytest.mark.parametrize("cls", [od.SOE, od.TETE, od.K1], ids=lambda cls: cls.__name__)
def test_nothing_is_left_to_fill_in(cls):
    document = inspect.getdoc(cls)
    assert "{shared}" not in document
    assert document.count("Attributes\n----------") == 1


def test_a_class_without_docstring_stays_so():
    bare = type("Bare", (), {})
    assert sharing("text")(bare).__doc__ is None
