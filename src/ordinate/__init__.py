"""Coordinates from comparisons: ordinal embedding, triplet kernels and maps.

Names load when they are first used, so ``import ordinate`` is quick; `__init__.pyi` lists them.
"""

from ordinate._public_names import attach_names

__version__ = "0.2.0"
__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
