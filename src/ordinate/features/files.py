"""Read feature vectors from files: numbers to reduce, and a column that only colours the map."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, load_npz

from ordinate._checks import InputError, check_points
from ordinate.io.columns import as_floats, as_labels, encode_column
from ordinate.io.layouts import find_label_column
from ordinate.io.tables import Table, errors_naming, open_table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Features:
    """Feature vectors, and what a file says about them besides.

    Attributes
    ----------
    points : ndarray of float64 or csr_array, shape (n_objects, n_features)
        The features; sparse where the file is.
    labels : ndarray of shape (n_objects,), or None
        The column that was asked for as labels.
    texts : dict of str to ndarray, shape (n_objects,)
        Other columns, which hold no numbers; empty where an entry is missing.
    indexes : tuple of str
        Columns that were left out as they only number the rows, as that of a saved frame does.
    """

    points: Any
    labels: NDArray[Any] | None
    texts: dict[str, NDArray[Any]]
    indexes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str] | None:
        """The first column of texts that all differ: what the objects are called."""
        return next((text.tolist() for text in self.texts.values() if _differ(text)), None)


def read_features(path: str | os.PathLike[str], *, label: str | None = None) -> Features:
    r"""Read feature vectors from a file with one row per object.

    Parameters
    ----------
    path : str or path-like
        A table that ends in .csv, .tsv or .parquet, or in another ending that the commands read; a
        matrix in .npy; .npz with one matrix, and arrays with an entry for each of its rows; or the
        .npz of a sparse matrix, as `scipy.sparse.save_npz` writes it.
    label : str, optional
        Name of a column that is no feature.

    Returns
    -------
    Features
        With all columns of numbers as features, except one called ``object``, ``id`` or
        ``name``, which holds the objects' labels, and those without a name or with the numbers of
        the rows, 0, 1, 2, … or 1, 2, 3, …: a map would follow the order of the file. A first
        line 0, 1, 2, … numbers the columns and is no object.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ordinate.features.files import read_features
    >>> path = Path(tempfile.mkdtemp()) / "wine.csv"
    >>> _ = path.write_text("alcohol,ash,kind\n14.2,2.4,red\n12.4,2.1,white\n")
    >>> read_features(path, label="kind")
    Features(points=array([[14.2,  2.4],
           [12.4,  2.1]]), labels=array(['red', 'white'], dtype='<U5'), texts={}, indexes=())
    """
    with errors_naming(os.fspath(path)):
        ending = Path(path).suffix.lower()
        if ending in (".npy", ".npz"):
            return _features_of_arrays(_read_arrays(path), label)
        if ending in (".h5ad", ".h5", ".hdf5", ".mat", ".pkl", ".xlsx"):
            raise InputError(
                f"Features are not read from {ending}; save them as .csv or .parquet, or the matrix"
                " as .npy (numpy.save) or .npz (scipy.sparse.save_npz)."
            )
        return _features_of(open_table(path), label)


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


def _features_of_arrays(arrays: dict[str, Any], label: str | None) -> Features:
    matrices = [array for array in arrays.values() if array.ndim == 2]
    if len(matrices) != 1 or matrices[0].dtype.kind not in "fiub":
        shapes = ", ".join(f"{name or 'one'} {array.shape}" for name, array in arrays.items())
        raise InputError(f"Expected one matrix of numbers, a row per object; there are: {shapes}.")
    points: Any = matrices[0]
    if not issparse(points):
        points = check_points("The matrix", points)
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
    return Features(points, labels, {name: array.astype(str) for name, array in rest.items()})


def _features_of(table: Table, label: str | None) -> Features:
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
    features: list[NDArray[np.float64]] = []
    texts, indexes = {}, []
    for name in (name for name in columns.column_names if name != label):
        numbers = None if name == named else as_floats(columns.column(name))
        if numbers is None:
            texts[name] = _as_text(name, columns.column(name))
        elif not name.strip() or _numbers_the_rows(numbers):
            indexes.append(name)
        elif not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise InputError(
                f"{table.place(first + row)} has no number in column {name!r}; fill it in or leave"
                " the row out."
            )
        else:
            features.append(numbers)
    if not features:
        raise InputError("No column holds numbers; features must be numbers.")
    labels = None if label is None else as_labels(label, columns.column(label))
    return Features(np.column_stack(features), labels, texts, tuple(indexes))


_FEWEST = 5
"""Rows from which on numbers in their order are no accident."""
_FEWEST_COLUMNS = 3
"""The same of columns; they begin with 0."""


def _numbers_the_rows(numbers: NDArray[np.float64]) -> bool:
    n = len(numbers)
    return n >= _FEWEST and numbers[0] in (0, 1) and bool((np.diff(numbers) == 1).all())


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
