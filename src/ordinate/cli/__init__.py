"""The `ordinate` command: one file per verb, one table that lists them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated, TextIO

import typer

import ordinate
from ordinate._checks import InputError
from ordinate.cli._messages import in_shell_words
from ordinate.cli._options import spread_options
from ordinate.cli.cluster import cluster
from ordinate.cli.coembed import coembed
from ordinate.cli.collect import collect
from ordinate.cli.compare import compare
from ordinate.cli.datasets import datasets
from ordinate.cli.demo import demo
from ordinate.cli.describe import describe
from ordinate.cli.doctor import doctor
from ordinate.cli.embed import embed
from ordinate.cli.graph import graph
from ordinate.cli.noise import noise
from ordinate.cli.questions import questions
from ordinate.cli.reduce import reduce
from ordinate.cli.report import report

VERBS = (
    demo,
    describe,
    report,
    embed,
    compare,
    noise,
    cluster,
    questions,
    graph,
    coembed,
    reduce,
    datasets,
    doctor,
)
"""Every command, in the order of `ordinate --help`; a function's docstring is its help text."""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
for verb in VERBS:
    app.command()(spread_options(verb))
app.add_typer(collect)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with an exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What to run, without the program's name; by default what the shell passed.

    Raises
    ------
    SystemExit
        Code 0 when all went well, 1 when the input was refused (the reason is one sentence on
        standard error), 2 for a command that does not exist or is misspelt, 130 for Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        # a terminal or file that cannot hold a letter gets a question mark, not a traceback
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    with warnings.catch_warnings():
        warnings.showwarning = _print_warning
        try:
            app(args=arguments, prog_name="ordinate")
        except InputError as error:
            print(f"Error: {in_shell_words(str(error))}", file=sys.stderr)
            raise SystemExit(1) from None


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ordinate {ordinate.__version__}")
        raise typer.Exit


@app.callback()
def _ordinate(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and leave."
        ),
    ] = False,
) -> None:
    """Coordinates from comparisons: a map from answers such as "A is more like B than C".

    New here? Run `ordinate demo`, then `ordinate describe` on your own file.
    """


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one sentence; where in our code it arose is of no use to a user."""
    print(f"Warning: {message}", file=sys.stderr)
