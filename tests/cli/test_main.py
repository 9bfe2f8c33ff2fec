"""What holds for every command: help, exit codes, no tracebacks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import ordinate as od
from ordinate.cli import VERBS, app
from ordinate.cli.collect import collect

NAMES = [verb.__name__.replace("_", "-") for verbs in VERBS.values() for verb in verbs]


def plain(text):
    """Undo the frames and line breaks that help texts get on a narrow terminal."""
    return re.sub(r"[\s│]+", " ", text)


def test_the_version_is_printed(ordinate):
    run = ordinate("--version")
    assert (run.code, run.out) == (0, f"ordinate {od.__version__}\n")


def test_help_lists_every_verb(ordinate):
    run = ordinate("--help")
    assert run.code == 0
    assert all(f" {name} " in plain(run.out) for name in NAMES)
    assert "--quiet" in run.out


@pytest.mark.parametrize("name", [*NAMES, "collect"])
def test_the_documentation_has_every_verb(name):
    page = (Path(__file__).parents[2] / "docs" / "command-line.rst").read_text(encoding="utf-8")
    assert f"ordinate {name}\n---" in page
    assert f".. command-help:: {name}\n" in page


def test_the_documentation_has_every_verb_of_collect():
    page = (Path(__file__).parents[2] / "docs" / "command-line.rst").read_text(encoding="utf-8")
    names = [verb.name or verb.callback.__name__ for verb in collect.registered_commands]
    assert "ask" in names
    assert [name for name in names if f".. command-help:: collect {name}\n" not in page] == []


@pytest.mark.parametrize("verb", NAMES)
def test_every_verb_has_help_with_an_example_and_json(ordinate, verb):
    run = ordinate(verb, "--help")
    assert run.code == 0
    assert re.search(rf"^ Example: ordinate {verb}\b.*$", run.out, re.MULTILINE)
    assert "--json" in run.out
    assert "<bool>" not in run.out


@pytest.mark.parametrize("verb", NAMES)
def test_help_names_only_options_that_the_verb_has(ordinate, verb):
    command = get_command(app).commands[verb]
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    named = re.findall(r"(?<![\w-])--[a-z][a-z-]+", ordinate(verb, "--help").out)
    assert set(named) <= known | {"--help"}


@pytest.mark.parametrize(
    ("words", "offered"),
    [("ordinate em", ["embed"]), ("ordinate embed --method T", ["TSTE", "TETE"])],
)
def test_the_shell_completes_verbs_and_methods(words, offered):
    run = subprocess.run(
        [sys.executable, "-m", "ordinate"],
        env={
            **os.environ,
            "_ORDINATE_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        },
        capture_output=True,
        text=True,
    )
    assert run.stdout.split() == offered


def test_the_first_help_shows_no_types_of_flags(ordinate):
    assert "<bool>" not in ordinate("--help").out


def test_quiet_leaves_results_and_errors(ordinate, answers):
    options = ("--method", "SOE", "--dim", 1)
    loud = ordinate("embed", answers, *options)
    quiet = ordinate("embed", answers, *options, "--quiet")
    assert "SOE in 1 dimension" in loud.err
    assert (quiet.code, quiet.out, quiet.err) == (0, loud.out, "")
    wrong = ordinate("embed", answers.parent / "missing.csv", "-q")
    assert (wrong.code, wrong.err.startswith("Error: ")) == (1, True)


@pytest.mark.parametrize("arguments", [["dance"], ["embed"], ["describe", "--no-such-option"]])
def test_misspelt_commands_leave_with_2(ordinate, arguments):
    run = ordinate(*arguments)
    assert (run.code, run.out) == (2, "")
    assert "Traceback" not in run.err


@pytest.mark.parametrize("verb", ["describe", "embed"])
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_refused_input_leaves_with_1_and_one_sentence(ordinate, tmp_path, verb, flags):
    run = ordinate(verb, tmp_path / "missing.csv", *flags)
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith("Error: ")
    assert "missing.csv" in run.err
    assert run.err.count("\n") == 1


def test_the_installed_command_is_this_one():
    run = subprocess.run(
        [sys.executable, "-m", "ordinate", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == f"ordinate {od.__version__}\n"


def test_a_terminal_without_our_letters_gets_no_traceback(answers):
    code = "from ordinate.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, "describe", str(answers)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert b"400 triplets about 12 objects" in run.stdout


def test_bugs_are_not_hidden(ordinate, answers, monkeypatch):
    def broken(*_):
        raise ValueError("a bug, not a mistake of the user")

    monkeypatch.setattr(od.Comparisons, "describe", broken)
    with pytest.raises(ValueError, match="a bug"):
        ordinate("describe", answers)
