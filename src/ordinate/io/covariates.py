"""Columns that may sway an answer besides the items: a value for each side, or for the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.io.columns import as_numbers
from ordinate.io.headings import marks_of, normalize_heading
from ordinate.tasks import PAIR

if TYPE_CHECKING:
    import pyarrow as pa

    from ordinate.io.layout_table import FoundLayout

CovariateColumns = Mapping[str, tuple[str, ...]]
"""By name of a covariate the columns of the first and the second item, or of the answer."""


def find_covariates(
    names: Sequence[str], told: str | Sequence[str] | None, found: FoundLayout
) -> CovariateColumns:
    """Return the columns of each covariate; a pattern such as ``*_a`` stands for all that match.

    Columns that differ as those of the items do, such as length_a and length_b beside model_a and
    model_b, hold a value of each item.
    """
    wanted = named_covariates(told)
    if not wanted:
        return {}
    if found.question != PAIR:
        raise InputError("Covariates are for answers about pairs; leave them out.")
    items = found.objects
    others = [name for name in names if name not in items]
    chosen = [name for part in wanted for name in _matching(part, others)]
    first, second = marks_of(items)
    called = {normalize_heading(name): name for name in others}
    columns: dict[str, tuple[str, ...]] = {}
    for name in chosen:
        words = normalize_heading(name).split("_")
        side = next((mark for mark in (first, second) if mark and mark in words), None)
        stem = "_".join(word for word in words if word != side)
        pair = [called.get("_".join(mark if word == side else word for word in words))
                for mark in (first, second)]  # fmt: skip
        if side is None:
            columns[name] = (name,)
        elif pair[0] is not None and pair[1] is not None:
            columns[stem] = (pair[0], pair[1])
        elif "*" not in "".join(wanted):
            raise InputError(
                f"Column {name!r} is a covariate of one item; there is no such column of the other."
                f" Name columns of both with {argument('covariates', 'length_a,length_b')}."
            )
    return columns


def named_covariates(told: str | Sequence[str] | None) -> list[str]:
    """Return the names and patterns that a caller lists."""
    entries = [told] if isinstance(told, str) else told or ()
    return [part.strip() for entry in entries for part in str(entry).split(",") if part.strip()]


def _matching(part: str, names: Sequence[str]) -> list[str]:
    """Return the columns that a name or a pattern stands for."""
    matching = [name for name in names if name == part or fnmatchcase(name, part)]
    if not matching:
        listed = ", ".join(map(repr, names))
        raise InputError(f"covariates: there is no column {part!r}; there are {listed}.")
    return matching


def read_covariates(
    columns: CovariateColumns,
    table: pa.Table,
    rows: NDArray[np.intp],
    is_reversed: NDArray[np.bool_] | None,
) -> dict[str, NDArray[np.float64]]:
    """Return by how much the first item has more of each covariate, as asked before reversal."""
    found = {}
    for name, sides in columns.items():
        values = [as_numbers(side, table.column(side), "covariates") for side in sides]
        more = np.asarray(values[0] - values[1] if len(values) == 2 else values[0], float)[rows]
        found[name] = more if is_reversed is None else np.where(is_reversed, -more, more)
    return found
