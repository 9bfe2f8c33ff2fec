"""The small table that `Questions.ask` returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ordinate._checks import as_frame

_SHOWN = 12
"""Rows that a batch prints of itself."""
_ABOUT = ("pool", "score", "rule", "model_version", "fallback")
"""Columns that say why a question is asked."""


@dataclass(frozen=True)
class Asked:
    """A question that went out."""

    id: int
    items: tuple[int, ...]
    pool: str
    score: float
    rule: str
    model_version: int
    fallback: str = ""
    participant: str = ""


@dataclass(frozen=True, eq=False)
class QuestionBatch(Sequence[Asked]):
    """Questions to ask, a row each; columns are attributes or entries: ``batch.anchor``."""

    rows: tuple[Asked, ...]
    columns: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def id(self) -> list[int]:
        """Ids of the questions, for `Questions.tell`."""
        return [row.id for row in self.rows]

    @property
    def items(self) -> list[tuple[str, ...]]:
        """Labels of each question's objects, in the order of `columns`."""
        return [tuple(self.names[number] for number in row.items) for row in self.rows]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the table as one list per column."""
        objects = {
            column: [items[place] for items in self.items]
            for place, column in enumerate(self.columns)
        }
        about = {name: [getattr(row, name) for row in self.rows] for name in _ABOUT}
        return {"id": self.id} | objects | about

    def to_frame(self) -> Any:
        """Return the table as a data frame."""
        return as_frame(self.to_dict())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.to_dict()[key]
        return self.rows[key]

    def __getattr__(self, name: str) -> list[Any]:
        if name in (*_ABOUT, *self.__dict__.get("columns", ())):
            column: list[Any] = self.to_dict()[name]
            return column
        raise AttributeError(f"A batch of questions has no column or attribute {name!r}.")

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Asked]:
        return iter(self.rows)

    def __repr__(self) -> str:
        shown = ("id", *self.columns, "pool", "score")
        table = self.to_dict()
        table["score"] = ["" if score != score else f"{score:.3g}" for score in table["score"]]
        cells = [list(shown)]
        cells += [[str(table[name][row]) for name in shown] for row in range(len(self))[:_SHOWN]]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        if len(self) > _SHOWN:
            lines.append(f"… {len(self)} questions")
        return "\n".join(lines)
