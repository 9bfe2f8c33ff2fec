"""Which method, which dimension, how much noise: answers from held-out comparisons."""

from ordinate._public_names import attach_names

__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
