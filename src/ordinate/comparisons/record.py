"""The one record that every method takes: who was called nearer to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import EllipsisType, MappingProxyType
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
from ordinate.comparisons.grouped_rows import GroupedRows, Groups, check_groups, numbered, row_index
from ordinate.comparisons.labels import (
    count_numbers,
    in_natural_order,
    number_objects,
    one_spelling,
)

if TYPE_CHECKING:
    from ordinate.comparisons.description import Description


class AboutObjects:
    """Comparisons of objects that have numbers, and may have names."""

    _names: tuple[str, ...] | None
    _n_objects: int

    @property
    def names(self) -> tuple[str, ...] | None:
        """The objects' names, or None when they only have numbers."""
        return self._names

    @property
    def n_objects(self) -> int:
        """How many objects there are, counting those that occur in no row."""
        return self._n_objects

    @property
    def kind(self) -> str:
        """Either ``"triplet"`` or ``"quadruplet"``."""
        return "triplet" if self.shape[1] == 3 else "quadruplet"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of comparisons and of columns; scikit-learn's splitters read it."""
        raise NotImplementedError


class Comparisons(AboutObjects, GroupedRows):
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

    _rows: NDArray[np.int32]
    _weights: NDArray[np.float64] | None
    _groups: Groups
    _is_counted = False
    """Whether the number of objects was counted from the rows, as nobody said it."""

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
        self._is_counted = n_objects is None

    def _set(self, *parts: Any) -> None:
        rows, weights, groups, names, n_objects = parts
        for array in (rows, weights, *groups.values()):
            if array is not None:
                array.flags.writeable = False
        self._rows = rows
        self._weights = weights
        self._groups = MappingProxyType(dict(groups))
        self._names = names
        self._n_objects = n_objects

    @classmethod
    def _of_valid_rows(cls, rows: NDArray[np.int32], *others: Any) -> Self:
        """Build from rows that a reader has checked, and check what belongs to them."""
        self = cls.__new__(cls)
        self._set_valid_rows(rows, *others)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._rows, self._weights, dict(self._groups), self._names, self._n_objects)
        return type(self)._trusted, parts

    @property
    def rows(self) -> NDArray[np.int32]:
        """The comparisons, int32 of shape (n_comparisons, 3) or (n_comparisons, 4); read-only."""
        return self._rows

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """How much each row counts, or None when all count 1."""
        return self._weights

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of `rows`; scikit-learn's splitters read it."""
        return self._rows.shape[0], self._rows.shape[1]

    def __len__(self) -> int:
        return len(self._rows)

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        return (
            self._n_objects == other._n_objects
            and self._names == other._names
            and np.array_equal(self._rows, other._rows)
            and _same(self._weights, other._weights)
            and self._groups.keys() == other._groups.keys()
            and all(_same(self._groups[name], other._groups[name]) for name in self._groups)
        )

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(
        self, key: int | slice | ArrayLike | tuple[int | slice | ArrayLike, EllipsisType]
    ) -> Self:
        """Rows by number, slice, list or mask; the objects stay the same."""
        key = row_index(key)
        return type(self)._trusted(
            self._rows[key],
            None if self._weights is None else self._weights[key],
            {name: labels[key] for name, labels in self._groups.items()},
            self._names,
            self._n_objects,
        )

    def occurring(self, objects: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some objects that occur in a row."""
        return objects[np.isin(objects, self._rows)]

    def renumbered(
        self, numbers: NDArray[np.int32], n_objects: int, names: tuple[str, ...] | None
    ) -> Self:
        """Return the same rows about objects with other numbers and labels."""
        return type(self)._trusted(
            numbers[self._rows], self._weights, self._groups, names, n_objects
        )

    def to_quadruplets(self) -> Self:
        """Write each triplet (a, i, j) as the quadruplet (a, i, a, j); quadruplets stay.

        Returns
        -------
        Comparisons
            The same statements with four columns.
        """
        return self._with_columns(PAIR_COLUMNS[self._rows.shape[1]])

    def swapped(self) -> Self:
        """Return the opposite statements: near and far change places in every row.

        Returns
        -------
        Comparisons
            The same rows, each negated.
        """
        return self._with_columns(SWAPPED_COLUMNS[self._rows.shape[1]])

    def _with_columns(self, columns: list[int]) -> Self:
        return type(self)._trusted(
            np.ascontiguousarray(self._rows[:, columns]),
            self._weights,
            self._groups,
            self._names,
            self._n_objects,
        )

    def _question_codes(self) -> NDArray[np.intp]:
        """Return numbers of the questions in sorted order: the same two pairs, in any order."""
        if self.kind == "triplet" and self._n_objects < 2**21:  # one key is quicker than two
            anchor, near, far = self._rows.T.astype(np.int64)
            key = (anchor * self._n_objects + np.minimum(near, far)) * self._n_objects
            return numbered(key + np.maximum(near, far))
        first, second = self.pair_codes()
        return numbered(np.minimum(first, second), np.maximum(first, second))

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
        named = [part.names is not None for part in parts]
        if any(named) and not all(named):
            raise InputError("Some parts have object names and some do not; name all or none.")
        rows, names, n_objects = renumber(parts)
        weights = None
        if any(part.weights is not None for part in parts):
            weights = np.concatenate(
                [np.ones(len(p)) if p.weights is None else p.weights for p in parts]
            )
        shared = [key for key in parts[0].groups if all(key in part.groups for part in parts)]
        groups = {key: np.concatenate([part.groups[key] for part in parts]) for key in shared}
        return cls._trusted(np.concatenate(rows), weights, groups, names, n_objects)

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
        return type(self)._trusted(
            self._rows[first], weights.astype(np.float64), {}, self._names, self._n_objects
        )

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
        """Count what is in the record and whether it is enough to embed.

        Returns
        -------
        Description
            Prints as a short report; its fields are the figures.
        """
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


def _same(left: NDArray[Any] | None, right: NDArray[Any] | None) -> bool:
    if left is None or right is None:
        return left is right
    return bool(np.array_equal(left, right))


def renumber(parts: Sequence[Any]) -> tuple[list[NDArray[np.int32]], tuple[str, ...] | None, int]:
    """Rows of all parts with objects numbered the same way in each."""
    if parts[0].names is None:
        return [part.rows for part in parts], None, max(part.n_objects for part in parts)
    names = [part.names for part in parts if part.names is not None]
    respelt = one_spelling(name for part in names for name in part)
    known = list(dict.fromkeys(respelt.get(name, name) for part in names for name in part))
    if all(list(part) == in_natural_order(part) for part in names):  # labels of files
        known = in_natural_order(known)
    number = {name: position for position, name in enumerate(known)}
    rows = [
        np.array([number[respelt.get(name, name)] for name in of_part], dtype=np.int32)[part.rows]
        for part, of_part in zip(parts, names, strict=True)
    ]
    return rows, tuple(known), len(known)
