"""Turn one column of an Arrow table into what a record of comparisons needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.io.labels import is_number, number_names
from ordinate.io.layout import OBJECTS

if TYPE_CHECKING:
    import pyarrow as pa

Encoded: TypeAlias = "tuple[list[str], NDArray[np.int32]]"
"""Different entries of a column as text, and for each row which one it is."""

# Nulls get a value that nobody will see: their rows are refused or dropped later.


def as_objects(
    columns: Mapping[str, pa.ChunkedArray],
    names: Sequence[object] | None,
    place: Callable[[int], str],
) -> tuple[NDArray[Any], Sequence[object] | None]:
    """Return the objects of each row as numbers, and the names if they came as names.

    Entries are names if they are all among `names`, or else if not one of them is a number.
    """
    import pyarrow as pa

    for name, column in columns.items():
        if pa.types.is_boolean(column.type):
            raise InputError(f"Column {name!r} holds booleans; expected objects.")
    if names is None and all(_is_numeric(column) for column in columns.values()):
        return np.column_stack([_array(column, 0) for column in columns.values()]), None
    encoded = {name: encode_column(name, column) for name, column in columns.items()}
    _refuse_header(encoded, place)
    distinct = {word for words, _ in encoded.values() for word in words}
    are_names = names is not None and distinct <= {str(name) for name in names}
    tables: Sequence[NDArray[Any]]
    if all(map(is_number, distinct)) and not are_names:
        tables = [_parsed(words) for words, _ in encoded.values()]
    else:
        if names is None:
            _refuse_mixture(encoded, place)
        names, tables = number_names([words for words, _ in encoded.values()], names)
    coded = [table[codes] for table, (_, codes) in zip(tables, encoded.values(), strict=True)]
    return np.column_stack(coded), names


def as_answers(name: str, column: pa.ChunkedArray) -> NDArray[Any]:
    """Return answers as booleans or numbers; 1 and 0 are booleans, as text has no others."""
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
        answers = _parsed(as_numbers)[codes]
    return np.asarray(answers == 1) if np.isin(answers, [0, 1]).all() else answers


def as_weights(name: str, column: pa.ChunkedArray) -> NDArray[Any]:
    """Return weights as numbers."""
    if _is_numeric(column):
        return _array(column, 0)
    words, codes = encode_column(name, column)
    wrong = [word for word in words if not is_number(word)]
    if wrong:
        raise InputError(f"Column {name!r} holds {wrong[0]!r}; weights must be numbers.")
    weights: NDArray[Any] = _parsed(words)[codes]
    return weights


def as_labels(name: str, column: pa.ChunkedArray) -> NDArray[Any]:
    """Return labels of groups: numbers and booleans as they are, all else as text."""
    import pyarrow as pa

    if _is_numeric(column):
        return _array(column, 0)
    if pa.types.is_boolean(column.type):
        return _array(column, False)
    words, codes = encode_column(name, column)
    labels: NDArray[Any] = np.array(words, dtype=np.str_)[codes]
    return labels


def _is_numeric(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type))


def _array(column: pa.ChunkedArray, unseen: float) -> NDArray[Any]:
    array: NDArray[Any] = column.fill_null(unseen).to_numpy()
    return array


def _parsed(words: Sequence[str]) -> NDArray[Any]:
    numbers = np.array([float(word) for word in words])
    whole = numbers.astype(np.int64) if (np.abs(numbers) < 2**53).all() else numbers
    return whole if (whole == numbers).all() else numbers


def encode_column(name: str, column: pa.ChunkedArray) -> Encoded:
    """Return the different entries of a column as text, and for each row which one it is."""
    import pyarrow as pa

    text = pa.large_string()
    if pa.types.is_dictionary(column.type):
        chunks = [chunk.dictionary.cast(text).take(chunk.indices) for chunk in column.chunks]
        column = pa.chunked_array(chunks, type=text)
    try:
        encoded = column.cast(text).combine_chunks().dictionary_encode()
    except pa.ArrowNotImplementedError:
        raise InputError(
            f"Column {name!r} has type {column.type}; expected text or numbers."
        ) from None
    return encoded.dictionary.to_pylist(), encoded.indices.fill_null(0).to_numpy()


def _refuse_header(encoded: Mapping[str, Encoded], place: Callable[[int], str]) -> None:
    """Refuse a row that repeats the names of the columns, as after putting files together."""
    if all(map(is_number, encoded)):  # positions, not names
        return
    repeats = np.all(
        [
            np.isin(codes, [at for at, word in enumerate(words) if word == name])
            for name, (words, codes) in encoded.items()
        ],
        axis=0,
    )
    if repeats.any():
        raise _misplaced_header(place(int(np.argmax(repeats))), tuple(encoded))


def _refuse_mixture(encoded: Mapping[str, Encoded], place: Callable[[int], str]) -> None:
    """Refuse names among numbers, since most likely one of them is a mistake."""
    numeric = {name: [is_number(w) for w in words] for name, (words, _) in encoded.items()}
    if not any(any(column) for column in numeric.values()):
        return
    for name, (words, codes) in encoded.items():
        wrong = ~np.array(numeric[name], dtype=bool)[codes]
        if wrong.any():
            row = int(np.argmax(wrong))
            entries = tuple(words[codes[row]] for words, codes in encoded.values())
            if tuple(map(str.lower, entries)) in OBJECTS:
                raise _misplaced_header(place(row), entries)
            raise InputError(
                f"{place(row)} has {words[codes[row]]!r} in column {name!r} where other objects"
                " are numbers; correct it or, if all of them are names, list the names with"
                " names=[...]."
            )


def _misplaced_header(where: str, entries: tuple[str, ...]) -> InputError:
    return InputError(
        f"{where} is a header in the wrong place: {entries!r}; a header must be the first line."
    )
