"""A progress bar for long work in terminals and notebooks; elsewhere silent, or one line."""

from __future__ import annotations

import html
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from importlib import import_module
from threading import Lock
from time import monotonic
from typing import Any, Protocol


class Advance(Protocol):
    """What `progress` hands out: call it as the work goes on."""

    def __call__(self, steps: float = 1, *, note: str = "") -> None:
        """Move the bar by `steps`; `note`, if given, replaces the text at its end."""


_SECONDS_BETWEEN = 0.2
"""A notebook is told no more often how far the work is."""

_LONG = 20
"""Seconds that work may take without a word."""

_STAGE: ContextVar[str] = ContextVar("stage", default="")
"""What the bars of the current stage begin with."""


class Stages:
    """Count the stages of a long job, so that a bar says which of how many it belongs to.

    What the job calls may begin its stages with `stage`, without knowing how many there are.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._number = 0

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the stages that begin while the block runs, unless a job around it counts."""
        before = _STAGES.set(_STAGES.get() or self)
        try:
            yield
        finally:
            _STAGES.reset(before)

    @contextmanager
    def next(self, happens: bool = True) -> Iterator[None]:
        """Begin the next stage, which lasts as long as the block, unless it is left out."""
        if not happens:
            yield
            return
        self._number += 1
        before = _STAGE.set(f"{self._number} of {self._total}: " if self._total > 1 else "")
        try:
            yield
        finally:
            _STAGE.reset(before)


_STAGES: ContextVar[Stages | None] = ContextVar("stages", default=None)
"""Of the job that runs, if it counts them."""


@contextmanager
def stage() -> Iterator[None]:
    """Begin the next stage of the job that runs."""
    stages = _STAGES.get()
    with stages.next() if stages else nullcontext():
        yield


@contextmanager
def progress(
    title: str, *, total: float | None = None, enabled: bool = True, announced: bool = False
) -> Iterator[Advance]:
    """Show a bar on standard error while the block runs."""
    if not enabled:
        yield _stand_still
        return
    from ordinate._notebooks import in_notebook

    if in_notebook():
        with _notebook_bar(f"{_STAGE.get()}{title}", total) as advance:
            yield advance
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _announcer(title, total) if announced and total else _stand_still
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", style="dim", markup=False),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(f"{_STAGE.get()}{title}", total=total, note="")

        def advance(steps: float = 1, *, note: str = "") -> None:
            if note:
                bar.update(task, advance=steps, note=note)
            else:
                bar.update(task, advance=steps)

        yield advance


@contextmanager
def _notebook_bar(title: str, total: float | None) -> Iterator[Advance]:
    """Show a bar below the cell until the block ends; rich would need ipywidgets for one."""
    shell = import_module("IPython.display")  # there is one: the notebook runs in it
    done, shown, text = 0.0, 0.0, ""
    guard = Lock()

    def drawn() -> Any:
        most = "" if total is None else f' max="{total:g}" value="{done:g}"'
        count = f"{done:g}" if total is None else f"{done:g}/{total:g}"
        return shell.HTML(
            f"{html.escape(title)} <progress{most}></progress> {count} {html.escape(text)}"
        )

    handle = shell.display(drawn(), display_id=True)

    def advance(steps: float = 1, *, note: str = "") -> None:
        nonlocal done, shown, text
        with guard:
            done, text = done + steps, note or text
            if monotonic() - shown > _SECONDS_BETWEEN:
                shown = monotonic()
                handle.update(drawn())

    try:
        yield advance
    finally:
        handle.update(shell.HTML(""))


def _announcer(title: str, total: float) -> Advance:
    """Return what says once, after a tenth of the work, about how long it will take."""
    start, done, said = monotonic(), 0.0, False

    def advance(steps: float = 1, *, note: str = "") -> None:
        nonlocal done, said
        done += steps
        if said or done < total / 10:
            return
        said = True
        seconds = (monotonic() - start) * total / done
        if seconds > _LONG:
            about = f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
            print(f"{title} takes about {about}.", file=sys.stderr, flush=True)

    return advance


def _stand_still(steps: float = 1, *, note: str = "") -> None:
    """Advance nothing: there is nobody to see it."""
