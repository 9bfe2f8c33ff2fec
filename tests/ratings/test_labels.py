import pytest

import ordinate as od
from ordinate.ratings.record import NamedSides


@pytest.fixture
def sides():
    made = NamedSides()
    made.user_names, made.item_names = ("Al", "Bo"), range(3)
    return made


def test_names_are_found_by_number(sides):
    assert (sides.n_users, sides.n_items) == (2, 3)
    assert sides.user_number("Bo") == 1
    assert sides.item_number(2) == 2


def test_unknown_names_are_refused_with_some_that_are_known(sides):
    with pytest.raises(od.InputError, match=r"no user 'Cy'; users are called 'Al', 'Bo', …"):
        sides.user_number("Cy")
    with pytest.raises(od.InputError, match=r"no item 3; items are called 0, 1, 2, …"):
        sides.item_number(3)
