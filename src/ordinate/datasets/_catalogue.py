"""Which data sets there are, and which of them are on this machine."""

from __future__ import annotations

from dataclasses import dataclass

from ordinate.datasets._about import about, files_of, names_of
from ordinate.datasets._files import DataHome
from ordinate.datasets._record import About


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
    entries = []
    for name in names_of(from_files=True):
        files = files_of(name)
        present, folder = files.are_present(data_home), str(files.place(data_home))
        loader = f"load_{name}"
        entries.append(
            CatalogueEntry(**vars(files.about), loader=loader, present=present, folder=folder)
        )
    bundled, *computed = (about(name) for name in names_of(from_files=False))
    others = [_entry(one, "make") for one in computed]
    return (_entry(bundled, "load"), *entries, *others)


def _entry(about: About, verb: str) -> CatalogueEntry:
    return CatalogueEntry(**vars(about), loader=f"{verb}_{about.name}", present=True, folder=None)
