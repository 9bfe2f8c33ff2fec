"""Uncertainty of maps: positions, distances, neighbours, and whether there is structure at all."""

from ordinate._public_names import attach_names

__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
