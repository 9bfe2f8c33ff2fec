"""Comparisons from a table of any origin, and what to do with rows that say nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_index_rows, check_length, degenerate_rows
from ordinate.comparisons.record import Comparisons
from ordinate.io.columns import as_answers, as_labels, as_objects, as_weights
from ordinate.io.layout import Layout, find_layout

if TYPE_CHECKING:
    import pyarrow as pa


class DroppedRowsWarning(UserWarning):
    """Rows of a file or frame that compare nothing were left out, as asked for.

    Examples
    --------
    >>> import warnings
    >>> import ordinate as od
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     answers = od.read_comparisons([[0, 1, 2], [0, 1, 1]], on_invalid="drop")
    >>> print(caught[0].message)
    Dropped 1 of 2 rows: 1 with an object or pair twice.
    """


@dataclass
class Parts:
    """What a record is made of, before rows that say nothing are refused or dropped.

    Attributes
    ----------
    rows : array-like, shape (n_comparisons, 3 or 4)
        Numbers of objects, not yet checked.
    answers, weights, groups, names, n_objects
        As for `Comparisons`.
    missing : mapping of str to ndarray of bool
        For each column with missing entries, in which rows.
    place : callable
        From the number of a row to words for where it stands, such as "Line 3".
    """

    rows: NDArray[Any]
    answers: NDArray[Any] | None = None
    weights: NDArray[Any] | None = None
    groups: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    names: Sequence[object] | None = None
    n_objects: int | None = None
    missing: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    place: Callable[[int], str] = "Row {}".format

    def build(self, on_invalid: str) -> Comparisons:
        """Return the record; rows that say nothing are refused or, with a warning, dropped."""
        if on_invalid == "raise":
            self._refuse_missing()
        rows = check_index_rows(self.rows, self.n_objects, self.place)
        missing = np.any([*self.missing.values(), np.zeros(len(rows), dtype=bool)], axis=0)
        repeated = degenerate_rows(rows) & ~missing
        if on_invalid == "raise":
            self._refuse_repeated(rows, repeated)
        keep = ~(missing | repeated)
        if not keep.all():
            warnings.warn(_dropped(missing, repeated), DroppedRowsWarning, stacklevel=3)
        return Comparisons(
            rows[keep],
            None if self.answers is None else _kept("answers", self.answers, keep),
            n_objects=self.n_objects,
            weights=None if self.weights is None else _kept("weights", self.weights, keep),
            groups={name: _kept(name, labels, keep) for name, labels in self.groups.items()},
            names=self.names,
        )

    def _refuse_missing(self) -> None:
        for column, missing in self.missing.items():
            raise InputError(
                f"{self.place(int(np.argmax(missing)))} has no entry in column {column!r}"
                f" ({missing.sum()} missing in all); fill it in, or leave such rows out with"
                " on_invalid='drop'."
            )

    def _refuse_repeated(self, rows: NDArray[np.int32], repeated: NDArray[np.bool_]) -> None:
        if repeated.any():
            first = int(np.argmax(repeated))
            row = [int(o) if self.names is None else self.names[o] for o in rows[first]]
            raise InputError(
                f"{self.place(first)} compares nothing, as an object or pair occurs twice in"
                f" {tuple(row)} (rows like it: {repeated.sum()}); correct it, or leave such rows"
                " out with on_invalid='drop'."
            )


def parts_of_table(
    table: pa.Table,
    layout: Layout,
    *,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
    place: Callable[[int], str] = "Row {}".format,
) -> Parts:
    """Take the columns that matter out of a table."""
    found = find_layout(table.column_names, layout)
    columns = {name: table.column(name) for name in found.used}
    for name, column in columns.items():
        if 0 < len(column) == column.null_count:
            raise InputError(f"Column {name!r} has no entries at all.")
    rows, names = as_objects({name: columns[name] for name in found.objects}, names, place)
    return Parts(
        rows,
        None if found.answer is None else as_answers(found.answer, columns[found.answer]),
        None if found.weight is None else as_weights(found.weight, columns[found.weight]),
        {group: as_labels(name, columns[name]) for group, name in found.groups.items()},
        names,
        n_objects,
        {n: c.is_null().to_numpy() for n, c in columns.items() if c.null_count},
        place,
    )


def _kept(name: str, array: NDArray[Any], keep: NDArray[np.bool_]) -> NDArray[Any]:
    check_length(name, array, len(keep))
    kept: NDArray[Any] = array[keep]
    return kept


def _dropped(missing: NDArray[np.bool_], repeated: NDArray[np.bool_]) -> str:
    counts = {"with a missing entry": missing.sum(), "with an object or pair twice": repeated.sum()}
    reasons = ", ".join(f"{count} {reason}" for reason, count in counts.items() if count)
    return f"Dropped {missing.sum() + repeated.sum()} of {len(missing)} rows: {reasons}."
