"""Objects that come as names are numbered; those that come as numbers stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, as_text_or_numbers, check_names

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def is_number(text: str) -> bool:
    """Whether a text reads as a finite number."""
    return _NUMBER.fullmatch(text) is not None


def number_names(
    vocabularies: Sequence[Iterable[str]], names: Sequence[object] | None = None
) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    """Give every word of one or more vocabularies a number.

    Parameters
    ----------
    vocabularies : sequence of iterables of str
        For example the different entries of each column.
    names : sequence of str, optional
        All names in the order of their numbers; by default those that occur, sorted.

    Returns
    -------
    names : tuple of str
        Name of each number.
    numbers : list of ndarray of int32
        For each vocabulary the numbers of its words.
    """
    vocabularies = [list(vocabulary) for vocabulary in vocabularies]
    known = check_names(sorted(set().union(*vocabularies)) if names is None else names)
    number = {name: position for position, name in enumerate(known)}
    for word in (word for vocabulary in vocabularies for word in vocabulary):
        if word not in number:
            raise InputError(f"Object {word!r} is not among the {len(known)} names given.")
    return known, [
        np.array([number[word] for word in vocabulary], dtype=np.int32)
        for vocabulary in vocabularies
    ]


def number_objects(
    arrays: Sequence[ArrayLike], names: Sequence[object] | None = None
) -> tuple[list[NDArray[Any]], Sequence[object] | None]:
    """Return arrays of names as arrays of numbers, and arrays of numbers as they are.

    Parameters
    ----------
    arrays : sequence of array-like
        All of text or all of numbers, of any shapes.
    names : sequence of str, optional
        All names in the order of their numbers; by default those that occur, sorted.

    Returns
    -------
    numbers : list of ndarray
        One array per array given.
    names : sequence of str or None
        Name of each number, if there are names.
    """
    given = [as_text_or_numbers(array) for array in arrays]
    are_text = [array.dtype.kind in "UT" for array in given]
    if not any(are_text):
        return given, names
    if not all(are_text):
        raise InputError("Objects must be all names or all numbers; got some of each.")
    distinct = [np.unique(array, return_inverse=True) for array in given]
    known, numbers = number_names([words.tolist() for words, _ in distinct], names)
    coded: list[NDArray[Any]] = [
        table[inverse].reshape(array.shape)
        for table, (_, inverse), array in zip(numbers, distinct, given, strict=True)
    ]
    return coded, known
