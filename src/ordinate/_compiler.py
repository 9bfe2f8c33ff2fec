"""Numba's compiler, with a cache that knows what a function depends on and never fails it."""

from __future__ import annotations

import hashlib
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

F = TypeVar("F", bound=Callable[..., Any])


def njit(*, cache: bool = False, **options: Any) -> Callable[[F], F]:
    """Return Numba's decorator of the same name; a cache that fails costs time and a warning."""

    def decorate(function: F) -> F:
        compiled: Any = numba.njit(**options)(function)
        if cache and hasattr(compiled, "enable_caching"):  # absent with NUMBA_DISABLE_JIT=1
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

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Return what code is found by: Numba's key looks into no other function or module."""
        key: tuple[Any, ...] = super()._index_key(sig, codegen)  # type: ignore[no-untyped-call]
        return *key, digest_dependencies(self._py_func)

    def _attempt(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            _warn(f"{self.cache_path}: {error.strerror or error}")


def digest_dependencies(function: types.FunctionType) -> str:
    """Return a hash of a function, of all it calls and of the constants that these use.

    To be called when the function runs, not when it is defined: names may be bound in between.
    """
    digest = hashlib.sha256()
    for part in _describe(function, set()):
        digest.update(part)
    return digest.hexdigest()


_COMPILED_BY_NUMBA = ("builtins", "math", "numba", "numpy")
"""Packages whose functions Numba replaces by its own, which change with its version alone."""


def _describe(value: Any, seen: set[int]) -> Iterator[bytes]:
    """Yield bytes that change when compiled code that uses a value would."""
    if isinstance(value, Dispatcher):
        yield from _describe(value.targetoptions, seen)
        value = value.py_func
    package = str(getattr(value, "__module__", None)).partition(".")[0]
    yield type(value).__qualname__.encode()
    if isinstance(value, types.FunctionType) and package not in _COMPILED_BY_NUMBA:
        if id(value) not in seen:
            seen.add(id(value))
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            yield from _describe((value.__defaults__, value.__kwdefaults__, cells), seen)
            yield from _describe_code(value.__code__, value.__globals__, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode() + value.tobytes()
    elif isinstance(value, tuple | list):
        yield str(len(value)).encode()
        for entry in value:
            yield from _describe(entry, seen)
    elif isinstance(value, dict | set | frozenset):
        entries = value.items() if isinstance(value, dict) else value
        yield from _describe(sorted(entries, key=repr), seen)
    elif callable(value):
        yield f"{package}.{getattr(value, '__name__', '')}".encode()
    else:
        yield repr(value).encode()


def _describe_code(code: types.CodeType, names: dict[str, Any], seen: set[int]) -> Iterator[bytes]:
    """Yield what runs, and the values of the globals and attributes of modules it names."""
    yield code.co_code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _describe_code(constant, names, seen)
        else:
            yield from _describe(constant, seen)
    modules = [names[name] for name in code.co_names if _is_module(names.get(name))]
    for name in code.co_names:
        yield name.encode()
        for holder in (names, *map(vars, modules)):
            if name in holder and not _is_module(holder[name]):
                yield from _describe(holder[name], seen)


def _is_module(value: Any) -> bool:
    return isinstance(value, types.ModuleType)


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
