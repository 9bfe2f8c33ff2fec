"""Read feature vectors from files: numbers to reduce, and a column that only colours the map."""

from __future__ import annotations

import os
import re
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, load_npz

from ordinate._arguments import argument
from ordinate._checks import InputError, check_points
from ordinate.comparisons.pairs import counted
from ordinate.features.alignment import align_by_name
from ordinate.io.columns import as_floats, as_labels, encode_column
from ordinate.io.layout_table import find_label_column
from ordinate.io.tables import Table, as_table, errors_naming, is_frame, name_of, open_table

if TYPE_CHECKING:
    import pyarrow as pa


NAMES_OR_TEXT = "hold names or text"
DATES = "hold dates"
ROW_NUMBERS = "only number the rows"
IDS = "hold ids"
CONSTANT = "have one value in all rows"
KNOWN = "known"
"""What is done about gaps in features of objects: what is known counts."""


@dataclass(frozen=True)
class Features:
    """Feature vectors, and what a file says about them besides."""

    points: Any
    labels: NDArray[Any] | None
    texts: dict[str, NDArray[Any]]
    columns: tuple[str, ...] = ()
    """What the features are called; nothing in a file of arrays."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Why a column is no feature."""
    n_dropped: int = 0
    """Rows without a number in one of the features, if those are left out."""
    n_filled: int = 0
    """Entries without a number, if the mean of their column is filled in."""
    categories: dict[str, list[int]] = field(default_factory=dict)
    """For a column of categories, which features it became."""

    def dense(self) -> NDArray[np.float64]:
        """Return the features as numbers, a row per object."""
        dense = self.points if isinstance(self.points, np.ndarray) else self.points.toarray()
        return np.asarray(dense, dtype=np.float64)

    @property
    def names(self) -> list[str] | None:
        """The first column of texts that all differ, or of ids: what the objects are called."""
        return next((text.tolist() for text in self.texts.values() if _differ(text)), None)


def read_features(
    source: Any, *, label: str | None = None, missing: str = "refuse", one_hot: bool = False
) -> Features:
    """Read feature vectors from a file, a frame, AnnData or an array with one row per object."""
    if is_annotated(source):
        arrays = {"": source.X, "object": np.asarray(source.obs_names, dtype=str)}
        return _features_of_arrays(arrays, label, missing)
    if is_frame(source):
        return _features_of(as_table(source), label, missing, one_hot)
    if not isinstance(source, str | os.PathLike):
        matrix = source if issparse(source) else np.asarray(source)
        return _features_of_arrays({"": matrix}, label, missing)
    path = source
    with errors_naming(os.fspath(path)):
        ending = Path(path).suffix.lower()
        if ending in (".npy", ".npz"):
            return _features_of_arrays(_read_arrays(path), label, missing)
        if ending == ".h5ad":
            return read_features(_read_annotated(path), label=label, missing=missing)
        if ending in (".h5", ".hdf5", ".mat", ".pkl", ".xlsx"):
            raise InputError(
                f"Features are not read from {ending}; save them as .csv or .parquet, or the matrix"
                " as .npy (numpy.save) or .npz (scipy.sparse.save_npz)."
            )
        return _features_of(open_table(path), label, missing, one_hot)


def is_annotated(source: Any) -> bool:
    """Tell whether this is an AnnData object: a matrix whose rows have names."""
    return hasattr(source, "X") and hasattr(source, "obs_names")


def _read_annotated(path: str | os.PathLike[str]) -> Any:
    try:
        from anndata import read_h5ad
    except ImportError:
        raise InputError(
            "Files of AnnData need the package anndata: pip install 'ordinate[anndata]'."
        ) from None
    try:
        return read_h5ad(path)
    except OSError as error:
        raise InputError(f"It cannot be read as AnnData: {error}") from None


def read_object_features(source: Any) -> Features:
    """Read features that are known in part: gaps get the mean of their column, and are counted.

    A row without any number is an object without features, and stays NaN.
    """
    found = read_features(source, missing=KNOWN)
    if found.n_filled:
        warnings.warn(
            f"{name_of(source, 'features')}: {counted(found.n_filled, 'gap')} filled with the mean"
            " of the column.",
            stacklevel=3,
        )
    return found


def _read_arrays(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the arrays of a file by name; that of .npy and a sparse matrix have none."""
    try:
        with open(path, "rb") as file:
            read: Any = np.load(file, allow_pickle=False)
            if not hasattr(read, "files"):
                return {"": read}
            if {"format", "shape", "data"} <= set(read.files):
                file.seek(0)
                return {"": csr_array(load_npz(file))}
            return {name: read[name] for name in read}
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise InputError(f"It cannot be read as arrays of NumPy: {error}") from None


def _features_of_arrays(arrays: dict[str, Any], label: str | None, missing: str) -> Features:
    matrices = [array for array in arrays.values() if array.ndim == 2]
    if len(matrices) != 1 or matrices[0].dtype.kind not in "fiub":
        shapes = ", ".join(f"{name or 'one'} {array.shape}" for name, array in arrays.items())
        raise InputError(f"Expected one matrix of numbers, a row per object; there are: {shapes}.")
    points: Any = matrices[0]
    gaps = None
    if not issparse(points):
        gaps = ~np.isfinite(points) if missing == KNOWN else None
        points = check_points("The matrix", points if gaps is None else np.where(gaps, 0.0, points))
    elif not np.isfinite(matrices[0].data).all():
        raise InputError("The sparse matrix must be finite; it holds NaN or infinite entries.")
    n_objects = points.shape[0]
    rest = {
        name: array
        for name, array in arrays.items()
        if array.shape == (n_objects,) and array.dtype.kind in "fiubSU"
    }
    if label is not None and label not in rest:
        listed = ", ".join(rest) or "none"
        raise InputError(f"There is no array {label!r} with an entry per row; there are: {listed}.")
    labels = None if label is None else rest.pop(label)
    texts = {name: array.astype(str) for name, array in rest.items()}
    found = Features(points, labels, texts, left_out=dict.fromkeys(texts, NAMES_OR_TEXT))
    return found if gaps is None else _without_gaps(found, gaps, missing)


def _features_of(table: Table, label: str | None, missing: str, one_hot: bool) -> Features:
    if label is not None and label not in table.names:
        raise InputError(f"There is no column {label!r}; the columns are {', '.join(table.names)}.")
    twice = next((name for name in table.names if table.names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"Several columns are called {twice!r}; give each a name of its own.")
    named = find_label_column([name for name in table.names if name != label])
    as_written = [name for name in table.names if name in (named, label)]
    columns = table.read(as_written, [name for name in table.names if name not in as_written])
    first = int(_numbers_the_columns(columns))
    columns = columns.slice(first)
    if not columns.num_rows:
        raise InputError("There is no row below the header.")
    features: dict[str, NDArray[np.float64]] = {}
    texts, left_out, ids, categories = {}, {}, {}, {}
    for name in (name for name in columns.column_names if name != label):
        numbers = None if name == named else as_floats(columns.column(name))
        if numbers is None:
            texts[name] = _as_text(name, columns.column(name))
            if _are_dates(columns.column(name)):
                left_out[name] = DATES
            elif one_hot and name != named and not _differ(texts[name]):
                made = _indicators(name, texts[name])
                categories[name] = [*range(len(features), len(features) + len(made))]
                features |= made
            else:
                left_out[name] = NAMES_OR_TEXT
        elif reason := _no_feature(name, numbers):
            left_out[name] = reason
            if reason == IDS:
                ids[name] = numbers.astype(np.int64).astype(str)
        else:
            features[name] = numbers
    if not features:
        why = "; ".join(
            f"{name!r} is left out, as such columns {left_out[name]}" for name in left_out
        )
        raise InputError(f"No column is a feature: {why}. Features are columns of numbers.")
    if left_out.get(named or "") == NAMES_OR_TEXT:  # it names the rows
        del left_out[named or ""]
    points = np.column_stack(list(features.values()))
    labels = None if label is None else as_labels(label, columns.column(label))
    found = Features(points, labels, texts | ids, tuple(features), left_out, categories=categories)
    gaps = ~np.isfinite(points)
    if not gaps.any():
        return found
    if missing == "refuse":
        row, column = np.argwhere(gaps)[0]
        raise InputError(
            f"{table.place(first + int(row))} has no number in column {found.columns[column]!r};"
            f" {np.count_nonzero(gaps.any(axis=1)):,} of {len(points):,} rows have gaps. Pass"
            f" {argument('missing', 'drop')} to leave them out, or {argument('missing', 'mean')} to"
            " fill in the mean."
        )
    return _without_gaps(found, gaps, missing)


def _without_gaps(found: Features, gaps: NDArray[np.bool_], missing: str) -> Features:
    """Fill in the mean of a column, or leave rows with gaps out."""
    if missing in ("mean", KNOWN):
        known = np.where(gaps, 0.0, found.points)
        means = known.sum(axis=0) / np.maximum((~gaps).sum(axis=0), 1)
        nothing = gaps.all(axis=1, keepdims=True) & (missing == KNOWN)
        points = np.where(nothing, np.nan, np.where(gaps, means, found.points))
        return replace(found, points=points, n_filled=int((gaps & ~nothing).sum()))
    whole = ~gaps.any(axis=1)
    number = np.arange(len(gaps)).astype(str)  # which row it was in the table
    return replace(
        found,
        points=found.points[whole],
        labels=None if found.labels is None else found.labels[whole],
        texts={name: text[whole] for name, text in {**found.texts, "row": number}.items()},
        n_dropped=int(np.count_nonzero(~whole)),
    )


_FEWEST = 5
"""Rows from which on numbers in their order are no accident."""
_FEWEST_COLUMNS = 3
"""The same of columns; they begin with 0."""
_MOST_CATEGORIES = 50
"""Different texts that a column of categories may have."""
_ID = re.compile(r"(^|[\W_])(id|ids|idx|uid|uuid|index)$", re.IGNORECASE)
_CAMEL_ID = re.compile(r"[a-z](Id|ID|Index)$")


def _no_feature(name: str, numbers: NDArray[np.float64]) -> str | None:
    """Return why a column of numbers is no feature, or None if it is one."""
    n = len(numbers)
    if not name.strip():
        return ROW_NUMBERS
    if n < _FEWEST:
        return None
    if numbers[0] in (0, 1) and bool((np.diff(numbers) == 1).all()):
        return ROW_NUMBERS
    is_whole = bool((numbers == np.round(numbers)).all())  # not with a gap
    if (_ID.search(name) or _CAMEL_ID.search(name)) and is_whole and _differ(numbers):
        return IDS
    known = numbers[np.isfinite(numbers)]
    return CONSTANT if not len(known) or bool((known == known[0]).all()) else None


def _are_dates(column: pa.ChunkedArray) -> bool:
    """Tell whether a column that holds no numbers holds dates or times, as such or as ISO text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_temporal(column.type):
        return True
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    written = pc.match_substring_regex(column.drop_null(), r"^\d{4}-\d{2}-\d{2}([T ].*)?$")
    return len(written) > 0 and bool(pc.all(written).as_py())


def _indicators(name: str, text: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    """Return a column of 0 and 1 for each category; an empty text is none."""
    categories = [category for category in np.unique(text).tolist() if category]
    if len(categories) > _MOST_CATEGORIES:
        raise InputError(
            f"Column {name!r} has {len(categories):,} different texts; at most {_MOST_CATEGORIES}"
            " become features by one-hot coding. Remove the column."
        )
    return {f"{name}={category}": (text == category).astype(float) for category in categories}


def _numbers_the_columns(columns: pa.Table) -> bool:
    """Tell whether the first row is the header of a frame whose columns had no names.

    Without a header columns are called "0", "1", …, and so are they in that row.
    """
    first = columns.slice(0, 1).to_pylist()
    return len(columns.column_names) >= _FEWEST_COLUMNS and any(
        all(str(entry).removesuffix(".0") == name for name, entry in row.items()) for row in first
    )


def _differ(entries: NDArray[Any]) -> bool:
    return len(np.unique(entries)) == len(entries)


def _as_text(name: str, column: pa.ChunkedArray) -> NDArray[Any]:
    words, codes = encode_column(name, column)
    return np.where(column.is_null().to_numpy(), "", np.array([*words, ""])[codes])


def read_features_of(source: Any, names: Sequence[str]) -> NDArray[np.float64]:
    """Read a row of features for each object; NaN for those that the file does not name.

    Rows without labels are in the order of the objects.
    """
    read = read_object_features(source)
    with errors_naming(name_of(source, "features")):
        if read.names is None and read.points.shape[0] != len(names):
            raise InputError(
                f"There are {read.points.shape[0]} rows without labels and {len(names)} objects;"
                " give one row per object, in their order, or add a column 'object'."
            )
        labels = names if read.names is None else [str(name) for name in read.names]
        rows: NDArray[np.float64] = align_by_name(names, labels, read.dense())[0][: len(names)]
    return rows
