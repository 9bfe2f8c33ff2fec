"""Figures: each plot computes a small record first and then draws it."""

from ordinate._public_names import attach_names

__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
