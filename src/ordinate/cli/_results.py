"""Where the results of a verb go: a table, and a map as a picture or a page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ordinate.io.atomic import atomic_path


def plot_option(what: str = "Map") -> Any:
    """Return the option ``--plot``, which all verbs have that draw a map."""
    return typer.Option(
        metavar="FILE",
        help=f"{what}: .png, .svg or .pdf for print, .html for a page to explore.",
        rich_help_panel="Picture",
    )


Plot = Annotated[Path | None, plot_option()]


@contextmanager
def temporary_map(path: Path | None) -> Iterator[Path | None]:
    """Refuse an impossible path now, before a fit that may be long; keep the map whole or not."""
    from ordinate.plots._saving import check_map_path

    if path is None:
        yield None
        return
    check_map_path(path)
    with atomic_path(path) as temporary:
        yield temporary


@dataclass(frozen=True)
class Results:
    """Where the results go."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Table of coordinates: .csv, .tsv, .parquet or .npz. Default: CSV on the screen.",
        ),
    ] = None
    plot: Plot = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are asked for."""
        return tuple(path for path in (self.output, self.plot) if path)

    @contextmanager
    def temporary(self) -> Iterator[tuple[Path | None, Path | None]]:
        """Refuse impossible paths now, before a fit that may be long; keep all files or none."""
        from ordinate.io.coordinates import table_writer

        with ExitStack() as stack:
            picture = stack.enter_context(temporary_map(self.plot))
            table = None
            if self.output:
                table_writer(self.output)
                table = stack.enter_context(atomic_path(self.output))
            yield table, picture
