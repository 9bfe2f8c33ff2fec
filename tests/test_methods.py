"""The table of methods agrees with the classes, with the public names and with the docs."""

import inspect
import re
from pathlib import Path

import pytest

import ordinate as od
from ordinate._estimator import BaseEstimator
from ordinate.methods import METHODS, load_method, names_of

DOCS = Path(__file__).parents[1] / "docs"
SCALES = {"Ranking", "DifferenceScale", "JudgeGroups"}
"""They make no map: verbs that do cannot offer them."""
NEEDS_A_LOSS = "OrdinalEmbedding"
"""The one estimator that is no method by itself: it waits for a function of one's own."""


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_row_says_what_the_class_takes(method):
    cls = method.load()
    assert cls is getattr(od, method.name, None) or cls is getattr(od.kernels, method.name)
    parameters = inspect.signature(cls).parameters
    assert method.has_device == ("device" in parameters)
    has_components = "n_components" in parameters or method.takes == "trials"
    assert method.is_kernel != has_components
    if method.takes == "comparisons":
        assert method.has_starts == ("n_init" in parameters)
    if method.is_comparable:
        assert {"n_components", "random_state", "n_jobs", "verbose"} <= set(parameters)
    assert method.summary.endswith(".")


def test_every_public_estimator_has_a_row():
    public = (getattr(od, name) for name in od.__all__)
    estimators = {
        thing.__name__
        for thing in public
        if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
    }
    assert estimators - {NEEDS_A_LOSS} - SCALES == set(METHODS)


def test_the_overview_of_the_docs_lists_every_method():
    page = (DOCS / "methods" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r":class:`~ordinate\.(\w+)`", page))
    assert listed - {NEEDS_A_LOSS} - SCALES == set(METHODS)


def test_a_name_without_the_capability_is_refused():
    assert load_method("SOE", is_comparable=True) is od.SOE
    with pytest.raises(od.InputError, match=r"method must be one of 'SOE', .*; got 'K1'"):
        load_method("K1", is_comparable=True)
    assert names_of(takes="graph") == ("LOE", "GraphTSTE", "GraphStress")
