"""What keeps a log from being read: all doubts at once, and what settles them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ordinate._arguments import argument
from ordinate._checks import NO_ROWS, InputError

if TYPE_CHECKING:
    from ordinate.io.layout import Layout

Read = TypeVar("Read")
_MOST = 9
"""Doubts of one file that are looked for."""


class LayoutError(InputError):
    """A log can be read in several ways, or not without a decision.

    Attributes
    ----------
    choices : tuple of dict
        Parameters of `Layout` that settle the doubt, each a way to read the log.
    codes : tuple of str
        What is in doubt, such as "two-codings", "witness-disagrees" or "practice-rows".

    Examples
    --------
    >>> import ordinate as od
    >>> log = {"anchor": ["x"], "left": ["y"], "right": ["z"], "response": [0]}
    >>> try:
    ...     od.read_comparisons(log)
    ... except od.LayoutError as error:
    ...     print(error.choices)
    ({'coding': 'from-0'}, {'coding': 'holds'})
    """

    __module__ = "ordinate"  # where users find it

    def __init__(
        self, message: str, choices: Sequence[Mapping[str, Any]] = (), code: str = ""
    ) -> None:
        super().__init__(message)
        self.choices = tuple(dict(choice) for choice in choices)
        self.codes = tuple(code.split())


def read_settled(read: Callable[[Layout], Read], layout: Layout, source: str) -> Read:
    """Read by a layout, or say at once all that keeps the source from being read by it."""
    try:
        return read(layout)
    except LayoutError as error:
        doubts: list[InputError] = [error]
    proposed = layout
    while isinstance(doubt := doubts[-1], LayoutError) and doubt.choices and len(doubts) < _MOST:
        changed = proposed.changed(doubt.choices[0])
        if changed == proposed:
            break
        proposed = changed
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(proposed)
            break
        except InputError as error:
            if str(error) in (NO_ROWS, str(doubt)):  # the choice leaves nothing, or changes it
                break
            doubts.append(error)
    aloud = [_describe_readings(read, proposed, doubt) for doubt in doubts]
    advice = _advice(proposed, source)
    if len(doubts) == 1:
        if aloud[0] or (proposed != layout and "\n  ordinate" in advice):
            doubts[0].args = (f"{doubts[0]}{aloud[0]}\n{advice}",)
        raise doubts[0]
    said = [f"  {n}. {doubt}{aloud[n - 1]}" for n, doubt in enumerate(doubts, start=1)]
    listed = "\n".join(said)
    raise LayoutError(
        f"It needs {len(doubts)} decisions:\n{listed}\n{advice}",
        [{n: value for n, value in proposed.said.items() if value != getattr(layout, n)}],
        code=" ".join(code for doubt in doubts for code in getattr(doubt, "codes", ())),
    )


def _describe_readings(read: Callable[[Layout], Any], proposed: Layout, doubt: InputError) -> str:
    """Say what one row states by each way to settle a doubt between several."""
    choices = doubt.choices if isinstance(doubt, LayoutError) else ()
    said = []
    for choice in choices if len(choices) > 1 else ():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _, reading = read(proposed.changed(choice))
        except InputError:
            continue
        options = " ".join(argument(name, value) for name, value in choice.items())
        said.append(f"\n     {options}: {reading.example}")
    return "".join(said)


def _advice(proposed: Layout, source: str) -> str:
    """Return what one copies, with all that was said and one decision about each doubt."""
    given = [argument(name, value) for name, value in proposed.said.items()]
    if given and given[0].startswith("--"):
        command = " ".join(["ordinate describe", source, *given, "--save-layout"])
        return f"Copy, correct and run once; every command then reads the layout:\n  {command}"
    return f"Copy and correct:\n  {', '.join(given)}"
