"""A progress bar for long work: in terminals and notebooks, silent everywhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """What `progress` hands out: call it as the work goes on."""

    def __call__(self, steps: float = 1, *, note: str = "") -> None:
        """Move the bar by `steps`; `note`, if given, replaces the text at its end."""


@contextmanager
def progress(title: str, *, total: float | None = None, enabled: bool = True) -> Iterator[Advance]:
    """Show a bar on standard error while the block runs.

    Parameters
    ----------
    title : str
        What is being done, such as ``"Fitting"``.
    total : float, optional
        The number of steps; without it the bar pulses and only counts.
    enabled : bool
        Usually the caller's `verbose`. Nothing is written when False, or when standard error
        is neither a terminal nor a notebook.

    Yields
    ------
    callable
        ``advance(steps=1, note="")``; safe to call from several threads.

    Examples
    --------
    >>> with progress("Counting", total=2, enabled=False) as advance:
    ...     advance(1, note="half way")
    ...     advance(1)
    """
    if not enabled:
        yield _stand_still
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield _stand_still
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
        task = bar.add_task(title, total=total, note="")

        def advance(steps: float = 1, *, note: str = "") -> None:
            if note:
                bar.update(task, advance=steps, note=note)
            else:
                bar.update(task, advance=steps)

        yield advance


def _stand_still(steps: float = 1, *, note: str = "") -> None:
    """Advance nothing: there is nobody to see it."""
