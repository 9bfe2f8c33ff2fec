"""Public names: loaded when they are first used, and answered with a hint when misspelt."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import lazy_loader

_ROOT = "ordinate"
_PACKAGES = ("sources", "metrics", "plots", "selection", "datasets", "kernels", "uncertainty")


def attach_names(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub lists its names."""
    load, list_names, public = lazy_loader.attach_stub(package, file)

    def load_or_suggest(name: str) -> Any:
        try:
            return load(name)
        except AttributeError:
            if name.startswith("_"):
                raise
            hint = _find_elsewhere(name, package) or _guess(name, public)
            message = f"There is no {name!r} in {package}{hint}"
            raise AttributeError(message) from None

    return load_or_suggest, list_names, public


def _find_elsewhere(name: str, package: str) -> str:
    """Say which other public package has a name."""
    root = sys.modules[_ROOT]
    homes = {_ROOT: root, **{f"{_ROOT}.{home}": getattr(root, home) for home in _PACKAGES}}
    for home, module in homes.items():
        if home != package and name in module.__all__:
            return f"; it is in {home}: {home}.{name}."
    return ""


def _guess(name: str, public: list[str]) -> str:
    """Suggest the name that is spelt most alike: ``TSTE`` for ``tSTE``."""
    import difflib

    meant = {known.casefold(): known for known in public}
    spelt = name.replace("_", "").casefold()
    near = [spelt] if spelt in meant else difflib.get_close_matches(name.casefold(), meant, n=1)
    return f"; did you mean {meant[near[0]]}?" if near else "."
