"""`ordinate datasets`: which data sets there are, and tables of them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordinate._checks import InputError
from ordinate.cli._options import Json
from ordinate.cli._results import Written, check_outputs, print_json, table_opt
from ordinate.cli._typer import arg, opt

if TYPE_CHECKING:
    from rich.table import Table

    from ordinate.datasets import CatalogueEntry, Dataset

Part = Literal["answers", "ratings", "features", "objects"]


@dataclass(frozen=True)
class Export:
    """One table of a data set."""

    about: Dataset
    part: str
    others: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what it is as plain Python values."""
        return {
            "name": self.about.name,
            "part": self.part,
            "citation": self.about.citation,
            "terms": self.about.terms,
        }

    def __str__(self) -> str:
        others = ", ".join(f"--part {part}" for part in self.others)
        lines = [
            f"{self.about.title}: {self.part}" + (f" (it has too: {others})" if others else ""),
            f"Cite: {self.about.citation}",
            f"Terms: {self.about.terms}",
        ]
        return "\n".join(lines)


def datasets(
    name: str | None = arg(
        "A data set to write as a table. Default: list all.", "[NAME]", default=None
    ),
    part: Part | None = opt("Which of its tables. Default: the first of these that it has."),
    output: Path | None = table_opt("the data set", "print CSV"),
    data_home: Path | None = opt("Where to look. Default: ORDINATE_DATA, or the cache.", "FOLDER"),
    json: Json = False,
) -> None:
    """List the data sets with size and terms, or write one of them as a table.

    Example: ordinate datasets cities -o answers.csv
    """
    from ordinate.datasets import catalogue

    entries = catalogue(data_home)
    if name is not None:
        _export(name, entries, part, output, data_home, json=json)
    elif output or part:
        raise InputError("Name the data set to write, such as: ordinate datasets cities -o a.csv")
    elif json:
        print_json({"datasets": [asdict(entry) for entry in entries]})
    else:
        from rich import print as rich_print

        rich_print(_table(entries))
        print("Write one as a table with: ordinate datasets NAME -o FILE. What is not here is")
        print("downloaded from its publisher on first use, or read from the folder ORDINATE_DATA.")


def _table(entries: Sequence[CatalogueEntry]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table("here", "name", "what", "terms", box=SIMPLE_HEAD, pad_edge=False)
    for entry in entries:
        here = "[green]yes[/]" if entry.present else "no"
        table.add_row(here, entry.name, f"{entry.title}: {entry.size}", entry.terms)
    return table


def _export(
    name: str,
    entries: Sequence[CatalogueEntry],
    part: Part | None,
    output: Path | None,
    data_home: Path | None,
    *,
    json: bool,
) -> None:
    """Write one table of a data set, or print it."""
    from ordinate.io.record_files import write_comparisons

    check_outputs([], tables=[output])
    dataset = _load(name, entries, data_home)
    parts = dataset.tables()
    if part is not None and part not in parts:
        there = ", ".join(parts)
        raise InputError(f"The data set {name} has no {part}; it has {there}.")
    chosen: str = part or next(iter(parts))
    written = Written(unwritten={} if output else {chosen: parts[chosen]})
    answers = dataset.comparisons
    if chosen == "answers" and answers is not None:  # a file keeps what columns cannot
        written.write(output, lambda path: write_comparisons(answers, path))
    else:
        written.write_table(output, parts[chosen])
    others = tuple(other for other in parts if other != chosen)
    written.show(Export(dataset, chosen, others), json=json)


def _load(name: str, entries: Sequence[CatalogueEntry], data_home: Path | None) -> Dataset:
    import ordinate.datasets

    loaders = {entry.name: entry.loader for entry in entries}
    if name not in loaders:
        raise InputError(f"There is no data set {name!r}; there are {', '.join(loaders)}.")
    load = getattr(ordinate.datasets, loaders[name])
    given = {"data_home": data_home, "random_state": 0}
    taken = inspect.signature(load).parameters
    dataset: Dataset = load(**{key: value for key, value in given.items() if key in taken})
    return dataset
