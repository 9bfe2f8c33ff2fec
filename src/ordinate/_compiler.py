"""Numba's compiler, which does without its cache where that is full, read-only or damaged."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])


def njit(*, cache: bool = False, **options: Any) -> Callable[[F], F]:
    """Return Numba's decorator of the same name; a cache that fails costs time and a warning."""

    def decorate(function: F) -> F:
        compiled: Any = numba.njit(**options)(function)
        if cache and hasattr(compiled, "enable_caching"):  # it has not where compiling is off
            try:
                compiled._cache = _ForgivingCache(function)  # type: ignore[no-untyped-call]
            except (RuntimeError, OSError):  # Numba found no folder that can be written
                _warn("there is no folder that can be written")
        result: F = compiled
        return result

    return decorate


class _ForgivingCache(FunctionCache):
    """Numba's cache of one function; its errors are no errors of the function."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code from the disk, or None."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # unpickling a damaged file raises anything
            # files of this function are forgotten, and written again when it is compiled
            self._attempt(self.flush)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code on the disk, where there is room for it."""
        keep: Callable[..., None] = super().save_overload
        self._attempt(lambda: keep(sig, data))

    def _attempt(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            _warn(f"{self.cache_path}: {error.strerror or error}")


_has_warned = False


def _warn(reason: str) -> None:
    """Say once per process that code is compiled again."""
    global _has_warned
    if not _has_warned:
        _has_warned = True
        warnings.warn(
            f"Compiled code cannot be stored on disk ({reason}) and is compiled again in every"
            " run. Free some space, or set NUMBA_CACHE_DIR to a writable folder.",
            RuntimeWarning,
            stacklevel=2,
        )
