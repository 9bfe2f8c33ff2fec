"""COIL-20: twenty things on a turntable."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate.datasets._files import DataHome, Files, Remote, check_published, load_published
from ordinate.datasets._readers import find_member, read_mat, read_members, upright
from ordinate.datasets._record import About, Dataset

ABOUT = About(
    name="coil20",
    title="COIL-20 objects",
    size="1,440 images: 20 objects, 72 views each",
    description=(
        "Photographs of twenty objects on a turntable, one every five degrees: 128 x 128 pixels as"
        " its authors publish them, or 32 x 32 in the reduced copy COIL20.mat."
    ),
    citation=(
        "S. A. Nene, S. K. Nayar, H. Murase. Columbia Object Image Library (COIL-20). Technical"
        " Report CUCS-005-96, Columbia University, 1996."
    ),
    terms="None stated with the files.",
)

FILES = Files(
    folder="coil20",
    prepared=("COIL20.mat",),
    published=(
        Remote(
            "coil-20-proc.zip",
            (
                "https://www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/coil-20/coil-20-proc.zip",
                "https://cave.cs.columbia.edu/old/databases/SLAM_coil-20_coil-100/coil-20/coil-20-proc.zip",
            ),
            "md5:464dec76a6abfcd00e8de6cf1e7d0acc",
        ),
    ),
)

DEGREES_PER_VIEW = 5

PUBLISHED = {"images": 1_440, "objects": 20}


def load_coil20(data_home: DataHome = None) -> Dataset:
    """Load the images of COIL-20.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder; files that are not in it are downloaded into it. By default the one
        that the environment variable ``ORDINATE_DATA`` names, or else a cache.

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
    return load_published(FILES, data_home, _parse)


def _parse(folder: Path) -> Dataset:
    reduced = find_member(folder, "COIL20.mat")
    images, objects, views = _read_pictures(folder) if reduced is None else _read_reduced(reduced)
    found = {"images": len(images), "objects": len(np.unique(objects))}
    check_published(folder, found, PUBLISHED)
    height, width = images.shape[1:]
    return Dataset(
        **vars(ABOUT),
        points=images.reshape(len(images), -1),
        labels=objects - 1,
        label_names=tuple(f"object {number}" for number in range(1, objects.max() + 1)),
        image_shape=(height, width),
        attributes={"angle": views * DEGREES_PER_VIEW},
    )


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
