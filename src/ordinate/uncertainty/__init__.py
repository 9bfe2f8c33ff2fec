"""Uncertainty of maps: positions, distances, neighbours, and whether there is structure at all."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
