"""Which method is fitted, and how: options made from the table `ordinate.methods`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError
from ordinate.cli._options import Jobs, Seed, fitting_option, threads
from ordinate.methods import METHODS, names_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons
    from ordinate.selection import MethodTable
    from ordinate.triplets.embedding import EmbeddingEstimator
    from ordinate.uncertainty import MapUncertainty


def method_option(help: str = "The method", *flags: str, **capabilities: Any) -> Any:
    """Return an option whose values are the methods with the given capabilities.

    Parameters
    ----------
    help : str
        What it chooses; the names are listed after it.
    *flags : str
        How it is spelt; by default like the parameter.
    **capabilities
        Attributes of `ordinate.methods.Method` and their values.

    Returns
    -------
    typer.Option
        For a parameter that is a `str`; case does not matter.
    """
    names = names_of(**capabilities)
    return typer.Option(
        *flags,
        parser=lambda text: match_name(text, names),
        autocompletion=lambda: list(names),
        metavar="NAME",
        help=f"{help}: {', '.join(names)}.",
        rich_help_panel="Fitting",
    )


def match_name(text: str, names: Sequence[str]) -> str:
    """Return the method that is meant, however it is capitalised and hyphenated."""
    meant = {_letters(name): name for name in names}
    if _letters(text) not in meant:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(names)}.")
    return meant[_letters(text)]


def _letters(text: str) -> str:
    return text.strip().replace("-", "").casefold()


Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the method, such as max_iter=500; may be given several times.",
        rich_help_panel="Fitting",
    ),
]

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
    """Read what ``--set`` was given, and refuse what the method does not take.

    Parameters
    ----------
    method : str
        Name of a method.
    texts : sequence of str or None
        Such as ``"t_prime=1.5"``.
    options : mapping of str to str
        Parameters that the verb sets by options of their own, and those options.

    Returns
    -------
    dict of str to int, float, str, bool or None
        Values by parameter.
    """
    kinds = settable_parameters(method, options)
    chosen: dict[str, Any] = {}
    for text in texts or ():
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
    """Return a method as `ordinate.selection` takes it: its name, or an estimator if it is set.

    Parameters
    ----------
    method : str or None
        Name of a method; None to have it chosen.
    texts : sequence of str or None
        What ``--set`` was given.
    options : mapping of str to str
        Parameters that have options of their own.

    Returns
    -------
    str, estimator or None
        Not fitted.
    """
    refuse_settings_without_method(method, texts)
    if method is None:
        return None
    settings = read_settings(method, texts, options)
    return METHODS[method].load()(**settings) if settings else method


def settable_parameters(method: str, options: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the parameters of a method that can be typed, and as what: numbers, text, ….

    Parameters
    ----------
    method : str
        Name of a method.
    options : mapping of str to str
        Parameters to leave out, as they have options of their own.

    Returns
    -------
    dict of str to list of str
        Names of types, by parameter.
    """
    found = {}
    for parameter in inspect.signature(METHODS[method].load()).parameters.values():
        annotated = str(parameter.annotation).split(" | ")
        kinds = [kind for kind in _READERS if kind in annotated]
        if parameter.name not in options and set(kinds) - {"None"}:
            found[parameter.name] = kinds
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
class Fitting:
    """Which method, and how it is run."""

    dim: Annotated[int | None, fitting_option("--dim", "-d", help=CHOSEN_DIMENSION, minimum=1)] = (
        None
    )
    method: Annotated[str | None, method_option(CHOSEN_METHOD, takes="comparisons")] = None
    settings: Settings = field(default=None)
    starts: Annotated[
        int | None,
        fitting_option(help="Random initializations, the best of which is kept.", minimum=1),
    ] = None
    seed: Seed = 0
    jobs: Jobs = None
    device: Annotated[
        str | None,
        typer.Option(
            help="Where to compute: cpu (the default), cuda, cuda:1, mps, or auto (a GPU if any).",
            metavar="NAME",
            rich_help_panel="Fitting",
        ),
    ] = None

    @property
    def is_open(self) -> bool:
        """Whether the method or the dimension is left to be chosen."""
        return not (self.method and (self.dim or not METHODS[self.method].has_starts))

    def choose(
        self, answers: Comparisons, by: str | None
    ) -> tuple[ChosenMethod, MethodTable | None]:
        """Choose what was left open, and return it with the table that it was chosen from."""
        from ordinate.selection._compare import USUAL_DIMENSIONS, compare

        refuse_settings_without_method(self.method, self.settings)
        if self.method and not self.is_open:
            return ChosenMethod(self.method, self.dim or 2, self), None
        candidates = [ChosenMethod(self.method, 1, self)] if self.method else self._usual()
        tried = {one.label: one.estimator(verbose=False) for one in candidates}
        table = compare(
            answers,
            tried,
            [self.dim] if self.dim else USUAL_DIMENSIONS,
            by=by,
            random_state=self.seed,
            n_jobs=threads(self.jobs),
            verbose=True,
        )
        chosen = next(one for one in candidates if one.label == table.choice.method)
        return replace(chosen, dim=table.choice.dimension), table

    def _usual(self) -> list[ChosenMethod]:
        """Return the methods that are tried where none is named."""
        from ordinate.selection._compare import USUAL_PENALTIES

        return [
            ChosenMethod(name, 1, replace(self, settings=None if p is None else [f"penalty={p}"]))
            for name, p in USUAL_PENALTIES.items()
        ]


@dataclass(frozen=True)
class ChosenMethod:
    """A method, a dimension and features that were given or chosen, and how the method is run."""

    method: str
    dim: int
    options: Fitting
    features: Any = None

    @property
    def label(self) -> str:
        """The method as it would be written in Python: with the parameters that were set."""
        given = ", ".join(f"{name}={value!r}" for name, value in self._settings().items())
        return f"{self.method}({given})" if given else self.method

    def place(self, answers: Comparisons, *, verbose: bool = True) -> NDArray[np.float64]:
        """Fit what was asked for to the answers and return the coordinates."""
        if METHODS[self.method].is_kernel:
            return self._kernel_map(answers)
        return self.fit(answers, verbose=verbose).embedding_

    def fit(self, answers: Comparisons, *, verbose: bool = True) -> EmbeddingEstimator:
        """Fit the estimator that was asked for to the answers."""
        return self.estimator(verbose=verbose).fit(answers)

    def uncertainty(
        self, answers: Comparisons, model: EmbeddingEstimator, by: str | None, posterior: bool
    ) -> MapUncertainty:
        """Measure how sure the map of a fitted estimator is, by a bootstrap or a posterior."""
        from ordinate.uncertainty._map_uncertainty import map_uncertainty

        asked = self.options
        return map_uncertainty(
            model,
            answers,
            method="posterior" if posterior else "bootstrap",
            by=None if posterior else by,
            features=self.features,
            random_state=asked.seed,
            n_jobs=threads(asked.jobs),
            verbose=True,
        )

    def _kernel_map(self, answers: Comparisons) -> NDArray[np.float64]:
        from ordinate import kernels

        asked = self.options
        given = {"--starts": asked.starts, "--jobs": asked.jobs, "--device": asked.device}
        for option, value in given.items():
            self._refuse(option, value, "which computes its map directly")
        kernel = METHODS[self.method].load()(**self._settings()).fit(answers)
        return kernels.kernel_pca(kernel, self.dim)

    def _refuse(self, option: str, value: object, reason: str) -> None:
        if value is not None:
            raise InputError(
                f"{option} has no meaning for --method {self.method}, {reason}; leave it out."
            )

    def _settings(self) -> dict[str, Any]:
        options = SHARED_OPTIONS | {"n_init": "--starts", "device": "--device"}
        return read_settings(self.method, self.options.settings, options)

    def estimator(self, *, verbose: bool) -> EmbeddingEstimator:
        """Build the estimator that was asked for, not yet fitted."""
        method, asked = METHODS[self.method], self.options
        if not method.has_starts:
            self._refuse("--starts", asked.starts, "whose result does not depend on a start")
        if not method.has_device:
            self._refuse("--device", asked.device, "which runs on the CPU")
        chosen = {"n_init": asked.starts, "n_jobs": asked.jobs, "device": asked.device}
        given = {name: value for name, value in chosen.items() if value is not None}
        estimator: EmbeddingEstimator = method.load()(
            self.dim, random_state=asked.seed, verbose=verbose, **given, **self._settings()
        )
        return estimator
