"""How sure a map is: of positions, distances, neighbours, and of there being anything to map."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
