"""Tables of measured rows in pages of the documentation."""

import csv
import io
import json
import os
import platform
import re
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parents[1] / "docs" / "results"


def date_and_machine():
    """Return the date and the machine."""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1]
    return f"{date.today():%-d %B %Y}, {cpu}, {os.cpu_count()} cores"


def conditions(*packages):
    """Return the date, the machine and the versions of packages."""
    versions = "".join(f"{name} {version(name)}, " for name in packages)
    return f"{date_and_machine()}; {versions}Python {platform.python_version()}"


def machine_of(device):
    """Name the GPU with the PyTorch that runs on it; of a CPU, count the cores."""
    cores = f"{os.cpu_count()} cores"
    if device == "cpu":
        return cores
    import torch

    return f"{torch.cuda.get_device_name(device)}, {cores}, torch {torch.__version__}"


def earlier_rows(path):
    """Return the rows that earlier runs left in a JSON file; none without a file."""
    return json.loads(path.read_text()) if path and path.exists() else []


def ranged(values, form=".3f"):
    """Show the least and the largest of several measurements; once if they look the same."""
    shown = list(dict.fromkeys(format(value, form) for value in (min(values), max(values))))
    return " to ".join(shown)


def with_error(values, digits=3):
    """Show the mean of several measurements with its standard error; a dash stands for none."""
    values = np.asarray(list(values), dtype=float)
    if not values.size:
        return "–"
    error = np.std(values, ddof=1) / values.size**0.5 if values.size > 1 else np.nan
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"


def list_table(head, rows):
    """Return a table in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [head, *rows]:
        lines += [f"   {'*' if k == 0 else ' '} - {cell}".rstrip() for k, cell in enumerate(row)]
    return "\n".join(lines)


def write_table(name, caption, rows, command, *, machine=None):
    """Write rows, which are dictionaries, to a file of docs/results that a page includes.

    Numbers that are not whole have three digits. Below the rows stand the date, the machine (this
    one with its load, unless another is named) and the command.
    """
    lines = io.StringIO()
    header = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(lines, header, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {name: f"{x:.3g}" if isinstance(x, float) else x for name, x in row.items()}
        )
    table = "".join(f"   {line}\n" for line in lines.getvalue().splitlines())
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1]
    machine = machine or f"{os.cpu_count()} cores, {cpu}; load {os.getloadavg()[0]:.1f}"
    origin = f"{date.today():%Y-%m-%d}; {machine}; {command}."
    text = f".. csv-table:: {caption}\n   :header-rows: 1\n\n{table}\n{origin}\n"
    (RESULTS / f"{name}.txt").write_text(text)


def put_tables(page: Path, tables: dict[str, str]):
    """Write tables to files beside a page, which includes them: PAGE-NAME.txt."""
    for name, table in tables.items():
        path = page.with_name(f"{page.stem}-{name.replace(' ', '-')}.txt")
        path.write_text(f"{table}\n")
