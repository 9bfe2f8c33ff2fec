"""The table in the reference of what every estimator has, derived from the classes."""

import inspect
import re
from pathlib import Path

from sklearn.base import BaseEstimator

import ordinate as od

PAGE = Path(__file__).parents[1] / "docs" / "api" / "index.rst"


def estimators():
    public = {name: getattr(od, name) for name in od.__all__}
    return {
        name: kind
        for name, kind in public.items()
        if inspect.isclass(kind) and issubclass(kind, BaseEstimator)
    }


def test_the_table_says_what_estimators_have():
    table = PAGE.read_text().split("What every estimator has")[1]
    header = re.search(r":header: estimator, (.*)", table)[1].split(", ")
    written = [
        [entry.strip() for entry in line.split(",")]
        for line in table.splitlines()
        if line.startswith("   ") and ":" not in line
    ]
    expected = [
        [name, *("yes" if hasattr(kind, method) else "" for method in header)]
        for name, kind in sorted(estimators().items())
    ]
    assert written == expected
