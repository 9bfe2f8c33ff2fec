"""Read MATLAB's files."""

from __future__ import annotations

from io import BytesIO
from math import isqrt
from typing import Any

from numpy.typing import NDArray


def read_mat(content: bytes) -> dict[str, Any]:
    """Read the variables of a ``.mat`` file before version 7.3.

    Parameters
    ----------
    content : bytes
        The file.

    Returns
    -------
    dict of str to ndarray
        Its variables by name.
    """
    from scipy.io import loadmat

    variables: dict[str, Any] = loadmat(BytesIO(content))  # type: ignore[arg-type]
    return variables


def upright(images: NDArray[Any]) -> NDArray[Any]:
    """Give square images that are written column by column, as MATLAB does, their shape.

    Parameters
    ----------
    images : ndarray of shape (n_images, side * side)
        One image per row.

    Returns
    -------
    ndarray of shape (n_images, side, side)
        The same images, the first axis of each being its height.
    """
    side = isqrt(images.shape[1])
    return images.reshape(-1, side, side).transpose(0, 2, 1)
