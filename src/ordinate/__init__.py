"""Coordinates from comparisons: ordinal embedding, triplet kernels and maps.

Names load when they are first used, so ``import ordinate`` is quick; `__init__.pyi` lists them.
"""

from typing import Any

import lazy_loader

__version__ = "0.2.0"
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Load a public name, or suggest the one that is meant: ``TSTE`` for ``tSTE``."""
    try:
        return _load(name)
    except AttributeError:
        if name.startswith("_"):
            raise
        import difflib

        meant = {known.casefold(): known for known in __all__}
        spelt = name.replace("_", "").casefold()
        near = [spelt] if spelt in meant else difflib.get_close_matches(name.casefold(), meant, n=1)
        hint = f"; did you mean {meant[near[0]]}?" if near else "."
        for package in ("sources", "metrics", "plots", "selection", "datasets", "kernels"):
            if name in _load(package).__all__:
                hint = f"; it is in ordinate.{package}: ordinate.{package}.{name}."
        message = f"There is no {name!r} in ordinate{hint}"
        raise AttributeError(message) from None
