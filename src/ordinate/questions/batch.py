"""The small table that `Questions.ask` returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ordinate._checks import import_pandas

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 12
"""Rows that a batch prints of itself."""


@dataclass(frozen=True)
class Asked:
    """A question that went out.

    Attributes
    ----------
    id : int
        What `Questions.tell` knows it by.
    items : tuple of int
        Numbers of its objects, in the order shown.
    pool : str
        Why it is asked: "adaptive" (chosen by the rule), "random" or "validation".
    score : float
        What the rule says it is worth; NaN where no rule chose it.
    rule : str
        The rule that chose it.
    model_version : int
        The fit that the rule looked at; 0 for none.
    fallback : str
        Why it is a random one although the rule was to choose it; empty where that is not so.
    participant : str
        Who was asked; empty where that is not known.
    """

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
    """Questions to ask, a row each; columns are attributes or entries.

    Attributes
    ----------
    rows : tuple of Asked
        The questions.
    columns : tuple of str
        What the objects of a question are called, such as anchor, left and right.
    names : tuple of str
        Labels of all objects.

    Examples
    --------
    >>> import ordinate as od
    >>> batch = od.Questions(["tea", "milk", "wine", "beer"], random_state=0).ask(2)
    >>> batch.id
    [0, 1]
    >>> sorted(batch.to_dict())[:4]
    ['anchor', 'fallback', 'id', 'left']
    """

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
        """Return the table as one list per column.

        Returns
        -------
        dict of str to list
            id, the objects by label, pool, score, rule, model_version and fallback.
        """
        objects = {
            column: [items[place] for items in self.items]
            for place, column in enumerate(self.columns)
        }
        about = ("pool", "score", "rule", "model_version", "fallback")
        return (
            {"id": self.id}
            | objects
            | {name: [getattr(row, name) for row in self.rows] for name in about}
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a pandas DataFrame.

        Returns
        -------
        DataFrame
            A row per question.
        """
        frame: pd.DataFrame = import_pandas().DataFrame(self.to_dict())
        return frame

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.to_dict()[key]
        return self.rows[key]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Asked]:
        return iter(self.rows)

    def __repr__(self) -> str:
        shown = ("id", *self.columns, "pool", "score")
        table = self.to_dict()
        table["score"] = ["" if score != score else f"{score:.3f}" for score in table["score"]]
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
