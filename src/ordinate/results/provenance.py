"""Where a result comes from, and what gives it again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from inspect import signature
from pathlib import Path
from typing import Any

from ordinate._estimator import Estimator
from ordinate.io.rows import Reading, notes_about
from ordinate.io.tables import matching_files

_NOT_TYPED = ("n_jobs", "verbose")
"""Arguments that change no result."""
_MOST_TYPED = 60
"""Letters of an argument that is written out; a longer one is named only."""


@dataclass(frozen=True)
class Provenance:
    """The name of a study, its files and how they were read, and what one types."""

    name: str = "a study"
    files: Sequence[Path] = ()
    commands: Sequence[str] = ()
    notes: Sequence[str] = ()
    readings: Sequence[Reading] = ()

    def checksums(self) -> dict[str, str]:
        """Return the SHA-256 of each file."""
        found = {}
        for path in self.files:
            if path.is_file():
                with path.open("rb") as file:
                    found[path.name] = file_digest(file, "sha256").hexdigest()
        return found


def provenance_of(
    function: Callable[..., Any], arguments: Mapping[str, Any], readings: Sequence[Reading] = ()
) -> Provenance:
    """Say which call of a public function gives the same result; its first argument is the data."""
    parameters = signature(function).parameters
    data = next(iter(parameters))
    further = {name: value for name, value in arguments.items() if name not in parameters}
    source = arguments[data]
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    files = [] if path is None else [Path(one) for one in matching_files(path)]
    given = [
        f"{name}={_as_typed(name, arguments[name])}"
        for name, parameter in parameters.items()
        if name not in (data, *_NOT_TYPED)
        and parameter.kind is not parameter.VAR_KEYWORD
        and arguments[name] is not parameter.default
    ]
    given += [f"{name}={_as_typed(name, value)}" for name, value in further.items()]
    call = ", ".join([repr(str(path)) if path else data, *given])
    commands = [
        "import ordinate as od",
        f"result = od.{function.__name__}({call})",
        'result.report("report.html")',
    ]
    notes = list(notes_about(readings))
    if path is None:
        return Provenance(commands=commands, notes=notes, readings=readings)
    return Provenance(path.name, files, commands, notes, readings)


def _as_typed(name: str, value: Any) -> str:
    """Return an argument as one types it, methods of Ordinate with their package."""
    if isinstance(value, Estimator):
        return f"od.{value!r}".replace("\n", "")
    if isinstance(value, Mapping):
        inside = (f"{key!r}: {_as_typed(name, one)}" for key, one in value.items())
        return f"{{{', '.join(inside)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_as_typed(name, one) for one in value)}]"
    written = repr(value)
    return written if len(written) <= _MOST_TYPED and "\n" not in written else name
