"""Data sets, all returned as the same kind of record."""

from ordinate.datasets._record import About, Dataset, RatingTable
from ordinate.datasets.cities import load_cities

__all__ = ["About", "Dataset", "RatingTable", "load_cities"]
