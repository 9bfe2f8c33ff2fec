"""How a verb declares its options, and what typer reads of them.

A verb takes values, and dataclasses whose fields are options too: `spread_options` shows them all.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import MISSING, Field, field, fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from ordinate._arguments import written_by
from ordinate.cli._messages import writer_for

READING, FITTING, PICTURE = "Reading the answers", "Fitting", "Picture"
"""Panels of the help that several verbs have."""


def opt(
    help: str,
    metavar: str | None = None,
    *flags: str,
    default: Any = None,
    kind: str | None = None,
    **others: Any,
) -> Any:
    """Return an option of one verb, with its default (... if it must be given).

    It is called what its parameter is; flags are short names, or another long one. `kind` says
    what kind of file is written there, as `check_outputs` calls them.
    """
    shown = {"help": help, "metavar": metavar, "flags": flags, **others}
    known = {"option": shown, "kind": kind}
    return field(default=MISSING if default is ... else default, metadata=known)


fitting_opt = functools.partial(opt, panel=FITTING)
picture_opt = functools.partial(opt, panel=PICTURE)
reading_opt = functools.partial(opt, panel=READING)
switch = functools.partial(opt, default=False)


def arg(help: str, metavar: str | None = None, default: Any = ...) -> Any:
    """Return an argument of one verb, which is given without a name."""
    known = default is not ... and default is not None
    shown = typer.Argument(help=help, metavar=metavar, show_default=known)
    return field(default=MISSING if default is ... else default, metadata={"argument": shown})


def option(
    help: str, metavar: str | None = None, *flags: str, panel: str | None = None, **others: Any
) -> Any:
    """Return an option that several verbs share, for ``Annotated``."""
    return typer.Option(*flags, help=help, metavar=metavar, rich_help_panel=panel, **others)


def flag(name: str, help: str, panel: str | None = None) -> Any:
    """Return an option that takes no value."""
    return option(help, None, name, panel=panel)


Quiet = Annotated[
    bool,
    option(
        "Print results and errors only: no progress, no warnings, no notes.", None, "--quiet", "-q"
    ),
]

SafeCsv = Annotated[
    bool,
    flag(
        "--safe-csv", "Put ' before text in CSV and TSV that a spreadsheet would compute: = + - @."
    ),
]

_WITHOUT_TABLES = ("report", "backup", "export")
"""Verbs whose output is a page or an archive, or tables that never hold a formula."""


class _PlainHelp:
    """Help without the word <bool> beside options that take no value."""

    def get_params(self, ctx: Any) -> Any:
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return parameters


class Group(_PlainHelp, TyperGroup):
    """Several verbs."""


class Verb(_PlainHelp, TyperCommand):
    """One verb."""


def _parameters(owner: Any) -> Iterator[inspect.Parameter]:
    """Give the parameters of a verb, and the fields of its dataclasses, as typer reads them."""
    hints = get_type_hints(owner, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    given: Any = {name: one.default for name, one in inspect.signature(owner).parameters.items()}
    if is_dataclass(owner):
        given = {one.name: one for one in fields(owner)}
    for name, default in given.items():
        hint = hints[name]
        if is_dataclass(hint):
            yield from _parameters(hint)
            continue
        if isinstance(default, Field):
            shown = default.metadata
            if "argument" in shown:
                hint = Annotated[hint, shown["argument"]]
            elif "option" in shown:
                hint = Annotated[hint, _named(name, hint, **shown["option"])]
            default = inspect.Parameter.empty if default.default is MISSING else default.default
        yield inspect.Parameter(name, kind, default=default, annotation=hint)


def _named(name: str, hint: Any, flags: Sequence[str], **others: Any) -> Any:
    """Return an option of typer under the name of its parameter; a switch has no opposite."""
    if hint is bool or (flags and not any(one.startswith("--") for one in flags)):
        flags = [f"--{name.replace('_', '-')}", *flags]
    return option(others.pop("help"), others.pop("metavar"), *flags, **others)


def spread_options(command: Callable[..., None]) -> Callable[..., None]:
    """Show typer the fields of a command's dataclass parameters as options of their own."""
    hints = get_type_hints(command)
    bundles: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    flat = list(_parameters(command))
    kind = inspect.Parameter.KEYWORD_ONLY
    writes = any(parameter.name == "output" for parameter in flat)
    if writes and command.__name__ not in _WITHOUT_TABLES:
        flat.append(inspect.Parameter("safe_csv", kind, default=False, annotation=SafeCsv))
    flat.append(inspect.Parameter("quiet", kind, default=False, annotation=Quiet))
    writer = writer_for([parameter.name for parameter in flat])

    @functools.wraps(command)
    def spread(quiet: bool = False, safe_csv: bool = False, **options: Any) -> None:
        for name, bundle in bundles.items():
            options[name] = bundle(**{f.name: options.pop(f.name) for f in fields(bundle)})
        run = command
        if safe_csv:
            from ordinate.io.coordinates import without_formulas

            run = without_formulas()(command)
        with written_by(writer), _silence() if quiet else nullcontext():
            run(**options)

    spread.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return spread


@contextmanager
def _silence() -> Iterator[None]:
    """Keep standard error for what `main` reports after the verb has ended: errors."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        yield
