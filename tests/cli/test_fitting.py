"""Methods and their parameters as options: all of it read from the table of methods."""

import re

import pytest

import ordinate as od
from ordinate.cli._fitting import SHARED_OPTIONS, read_settings, settable_parameters
from ordinate.cli.functions import Fitting
from ordinate.methods import METHODS, names_of

KERNELS = names_of(is_kernel=True)
ESTIMATORS = names_of(takes="comparisons", is_kernel=False)


def given(method, **options):
    arguments = {"method": [method]} if method else {}
    Fitting(**options).prepare(arguments)
    return arguments["method"]


@pytest.mark.parametrize("name", names_of(takes="comparisons", has_starts=True, has_device=True))
def test_every_method_is_an_estimator_that_takes_the_options(name):
    estimator = given(name, starts=4, device="auto")
    assert type(estimator) is getattr(od, name)
    assert estimator.get_params().items() >= {"n_init": 4, "device": "auto"}.items()
    assert given(name) == name


@pytest.mark.parametrize("name", names_of(takes="comparisons", is_kernel=False, has_starts=False))
def test_methods_without_a_start_refuse_starts(name):
    assert given(name) == name
    with pytest.raises(od.InputError, match=f"--starts has no meaning for --method {name}"):
        given(name, starts=2)
    with pytest.raises(od.InputError, match=r"--device has no meaning .* which runs on the CPU"):
        given(name, device="cuda")


def test_options_reach_the_methods_to_choose_from():
    assert {method.n_init for method in given(None, starts=3)} == {3}


@pytest.mark.parametrize("option", ["starts", "device"])
def test_a_kernel_refuses_options_that_mean_nothing_to_it(option):
    with pytest.raises(od.InputError, match=f"--{option} has no meaning for --method K1"):
        given("K1", **{option: 2})


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_that_can_be_typed_reads_its_own_default(name):
    defaults = METHODS[name].load()().get_params()
    settable = settable_parameters(name, SHARED_OPTIONS)
    typed = {p for p, value in defaults.items() if isinstance(value, bool | int | float | str)}
    assert set(settable) >= typed - {*SHARED_OPTIONS, "metric"}  # a function too: has an option
    texts = [f"{parameter}={defaults[parameter]}" for parameter in settable]
    assert read_settings(name, texts, SHARED_OPTIONS) == {p: defaults[p] for p in settable}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_settings_reach_the_estimator(name):
    estimator = given(name, settings=["max_iter = 7", "tol=1e-3"])
    assert estimator.get_params().items() >= {"max_iter": 7, "tol": 1e-3}.items()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t_prime", "--set takes NAME=VALUE, such as max_iter=500; got 't_prime'"),
        ("speed=3", "TETE has no parameter 'speed' to --set; it has .*max_iter.*t_prime"),
        ("alpha=3", "TETE has no parameter 'alpha'"),
        ("n_components=3", "--dim sets n_components; use it in place of --set n_components=3"),
        ("n_init=3", "--starts sets n_init"),
        ("tol=big", "--set tol takes a number; got 'big'"),
        ("max_iter=1.5", "--set max_iter takes a whole number; got '1.5'"),
    ],
)
def test_settings_that_cannot_be_are_refused(text, expected):
    with pytest.raises(od.InputError, match=expected):
        given("TETE", settings=[text])


def test_a_setting_needs_a_method(ordinate, answers):
    run = ordinate("embed", answers, "--set", "max_iter=3")
    assert "name the method with --method" in run.err


def test_a_setting_given_twice_is_refused():
    with pytest.raises(od.InputError, match="--set gives t twice"):
        given("TETE", settings=["t=1", "t=2"])


def test_text_and_nothing_can_be_set():
    assert read_settings("TSTE", ["alpha=None"], {}) == {"alpha": None}
    assert read_settings("SOE", ["init=random", "verbose=yes"], {}) == {
        "init": "random",
        "verbose": True,
    }
    with pytest.raises(od.InputError, match="takes true or false; got 'maybe'"):
        read_settings("SOE", ["verbose=maybe"], {})


def help_of(ordinate, verb):
    return re.sub(r"[\s│]+", " ", ordinate(verb, "--help").out)


@pytest.mark.parametrize(
    ("verb", "offered"),
    [
        ("embed", f"Of {', '.join(names_of(takes='comparisons'))}."),
        ("cluster", f"{KERNELS[0]} if objects rank others alike, {KERNELS[1]} if"),
    ],
)
def test_help_offers_what_the_verb_takes(ordinate, verb, offered):
    assert offered in help_of(ordinate, verb)


def test_names_may_be_spelt_as_in_papers(ordinate, answers):
    run = ordinate(
        "embed",
        answers,
        "--method",
        "t-ste",
        "--set",
        "alpha=1",
        "-d",
        1,
        "--error-folds",
        0,
        "--json",
    )
    assert run.json["method"] == "TSTE(alpha=1.0)"


@pytest.mark.parametrize(
    ("setting", "code", "expected"),
    [
        ("delta=2", 1, "--set takes METHOD.NAME=VALUE, such as SOE.max_iter=500; got 'delta=2'"),
        ("SOE.alpha=2", 1, "SOE has no parameter 'alpha' to --set; it has "),
        ("CKL.mu=1", 2, "'CKL' is not one of SOE, STE"),
    ],
)
def test_of_several_methods_the_one_meant_is_named(ordinate, answers, setting, code, expected):
    run = ordinate("embed", answers, "--method", "SOE,STE", "--set", setting)
    assert (run.code, run.out) == (code, "")
    assert expected in run.err
    quick = ("--dim", 1, "--folds", 2, "--error-folds", 0, "--json")
    found = ordinate("embed", answers, "--method", "soe,STE", "--set", "soe.delta=2", *quick).json
    assert [row["method"] for row in found["choice"]["rows"]] == ["SOE(delta=2.0)", "STE"]


def test_noise_takes_parameters_of_the_method(ordinate, answers):
    chosen = ["--method", "TETE", "--set", "t_prime=1.25", "--set", "max_iter=2000", "-d", 1]
    run = ordinate("embed", answers, *chosen, "--show", "noise", "--json")
    assert run.json["noise"]["method"] == "TETE(max_iter=2000, t_prime=1.25)"


@pytest.mark.parametrize(
    ("verb", "method"), [("graph", "LOE"), ("coembed", "COE"), ("reduce", "WeightedTETE")]
)
def test_verbs_with_one_method_take_its_parameters(ordinate, tmp_path, verb, method):
    path = tmp_path / "table.csv"
    lines = ["user,item,rating", *(f"u{i % 4},i{i % 5},{i % 3}" for i in range(20))]
    columns = 2 if verb == "graph" else 3
    path.write_text("".join(",".join(line.split(",")[:columns]) + "\n" for line in lines))
    if verb == "graph":
        assert "name the method with --method" in ordinate(verb, path, "--set", "speed=3").err
    named = ("--method", method) if verb == "graph" else ()
    run = ordinate(verb, path, *named, "--set", "speed=3")
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith(f"Error: {method} has no parameter 'speed' to --set; it has ")
