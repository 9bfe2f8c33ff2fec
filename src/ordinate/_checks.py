"""Refuse bad input with one sentence: what was expected, what came, what to do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import parameter

INT32_LIMIT = 2**31
NO_ROWS = "No comparisons; expected at least one row."
LARGEST_WEIGHT = 1e30
"""Beyond it, or below its inverse, products of weights and losses leave single precision."""


_MOST_LETTERS = 2**22
"""Room for this many letters, 16 MB, is given to an array of text without asking."""


class InputError(ValueError):
    """A mistake in what the caller passed, explained in one sentence.

    Examples
    --------
    >>> import ordinate as od
    >>> od.Comparisons([[0, 1, 1]])
    Traceback (most recent call last):
    ...
    ordinate.InputError: Row 0 is (0, 1, 1): the three objects of a triplet must differ...
    """

    __module__ = "ordinate"  # where users find it


def shortened(entry: object, longest: int = 60) -> str:
    """Return how an entry is written, cut if it is long."""
    spelt = repr(entry)
    return spelt if len(spelt) <= longest else f"{spelt[:longest]}…"


def some_of(names: Sequence[object], most: int) -> str:
    """Write the first names of a list, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more


def check_integer(name: str, value: object, *, minimum: int, maximum: int | None = None) -> int:
    """Return `value` as int, or say that it must be an integer within the bounds."""
    within = f"an integer >= {minimum}" + (f" and <= {maximum}" if maximum is not None else "")
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} must be {within}; got {value!r}.")
    number = int(value)
    if number < minimum or (maximum is not None and number > maximum):
        raise InputError(f"{name} must be {within}; got {number}.")
    if number >= INT32_LIMIT:
        raise InputError(f"{name} must be below 2**31; got {number}.")
    return number


def check_dimension(name: str, value: object, n_objects: int) -> int:
    """Return `value` as int, or refuse more dimensions than so many objects can fill."""
    number = check_integer(name, value, minimum=1)
    if number > n_objects:
        raise InputError(
            f"{parameter(name)} must be at most {n_objects}, the number of objects, which fill no"
            f" more dimensions; got {number}."
        )
    return number


def check_real(
    name: str,
    value: object,
    *,
    minimum: float = -np.inf,
    maximum: float = np.inf,
    open_minimum: bool = False,
    open_maximum: bool = False,
) -> float:
    """Return `value` as float, or say in which interval it must lie."""
    interval = f"{'(' if open_minimum or minimum == -np.inf else '['}{minimum:g}, {maximum:g}"
    interval += ")" if open_maximum or maximum == np.inf else "]"
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise InputError(f"{name} must be a number in {interval}; got {value!r}.")
    number = float(value)
    above = number > minimum if open_minimum else number >= minimum
    below = number < maximum if open_maximum else number <= maximum
    if not (above and below):
        raise InputError(f"{name} must be a number in {interval}; got {number:g}.")
    return number


def check_share(name: str, value: object) -> float:
    """Return `value` as float, or say that it must lie between 0 and 1."""
    return check_real(name, value, minimum=0, maximum=1, open_minimum=True, open_maximum=True)


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`, or list them."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InputError(f"{name} must be one of {listed}; got {value!r}.")
    return value


def refuse_comparisons(name: str, values: object) -> None:
    """Refuse a record of comparisons where coordinates or features belong."""
    if getattr(values, "kind", None) in ("triplet", "quadruplet"):
        raise InputError(
            f"{name} must hold one row of numbers per object; got {values!r}. Comparisons go to"
            " methods such as SOE, with features to FeatureEmbedding."
        )


def check_points(name: str, points: object, *, n_rows: int | None = None) -> NDArray[np.float64]:
    """Return coordinates as a finite 2-D float64 array."""
    refuse_comparisons(name, points)
    try:
        array = np.asarray(on_host(points), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a 2-D array of numbers; {error}.") from None
    if array.ndim != 2 or array.shape[1] == 0:
        raise InputError(
            f"{name} must be a 2-D array with one row per object; got shape {array.shape}."
        )
    if n_rows is not None and len(array) != n_rows:
        raise InputError(f"{name} has {len(array)} rows; expected {n_rows}, one per object.")
    finite = np.isfinite(array)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise InputError(
            f"{name} must be finite; row {row}, column {column} is {array[row, column]}."
        )
    return array


def check_start(init: object, n_objects: int, n_components: int) -> NDArray[np.float64]:
    """Return the coordinates that a fit is to begin at."""
    start = check_points("init", init, n_rows=n_objects)
    if start.shape[1] != n_components:
        raise InputError(f"init has {start.shape[1]} columns; n_components is {n_components}.")
    return start


def refuse_similarities(name: str, matrix: NDArray[np.float64]) -> None:
    """Refuse a square matrix by which objects are farther from themselves than from others."""
    n = len(matrix)
    if n < 2:
        return
    own, others = matrix.trace() / n, (matrix.sum() - matrix.trace()) / (n * (n - 1))
    if own > others:
        raise InputError(
            f"{name} must grow with the distance; got similarities, as the mean on the diagonal,"
            f" {own:.3g}, is above that of the rest, {others:.3g}. Pass distances, such as the"
            " largest similarity less each."
        )


def refuse_columns_by_position(frame: object) -> None:
    """Refuse a frame whose columns are named otherwise than comparisons are ordered."""
    names = [name for name in getattr(frame, "columns", ()) if isinstance(name, str)]
    if names and names not in (["anchor", "near", "far"], [*"ijk"], [*"ijkl"]):
        raise InputError(
            f"The frame has the columns {', '.join(map(repr, names[:6]))}; expected anchor, near,"
            " far or i, j, k, l in this order. Read it by its names with read_comparisons(frame),"
            " or pass frame.to_numpy() to take the columns as they stand."
        )


def check_index_rows(
    values: object,
    n_objects: int | None,
    place: Callable[[int], str] = "Row {}".format,
    *,
    are_pairs: bool = False,
) -> NDArray[np.int32]:
    """Return an (m, 3) or (m, 4) int32 copy of `values` (of pairs (m, 2)), all object numbers."""
    if not are_pairs:
        refuse_columns_by_position(values)
    array = as_rows(values)
    if are_pairs and array.shape[1] != 2:
        raise InputError(f"Pairs need 2 columns (first, second); got {array.shape[1]}.")
    if not are_pairs and array.shape[1] not in (3, 4):
        raise InputError(
            f"Comparisons need 3 columns (anchor, near, far) or 4 (i, j, k, l for d(i,j) < d(k,l));"
            f" got {array.shape[1]}."
        )
    if len(array) == 0:
        raise InputError(NO_ROWS)
    if array.dtype.kind not in "iuf":
        record, reader = (
            ("Pairs", "read_pairs") if are_pairs else ("Comparisons", "read_comparisons")
        )
        raise InputError(
            f"{record} hold the numbers of objects, counted from 0; got {_kind_in_words(array)}."
            f" For named objects use {reader}."
        )
    return check_object_numbers(array, n_objects, place)


def check_object_numbers(
    array: NDArray[Any], n_objects: int | None, place: Callable[[int], str]
) -> NDArray[np.int32]:
    """Return an int32 copy of rows of numbers, if each is the number of an object."""

    def refuse(wrong: NDArray[np.bool_], rule: str) -> None:
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise InputError(f"{place(row)}, column {column} is {array[row, column]!s}; {rule}.")

    if array.dtype.kind == "f":
        refuse(~np.isfinite(array), "object numbers must be finite")
        refuse(array != np.floor(array), "object numbers must be whole")
        refuse(array >= exact_below(array.dtype), rounded(array.dtype))
        array = array.astype(np.float64, copy=False)
    refuse(array < 0, "object numbers start at 0")
    refuse(array >= INT32_LIMIT, f"object numbers must be below 2**31 = {INT32_LIMIT}")
    if n_objects is not None:
        refuse(array >= n_objects, f"n_objects is {n_objects}, so numbers end at {n_objects - 1}")
    return np.array(array, dtype=np.int32, order="C")


def exact_below(dtype: np.dtype[Any]) -> int:
    """Return the whole number from which floating-point numbers of a type leave some out."""
    return int(2 ** (np.finfo(dtype).nmant + 1))


def rounded(dtype: np.dtype[Any]) -> str:
    """Say why large numbers of a floating-point type may not be what they were."""
    return f"{dtype} rounds whole numbers from {exact_below(dtype)} on, so use whole numbers"


def on_host(values: Any) -> Any:
    """Return values that NumPy can read: tensors of torch come from wherever they are."""
    return values.detach().cpu() if hasattr(values, "detach") else values


def as_rows(values: object) -> NDArray[Any]:
    """Return a 2-D array with one row per comparison, of whatever type."""
    if isinstance(values, str | PathLike):
        raise InputError(
            f"Expected a record of answers; got the path {str(values)!r}. Read the file first, such"
            " as with read_comparisons, read_pairs or read_ratings."
        )
    if hasattr(values, "tocoo"):  # as all sparse arrays and matrices of SciPy
        raise InputError("Comparisons need a dense array; got a sparse one. Pass X.toarray().")
    if np.ma.is_masked(values):
        raise InputError(
            "Some entries of the array are masked. Leave their rows out, or read it with"
            " read_comparisons(array, on_invalid='drop')."
        )
    try:
        array = np.asarray(on_host(values))
    except ValueError:
        raise InputError(
            "Comparisons need rows of one length, all with 3 or all with 4 objects; got rows of"
            " different lengths."
        ) from None
    if array.ndim != 2:
        raise InputError(
            "Comparisons need a 2-D array, one row per answer, with 3 columns (anchor, near, far)"
            f" or 4 (i, j, k, l); got {array.ndim} dimension(s), shape {array.shape}."
        )
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: comparisons hold the numbers of objects.")
    return array


def _kind_in_words(array: NDArray[Any]) -> str:
    words = {"b": "booleans", "U": "text", "S": "text", "T": "text", "O": "Python objects"}
    return words.get(array.dtype.kind, f"dtype {array.dtype}")


def degenerate_rows(rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mark rows that compare nothing: an object with itself or a pair with itself."""
    if rows.shape[1] == 3:
        anchor, near, far = rows.T
        repeated: NDArray[np.bool_] = (anchor == near) | (anchor == far) | (near == far)
        return repeated
    i, j, k, l = rows.T  # noqa: E741
    same_pair: NDArray[np.bool_] = ((i == k) & (j == l)) | ((i == l) & (j == k))
    nothing: NDArray[np.bool_] = (i == j) | (k == l) | same_pair
    return nothing


def refuse_degenerate(rows: NDArray[np.int32]) -> None:
    """Name the first degenerate row, if there is one."""
    wrong = degenerate_rows(rows)
    if wrong.any():
        first = int(np.argmax(wrong))
        row = tuple(int(value) for value in rows[first])
        rule = (
            "the three objects of a triplet must differ"
            if len(row) == 3
            else "each pair of a quadruplet needs two objects and the two pairs must differ"
        )
        more = int(wrong.sum()) - 1
        others = f" ({more} more like it)" if more else ""
        raise InputError(f"Row {first} is {row}: {rule}{others}.")


def check_answers(answers: object, n_rows: int) -> NDArray[np.bool_]:
    """Return answers as booleans: True where the row's first pair was called nearer."""
    array = np.asarray(answers)
    check_length("answers", array, n_rows)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind in "iuf":
        wrong = np.abs(array) != 1
        if wrong.any():
            row = int(np.argmax(wrong))
            hint = " For answers coded 0 and 1 pass `answers == 1`." if array[row] == 0 else ""
            raise InputError(
                f"Answer {row} is {array[row]!s}; answers must be booleans or +1 and -1.{hint}"
            )
        return array > 0
    raise InputError(f"Answers must be booleans or +1 and -1; got {_kind_in_words(array)}.")


def check_weights(weights: object, n_rows: int) -> NDArray[np.float64]:
    """Return weights as float64, finite and not negative."""
    array = np.asarray(weights)
    check_length("weights", array, n_rows)
    if array.dtype.kind not in "iufb":
        raise InputError(f"Weights must be numbers; got {_kind_in_words(array)}.")
    array = array.astype(np.float64)
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"Weight {row} is {array[row]}; weights must be finite and not negative.")
    extreme = (array > LARGEST_WEIGHT) | ((array < 1 / LARGEST_WEIGHT) & (array > 0))
    if extreme.any():
        row = int(np.argmax(extreme))
        raise InputError(
            f"Weight {row} is {array[row]:g}; weights other than 0 must be between"
            f" {1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, or losses cannot be computed:"
            " divide them by their mean."
        )
    return array


def refuse_zero_weights(weights: NDArray[np.float64] | None) -> None:
    """Refuse weights of which none counts."""
    if weights is not None and len(weights) and not weights.any():
        raise InputError("All weights are 0; at least one comparison must count.")


def weighted_mean(values: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    """Return the mean by weights; the plain mean of a part in which all weights are 0."""
    counting = weights is not None and weights.any()
    return float(np.average(values, weights=weights if counting else None))


def as_text_or_numbers(values: object) -> NDArray[Any]:
    """Return an array, in which text that pandas hands out as Python objects is text."""
    try:
        # a list of names is looked at first: as text every name has the room of the longest
        array = np.array(values, dtype=object) if begins_with_text(values) else np.asarray(values)
        if is_text(array) and array.dtype.kind == "O":
            return text_array(array.ravel().tolist()).reshape(array.shape)
        return array if array.dtype.kind != "O" else np.asarray(values)
    except ValueError:
        raise InputError("All rows must have the same number of entries; some differ.") from None


def begins_with_text(values: Any) -> bool:
    """Tell whether the first entry of nested lists or of an array is text."""
    if isinstance(values, str):  # a path rather than an array
        return False
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    if isinstance(values, np.ndarray) and values.size:
        values = values.flat[0]
    return isinstance(values, str)


def is_text(array: NDArray[Any]) -> bool:
    """Tell whether all entries are text, as NumPy's own or as Python's."""
    if array.dtype.kind != "O":
        return array.dtype.kind in "UT"
    return all(isinstance(entry, str) for entry in array.flat)


def text_array(texts: Sequence[str]) -> NDArray[Any]:
    """Return an array of text."""
    lengths = [len(text) for text in texts]
    room = max(lengths, default=0) * len(lengths)
    wasteful = room > _MOST_LETTERS and room > 4 * sum(lengths)
    return np.array(texts, dtype=object if wasteful else np.str_)


def check_row_labels(name: str, labels: object, n_rows: int) -> NDArray[Any]:
    """Return a copy of one label per row, which are numbers, booleans, dates or text."""
    array = as_text_or_numbers(labels).copy()
    check_length(name, array, n_rows)
    if array.dtype.kind == "O" and not is_text(array):
        row = next(row for row, label in enumerate(array) if not isinstance(label, str))
        raise InputError(f"{name} must be all text or all numbers; entry {row} is {array[row]!r}.")
    return array


def check_length(name: str, array: NDArray[Any], n_rows: int) -> None:
    """Refuse an array that does not have exactly one entry per row."""
    if array.shape != (n_rows,):
        raise InputError(
            f"{name} must have one entry per comparison, shape ({n_rows},);"
            f" got shape {array.shape}."
        )


def check_objects(name: str, numbers: object, n_objects: int) -> NDArray[Any]:
    """Return numbers of objects, each of them from 0 to `n_objects` - 1."""
    array = np.asarray(numbers)
    if array.dtype.kind not in "iu":
        raise InputError(f"{name} must hold whole numbers of objects; got {numbers!r}.")
    outside = (array < 0) | (array >= n_objects)
    if outside.any():
        raise InputError(
            f"{name} must hold numbers of objects, from 0 to {n_objects - 1};"
            f" got {array[outside].flat[0]}."
        )
    return array


def as_frame(columns: Mapping[str, Any], index: Sequence[str] = ()) -> Any:
    """Return columns as a pandas data frame, indexed by some of them; without pandas, as Arrow's.

    An Arrow table prints, slices and has columns by name too, and is always there.
    """
    try:
        import pandas
    except ImportError:
        import pyarrow

        return pyarrow.table(dict(columns))
    frame = pandas.DataFrame(dict(columns))
    return frame.set_index(list(index)) if index else frame


def check_names(names: Sequence[object]) -> tuple[str, ...]:
    """Return object names as a tuple of distinct strings."""
    labels = tuple(str(name) for name in names)
    if len(set(labels)) != len(labels):
        seen: set[str] = set()
        for label in labels:
            if label in seen:
                raise InputError(f"Object names must differ; {label!r} occurs more than once.")
            seen.add(label)
    return labels


def check_labels(name: str, labels: object, n_objects: int) -> NDArray[Any]:
    """Return one class label per object, none of them missing."""
    array = as_text_or_numbers(labels)
    if array.shape != (n_objects,):
        raise InputError(
            f"{name} must have one entry per object, shape ({n_objects},); got shape {array.shape}."
        )
    entries = array.tolist()
    for number, label in enumerate(entries):
        # pandas' missing value is neither equal to itself nor unequal
        if label is None or type(label).__name__ == "NAType" or label != label:
            raise InputError(f"{name} must not have missing entries; entry {number} is {label}.")
    if array.dtype.kind == "O" and len({type(label) for label in entries}) > 1:
        raise InputError(f"{name} must be all text or all numbers; got a mixture.")
    return array
