"""The `ordinate` command: one file per verb, one table that lists them."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated, TextIO

import typer

import ordinate
from ordinate._checks import InputError
from ordinate.cli._messages import reason_of
from ordinate.cli._typer import Root, Verb, option, silence, spread_options
from ordinate.cli.collect import collect
from ordinate.cli.datasets import datasets
from ordinate.cli.demo import demo
from ordinate.cli.doctor import doctor
from ordinate.cli.functions import FUNCTIONS

_made = {verb.command_name: verb.make() for verb in FUNCTIONS}
VERBS = {
    "Begin": (demo, doctor, datasets),
    "Look at answers": (_made["describe"], _made["people"]),
    "Make a map": tuple(
        _made[name] for name in ("embed", "report", "place", "cluster", "dimensions")
    ),
    "Ask": (_made["questions"],),
    "Other kinds of data": tuple(
        _made[name] for name in ("rank", "scale", "align", "reduce", "graph", "coembed")
    ),
}
"""Every command by what one wants, as `ordinate --help` shows them; a docstring is a help text."""

app = typer.Typer(
    cls=Root,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
for panel, verbs in VERBS.items():
    for verb in verbs:
        app.command(cls=Verb, rich_help_panel=panel)(spread_options(verb))
    if panel == "Ask":
        app.add_typer(collect, rich_help_panel=panel)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with an exit code."""
    sys.stdout = _usable(sys.stdout)
    sys.stderr = _usable(sys.stderr)
    with warnings.catch_warnings():
        warnings.showwarning = _print_warning
        raise SystemExit(_run(arguments))


def _usable(stream: TextIO | None) -> TextIO:
    """Return a stream that takes every letter; one that the caller closed takes all in silence."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if isinstance(stream, TextIOWrapper):
        # a terminal or file that cannot hold a letter gets a question mark, not a traceback
        stream.reconfigure(errors="replace")
    return stream


def _run(arguments: Sequence[str] | None) -> int | str | None:
    """Run a command and return its exit code."""
    code: int | str | None = 0
    try:
        try:
            app(args=arguments, prog_name="ordinate")
        except SystemExit as left:
            code = left.code
        sys.stdout.flush()
    except (InputError, MemoryError) as error:
        _say(f"Error: {reason_of(error)}")
        return 1
    except BrokenPipeError:  # a closed pipe: the reader has seen enough
        _discard_output()
        return 1
    except OSError as error:
        _discard_output()
        _say(f"Error: {reason_of(error)}")
        return 1
    return code


def _discard_output() -> None:
    """Forget what cannot be printed, or Python tries again as it leaves and complains."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _say(sentence: str) -> None:
    """Print on standard error; if that is full too, the exit code has to do."""
    with contextlib.suppress(OSError):
        print(sentence, file=sys.stderr)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ordinate {ordinate.__version__}")
        raise typer.Exit


@app.callback()
def _ordinate(
    context: typer.Context,
    quiet: Annotated[
        bool,
        option(
            "Print results and errors only: no progress, no warnings, no notes.",
            None,
            "--quiet",
            "-q",
        ),
    ] = False,
    safe_csv: Annotated[
        bool,
        option(
            "Put ' before text in CSV and TSV that a spreadsheet would compute: = + - @.",
            None,
            "--safe-csv",
        ),
    ] = False,
    version: Annotated[
        bool,
        option(
            "Print the version and exit.",
            None,
            "--version",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Coordinates from comparisons: a map from answers such as "A is more like B than C".

    New here? Run `ordinate demo`, then `ordinate describe` on your own file.
    """
    if quiet:
        context.with_resource(silence())
    if safe_csv:
        from ordinate.io.coordinates import without_formulas

        context.with_resource(without_formulas())


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one sentence; where in our code it arose is of no use to a user."""
    _say(f"Warning: {message}")
