"""Small pictures of objects, for maps on paper and on the screen."""

from __future__ import annotations

import os
import stat
import warnings
from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.plots._figures import figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image as PillowImage

Image: TypeAlias = "str | os.PathLike[str] | NDArray[Any]"
"""A file of any format that Pillow reads, or pixels: grey or RGB, bytes or floats from 0 to 1."""

Thumbnails: TypeAlias = "list[PillowImage | None]"

SIDE = 96
"""Pixels of a thumbnail's longer side: sharp on a page, and about 4 kB."""

INCHES = 0.32
"""Size of a thumbnail on paper."""


def load_thumbnails(images: Sequence[Image | None], n_objects: int) -> Thumbnails:
    """Read pictures and make them small."""
    if len(images) != n_objects:
        raise InputError(
            f"images must have one entry per object, {n_objects} of them; got {len(images)}."
        )
    return [None if image is None else _small(image, number) for number, image in enumerate(images)]


def as_data_uri(thumbnail: PillowImage | None) -> str | None:
    """Write a picture into an address, so that a page carries it along."""
    if thumbnail is None:
        return None
    file = BytesIO()
    thumbnail.save(file, "WEBP", quality=80)
    return "data:image/webp;base64," + b64encode(file.getvalue()).decode()


def draw_thumbnails(
    ax: Axes, thumbnails: Thumbnails, positions: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Draw pictures in their places, none over another; objects without keep their points."""
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    ax.apply_aspect()
    places = ax.transData.transform(positions) / figure_of(ax).dpi
    shown = _apart(places, [n for n, image in enumerate(thumbnails) if image is not None])
    for number in shown:
        pixels = np.asarray(thumbnails[number])
        small = OffsetImage(pixels, zoom=72 * INCHES / max(pixels.shape[:2]), dpi_cor=True)
        ax.add_artist(AnnotationBbox(small, tuple(positions[number]), frameon=False, pad=0))
    return np.array(shown, dtype=np.intp)


def _apart(places: NDArray[np.float64], candidates: list[int]) -> list[int]:
    """Choose places, in inches, so that no two are nearer than a thumbnail in both directions."""
    taken: dict[tuple[int, int], list[int]] = {}
    chosen = []
    for number in candidates:
        column, row = (int(cell) for cell in np.floor(places[number] / INCHES))
        around = [
            other
            for near_column in (column - 1, column, column + 1)
            for near_row in (row - 1, row, row + 1)
            for other in taken.get((near_column, near_row), ())
        ]
        if all(np.abs(places[other] - places[number]).max() >= INCHES for other in around):
            taken.setdefault((column, row), []).append(number)
            chosen.append(number)
    return chosen


def _small(image: Image, number: int) -> PillowImage:
    from PIL import Image as pillow

    if isinstance(image, np.ndarray):
        if image.ndim not in (2, 3):
            raise InputError(
                f"Image {number} must be grey (height, width) or RGB (height, width, 3);"
                f" got shape {image.shape}."
            )
        pixels = image if image.dtype == np.uint8 else np.clip(255 * image, 0, 255).astype(np.uint8)
        picture = pillow.fromarray(pixels)
    else:
        picture = _opened(os.fspath(image))
    small = picture.convert("RGBA" if "A" in picture.getbands() else "RGB")
    small.thumbnail((SIDE, SIDE))
    return small


def _opened(path: str) -> PillowImage:
    """Read a picture whole; a damaged one shows only now that it is."""
    from PIL import Image as pillow

    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
            raise InputError(f"{path} is not a file.")
        with warnings.catch_warnings():
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            with pillow.open(path) as picture:
                picture.draft("RGB", (SIDE, SIDE))  # of a JPEG only what is needed
                picture.load()
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"There is no picture {path}.") from None
    except (pillow.DecompressionBombWarning, pillow.DecompressionBombError):
        raise InputError(
            f"{path} has more than {pillow.MAX_IMAGE_PIXELS:,} pixels; make it smaller."
        ) from None
    except Exception as error:  # Pillow's decoders raise whatever a damaged file makes them
        reason = getattr(error, "strerror", None) or "damaged, or of an unknown format"
        raise InputError(f"{path} is not a picture that can be read: {reason}.") from None
    return picture
