"""Kernels from triplets, k1 and k2, and what kernel methods make of them."""

from ordinate._public_names import attach_names

__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
