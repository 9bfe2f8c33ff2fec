"""Which method is fitted, and how: options made from the table `ordinate.methods`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

from ordinate._checks import InputError
from ordinate.cli._typer import FITTING, option
from ordinate.methods import METHODS


def match_name(text: str, names: Sequence[str]) -> str:
    """Return the method that is meant, however it is capitalised and hyphenated."""
    meant = {_letters(name): name for name in names}
    if _letters(text) not in meant:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(names)}.")
    return meant[_letters(text)]


def _letters(text: str) -> str:
    return text.strip().replace("-", "").casefold()


def settings_option(example: str) -> Any:
    """Return the option ``--set`` of a verb, with something that its methods take."""
    said = f"A parameter of the method, such as {example}; may be repeated."
    return option(said, "NAME=VALUE", "--set", panel=FITTING)


Settings = Annotated[list[str] | None, settings_option("max_iter=500")]

SHARED_OPTIONS = {
    "n_components": "--dim",
    "random_state": "--seed",
    "n_jobs": "--jobs",
    "verbose": "--quiet",
}
"""Parameters of methods that have options of their own on all verbs."""


def read_settings(
    method: str, texts: Sequence[str] | None, options: Mapping[str, str]
) -> dict[str, Any]:
    """Read what ``--set`` was given, and refuse what the method does not take."""
    if not texts:
        return {}
    kinds = settable_parameters(method, options)
    chosen: dict[str, Any] = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign:
            raise InputError(f"--set takes NAME=VALUE, such as max_iter=500; got {text!r}.")
        if name in options:
            raise InputError(f"{options[name]} sets {name}; use it in place of --set {text}.")
        if name not in kinds:
            listed = ", ".join(kinds)
            raise InputError(f"{method} has no parameter {name!r} to --set; it has {listed}.")
        if name in chosen:
            raise InputError(f"--set gives {name} twice; give it once.")
        chosen[name] = _read_value(name, value, kinds[name])
    return chosen


def settable_parameters(method: str, options: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the parameters of a method that can be typed, and as what: numbers, text, …."""
    found = {}
    for one in inspect.signature(METHODS[method].load()).parameters.values():
        annotated = str(one.annotation).split(" | ")
        kinds = [kind for kind in _READERS if kind in annotated]
        if one.name not in options and set(kinds) - {"None"}:
            found[one.name] = kinds
    return found


def _read_none(text: str) -> None:
    if text.casefold() != "none":
        raise ValueError


def _read_bool(text: str) -> bool:
    words = {"true": True, "yes": True, "false": False, "no": False}
    if text.casefold() not in words:
        raise ValueError
    return words[text.casefold()]


_READERS: dict[str, Callable[[str], Any]] = {
    "None": _read_none,
    "bool": _read_bool,
    "int": int,
    "float": float,
    "str": str,
}
"""How a value of each type is read, the pickiest first."""
_IN_WORDS = {"None": "none", "bool": "true or false", "int": "a whole number", "float": "a number"}


def _read_value(name: str, text: str, kinds: Sequence[str]) -> Any:
    for kind in kinds:
        try:
            return _READERS[kind](text)
        except ValueError:
            continue
    expected = " or ".join(_IN_WORDS[kind] for kind in reversed(kinds))
    raise InputError(f"--set {name} takes {expected}; got {text!r}.")
