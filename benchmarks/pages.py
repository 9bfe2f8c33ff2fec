"""Tables of measured rows in pages of the documentation."""

import os
import platform
import re
from datetime import date
from importlib.metadata import version
from pathlib import Path


def conditions(*packages):
    """Return the date, the machine and the versions of packages."""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1]
    versions = "".join(f"{name} {version(name)}, " for name in packages)
    today, python = date.today(), platform.python_version()
    return f"{today:%-d %B %Y}, {cpu}, {os.cpu_count()} cores; {versions}Python {python}"


def list_table(head, rows):
    """Return a table in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [head, *rows]:
        lines += [f"   {'*' if k == 0 else ' '} - {cell}".rstrip() for k, cell in enumerate(row)]
    return "\n".join(lines)


def put_tables(page: Path, tables: dict[str, str]):
    """Replace what stands between the remarks ``.. NAME: begin`` and ``.. NAME: end``."""
    text = page.read_text()
    for name, table in tables.items():
        before, rest = text.split(f".. {name}: begin\n", 1)
        after = rest.split(f".. {name}: end\n", 1)[1]
        text = f"{before}.. {name}: begin\n\n{table}\n\n.. {name}: end\n{after}"
    page.write_text(text)
