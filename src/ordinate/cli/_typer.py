"""How a verb declares its options, and what typer reads of them.

A verb takes values, and dataclasses whose fields are options too: `spread_options` shows them all.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import MISSING, Field, field, fields, is_dataclass
from difflib import get_close_matches
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from ordinate._arguments import written_by
from ordinate.cli._messages import NAMES, writer_for

READING, FITTING, PICTURE, RESULTS = "Reading the answers", "Fitting", "Picture", "Results"
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


EVERYWHERE = ("--quiet", "-q", "--safe-csv")
"""Options of `ordinate` itself, which may be typed after a verb, too."""


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


class Root(Group):
    """All verbs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read options of all verbs wherever they stand."""
        end = args.index("--") if "--" in args else len(args)
        moved = [arg for arg in args[:end] if arg in EVERYWHERE]
        others = [arg for arg in args[:end] if arg not in EVERYWHERE]
        if moved and not others:  # as if nothing was typed
            moved = []
        return super().parse_args(ctx, [*moved, *others, *args[end:]])


_USAGE_ERROR: Any = typer.BadParameter.__base__
"""That of click, which typer brings along since some version."""


class Verb(_PlainHelp, TyperCommand):
    """One verb."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Propose the option that was meant by a wrong one."""
        try:
            return super().parse_args(ctx, args)
        except _USAGE_ERROR as error:
            if hasattr(error, "possibilities"):
                known = [name for one in self.params for name in one.opts if name[:2] == "--"]
                error.possibilities = nearest_options(error.option_name, known)
            raise


def nearest_options(typed: str, known: Sequence[str]) -> list[str]:
    """Return the option that was meant: under its name in Python, begun alike, or misspelt."""
    name = typed.removeprefix("--").replace("-", "_")
    named = f"--{NAMES.get(name, NAMES.get(f'n_{name}', name)).replace('_', '-')}"
    if named in known:
        return [named]
    begun = [one for one in known if one.startswith(typed) or typed.startswith(one)]
    return begun[:3] or get_close_matches(typed, known, n=1)


def _parameters(owner: Any, *, hides: bool) -> Iterator[inspect.Parameter]:
    """Give the parameters of a verb, and the fields of its dataclasses, as typer reads them.

    How answers are read is shown by `describe`, and taken by all verbs.
    """
    hints = get_type_hints(owner, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    given: Any = {name: one.default for name, one in inspect.signature(owner).parameters.items()}
    if is_dataclass(owner):
        given = {one.name: one for one in fields(owner)}
    for name, default in given.items():
        hint = hints[name]
        if is_dataclass(hint):
            yield from _parameters(hint, hides=hides)
            continue
        if isinstance(default, Field):
            shown = default.metadata
            if "argument" in shown:
                hint = Annotated[hint, shown["argument"]]
            elif "option" in shown:
                hidden = hides and shown["option"].get("panel") == READING and name != "layout"
                hint = Annotated[hint, _named(name, hint, hidden=hidden, **shown["option"])]
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
    flat = list(_parameters(command, hides=command.__name__ != "describe"))
    writer = writer_for([parameter.name for parameter in flat])

    @functools.wraps(command)
    def spread(**options: Any) -> None:
        for name, bundle in bundles.items():
            options[name] = bundle(**{f.name: options.pop(f.name) for f in fields(bundle)})
        with written_by(writer):
            command(**options)

    spread.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return spread


@contextmanager
def silence() -> Iterator[None]:
    """Keep standard error for what `main` reports after the verb has ended: errors."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        yield
