"""Commands are made of functions: options from signatures, help from docstrings."""

import inspect
import json
import re
from pathlib import Path

import pytest
from typer.main import get_command

import ordinate as od
from ordinate.cli import app
from ordinate.cli._typer import nearest_options
from ordinate.cli._verb import read_function
from ordinate.cli.functions import FUNCTIONS


def commands(command=None, name="ordinate"):
    command = command or get_command(app)
    if not hasattr(command, "commands"):
        yield name, command
        return
    for own, one in command.commands.items():
        yield from commands(one, f"{name} {own}")


def shown(command):
    return [one for one in command.params if one.param_type_name == "option" and not one.hidden]


def test_there_are_few_verbs_and_options():
    counts = {name: len(shown(command)) for name, command in commands()}
    assert len(counts) <= 27
    assert sum(counts.values()) <= 300


def test_the_table_of_verbs_and_functions_is_true():
    page = (Path(__file__).parents[2] / "docs" / "command-line.rst").read_text(encoding="utf-8")
    rows = re.findall(r"``ordinate ([a-z]+)``\n     - :func:`ordinate\.(\w+)`", page)
    made = {verb.command_name: verb.function[1] for verb in FUNCTIONS}
    assert dict(rows) | {"report": "analyze"} == made
    for _, name in rows:
        assert getattr(od, name) is verb_function(
            next(v for v in FUNCTIONS if v.function[1] == name)
        )


@pytest.mark.parametrize("verb", FUNCTIONS, ids=lambda verb: verb.command_name)
def test_the_source_says_what_python_says(verb):
    read, real = read_function(*verb.function), inspect.signature(verb_function(verb))
    for name, parameter in read.parameters.items():
        assert parameter.text, name
        expected = real.parameters[name].default
        empty = expected is inspect.Parameter.empty
        assert parameter.is_required == empty
        assert empty or parameter.default == expected
    assert verb_function(verb).__doc__.startswith(read.summary.split("\n")[0])


def verb_function(verb):
    return read_function(*verb.function).load()


@pytest.mark.parametrize("verb", FUNCTIONS, ids=lambda verb: verb.command_name)
def test_every_verb_of_a_function_has_the_same_outputs_and_plain_help(verb):
    command = get_command(app).commands[verb.command_name]
    names = {name for one in shown(command) for name in one.opts}
    outputs = {"--output", "--json"} | (set() if verb.page else {"--plot", "--report"})
    assert outputs <= names
    for one in shown(command):
        assert "`" not in one.help
        assert one.help.endswith(".")


def test_how_answers_are_read_is_shown_once_and_taken_everywhere():
    found = dict(commands())
    reading = {"--columns", "--answer", "--coding", "--where", "--exclude", "--group", "--reverse"}

    def names(options):
        return {name for one in options for name in one.opts}

    assert reading <= names(shown(found["ordinate describe"]))
    for verb in ("embed", "rank", "people", "cluster", "align"):
        command = found[f"ordinate {verb}"]
        assert not reading & names(shown(command))
        assert reading <= names(command.params)
        assert "--layout" in names(shown(command))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--dimension", "--dim"),
        ("--dimensions", "--dim"),
        ("--methods", "--method"),
        ("--random-state", "--seed"),
        ("--neighbours", "--neighbors"),
        ("--split", "--split-by"),
    ],
)
def test_a_wrong_option_proposes_the_near_one(ordinate, answers, typed, meant):
    known = ["--dim", "--images", "--method", "--seed", "--neighbors", "--split-by"]
    assert nearest_options(typed, known) == [meant]
    if meant in ("--dim", "--method"):
        said = re.sub(r"[\s│]+", " ", ordinate("embed", answers, typed, "2").err)
        assert re.search(rf"(Possible options: |Did you mean '){meant}\b", said)


def test_options_of_all_verbs_may_stand_anywhere(ordinate, answers):
    fixed = ("embed", answers, "--method", "SOE", "--dim", 1, "--error-folds", 0)
    first, last = ordinate("-q", *fixed), ordinate(*fixed, "--quiet")
    assert (first.code, first.err) == (0, "")
    assert first.out == last.out


def test_an_exclusion_that_matches_nothing_is_refused(ordinate, answers):
    run = ordinate("describe", answers, "--exclude", "participant=nobody")
    assert (run.code, run.out) == (1, "")
    assert "exclude: no row has 'nobody' in column 'participant'; it has '0', '1', '2'" in run.err
    header, *rows = answers.read_text().splitlines()
    for name, part in (
        ("part-1", rows[:9]),
        ("part-2", [f"{r[:11]},{k % 2 * 9},1" for k, r in enumerate(rows[9:29])]),
    ):
        answers.with_name(f"{name}.csv").write_text("\n".join([header, *part]))
    pattern = answers.with_name("part-*.csv")
    assert (
        ordinate("describe", pattern, "--exclude", "participant=9", "--json").json["n_rows"] == 19
    )
    assert ordinate("describe", pattern, "--exclude", "participant=8").code == 1


@pytest.fixture
def data(tmp_path, answers, monkeypatch):
    """The current folder, with an input for each verb."""
    monkeypatch.chdir(tmp_path)
    rows = ["tea,milk", "tea,wine", "milk,wine", "wine,milk"] * 9
    Path("votes.csv").write_text("winner,loser\n" + "\n".join(rows) + "\n")
    features = [f"o{a:02},{a},{a * a % 7}" for a in range(12)]
    Path("features.csv").write_text("\n".join(["object,a,b", *features]) + "\n")
    edges = [f"v{a},v{(a + 1) % 9}" for a in range(9)]
    Path("edges.csv").write_text("\n".join(["from,to", *edges]) + "\n")
    ratings = [f"u{u},i{i},{(u * i) % 5 + 1}" for u in range(6) for i in range(6)]
    Path("ratings.csv").write_text("\n".join(["user,item,rating", *ratings]) + "\n")
    trials = [f"o{a},o{a + 2},o{(a + 1) % 12},o{(a + 1) % 12}" for a in range(10)] * 9
    Path("trials.csv").write_text("\n".join(["item1,item2,item3,odd_one", *trials]) + "\n")


SEVEN = {
    "embed": (
        ["answers.csv", "--method", "SOE", "--dim", "1", "--error-folds", "2"],
        lambda: od.analyze("answers.csv", "SOE", 1, error_folds=2, verbose=False),
    ),
    "rank": (["votes.csv"], lambda: od.rank("votes.csv")),
    "dimensions": (
        ["trials.csv", "--max-dimensions", "2", "--penalty", "0.1,0.1", "--starts", "1"],
        lambda: od.find_dimensions("trials.csv", max_dimensions=2, penalty=(0.1, 0.1), n_init=1),
    ),
    "align": (
        ["answers.csv", "features.csv", "--dim", ""],
        lambda: od.align("answers.csv", ["features.csv"], map_dimensions=[]),
    ),
    "reduce": (["features.csv"], lambda: od.reduce("features.csv")),
    "graph": (["edges.csv"], lambda: od.draw_graph("edges.csv")),
    "coembed": (
        ["ratings.csv", "--set", "draws_per_object=50"],
        lambda: od.coembed("ratings.csv", draws_per_object=50),
    ),
}


@pytest.mark.parametrize("verb", SEVEN)
def test_python_and_the_command_say_the_same(ordinate, data, verb):
    arguments, call = SEVEN[verb]
    result = call()
    run = ordinate("-q", verb, *arguments, "-o", "table.csv")
    assert run.code == 0, run.err

    def same_words(text):
        text = re.sub(r"\d+\.\d s\b", "", text)
        return text.replace("reverse=True", "--reverse").replace("n_components", "--dim")

    printed = run.out.removesuffix("Wrote table.csv\n")
    options = re.compile(r"method='GraphTSTE'|--method GraphTSTE|min_per_user=2|--min-per-user 2")
    expected = same_words(f"{result}\n")
    assert options.sub("", same_words(printed)) == options.sub("", expected)
    found = ordinate("-q", verb, *arguments, "--json").json
    figures = json.loads(json.dumps(result.to_dict()))
    assert set(figures) <= set(found)
    timed = re.compile(r'"seconds": [\d.e-]+')
    for key in set(figures) - {"seconds"}:
        one, other = (timed.sub("", json.dumps(each[key])) for each in (figures, found))
        assert one == other, key
