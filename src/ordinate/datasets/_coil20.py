"""COIL-20: twenty things on a turntable."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import find_member, read_mat, read_members, upright
from ordinate.datasets._record import Dataset

FILES = files_of("coil20")

DEGREES_PER_VIEW = 5


def load_coil20(data_home: DataHome = None) -> Dataset:
    """Load the images of COIL-20.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `points` (pixels, uint8 from 0 to 255), `image_shape`, `labels` (the object) and the
        attribute ``angle`` in degrees.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_coil20().label_names[:2]  # doctest: +SKIP
    ('object 1', 'object 2')
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    reduced = find_member(folder, "COIL20.mat")
    images, objects, views = _read_pictures(folder) if reduced is None else _read_reduced(reduced)
    found = {"images": len(images), "objects": len(np.unique(objects))}
    FILES.check(folder, found)
    height, width = images.shape[1:]
    return {
        "points": images.reshape(len(images), -1),
        "labels": objects - 1,
        "label_names": tuple(f"object {number}" for number in range(1, objects.max() + 1)),
        "image_shape": (height, width),
        "attributes": {"angle": views * DEGREES_PER_VIEW},
    }


def _read_reduced(content: bytes) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Images, objects and views of the reduced copy, whose views of one object are in order."""
    table = read_mat(content)
    objects = table["Y"].ravel().astype(np.int64)
    views = np.concatenate([np.arange(n) for n in np.unique(objects, return_counts=True)[1]])
    return upright(table["X"]), objects, views


def _read_pictures(folder: Path) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Images, objects and views of the published files ``obj<object>__<view>.png``."""
    from matplotlib.image import imread

    pictures = {}
    for name, content in read_members(folder, "obj*__*.png"):
        thing, view = map(int, re.findall(r"\d+", Path(name).stem))
        pictures[thing, view] = np.round(imread(BytesIO(content)) * 255).astype(np.uint8)
    objects, views = np.array(sorted(pictures)).T
    return np.stack([pictures[key] for key in sorted(pictures)]), objects, views
