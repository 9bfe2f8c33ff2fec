"""Labels of objects: their natural order, and the number that each label stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, as_text_or_numbers, check_names, is_text

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DIGITS = re.compile(r"(\d+)")


def is_number(text: str) -> bool:
    """Whether a text reads as a finite number."""
    return _NUMBER.fullmatch(text) is not None


def in_natural_order(labels: Iterable[str]) -> list[str]:
    """Sort labels as people do: numbers by value, and item2 before item10.

    Parameters
    ----------
    labels : iterable of str
        What objects are called.

    Returns
    -------
    list of str
        Numbers come first; the labels themselves stay as they are written.

    Examples
    --------
    >>> in_natural_order(["item10", "item2", "tea", "1001", "017"])
    ['017', '1001', 'item2', 'item10', 'tea']
    """
    return sorted(labels, key=_natural_key)


def _natural_key(label: str) -> tuple[Any, ...]:
    if is_number(label):
        return (0, float(label), label)
    # text and digits take turns, text first, so that keys of two labels can be compared
    parts = [int(part) if at % 2 else part for at, part in enumerate(_DIGITS.split(label))]
    return (1, parts, label)


def number_labels(
    vocabularies: Sequence[Iterable[str]], names: Sequence[object] | None = None
) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    """Give every label of one or more vocabularies a number.

    Parameters
    ----------
    vocabularies : sequence of iterables of str
        For example the different entries of each column.
    names : sequence of str, optional
        All labels in the order of their numbers; by default those that occur, in natural order.

    Returns
    -------
    labels : tuple of str
        Label of each number.
    numbers : list of ndarray of int32
        For each vocabulary the numbers of its labels.
    """
    vocabularies = [list(vocabulary) for vocabulary in vocabularies]
    known = check_names(in_natural_order(set().union(*vocabularies)) if names is None else names)
    number = {label: position for position, label in enumerate(known)}
    for label in (label for vocabulary in vocabularies for label in vocabulary):
        if label not in number:
            raise InputError(f"Object {label!r} is not among the {len(known)} names given.")
    return known, [
        np.array([number[label] for label in vocabulary], dtype=np.int32)
        for vocabulary in vocabularies
    ]


def number_objects(
    arrays: Sequence[ArrayLike], names: Sequence[object] | None = None
) -> tuple[list[NDArray[Any]], Sequence[object] | None]:
    """Return arrays of labels as arrays of numbers, and arrays of numbers as they are.

    Parameters
    ----------
    arrays : sequence of array-like
        All of text or all of numbers, of any shapes.
    names : sequence of str, optional
        All labels in the order of their numbers; by default those that occur, in natural order.

    Returns
    -------
    numbers : list of ndarray
        One array per array given.
    names : sequence of str or None
        Label of each number, if there are labels.
    """
    given = [as_text_or_numbers(array) for array in arrays]
    are_text = [is_text(array) for array in given]
    if not any(are_text):
        return given, names
    if not all(are_text):
        raise InputError("Objects must be all names or all numbers; got some of each.")
    distinct = [np.unique(array, return_inverse=True) for array in given]
    known, numbers = number_labels([words.tolist() for words, _ in distinct], names)
    coded: list[NDArray[Any]] = [
        table[inverse].reshape(array.shape)
        for table, (_, inverse), array in zip(numbers, distinct, given, strict=True)
    ]
    return coded, known
