"""Rows with labels of groups: how they are kept, indexed and joined, and which belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import EllipsisType, MappingProxyType
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ordinate._arguments import argument
from ordinate._checks import InputError, check_row_labels, check_share
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.labels import in_natural_order, one_spelling

Groups: TypeAlias = Mapping[str, NDArray[Any]]

_TRIALS_WITHIN = ("participant", "session", "block")
"""Groups within which a log may count its trials."""


class AboutObjects:
    """Answers about objects that have numbers, and may have names."""

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
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns; scikit-learn's splitters read it."""
        raise NotImplementedError


class GroupedRows(AboutObjects):
    """Rows in memory with labels of groups, of which some must be held out together."""

    _rows: NDArray[np.int32]
    _weights: NDArray[np.float64] | None
    _groups: Groups
    _own: tuple[str, ...] = ()
    """What a kind of record has besides."""
    _n_objects_inferred = False
    """Whether the number of objects was counted from the rows, as nobody said it."""

    def _set(
        self,
        rows: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        groups: Groups,
        names: tuple[str, ...] | None,
        n_objects: int,
        **own: Any,
    ) -> None:
        """Keep valid parts, which nobody may change from now on."""
        for array in (rows, weights, *groups.values(), *own.values()):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        self._rows, self._weights, self._groups = rows, weights, MappingProxyType(dict(groups))
        self._names, self._n_objects = names, n_objects
        vars(self).update(own)

    @classmethod
    def _from_validated(cls, *parts: Any, **named: Any) -> Self:
        """Build from parts that are known to be valid, without checking them again."""
        self = cls.__new__(cls)
        self._set(*parts, **named)
        return self

    def _parts(self) -> dict[str, Any]:
        """Return what `_from_validated` builds the same record from."""
        own = {name: getattr(self, name) for name in self._own}
        parts = {"rows": self._rows, "weights": self._weights, "groups": dict(self._groups)}
        return parts | {"names": self._names, "n_objects": self._n_objects} | own

    def _with(self, **parts: Any) -> Self:
        """Return the record with other parts, which are known to be valid."""
        return type(self)._from_validated(**(self._parts() | parts))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self)._from_validated, **self._parts()), ()

    @property
    def rows(self) -> NDArray[np.int32]:
        """Numbers of the objects of each row, int32; read-only."""
        return self._rows

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """How much each row counts, or None when all count 1."""
        return self._weights

    @property
    def groups(self) -> Groups:
        """Labels per row by name, such as participant and trial; empty when there are none."""
        return self._groups

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of `rows`; scikit-learn's splitters read it."""
        return self._rows.shape[0], self._rows.shape[1]

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        mine, theirs = self._parts(), other._parts()
        labels, others = mine.pop("groups"), theirs.pop("groups")
        return _same(mine, theirs) and _same(labels, others)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(
        self, key: int | slice | ArrayLike | tuple[int | slice | ArrayLike, EllipsisType]
    ) -> Self:
        """Rows by number, slice, list or mask; the objects stay the same."""
        key = row_index(key)
        parts = self._parts()
        chosen = {name: part[key] for name, part in parts.items() if isinstance(part, np.ndarray)}
        groups = {name: labels[key] for name, labels in self._groups.items()}
        return type(self)._from_validated(**(parts | chosen | {"groups": groups}))

    def occurring(self, objects: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some objects that occur in a row."""
        return objects[np.isin(objects, self._rows)]

    def renumbered(
        self, numbers: NDArray[np.int32], n_objects: int, names: tuple[str, ...] | None
    ) -> Self:
        """Return the same rows about objects with other numbers and labels."""
        return self._with(rows=numbers[self._rows], n_objects=n_objects, names=names)

    def _question_codes(self) -> NDArray[np.intp]:
        """Return a number for each question, the same in all of its rows."""
        raise NotImplementedError

    def _answer_codes(self) -> NDArray[np.intp]:
        """Return a number for what each row says, the same for the same answer to a question."""
        raise NotImplementedError

    def repeated_answers(self) -> dict[str, tuple[int, int]]:
        """Count how often each participant gave the same answer to a question asked again.

        Returns
        -------
        dict of str to tuple of int
            For each participant with repeated questions: of all pairs of answers to one question
            how many agree, and how many there are. Without participants under ``"all"``.

        Examples
        --------
        >>> import ordinate as od
        >>> rows = [[0, 1, 2], [0, 1, 2], [0, 2, 1]]
        >>> od.Comparisons(rows, groups={"participant": ["p"] * 3}).repeated_answers()
        {'p': (1, 3)}
        """
        labels, who = np.full(1, "all"), np.zeros(len(self), dtype=np.intp)
        if "participant" in self.groups:
            labels, who = np.unique(self.groups["participant"], return_inverse=True)
        asked = numbered(who, self._question_codes())
        said = numbered(asked, self._answer_codes())
        found = []
        for unit in (said, asked):
            first = np.unique(unit, return_index=True)[1]
            size = np.bincount(unit)
            found.append(np.bincount(who[first], size * (size - 1) / 2, len(labels)))
        same, pairs = np.array(found).astype(int).tolist()
        rows = zip(labels.tolist(), same, pairs, strict=True)
        return {str(label): (agree, n) for label, agree, n in rows if n}

    def group_codes(self, name: str) -> NDArray[np.intp]:
        """Return a number for each label of one group, from 0 in sorted order.

        Logs often count trials from 1 for every participant, session or block: two rows belong to
        one ``"trial"`` if they agree in these too, where the record has them.

        Parameters
        ----------
        name : str
            A key of `groups`.

        Returns
        -------
        ndarray of int, shape (n_comparisons,)
            Equal numbers for equal labels.
        """
        if name not in self.groups:
            known = ", ".join(repr(known) for known in self.groups) or "none"
            raise InputError(
                f"There is no group {name!r}; the groups are: {known}. Name columns of labels with"
                f" {argument('groups', ...)}."
            )
        within = _TRIALS_WITHIN if name == "trial" else ()
        names = [name, *(outer for outer in within if outer in self.groups)]
        codes = [np.unique(self.groups[each], return_inverse=True)[1] for each in names]
        return codes[0] if len(codes) == 1 else numbered(*codes)

    def question_groups(self, by: str | None = None, *, largest: float = 1.0) -> NDArray[np.intp]:
        """Return which answers must be held out together, or a test gives itself away.

        Answers to the same question belong together, whichever of its two pairs was called
        nearer; with `by` so do the rows of one group, and all that these links join.

        Parameters
        ----------
        by : str, optional
            A key of `groups`, such as ``"trial"``.
        largest : float, default=1.0
            Largest share of the rows that may be joined. Where groups share so many questions
            that more would be, such as when all participants answer the same ones, only the
            rows of one group belong together.

        Returns
        -------
        ndarray of int, shape (n_comparisons,)
            Equal numbers, from 0 on, for rows that belong together.

        Examples
        --------
        >>> import ordinate as od
        >>> od.Comparisons([[0, 1, 2], [1, 0, 2], [0, 2, 1]]).question_groups()
        array([0, 1, 0])
        """
        questions = self._question_codes()
        if by is None:
            return questions
        groups = self.group_codes(by)
        n_questions = int(questions.max(initial=-1)) + 1
        size = n_questions + int(groups.max(initial=-1)) + 1
        links = coo_array(
            (np.ones(len(self), dtype=np.int8), (questions, n_questions + groups)),
            shape=(size, size),
        )
        joined = connected_components(links, directed=False)[1][questions].astype(np.intp)
        too_large = np.bincount(joined).max(initial=0) > largest * len(self)
        return groups if too_large else joined

    def train_test_split(
        self, test_size: float = 0.2, *, by: str | None = None, random_state: RandomState = None
    ) -> tuple[Self, Self]:
        """Split into a training and a test part.

        Parameters
        ----------
        test_size : float, default=0.2
            Share of the rows that go to the test part, as nearly as whole questions (or, with
            `by`, whole groups) allow.
        by : str, optional
            Name of a group; all rows of one group then fall on the same side.
        random_state : int, Generator or None, default=None
            Seed of the split.

        Returns
        -------
        train, test
            Two records of the same objects; rows keep their order. Answers to the same question
            fall on the same side, see `question_groups`.

        Examples
        --------
        >>> import ordinate as od
        >>> answers = od.datasets.load_cities().comparisons
        >>> train, test = answers.train_test_split(test_size=0.25, random_state=0)
        >>> round(len(train) / len(answers), 2)
        0.75
        """
        mask = self._test_mask(test_size, by, random_state)
        return self[~mask], self[mask]

    def _test_mask(
        self, test_size: float, by: str | None, random_state: RandomState
    ) -> NDArray[np.bool_]:
        """Mark the rows of the test part, in whole questions or whole groups."""
        share = check_share("test_size", test_size)
        rng = as_generator(random_state)
        unit = self.question_groups(by, largest=share)
        sizes = np.bincount(unit)
        order = rng.permutation(len(sizes))
        n_rows = np.concatenate([[0], np.cumsum(sizes[order])])
        n_test = int(np.argmin(np.abs(n_rows - share * len(self))))
        if not 0 < n_test < len(sizes):
            what = "questions" if by is None else f"groups of {by!r}"
            raise InputError(
                f"{argument('test_size', share)} of {len(sizes)} {what} leaves one side empty;"
                " change it."
            )
        in_test = np.zeros(len(sizes), dtype=bool)
        in_test[order[:n_test]] = True
        return in_test[unit]


def _same(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    if left.keys() != right.keys():
        return False
    return all(np.array_equal(left[name], right[name]) for name in left)


def joined(records: Sequence[GroupedRows]) -> dict[str, Any]:
    """Return the parts of a record with the rows of all; objects are matched by name if named."""
    if len({record.names is None for record in records}) > 1:
        raise InputError("Some parts have object names and some do not; name all or none.")
    rows, names, n_objects = _renumber(records)
    weights = None
    if any(record.weights is not None for record in records):
        weights = np.concatenate(
            [np.ones(len(r)) if r.weights is None else r.weights for r in records]
        )
    shared = [key for key in records[0].groups if all(key in r.groups for r in records)]
    groups = {key: np.concatenate([r.groups[key] for r in records]) for key in shared}
    parts = {"rows": np.concatenate(rows), "weights": weights, "groups": groups}
    return parts | {"names": names, "n_objects": n_objects}


def _renumber(
    parts: Sequence[GroupedRows],
) -> tuple[list[NDArray[np.int32]], tuple[str, ...] | None, int]:
    """Return the rows of all parts with objects numbered the same way in each."""
    names = [part.names for part in parts if part.names is not None]
    if not names:
        return [part.rows for part in parts], None, max(part.n_objects for part in parts)
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


def row_index(key: Any) -> slice | NDArray[Any]:
    """Return what rows are indexed by as a slice, or as an array of numbers or of a mask."""
    if isinstance(key, tuple):  # scikit-learn asks for [rows, ...]
        if len(key) != 2 or key[1] is not Ellipsis:
            raise InputError(f"A record is indexed by row only; got {key!r}.")
        key = key[0]
    if isinstance(key, slice):
        return key
    array = np.atleast_1d(key)
    array = array if array.size else array.astype(np.intp)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        raise IndexError(f"Rows are indexed by whole numbers, a slice or a mask; got {key!r}.")
    return array


def check_groups(
    groups: ArrayLike | Mapping[str, ArrayLike] | None, n_rows: int
) -> dict[str, NDArray[Any]]:
    """Return one label per row under the name of each group."""
    if groups is None:
        return {}
    named = groups if isinstance(groups, Mapping) else {"group": groups}
    return {
        str(name): check_row_labels(f"groups[{name!r}]", labels, n_rows)
        for name, labels in named.items()
    }


def numbered(*keys: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return numbers of rows in the order of their keys, equal rows alike."""
    order = np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])
    new = np.zeros(len(order), dtype=bool)
    for key in keys:
        new[1:] |= np.diff(key[order]) != 0
    codes = np.empty(len(order), dtype=np.intp)
    codes[order] = np.cumsum(new)
    return codes
