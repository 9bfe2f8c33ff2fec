"""Names of the array types that everything passes around."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Points: TypeAlias = Floats
"""Coordinates, one row per object."""
Indices: TypeAlias = NDArray[np.intp]
