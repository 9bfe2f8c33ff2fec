"""ISOMAP faces: a head under changing pose and light."""

from __future__ import annotations

from pathlib import Path

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import find_member, read_mat, read_member, upright
from ordinate.datasets._record import Dataset

FILES = files_of("isomap_faces")


def load_isomap_faces(data_home: DataHome = None) -> Dataset:
    """Load the ISOMAP faces.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `points` (pixels from 0 to 1), `image_shape` and the attributes ``pose`` (left-right
        and up-down), shape (698, 2), and ``light``, shape (698, 1).

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_isomap_faces().attributes["pose"].shape  # doctest: +SKIP
    (698, 2)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    reduced = find_member(folder, "face_1024.mat")
    if reduced is None:
        table = read_mat(read_member(folder, "face_data.mat"))
        pixels, pose, light = table["images"], table["poses"], table["lights"]
    else:
        table = read_mat(reduced)
        # the copy does not say which of its three values is which; the images do: the first moves
        # the shadow, the second turns the head left and right, the third up and down
        pixels, pose, light = table["dataY"], table["dataT"][1:], table["dataT"][:1]
    found = {"images": pixels.shape[1], "values of pose and light": len(pose) + len(light)}
    FILES.check(folder, found)
    images = upright(pixels.T)
    height, width = images.shape[1:]
    return {
        "points": images.reshape(len(images), -1),
        "image_shape": (height, width),
        "attributes": {"pose": pose.T, "light": light.T},
    }
