"""What every script of papers/ shares: its run, and tables that a killed run goes on with."""

from __future__ import annotations

import csv
import importlib.util
import io
import math
import os
import platform
import shutil
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from ordinate._progress import progress

Row = dict[str, Any]
PICTURES = (".png", ".jpg")
_MOST_KEPT = 100_000
"""Bytes of the rows of a table that are kept beside the page."""


@dataclass(frozen=True)
class _Indented:
    """A file whose lines stand below a directive."""

    file: io.StringIO

    def write(self, line: str) -> None:
        self.file.write(f"   {line}")


@dataclass(frozen=True)
class Run:
    """One run of one script: how large, from which seed, and where its results go."""

    name: str
    quick: bool
    seed: int
    output: Path
    until: float = math.inf
    """When, by `time.monotonic`, nothing new is measured any more."""
    device: str = "cpu"
    """Where the estimators compute, in scripts that have use for a GPU."""

    def size(self, quick: Any, full: Any) -> Any:
        """Return the first in a quick run and the second in a full one."""
        return quick if self.quick else full

    def seeds(self, quick: int, full: int) -> range:
        """Return the seeds of the repeats, beginning with that of the run."""
        return range(self.seed, self.seed + self.size(quick, full))

    def path(self, file: str) -> Path:
        """Return where a file of results goes; the folder exists afterwards."""
        self.output.mkdir(parents=True, exist_ok=True)
        return self.output / file

    def table(self, name: str, *, total: int | None = None) -> Table:
        """Open a table of results, with a progress bar of as many measurements as are given."""
        return Table(self.path(f"{name}.csv"), self.header(), total=total, until=self.until)

    def page(self, table: Table, caption: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows as a page shows them, under the name of the table they come from.

        `publish` takes the file to docs/results, where a page includes it. Without rows, as when
        time was up before the first, there is none.
        """
        rows = list(rows)
        if not rows:
            return
        header = list(dict.fromkeys(name for row in rows for name in row))
        text = io.StringIO()
        text.write(f".. csv-table:: {caption}\n   :header-rows: 1\n\n")
        writer = csv.writer(_Indented(text), lineterminator="\n")
        writer.writerow(header)
        writer.writerows([[_cell(row.get(name, "")) for name in header] for row in rows])
        text.write(f"\n{table.path.read_text().splitlines()[0].removeprefix('# ')}.\n")
        self.path(f"{table.path.stem}.txt").write_text(text.getvalue())

    def publish(self, pages: Path) -> list[Path]:
        """Copy tables and pictures that pages show, and the rows behind them; say where to.

        Rows that lie beside a page can be copied back to the run's folder, to add draws to them.
        """
        paper = self.name.partition(".")[0]
        published = []
        for file in sorted(self.output.iterdir()):
            target = pages / f"{paper}-{file.name}"
            rows = file.suffix == ".csv" and file.stat().st_size < _MOST_KEPT
            if file.suffix == ".txt" or rows or (file.suffix in PICTURES and target.exists()):
                shutil.copyfile(file, target)
                published.append(target)
        return published

    def points(self, name: str, make: Callable[[], np.ndarray]) -> np.ndarray:
        """Return coordinates that an earlier run left, or make and keep them."""
        path = self.path(f"{name}-seed{self.seed}.npy")
        if not path.exists():
            np.save(path, make())
        return np.load(path)

    def header(self) -> str:
        """Say when, where and by which command the figures came about."""
        size = "--quick" if self.quick else "--full"
        command = f"python -m papers.run {self.name} {size} --seed {self.seed}"
        place = machine()
        if self.device != "cpu":
            command += f" --device {self.device}"
            place += f", {graphics_card(self.device)}"
        load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
        return f"# {datetime.now(UTC):%Y-%m-%d}; {place}; {load}; {command}\n"


def machine() -> str:
    """Name the processor and the number of its cores."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    return f"{os.cpu_count()} cores, {model}"


def graphics_card(device: str) -> str:
    """Name the GPU that PyTorch means by this."""
    import torch

    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


class OutOfTime(Exception):
    """Raised in place of a measurement when time is up; ends the ``with`` block of its table."""


@dataclass
class Table:
    """Rows of a CSV file, each written as soon as it is known.

    A measurement is named by its key. One that the file already has is read, not made again, so
    that a killed run goes on where it was; one that was cut off in the middle is made again. When
    time is up, the block of the table ends before its first new measurement, and what follows it
    has the rows found by then.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Table(Path(folder, "rows.csv"), "") as table:
    ...     first = table.row({"n": 3}, lambda: {"square": 9})
    ...     again = table.row({"n": 3}, lambda: {"square": "not measured again"})
    >>> again
    {'n': 3, 'square': 9}
    """

    path: Path
    header: str
    total: int | None = None
    until: float = math.inf
    found: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.path.exists():
            whole = self.path.read_text().rpartition("\n")
            self.path.write_text(whole[0] + whole[1])  # a torn last line is none
            self.found = read(self.path)
        else:
            self.path.write_text(self.header)

    def __enter__(self) -> Table:
        self._bar = progress(self.path.stem, total=self.total)
        self._advance = self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._bar.__exit__(kind, error, trace)
        return kind is OutOfTime

    def rows(self, key: Row, measure: Callable[[], Iterable[Row]]) -> list[Row]:
        """Return the rows of a key: those in the file, or else those that are measured now."""
        known = [row for row in self.found if all(row.get(name) == key[name] for name in key)]
        if not known:
            if time.monotonic() >= self.until:
                raise OutOfTime
            known = [{**key, **row} for row in measure()]
            self._append(known)
        self._advance(1, note=", ".join(str(value) for value in key.values()))
        return known

    def row(self, key: Row, measure: Callable[[], Row]) -> Row:
        """Return the row of a key, measured now if the file does not have it."""
        return self.rows(key, lambda: [measure()])[0]

    def fill(self, keys: list[Row], measure: Callable[..., Row | list[Row]]) -> None:
        """Measure what the file does not have, side by side on all cores.

        `measure` is called with a key as its arguments and returns a row or several. They are
        written as they come, in the order of the keys, so that a killed run goes on where it was.
        """
        known = {tuple(row.get(name) for name in keys[0]) for row in self.found}
        lacking = [key for key in keys if tuple(key.values()) not in known]
        waiting = (delayed(_in_time)(measure, key, self.until) for key in lacking)
        for key, rows in zip(lacking, Parallel(-1, return_as="generator")(waiting), strict=True):
            if not rows:
                raise OutOfTime
            self._append([{**key, **row} for row in rows])
            self._advance(1, note=", ".join(str(value) for value in key.values()))

    def _append(self, rows: list[Row]) -> None:
        columns = list((self.found or rows)[0])
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        if not self.found:
            writer.writeheader()
        writer.writerows(rows)
        with self.path.open("a", newline="") as file:  # in one go: a group is there or it is not
            file.write(text.getvalue())
        self.found += rows


def _in_time(measure: Callable[..., Row | list[Row]], key: Row, until: float) -> list[Row]:
    """Measure with one thread of linear algebra; nothing if time is up."""
    if time.monotonic() >= until:
        return []
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        rows = measure(**key)
    return [rows] if isinstance(rows, dict) else rows


def read(path: Path) -> list[Row]:
    """Read the rows of a table; what looks like a number is one."""
    with path.open(newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [
        {name: _value(text) for name, text in row.items()}
        for row in csv.DictReader(lines)
        if None not in row.values()
    ]


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def print_table(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print rows under their common header."""
    rows = list(rows)
    header = list(dict.fromkeys(name for row in rows for name in row))
    cells = [header] + [[_cell(row.get(name)) for name in header] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def summarise(rows: Iterable[Row], by: Iterable[str], of: Iterable[str]) -> list[Row]:
    """Give the number of rows and the mean and standard deviation of columns, group by group."""
    by, of, groups = list(by), list(of), {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    summary = []
    for key, members in groups.items():
        line: Row = {**dict(zip(by, key, strict=True)), "runs": len(members)}
        for name in of:
            values = [row[name] for row in members if row[name] != ""]
            line[name] = float(np.mean(values)) if values else None
            line[f"{name} sd"] = float(np.std(values)) if values else None
        summary.append(line)
    return summary


def ranged(values: Iterable[float], form: str = ".3f") -> str:
    """Show a mean with its range; a single value stands alone, and no value is nothing."""
    values = list(values)
    if not values:
        return ""
    mean, low, high = (format(f(values), form) for f in (np.mean, min, max))
    return mean if len(values) == 1 else f"{mean} ({low} to {high})"


def missing(modules: Iterable[str]) -> list[str]:
    """Name those modules that are not installed."""
    return [module for module in modules if importlib.util.find_spec(module) is None]
