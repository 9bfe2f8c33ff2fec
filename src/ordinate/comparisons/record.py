"""The one record that every method takes: who was called nearer to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import (
    InputError,
    begins_with_text,
    check_answers,
    check_index_rows,
    check_integer,
    check_names,
    check_weights,
    refuse_degenerate,
)
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.grouped_rows import (
    AboutObjects,
    GroupedRows,
    check_groups,
    joined,
    numbered,
)
from ordinate.comparisons.labels import count_numbers, number_objects

if TYPE_CHECKING:
    from ordinate.comparisons.description import Description


class TripletsOrQuadruplets(AboutObjects):
    """Comparisons, which are triplets or quadruplets."""

    @property
    def kind(self) -> str:
        """Either ``"triplet"`` or ``"quadruplet"``."""
        return "triplet" if self.shape[1] == 3 else "quadruplet"


class Comparisons(TripletsOrQuadruplets, GroupedRows):
    """Answers of the form "this pair is nearer than that pair", immutable and validated.

    Parameters
    ----------
    rows : array-like of int or str, shape (n_comparisons, 3) or (n_comparisons, 4)
        Triplets (anchor, near, far): anchor is nearer to near than to far. Quadruplets
        (i, j, k, l): i and j are nearer to each other than k and l are. Numbers are positions,
        which count from 0; text is labels.
    answers : array-like of bool or +1/-1, shape (n_comparisons,), optional
        Whether each row holds as written; where False or -1, its two pairs change places.
    n_objects : int, optional
        How many objects there are; by default the largest number plus one.
    weights : array-like of float, shape (n_comparisons,), optional
        How much each row counts; finite and not negative. By default all count 1.
    groups : array-like or mapping of str to array-like, optional
        Labels per row, such as ``{"participant": ..., "trial": ...}``. A single array is
        stored under the name ``"group"``.
    names : sequence of str, optional
        One distinct name per object, in the order of their numbers; by default the labels that
        occur, in natural order.

    See Also
    --------
    read_comparisons : From files, frames and arrays.
    PartitionedComparisons : For more than fit in memory.
    ordinate.sources.random_triplets : From points.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Comparisons([[0, 1, 2], [2, 0, 1]], [True, False])
    >>> answers
    Comparisons(2 triplets, 3 objects)
    >>> answers.rows
    array([[0, 1, 2],
           [2, 1, 0]], dtype=int32)
    """

    def __init__(
        self,
        rows: ArrayLike,
        answers: ArrayLike | None = None,
        *,
        n_objects: int | None = None,
        weights: ArrayLike | None = None,
        groups: ArrayLike | Mapping[str, ArrayLike] | None = None,
        names: Sequence[object] | None = None,
    ) -> None:
        if begins_with_text(rows):
            (rows,), names = number_objects([rows], names)
        labels, n_objects = check_size(names, n_objects)
        checked = check_index_rows(rows, n_objects)
        refuse_degenerate(checked)
        self._set_valid_rows(checked, answers, weights, groups, labels, n_objects)

    def _set_valid_rows(
        self,
        rows: NDArray[np.int32],
        answers: ArrayLike | None,
        weights: ArrayLike | None,
        groups: ArrayLike | Mapping[str, ArrayLike] | None,
        names: tuple[str, ...] | None,
        n_objects: int | None,
    ) -> None:
        """Check what belongs to the rows, which are known to be valid and may be changed."""
        if answers is not None:
            flip = ~check_answers(answers, len(rows))
            rows[flip] = rows[flip][:, SWAPPED_COLUMNS[rows.shape[1]]]
        self._set(
            rows,
            None if weights is None else check_weights(weights, len(rows)),
            check_groups(groups, len(rows)),
            names,
            count_numbers(int(rows.max()), rows.size) if n_objects is None else n_objects,
        )
        self._n_objects_inferred = n_objects is None

    @classmethod
    def _of_valid_rows(cls, rows: NDArray[np.int32], *others: Any) -> Self:
        """Build from rows that a reader has checked, and check what belongs to them."""
        self = cls.__new__(cls)
        self._set_valid_rows(rows, *others)
        return self

    def __sizeof__(self) -> int:
        # Dask decides by the size of objects where they are used and when memory runs short.
        arrays = (self._rows, self._weights, *self._groups.values())
        return object.__sizeof__(self) + sum(a.nbytes for a in arrays if a is not None)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._rows, dtype=dtype) if copy else np.asarray(self._rows, dtype=dtype)

    def __repr__(self) -> str:
        extras = "".join(
            [
                ", weighted" if self._weights is not None else "",
                f", grouped by {' and '.join(self._groups)}" if self._groups else "",
            ]
        )
        plural = "" if len(self) == 1 else "s"
        return f"Comparisons({len(self)} {self.kind}{plural}, {self._n_objects} objects{extras})"

    def _repr_html_(self) -> str:
        from ordinate._notebooks import report_as_html

        return report_as_html(str(self.describe()) if len(self) <= 1_000_000 else repr(self))

    def to_quadruplets(self) -> Self:
        """Write each triplet (a, i, j) as the quadruplet (a, i, a, j); quadruplets stay."""
        return self._with_columns(PAIR_COLUMNS[self._rows.shape[1]])

    def reversed(self) -> Self:
        """Return the opposite statements: near and far change places in every row."""
        return self._with_columns(SWAPPED_COLUMNS[self._rows.shape[1]])

    def _with_columns(self, columns: list[int]) -> Self:
        return self._with(rows=np.ascontiguousarray(self._rows[:, columns]))

    def _question_codes(self) -> NDArray[np.intp]:
        """Return numbers of the questions in sorted order: the same two pairs, in any order."""
        if self.kind == "triplet" and self._n_objects < 2**21:  # one key is quicker than two
            anchor, near, far = self._rows.T.astype(np.int64)
            key = (anchor * self._n_objects + np.minimum(near, far)) * self._n_objects
            return numbered(key + np.maximum(near, far))
        first, second = self.pair_codes()
        return numbered(np.minimum(first, second), np.maximum(first, second))

    def _answer_codes(self) -> NDArray[np.intp]:
        return self.pair_codes()[0]

    def sample(self, size: int, *, replace: bool = False, random_state: RandomState = None) -> Self:
        """Draw rows at random.

        Parameters
        ----------
        size : int
            How many rows.
        replace : bool, default=False
            Whether a row may be drawn more than once.
        random_state : int, Generator or None, default=None
            Seed of the draw.

        Returns
        -------
        Comparisons
            The rows drawn, in the order drawn.
        """
        maximum = None if replace else len(self)
        size = check_integer("size", size, minimum=1, maximum=maximum)
        return self[as_generator(random_state).choice(len(self), size=size, replace=replace)]

    @classmethod
    def concatenate(cls, parts: Sequence[Comparisons]) -> Self:
        """Put the rows of several records under one another.

        Parameters
        ----------
        parts : sequence of Comparisons
            All triplets or all quadruplets. If they have names, objects are matched by name;
            otherwise by number. A group that is not in every part is left out, and parts
            without weights count 1 per row where another part has weights.

        Returns
        -------
        Comparisons
            All rows, in order.
        """
        if not parts:
            raise InputError("concatenate needs at least one part; got none.")
        if len({part.kind for part in parts}) > 1:
            raise InputError(
                "Triplets and quadruplets do not mix; call to_quadruplets() on the triplets first."
            )
        return cls._from_validated(**joined(parts))

    def merge_repeats(self) -> Self:
        """Keep one row of each statement, weighted by how often (or how heavily) it was made.

        Returns
        -------
        Comparisons
            Distinct rows in the order of their first occurrence; groups are dropped.

        Examples
        --------
        >>> import ordinate as od
        >>> od.Comparisons([[0, 1, 2], [0, 1, 2], [0, 2, 1]]).merge_repeats().weights
        array([2., 1.])
        """
        first, inverse = self._distinct()
        weights = np.bincount(inverse, weights=self._weights, minlength=len(first))
        return self._with(rows=self._rows[first], weights=weights.astype(np.float64), groups={})

    def contradictions(self) -> NDArray[np.intp]:
        """Find pairs of distinct rows that contradict each other.

        Returns
        -------
        ndarray of int, shape (n_contradictions, 2)
            Row numbers (first occurrences) of a statement and of its opposite.

        Examples
        --------
        >>> import ordinate as od
        >>> od.Comparisons([[0, 1, 2], [1, 0, 2], [0, 2, 1]]).contradictions()
        array([[0, 2]])
        """
        first, _ = self._distinct()
        near, far = self[first].pair_codes()
        flipped = near > far
        low, high = np.where(flipped, far, near), np.where(flipped, near, far)
        order = np.lexsort((first, high, low))
        same = (np.diff(low[order]) == 0) & (np.diff(high[order]) == 0)
        at = np.flatnonzero(same)
        pairs = np.column_stack([first[order[at]], first[order[at + 1]]])
        return pairs[np.lexsort(pairs.T[::-1])]

    def pair_codes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return numbers of the near and the far pair of each row, the same for (i, j) and (j, i).

        Returns
        -------
        near, far : ndarray of int64, shape (n_comparisons,)
            ``smaller * n_objects + larger`` of each pair.
        """
        i, j, k, l = (  # noqa: E741
            self._rows[:, column].astype(np.int64) for column in PAIR_COLUMNS[self._rows.shape[1]]
        )
        near = np.minimum(i, j) * self._n_objects + np.maximum(i, j)
        far = np.minimum(k, l) * self._n_objects + np.maximum(k, l)
        return near, far

    def _distinct(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """First occurrence of each distinct statement, and for each row which one it is."""
        near, far = self.pair_codes()
        order = np.lexsort((far, near))
        new = np.ones(len(self), dtype=bool)
        new[1:] = (np.diff(near[order]) != 0) | (np.diff(far[order]) != 0)
        # lexsort is stable, so the first of each run is the first occurrence
        first = order[new]
        rank = np.empty(len(first), dtype=np.intp)
        by_position = np.argsort(first)
        rank[by_position] = np.arange(len(first))
        inverse = np.empty(len(self), dtype=np.intp)
        inverse[order] = rank[np.cumsum(new) - 1]
        return first[by_position], inverse

    def describe(self) -> Description:
        """Count what is in the record; prints as a report."""
        from ordinate.comparisons.description import describe

        return describe(self)


PAIR_COLUMNS = {3: [0, 1, 0, 2], 4: [0, 1, 2, 3]}
"""For 3 and 4 columns: which columns hold i, j, k, l of d(i, j) < d(k, l)."""

SWAPPED_COLUMNS = {3: [0, 2, 1], 4: [2, 3, 0, 1]}


def check_size(
    names: Sequence[object] | None, n_objects: int | None
) -> tuple[tuple[str, ...] | None, int | None]:
    """Return names and the number of objects, which must agree where both are given."""
    labels = None if names is None else check_names(names)
    if n_objects is not None:
        n_objects = check_integer("n_objects", n_objects, minimum=2)
        if labels is not None and len(labels) != n_objects:
            raise InputError(f"names has {len(labels)} entries; n_objects is {n_objects}.")
    elif labels is not None:
        n_objects = len(labels)
    return labels, n_objects
