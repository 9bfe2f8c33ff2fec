"""What results look like, printed and in notebooks: reports as small tables, maps as maps."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

MOST_SHOWN = 20_000
"""Maps of more objects are shown only where one asks for them: they make notebooks heavy."""
MOST_ROWS = 60
"""Rows of a table that is printed."""


class ShownAsTable:
    """A dataclass whose string is a short report; notebooks show the same report as a table."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    def _repr_html_(self) -> str:
        return report_as_html(str(self))


def in_dimensions(number: int) -> str:
    """Return such as "1 dimension" or "3 dimensions"."""
    return f"{number} dimension{'s' if number > 1 else ''}"


def aligned(cells: Sequence[Sequence[str]], most: int = MOST_ROWS) -> Iterator[str]:
    """Write a header and the first rows of a table in columns."""
    shown = cells[: most + 1]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {line}".rstrip()
    if len(cells) > len(shown):
        yield f"  and {len(cells) - len(shown):,} more"


def report_as_html(text: str) -> str:
    r"""Turn a report in lines into sentences and tables."""
    parts = []
    for is_table, lines in groupby(text.splitlines(), key=lambda line: line.startswith("  ")):
        if is_table:
            parts.append(_table([re.split(r" {2,}", line.strip()) for line in lines]))
        else:
            parts += [f"<p>{html.escape(line)}</p>" for line in lines]
    return f"<div>{''.join(parts)}</div>"


def _table(rows: list[list[str]]) -> str:
    width = max(len(row) for row in rows)
    written = []
    for number, row in enumerate(rows):
        texts = [html.escape(cell) for cell in row]
        if len(row) == 1:
            cells = f'<td colspan="{width}">{texts[0]}</td>'
        elif number == 0 and width > 2:
            cells = "".join(f'<th scope="col">{text}</th>' for text in texts)
        else:
            cells = f'<th scope="row">{texts[0]}</th>'
            cells += "".join(f"<td>{text}</td>" for text in texts[1:])
        written.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(written)}</table>"


def map_as_html(points: Any, names: Sequence[object] | None, uncertainty: Any = None) -> str:
    """Return a map to explore, for the cell of a notebook."""
    import ordinate  # maps are drawn above all that has one, so that is looked for only now

    if len(points) > MOST_SHOWN:
        return ""
    texts = None if names is None else [str(name) for name in names]
    page = ordinate.plots.plot_interactive_map(points, texts, uncertainty=uncertainty)
    return page._repr_html_()


def cards_as_html(model: Any) -> str:
    """Return a card per dimension of a fit, for the cell of a notebook."""
    import ordinate

    if len(model.embedding_) > MOST_SHOWN:
        return ""
    page = ordinate.plots.plot_dimension_cards(
        model.embedding_,
        None if model.names_ is None else [str(name) for name in model.names_],
        reproducibility=model.reproducibility_,
        shares=model.shares_,
    )
    return page._repr_html_()


def in_notebook() -> bool:
    """Return whether this runs in a notebook, whose cells show what is drawn."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell else None
    return getattr(running, "kernel", None) is not None
