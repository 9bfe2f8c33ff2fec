"""Names of the package load when they are used; one that is misspelt is answered with a hint."""

import pytest

import ordinate as od


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [("tSTE", "TSTE"), ("t_STE", "TSTE"), ("soe", "SOE"), ("read_comparison", "read_comparisons")],
)
def test_a_misspelt_name_is_answered_with_the_one_meant(misspelt, meant):
    with pytest.raises(AttributeError, match=f"'{misspelt}' in ordinate; did you mean {meant}"):
        getattr(od, misspelt)


@pytest.mark.parametrize(
    ("name", "package"), [("random_triplets", "sources"), ("triplet_error", "metrics")]
)
def test_a_name_of_a_package_is_answered_with_where_it_is(name, package):
    with pytest.raises(AttributeError, match=rf"it is in ordinate\.{package}"):
        getattr(od, name)


def test_a_name_like_no_other_is_refused_without_a_hint():
    with pytest.raises(AttributeError, match=r"^There is no 'quux' in ordinate\.$"):
        od.quux  # noqa: B018
    assert not hasattr(od, "__wrapped__")
