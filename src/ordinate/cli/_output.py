"""What a command prints: JSON for machines, plain lines for people."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ordinate.io.coordinates import Columns


class Report(Protocol):
    """What a command found: figures for machines, and as a string lines for people."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values."""


def print_report(report: Report, tables: Mapping[str, Columns], *, json: bool) -> None:
    """Print a report, and tables that go to no file.

    Parameters
    ----------
    report : Report
        What the command found.
    tables : mapping of str to columns
        Tables by name. As text they have standard output to themselves, and the report goes to
        standard error; in JSON they are part of the report.
    json : bool
        Whether to print JSON.
    """
    if json:
        columns = {
            title: {name: column.tolist() for name, column in table.items()}
            for title, table in tables.items()
        }
        print_json(report.to_dict() | columns)
        return
    from ordinate.io.coordinates import write_csv

    for table in tables.values():
        write_csv(table, sys.stdout.buffer)
    print(report, file=sys.stderr if tables else sys.stdout)


def print_json(figures: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output.

    Parameters
    ----------
    figures : mapping of str to JSON values
        What the command found.
    """
    print(json_format.dumps(figures, indent=2, allow_nan=False))
