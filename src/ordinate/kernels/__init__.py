"""Kernels from triplets, k1 and k2, and what kernel methods make of them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
