"""Makes a command of a public function: options from its signature, help from its docstring.

The source is read, not imported: a help text must not wait for numerical libraries.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ordinate._checks import InputError
from ordinate.cli._fitting import read_settings, settings_option
from ordinate.cli._messages import NAMES, as_typed
from ordinate.cli._options import AnswerFile, Json
from ordinate.cli._results import PageFile, ResultFiles, check_outputs, make_result_files
from ordinate.cli._typer import FITTING, PICTURE, option
from ordinate.methods import METHODS, SHORT_NAMES

_PANELS = {
    **dict.fromkeys(("objects", "color", "images", "highlight"), PICTURE),
    **dict.fromkeys(("n_components", "random_state", "n_jobs", "device", "method"), FITTING),
    **dict.fromkeys(("participants", "per", "catch", "repeats"), "Participants"),
    **dict.fromkeys(("budget", "noise"), "Budget"),
}
_METAVARS = {
    **dict.fromkeys(("color", "weight", "user", "item", "value"), "COLUMN"),
    **dict.fromkeys(("by", "split_by", "resample"), "GROUP"),
    "images": "FOLDER",
    "highlight": "USERS",
    "test_size": "SHARE",
    "columns": "FROM,TO",
}
_SHORT = {"n_components": "-d", "n_clusters": "-k", "size": "-n", "landmarks": "-l"}
_NEVER_TYPED = ("verbose", "layout", "complete")
"""Parameters that a command sets itself."""


@dataclass(frozen=True)
class Parameter:
    """A parameter as its docstring describes it."""

    name: str
    kind: str
    text: str
    default: Any
    is_required: bool = False

    @property
    def help(self) -> str:
        """The first sentence, without the marks of a docstring."""
        first = re.split(r"(?<=\.)\s+(?=[A-Z\"`])", self.text, maxsplit=1)[0]
        return first.replace("`", "")

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that are allowed, if they are listed."""
        listed = re.match(r"\{(.*?)\}", self.kind)
        return tuple(ast.literal_eval(f"[{listed[1]}]")) if listed else ()


@dataclass(frozen=True)
class Function:
    """A public function as its source describes it."""

    module: str
    name: str
    summary: str
    parameters: Mapping[str, Parameter]
    further: str | None
    """The name of what takes further arguments: reading, or parameters of a method."""

    def load(self) -> Callable[..., Any]:
        """Import it."""
        found: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return found


@cache
def read_function(module: str, name: str) -> Function:
    """Read signature and docstring of a function without importing its module."""
    spec = find_spec(module)
    source = spec.loader.get_source(module)  # type: ignore[union-attr]
    tree = ast.parse(source)
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    summary, _, rest = (ast.get_docstring(node) or "").partition("\n\nParameters\n----------\n")
    described = dict(_described(rest.partition("\n\nReturns\n")[0]))
    arguments, given = node.args, node.args.defaults
    names = [one.arg for one in arguments.args + arguments.kwonlyargs]
    defaults = [None] * (len(arguments.args) - len(given)) + [*given, *arguments.kw_defaults]
    parameters = {
        one: Parameter(one, *described[one], _value(default), default is None)
        for one, default in zip(names, defaults, strict=True)
    }
    further = arguments.kwarg.arg if arguments.kwarg else None
    return Function(module, name, summary, parameters, further)


def _value(default: ast.expr | None) -> Any:
    return None if default is None else ast.literal_eval(default)


def _described(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the type and the text of each parameter of a numpydoc section."""
    for entry in re.split(r"\n(?=\S)", text):
        head, _, body = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        for name in names.split(", "):
            yield name, (kind, " ".join(body.split()))


@dataclass(frozen=True)
class FunctionVerb:
    """What a command says besides what its function does."""

    function: tuple[str, str]
    """Module and name of the public function."""
    example: str
    table: str
    """What ``--output`` holds."""
    name: str = ""
    plot: Literal["maps", "charts"] = "charts"
    file: str = ""
    """What the first argument is, unless it is a file of answers."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Options that are called otherwise than their parameters."""
    settings: str = ""
    """An example for ``--set``, if there are further parameters of a method."""
    method: str = ""
    """Whose parameters ``--set`` gives, unless ``--method`` says it."""
    extra: type | None = None
    """A dataclass of further options; `prepare` changes the arguments and returns what to write."""
    completions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that the shell completes and the help lists, by parameter."""
    page: str = ""
    """The page that ``--output`` writes by default, if there is nothing else to write."""
    summary: str = ""
    """The help, if not the first lines of the docstring."""
    otherwise: str = "print CSV, unless --plot is given"

    @property
    def command_name(self) -> str:
        """What one types."""
        return self.name or self.function[1]

    def make(self) -> Callable[..., None]:
        """Return the command as `spread_options` takes it."""
        function = read_function(*self.function)
        first, *others = function.parameters.values()
        shown: dict[str, tuple[Any, Any]] = {}
        if function.further == "reading":
            shown["source"] = (AnswerFile, inspect.Parameter.empty)
        else:
            shown["source"] = _as_argument(first.name, self.file, Path)
        readers: dict[str, tuple[str, Parameter]] = {}
        for one in others:
            if one.name in _NEVER_TYPED:
                continue
            typed = self.names.get(one.name) or NAMES.get(one.name, one.name)
            readers[typed] = (one.name, one)
            if one.is_required:
                shown[typed] = _as_argument(one.name, one.help, list[Path])
            else:
                shown[typed] = _as_option(typed, one, self.completions.get(one.name, ()))
        if self.settings:
            hint = Annotated[list[str] | None, settings_option(self.settings)]
            shown["settings"] = (hint, None)
        if self.extra:
            shown["extra"] = (self.extra, inspect.Parameter.empty)
        results: Any = PageFile
        if not self.page:
            results = make_result_files(self.table, self.otherwise, self.plot)
        shown["results"] = (results, inspect.Parameter.empty)
        shown["json"] = (Json, False)

        def command(source: Any, results: ResultFiles | PageFile, json: bool, **typed: Any) -> None:
            extra, settings = typed.pop("extra", None), typed.pop("settings", None)
            given = dict(_arguments(readers, typed))
            given |= self._settings(settings, given, readers)
            inputs = [path for value in typed.values() for path in paths_in(value)]
            if isinstance(source, AnswerFile):
                inputs, given = inputs + source.inputs, given | source.reading()
            else:
                inputs.append(source)
            others = extra.prepare(given) if extra is not None else {}
            results.check(*inputs)
            check_outputs(inputs, tables=list(others))
            if "verbose" in function.parameters:
                given["verbose"] = True
            if "complete" in function.parameters and results.report:
                given["complete"] = True
            data = source.answers if isinstance(source, AnswerFile) else source
            if sys.stderr.isatty():  # the libraries that read it take a while to load
                print(f"Reading {data} …", file=sys.stderr, flush=True)
            result = function.load()(data, **given)
            results.write_and_show(result, others, json=json)

        kind = inspect.Parameter.KEYWORD_ONLY
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(name, kind, annotation=hint, default=default)
                for name, (hint, default) in shown.items()
            ]
        )
        command.__annotations__ = {name: hint for name, (hint, _) in shown.items()}
        command.__name__ = self.command_name
        summary = self.summary or function.summary.replace("`", "")
        command.__doc__ = f"{summary}\n\nExample: {self.example}"
        return command

    def _settings(
        self,
        settings: list[str] | None,
        given: Mapping[str, Any],
        readers: Mapping[str, tuple[str, Parameter]],
    ) -> dict[str, Any]:
        """Read what ``--set`` gave, of the method that is fitted."""
        if not settings:
            return {}
        default = read_function(*self.function).parameters.get("method")
        method = given.get("method") or self.method or (default and default.default)
        method = SHORT_NAMES.get(str(method), method)
        if method not in METHODS:
            raise InputError("--set gives a parameter of a method; name the method with --method.")
        own = {name: f"--{typed.replace('_', '-')}" for typed, (name, _) in readers.items()}
        return read_settings(str(method), settings, {"verbose": "--quiet"} | own)


def _as_argument(name: str, help: str, kind: Any) -> tuple[Any, Any]:
    """Return the type of an argument, which is given without a name."""
    metavar = f"{name.upper()}..." if kind is not Path else name.upper()
    return Annotated[kind, typer.Argument(help=help, metavar=metavar)], inspect.Parameter.empty


def _as_option(typed: str, one: Parameter, words: tuple[str, ...]) -> tuple[Any, Any]:
    """Return the type and the default of an option."""
    flag = f"--{typed.replace('_', '-')}"
    flags = [flag, *([_SHORT[one.name]] if one.name in _SHORT else [])]
    hint, default, metavar = _hint(one)
    if "bool" in one.kind:
        metavar = None
        if one.default is not False:
            flags = [f"{flag}/--undirected" if typed == "directed" else f"{flag}/--no-{flag[2:]}"]
    panel = _PANELS.get(one.name)
    metavar = _METAVARS.get(one.name, metavar)
    completed = {"autocompletion": lambda: list(words)} if words else {}
    listed = f" Of {', '.join(words)}." if words else ""
    shown = option(
        f"{one.help}{listed}",
        metavar,
        *flags,
        panel=panel,
        case_sensitive=False,
        show_default="by default" not in one.help,
        **completed,
    )
    return Annotated[hint, shown], default


def _hint(one: Parameter) -> tuple[Any, Any, str | None]:
    """Return what typer reads, the default and what the help calls it."""
    if one.name == "random_state":
        return int, 0, "N"
    if one.name == "n_jobs":
        return int | None, None, "N"
    if one.choices:
        choices: Any = Literal[tuple(map(as_typed, one.choices))]
        default = one.default and as_typed(one.default)
        return (choices | None if default is None else choices), default, None
    kind = re.split(r", default=|, optional", one.kind)[0]
    if kind.startswith("bool"):
        return (bool, False, None) if one.default is False else (bool | None, None, None)
    if kind == "int":
        return (int | None if one.default is None else int), one.default, "N"
    if kind == "float":
        return (float | None if one.default is None else float), one.default, "X"
    if kind.startswith("mapping"):
        return list[str] | None, None, "NAME=NUMBERS"
    if kind.startswith("path"):
        return Path | None, None, "FILE"
    listed = "sequence of" in kind or "pair of" in kind
    metavar = ("N,N" if "int" in kind else "A,B") if listed else "N" if "int" in kind else "NAME"
    default = one.default if isinstance(one.default, str) else None
    return str | None, default, metavar


def _arguments(
    readers: Mapping[str, tuple[str, Parameter]], typed: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of the function that differ from its defaults."""
    for option_name, (name, one) in readers.items():
        value = typed[option_name]
        if name == "n_jobs":
            value = -1 if value is None else value
        if isinstance(value, str) and not one.choices:
            value = _read_text(option_name, value, one)
        elif one.choices:
            value = {as_typed(choice): choice for choice in one.choices}.get(value, value)
        elif isinstance(value, list) and not one.is_required:
            value = dict(_read_pair(option_name, text) for text in value) or None
        if value is not None and value != one.default:
            yield name, value
        elif value is None and one.default is not None and typed[option_name] is not None:
            yield name, None  # the word none was typed


def _read_text(option_name: str, text: str, one: Parameter) -> Any:
    """Read an option as what its docstring says: numbers, words, a list of them, none."""
    kind = re.split(r", default=|, optional", one.kind)[0]
    if text in re.findall(r'"(\w+)"', kind):
        return text
    if text.casefold() == "none" and "None" in kind:
        return None
    if "sequence of" in kind or "pair of" in kind:
        parts = [part.strip() for part in text.split(",")] if text else []
        values = [_read_number(option_name, part, kind) for part in parts]
        return values[0] if len(values) == 1 and re.match(r"(int|str) or", kind) else values
    return _read_number(option_name, text, kind)


def _read_number(option_name: str, text: str, kind: str) -> Any:
    for word, read, said in (("int", int, "a whole number"), ("float", float, "a number")):
        if re.search(rf"\b{word}\b", kind):
            try:
                return read(text)
            except ValueError:
                words = "".join(f", {other}" for other in re.findall(r'"(\w+)"', kind))
                none = " or none" if "None" in kind else ""
                raise typer.BadParameter(
                    f"{text!r} is not {said}{words}{none}.",
                    param_hint=f"--{option_name.replace('_', '-')}",
                ) from None
    return text


def _read_pair(option_name: str, text: str) -> tuple[str, Any]:
    name, _, value = (part.strip() for part in text.partition("="))
    try:
        numbers = [float(number) for number in value.split(",")]
    except ValueError:
        flag = f"--{option_name.replace('_', '-')}"
        raise InputError(
            f"{flag} takes NAME=NUMBERS, such as p=3 or w=1,1,2; got {text!r}."
        ) from None
    return name, numbers if "," in value else numbers[0]


def paths_in(value: Any) -> list[Path]:
    """Return the files that an option names; a folder of pictures with all that is in it."""
    if isinstance(value, list):
        return [path for one in value for path in paths_in(one)]
    if not isinstance(value, Path):
        return []
    return sorted(value.rglob("*")) if value.is_dir() else [value]
