"""Names of the package load when they are used; one that is misspelt is answered with a hint."""

import inspect

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


@pytest.mark.parametrize("package", ["sources", "metrics", "plots", "selection", "datasets"])
def test_a_name_of_the_package_itself_is_found_from_its_parts(package):
    with pytest.raises(AttributeError, match=r"it is in ordinate: ordinate\.compare_people"):
        getattr(od, package).compare_people  # noqa: B018
    with pytest.raises(AttributeError, match=rf"^There is no 'quux' in ordinate\.{package}\.$"):
        getattr(od, package).quux  # noqa: B018


def test_a_name_of_a_part_is_spelt_as_it_is_there():
    with pytest.raises(AttributeError, match="did you mean random_triplets"):
        od.sources.random_triplet  # noqa: B018


PUBLIC = [name for name in od.__all__ if inspect.ismodule(getattr(od, name))]


@pytest.mark.parametrize("module", PUBLIC)
def test_a_star_exports_only_what_is_ours(module):
    space = {}
    exec(f"from ordinate.{module} import *", space)
    del space["__builtins__"]
    assert sorted(space) == sorted(getattr(od, module).__all__)
    assert not any(inspect.ismodule(value) for value in space.values())


def test_every_loss_is_exported():
    own = [name for name, value in vars(od.losses).items() if inspect.isfunction(value)]
    assert sorted(od.losses.__all__) == sorted(own)


def test_no_two_public_functions_have_one_name():
    homes = {"ordinate": od, **{name: getattr(od, name) for name in PUBLIC}}
    known = {}
    for home, module in homes.items():
        for name in module.__all__:
            value = getattr(module, name)
            assert known.setdefault(name, value) is value, f"{home}.{name}"


def test_a_name_like_no_other_is_refused_without_a_hint():
    with pytest.raises(AttributeError, match=r"^There is no 'quux' in ordinate\.$"):
        od.quux  # noqa: B018
    assert not hasattr(od, "__wrapped__")
