"""From the columns of a table to a record: objects, answers, weights, groups, invalid rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import (
    InputError,
    exact_below,
    rounded,
    text_array,
)
from ordinate.comparisons.labels import in_natural_order, is_number, number_labels
from ordinate.comparisons.pairs import counted
from ordinate.io.doubts import LayoutError
from ordinate.io.headings import OBJECTS

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

    __module__ = "ordinate"  # where users find it


_BLOCK = 2**16
"""Rows looked at together for the labels that they hold."""

LABELS_NOT_COUNTED = (
    "n_objects counts the positions of an array, but these objects have labels; name those that"
    " occur in no row with names=[...]."
)


def arrow_copy(data: bytes) -> pa.Buffer:
    """Copy bytes into memory that is Arrow's own.

    Threads of Arrow let go of what they read a moment after the reader returns. If Python ends in
    that moment, a thread that holds memory of Python's aborts the process.
    """
    import pyarrow as pa

    copy = pa.allocate_buffer(len(data))
    memoryview(copy).cast("B")[:] = data
    return copy


def _twice(entries: tuple[object, ...]) -> str:
    """Say which object, or pair of objects, occurs twice in a row."""
    if len(entries) == 4 and entries[0] != entries[1] and entries[2] != entries[3]:
        return "the same pair"
    return repr(next((one for one in entries if entries.count(one) > 1), "an object"))


def valid_rows(
    missing: Mapping[str, NDArray[np.bool_]],
    repeated: NDArray[np.bool_],
    on_invalid: str,
    place: Callable[[int], str],
    entries: Callable[[int], tuple[object, ...]],
) -> Any:
    """Refuse rows that say nothing, or drop them with a warning."""
    if on_invalid == "raise":
        refuse_missing(missing, place)
    incomplete = np.any([*missing.values(), np.zeros(len(repeated), dtype=bool)], axis=0)
    repeated = repeated & ~incomplete
    if on_invalid == "raise" and repeated.any():
        first = int(np.argmax(repeated))
        raise LayoutError(
            f"{place(first)} names {_twice(entries(first))} twice, so it compares nothing"
            f" ({counted(int(repeated.sum()), 'such row')}); correct it, or leave such rows out"
            f" with {argument('on_invalid', 'drop')}.",
            [{"on_invalid": "drop"}],
        )
    keep: NDArray[np.bool_] = ~(incomplete | repeated)
    if keep.all():
        return slice(None)
    counts = {"with a missing entry": incomplete, "with an object or pair twice": repeated}
    reasons = ", ".join(f"{at.sum()} {reason}" for reason, at in counts.items() if at.any())
    said = f"Dropped {(~keep).sum()} of {len(keep)} rows: {reasons}."
    warnings.warn(said, DroppedRowsWarning, stacklevel=7)
    return keep


def refuse_missing(missing: Mapping[str, NDArray[np.bool_]], place: Callable[[int], str]) -> None:
    """Name the first row of a column in which an entry is missing, if there is one."""
    for column, where in missing.items():
        if where.any():
            raise LayoutError(
                f"{place(int(np.argmax(where)))} has no entry in column {column!r}"
                f" ({where.sum()} missing in all); fill it in, or leave such rows out with"
                f" {argument('on_invalid', 'drop')}.",
                [{"on_invalid": "drop"}],
            )


Encoded: TypeAlias = "tuple[list[str], NDArray[np.int32]]"
"""Different entries of a column as text, and for each row which one it is."""

# Nulls get a value that nobody will see: their rows are refused or dropped later.


def as_objects(
    columns: Mapping[str, pa.ChunkedArray],
    names: Sequence[object] | None,
    place: Callable[[int], str],
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return the objects of each row as numbers, and the label of each number."""
    import pyarrow as pa

    for name, column in columns.items():
        if pa.types.is_boolean(column.type):
            raise InputError(f"Column {name!r} holds booleans; expected objects.")
        if pa.types.is_float16(column.type) or pa.types.is_float32(column.type):
            numbers = column.to_numpy()
            if (np.abs(numbers) >= exact_below(numbers.dtype)).any():
                largest = np.nanmax(np.abs(numbers))
                raise InputError(f"Column {name!r} holds {largest:g}; {rounded(numbers.dtype)}.")
    encoded = {name: encode_column(name, column) for name, column in columns.items()}
    _refuse_header(encoded, place)
    labels, tables = number_labels([words for words, _ in encoded.values()], names)
    rows = np.empty((len(next(iter(encoded.values()))[1]), len(encoded)), dtype=np.int32)
    for at, (table, (_, codes)) in enumerate(zip(tables, encoded.values(), strict=True)):
        rows[:, at] = table[codes] if len(table) else 0
    return rows, labels


def as_positions(columns: Mapping[str, pa.ChunkedArray]) -> NDArray[Any] | None:
    """Return whole or other numbers as an array, or None if some columns hold something else."""
    if not all(_is_numeric(column) for column in columns.values()):
        return None
    return np.column_stack([_array(column, 0) for column in columns.values()])


def only_occurring(
    rows: NDArray[np.int32], labels: tuple[str, ...]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Leave out labels that no row has, and renumber the others."""
    occurs = _occurring(rows, len(labels))
    if occurs.all():
        return rows, labels
    number = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return number[rows], tuple(label for label, kept in zip(labels, occurs, strict=True) if kept)


def parse_truth_values(name: str, column: pa.ChunkedArray, told: bool = True) -> NDArray[Any]:
    """Return answers as booleans or numbers; 1 and 0 are booleans if one was told what they are."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        return _array(column, True)
    if _is_numeric(column):
        answers = _array(column, 1)
    else:
        words, codes = encode_column(name, column)
        as_numbers = [{"true": "1", "false": "0"}.get(word.lower(), word) for word in words]
        if not all(map(is_number, as_numbers)):
            raise InputError(
                f"Column {name!r} holds {next(w for w in as_numbers if not is_number(w))!r};"
                " answers are true and false, 1 and 0, or 1 and -1."
            )
        answers = np.array([float(word) for word in as_numbers])[codes]
    if not told and (answers == 0).any():
        raise InputError(
            f"Column {name!r} holds 0, which may mean that a row does not hold or that the first"
            f" object was chosen; say that it means the former with {argument('answer', name)}."
        )
    return np.asarray(answers == 1) if np.isin(answers, [0, 1]).all() else answers


def as_numbers(name: str, column: pa.ChunkedArray, what: str = "entries") -> NDArray[Any]:
    """Return numbers, such as weights."""
    if _is_numeric(column):
        return _array(column, 0)
    words, codes = encode_column(name, column)
    wrong = [word for word in words if not is_number(word)]
    if wrong:
        raise InputError(f"Column {name!r} holds {wrong[0]!r}; {what} must be numbers.")
    numbers: NDArray[Any] = np.array([float(word) for word in words])[codes]
    return numbers


def as_floats(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """Return a column of numbers as floats, NaN where missing, or None if it holds others."""
    import pyarrow as pa

    if not (_is_numeric(column) or pa.types.is_boolean(column.type)):
        return None
    numbers: NDArray[np.float64] = column.cast(pa.float64()).to_numpy()
    return numbers


def as_labels(name: str, column: pa.ChunkedArray) -> NDArray[Any]:
    """Return labels of groups: numbers and booleans as they are, all else as text."""
    values, codes = _encode(name, column)
    labels: NDArray[Any] = _typed(values)[codes]
    return labels


def number_column(name: str, column: pa.ChunkedArray) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    """Give the different entries of a column numbers in their natural order."""
    values, codes = _encode(name, column)
    occurring, inverse = np.unique(codes, return_inverse=True)
    entries = _typed(values)[occurring].tolist()
    is_text = bool(entries) and isinstance(entries[0], str)
    labels = in_natural_order(set(entries)) if is_text else sorted(set(entries))
    number = {label: position for position, label in enumerate(labels)}
    return np.array([number[entry] for entry in entries], dtype=np.intp)[inverse], tuple(labels)


def _is_numeric(column: pa.ChunkedArray | pa.Array) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type))


def _array(column: pa.ChunkedArray | pa.Array, unseen: float) -> NDArray[Any]:
    # filling what has no gaps would import pandas, and older versions of Arrow refuse float16
    array: NDArray[Any] = (column.fill_null(unseen) if column.null_count else column).to_numpy()
    return array


def has_labels(column: pa.ChunkedArray) -> bool:
    """Whether a column holds text or numbers, not lists, bytes or types of others' making."""
    import pyarrow as pa

    is_own = isinstance(column.type, pa.BaseExtensionType)
    return not (is_own or pa.types.is_nested(column.type) or pa.types.is_binary(column.type))


def encode_column(name: str, column: pa.ChunkedArray) -> Encoded:
    """Return the different entries of a column as text, and for each row which one it is."""
    values, codes = _encode(name, column)
    return _as_text(values), codes


def _encode(name: str, column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int32]]:
    """Return the different entries of a column, and for each row which one it is."""
    import pyarrow as pa

    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise InputError(f"Column {name!r} has type {column.type}; expected text or numbers.")
    if pa.types.is_null(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_float16(column.type):  # which older versions of Arrow cannot encode
        column = column.cast(pa.float32())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return pa.array([], column.type.value_type), np.empty(0, dtype=np.int32)
    codes = np.concatenate([_array(chunk.indices.cast(pa.int32()), -1) for chunk in chunks])
    values = chunks[0].dictionary
    used = _occurring(codes, len(values))
    if used.all() or not used.any():
        return values, np.maximum(codes, 0)
    # leave out entries that no row has, such as those of rows that were left out
    number = np.append(np.cumsum(used, dtype=np.int32) - np.int32(1), np.int32(0))
    return values.filter(used), number[codes]


def _occurring(codes: NDArray[Any], n_codes: int) -> NDArray[np.bool_]:
    """Mark which of the codes 0 … n_codes - 1 occur, looking no further once all do."""
    seen = np.zeros(n_codes + 1, dtype=bool)  # -1, where an entry is missing, marks the last place
    for start in range(0, len(codes), _BLOCK):
        seen[codes[start : start + _BLOCK]] = True
        if seen[:-1].all():
            break
    return seen[:-1]


def _typed(values: pa.Array) -> NDArray[Any]:
    """Return numbers and booleans as they are, all else as text."""
    import pyarrow as pa

    if _is_numeric(values) or pa.types.is_boolean(values.type):
        array: NDArray[Any] = values.to_numpy(zero_copy_only=False)
        return array
    return text_array(_as_text(values))


def _as_text(values: pa.Array) -> list[str]:
    """Return entries as text; pandas holds whole numbers of which some are missing as floats."""
    import pyarrow as pa

    if not pa.types.is_floating(values.type):
        texts: list[str] = values.cast(pa.large_string()).to_pylist()
        return texts
    numbers = values.to_pylist()
    whole = all(number.is_integer() and abs(number) < 2**53 for number in numbers)
    return [str(int(number)) if whole else repr(number) for number in numbers]


def _refuse_header(encoded: Mapping[str, Encoded], place: Callable[[int], str]) -> None:
    """Refuse a row that repeats the names of the columns, as after putting files together.

    Where such a name also stands in other rows, it is an object: columns a and b may compare A and
    B with C.
    """
    if all(map(is_number, encoded)):  # positions, not names: look for any usual header
        headers: list[tuple[str, ...]] = [h for h in OBJECTS if len(h) == len(encoded)]
    else:
        headers = [tuple(name.lower() for name in encoded)]
    for header in headers:
        found = [
            [at for at, word in enumerate(words) if word.lower() == name]
            for name, (words, _) in zip(header, encoded.values(), strict=True)
        ]
        if not all(found):
            continue
        columns = zip(found, encoded.values(), strict=True)
        named = np.array([np.isin(codes, at) for at, (_, codes) in columns])
        repeats = named.all(axis=0)
        if repeats.any() and (named == repeats).all():
            row = int(np.argmax(repeats))
            entries = tuple(words[codes[row]] for words, codes in encoded.values())
            left_out = f"{next(iter(encoded))}={entries[0]}"
            raise LayoutError(
                f"{place(row)} is a header in the wrong place: {entries!r}; a header must be the"
                f" first line. Leave such rows out with {argument('exclude', left_out)}.",
                [{"exclude": [left_out]}],
            )
