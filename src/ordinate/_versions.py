"""Which versions are installed."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

CORE = ("ordinate", "numpy", "scipy", "scikit-learn", "numba", "pyarrow", "matplotlib")
"""Packages on which results may depend."""


def versions(packages: Sequence[str] = CORE) -> dict[str, str | None]:
    """Return the version of Python and of each package, None where it is not installed."""
    return {"Python": platform.python_version()} | {name: _version(name) for name in packages}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
