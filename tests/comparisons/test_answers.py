"""How estimators write answers, and which objects they know."""

import pytest

import ordinate as od
from ordinate.comparisons.answers import answer_classes, check_in_fit


@pytest.mark.parametrize(
    ("y", "classes"),
    [(None, [False, True]), ([True, False], [False, True]), ([1, -1], [-1, 1])],
    ids=["none", "booleans", "signs"],
)
def test_answers_are_written_as_they_came(y, classes):
    found = answer_classes(y)
    assert found.tolist() == classes
    assert (found.dtype.kind == "b") == (classes == [False, True])


def test_objects_beyond_the_fit_are_refused():
    check_in_fit(4, 5)
    with pytest.raises(od.InputError, match=r"Object 5 was not in the fit, .* objects, or ask\."):
        check_in_fit(5, 5, otherwise=", or ask")
