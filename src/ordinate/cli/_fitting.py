"""Which method is fitted, and how: options made from the table `ordinate.methods`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ordinate._arguments import parameter
from ordinate._checks import InputError
from ordinate.cli._typer import FITTING, fitting_opt, option
from ordinate.methods import METHODS, names_of


def method_opt(help: str, default: str | None = None, **capabilities: Any) -> Any:
    """Return an option whose values are the methods with the given capabilities."""
    names = names_of(**capabilities)
    return fitting_opt(
        f"{help}: {', '.join(names)}.",
        "NAME",
        default=default,
        parser=lambda text: match_name(text, names),
        autocompletion=lambda: list(names),
    )


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


def chosen_method(
    method: str | None, texts: Sequence[str] | None, options: Mapping[str, str]
) -> Any:
    """Return a method as `ordinate.selection` takes it: its name, or an estimator if it is set."""
    refuse_settings_without_method(method, texts)
    if method is None:
        return None
    settings = read_settings(method, texts, options)
    return METHODS[method].load()(**settings) if settings else method


def build(method: str, settings: Sequence[str] | None, **given: Any) -> Any:
    """Return an estimator with what options gave, and ``--set`` besides."""
    options = {name: parameter(name) for name in given} | {"verbose": "--quiet"}
    return METHODS[method].load()(**given, **read_settings(method, settings, options))


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


CHOSEN_METHOD = "The method (default: chosen by cross-validation)"
CHOSEN_DIMENSION = "Dimension of the map. Default: chosen by cross-validation."


def refuse_settings_without_method(method: str | None, settings: Sequence[str] | None) -> None:
    """Refuse parameters of a method that is not named."""
    if settings and not method:
        raise InputError("--set gives a parameter of a method; name the method with --method.")


@dataclass(frozen=True)
class MethodOptions:
    """Which maps judge the answers."""

    method: str | None = method_opt(CHOSEN_METHOD, is_comparable=True)
    settings: Settings = None
    dim: int | None = fitting_opt(CHOSEN_DIMENSION, "N", "-d", min=1)

    def chosen(self) -> Any:
        """Return the method as `ordinate.selection` takes it; refuse what it does not take."""
        return chosen_method(self.method, self.settings, SHARED_OPTIONS)


@dataclass(frozen=True)
class Fitting:
    """Which method, and how it is run."""

    dim: int | None = fitting_opt(CHOSEN_DIMENSION, "N", "-d", min=1)
    method: str | None = method_opt(CHOSEN_METHOD, takes="comparisons")
    settings: Settings = None
    starts: int | None = fitting_opt("Number of random starts; the best fit is kept.", "N", min=1)
    device: str | None = fitting_opt(
        "Where to compute: cpu (the default), cuda, cuda:1, mps, or auto (a GPU if any).", "NAME"
    )

    @property
    def is_open(self) -> bool:
        """Whether the method or the dimension is left to be chosen."""
        return not (self.method and (self.dim or not METHODS[self.method].has_starts))

    def chosen(self, *, with_features: bool = False) -> Any:
        """Return the method as `ordinate.analyze` takes it, or those to choose from."""
        name = "FeatureEmbedding" if with_features else self.method
        refuse_settings_without_method(name, self.settings)
        given = {"n_init": self.starts, "device": self.device}
        given = {name: value for name, value in given.items() if value is not None}
        if name is None:
            from ordinate.selection._compare import USUAL_METHODS

            names = list(USUAL_METHODS)
            return [METHODS[one].load()(**given) for one in names] if given else names
        self._refuse_what_has_no_meaning(name)
        given |= read_settings(name, self.settings, _FITTING_OPTIONS)
        if with_features and self.method:
            given["loss"] = self.method
        return METHODS[name].load()(**given) if given or with_features else name

    def _refuse_what_has_no_meaning(self, name: str) -> None:
        method = METHODS[name]
        reasons = {}
        if method.is_kernel:
            reasons = dict.fromkeys(("starts", "device"), "which computes its map directly")
        else:
            if not method.has_starts:
                reasons["starts"] = "whose result does not depend on a start"
            if not method.has_device:
                reasons["device"] = "which runs on the CPU"
        for given, reason in reasons.items():
            if getattr(self, given) is not None:
                raise InputError(
                    f"--{given} has no meaning for --method {name}, {reason}; leave it out."
                )


_FITTING_OPTIONS = SHARED_OPTIONS | {"n_init": "--starts", "device": "--device"}
"""Parameters that `embed` has options for."""
