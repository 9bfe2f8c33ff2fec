"""What a method is given, as a record: in memory, or in partitions elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError, check_answers, check_weights, refuse_zero_weights
from ordinate.comparisons.labels import warn_of_unseen
from ordinate.comparisons.partitions import NOT_IN_MEMORY, PartitionedComparisons
from ordinate.comparisons.record import Comparisons

Record: TypeAlias = Comparisons | PartitionedComparisons
"""What estimators that minimise a loss over comparisons take."""


@contextmanager
def kept(comparisons: Record) -> Iterator[Record]:
    """Keep comparisons in memory while the block runs, as far as there is room."""
    if isinstance(comparisons, PartitionedComparisons):
        with comparisons.kept() as held:
            yield held
    else:
        yield comparisons


def in_memory(comparisons: Any) -> Any:
    """Return comparisons that are in memory, and refuse those that lie elsewhere."""
    if isinstance(comparisons, PartitionedComparisons) or hasattr(comparisons, "__dask_graph__"):
        raise InputError(NOT_IN_MEMORY)
    return comparisons


def as_record(
    comparisons: Any, answers: ArrayLike | None = None, *, weights: ArrayLike | None = None
) -> Record:
    """Return what a method was given as a record, in memory or in partitions."""
    if not isinstance(comparisons, PartitionedComparisons):
        return as_comparisons(comparisons, answers, weights=weights)
    if answers is not None or weights is not None:
        raise InputError(
            "Answers and weights of comparisons in partitions must be columns of the same table;"
            " name them with answer=... and weight=... in scan_parquet or from_dask."
        )
    return comparisons


def as_comparisons(
    comparisons: Record | ArrayLike,
    answers: ArrayLike | None = None,
    *,
    n_objects: int | None = None,
    weights: ArrayLike | None = None,
) -> Comparisons:
    """Return the record itself, or build one from arrays."""
    if not isinstance(comparisons, Comparisons):
        made = Comparisons(in_memory(comparisons), answers, n_objects=n_objects, weights=weights)
        refuse_zero_weights(made.weights)
        return made
    checked = comparisons.weights if weights is None else check_weights(weights, len(comparisons))
    refuse_zero_weights(checked)
    if answers is None and weights is None:
        return comparisons
    rows = comparisons.rows
    if answers is not None:
        holds = check_answers(answers, len(comparisons))[:, None]
        rows = np.where(holds, rows, comparisons.reversed().rows)
    made = comparisons._with(rows=rows, weights=checked)
    made._n_objects_inferred = comparisons._n_objects_inferred
    return made


def record_to_fit(
    comparisons: Record | ArrayLike,
    answers: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
) -> Comparisons:
    """Return what counts of a record as `as_comparisons` does; warn of objects nobody named."""
    record = as_comparisons(comparisons, answers, weights=weights)
    if record.weights is not None and not record.weights.all():
        record = record[record.weights > 0]
    if record._n_objects_inferred:
        occurs = np.zeros(record.n_objects, dtype=bool)
        occurs[record.rows.ravel()] = True
        warn_of_unseen(occurs)
    return record
