"""Coordinates from comparisons: ordinal embedding, triplet kernels and maps.

Names load when they are first used, so ``import ordinate`` is quick; `__init__.pyi` lists them.
"""

import lazy_loader

__version__ = "0.2.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
