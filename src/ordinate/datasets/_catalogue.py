"""Which data sets there are, and which of them are on this machine."""

from __future__ import annotations

from dataclasses import dataclass

from ordinate.datasets import _cars60 as cars60
from ordinate.datasets import _cities as cities
from ordinate.datasets import _coil20 as coil20
from ordinate.datasets import _food100 as food100
from ordinate.datasets import _isomap_faces as isomap_faces
from ordinate.datasets import _lastfm2k as lastfm2k
from ordinate.datasets import _letters as letters
from ordinate.datasets import _mnist as mnist
from ordinate.datasets import _movielens100k as movielens100k
from ordinate.datasets import _music400 as music400
from ordinate.datasets import _newsgroups20 as newsgroups20
from ordinate.datasets import _synthetic as synthetic
from ordinate.datasets import _things as things
from ordinate.datasets import _usps as usps
from ordinate.datasets._files import DataHome
from ordinate.datasets._record import About

FROM_FILES = (
    food100,
    music400,
    cars60,
    things,
    movielens100k,
    lastfm2k,
    newsgroups20,
    mnist,
    usps,
    coil20,
    isomap_faces,
    letters,
)

COMPUTED = (
    synthetic.GAUSSIAN,
    synthetic.TWO_SQUARES,
    synthetic.MIXTURE,
    synthetic.SPHERE,
    synthetic.SWISS_ROLL,
)


@dataclass(frozen=True, kw_only=True)
class CatalogueEntry(About):
    """A data set that can be loaded.

    Attributes
    ----------
    name, title, size, description, citation, terms : str
        As in `Dataset`.
    loader : str
        Name of the function in `ordinate.datasets` that returns it.
    present : bool
        Whether it can be loaded without downloading anything.
    folder : str or None
        Where its files are or would be; None if it needs none.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.catalogue()[0]
    >>> cities.loader, cities.present
    ('load_cities', True)
    """

    loader: str
    present: bool
    folder: str | None


def catalogue(data_home: DataHome = None) -> tuple[CatalogueEntry, ...]:
    """List the data sets and whether they are on this machine.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder; by default the one that ``ORDINATE_DATA`` names, or the cache.

    Returns
    -------
    tuple of CatalogueEntry
        One entry per data set.

    See Also
    --------
    ordinate.datasets.load_cities : A data set that needs no download.

    Examples
    --------
    >>> import ordinate as od
    >>> [entry.loader for entry in od.datasets.catalogue()][:2]
    ['load_cities', 'load_food100']
    """
    entries = [_entry(cities.ABOUT, "load")]
    for module in FROM_FILES:
        entries.append(
            CatalogueEntry(
                **vars(module.ABOUT),
                loader=f"load_{module.ABOUT.name}",
                present=module.FILES.are_present(data_home),
                folder=str(module.FILES.place(data_home)),
            )
        )
    return (*entries, *(_entry(about, "make") for about in COMPUTED))


def _entry(about: About, verb: str) -> CatalogueEntry:
    return CatalogueEntry(**vars(about), loader=f"{verb}_{about.name}", present=True, folder=None)
