"""`load_cars60` and the like: one function per published data set, made from ``about.toml``."""

from __future__ import annotations

import textwrap
from typing import Protocol

from ordinate.datasets import _parsers
from ordinate.datasets._about import files_of, row_of
from ordinate.datasets._files import DataHome
from ordinate.datasets._record import Dataset

_DOCSTRING = """{summary}

Parameters
----------
data_home : path-like, optional
    The data folder; files that are not in it are downloaded into it. By default the one that
    the environment variable ``ORDINATE_DATA`` names, or else a cache.

Returns
-------
Dataset
{returns}

Examples
--------
>>> import ordinate as od
>>> {example}  # doctest: +SKIP
{shown}
"""


class Loader(Protocol):
    """A function that loads one data set."""

    def __call__(self, data_home: DataHome = None) -> Dataset: ...


def _make_loader(name: str) -> Loader:
    def load(data_home: DataHome = None) -> Dataset:
        return files_of(name).load(data_home, getattr(_parsers, f"parse_{name}"))

    load.__name__ = load.__qualname__ = f"load_{name}"
    row = row_of(name)
    texts = {key: row[key] for key in ("summary", "example", "shown")}
    load.__doc__ = _DOCSTRING.format(returns=textwrap.indent(row["returns"], "    "), **texts)
    return load


load_food100 = _make_loader("food100")
load_music400 = _make_loader("music400")
load_cars60 = _make_loader("cars60")
load_movielens100k = _make_loader("movielens100k")
load_lastfm2k = _make_loader("lastfm2k")
load_newsgroups20 = _make_loader("newsgroups20")
load_mnist = _make_loader("mnist")
load_usps = _make_loader("usps")
load_coil20 = _make_loader("coil20")
load_isomap_faces = _make_loader("isomap_faces")
load_letters = _make_loader("letters")
load_things = _make_loader("things")
