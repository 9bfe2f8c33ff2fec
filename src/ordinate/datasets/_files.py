"""Find the files of a data set in a data folder, or fetch them from their publisher."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ordinate._checks import InputError
from ordinate.datasets._record import About, Dataset

ENVIRONMENT = "ORDINATE_DATA"
"""Name of the environment variable that names the data folder."""

TIMEOUT = 30
"""Seconds that a publisher's server may be silent."""

DataHome: TypeAlias = "str | os.PathLike[str] | None"
Parsed: TypeAlias = tuple[Mapping[str, int], Mapping[str, Any]]
"""What was counted in the files, and fields of a `Dataset` that are not known before."""


class DownloadError(OSError):
    """A publisher's file could not be had; the message says what to do instead.

    Examples
    --------
    >>> import ordinate as od
    >>> try:
    ...     digits = od.datasets.load_mnist()
    ... except od.datasets.DownloadError as error:  # doctest: +SKIP
    ...     print(error)
    """

    __module__ = "ordinate.datasets"  # where users find it


@dataclass(frozen=True)
class Remote:
    """One file of a publisher."""

    name: str
    urls: tuple[str, ...]
    checksum: str | None


@dataclass(frozen=True)
class Files:
    """The files of one data set, and what there must be in them."""

    about: About
    folder: str
    prepared: tuple[str, ...]
    published: tuple[Remote, ...]
    counts: Mapping[str, int] = field(default_factory=dict)

    def load(self, data_home: DataHome, parse: Callable[[Path], Parsed]) -> Dataset:
        """Parse the folder, which is filled by downloading if need be."""
        folder = self.place(data_home)
        if not self.are_present(data_home):
            for remote in self.published:
                _download(remote, folder)
        try:
            found, content = parse(folder)
            self._check(folder, found)
            return Dataset(**vars(self.about), **content)
        except (InputError, ImportError, MemoryError):
            raise
        except Exception as error:  # the readers of other libraries raise anything on foreign bytes
            raise InputError(
                f"The files in {folder} are not as published ({type(error).__name__}: {error})."
                f" {_remedy(folder)}"
            ) from error

    def place(self, data_home: DataHome) -> Path:
        """Say where they are to be: in `data_home`, else ``ORDINATE_DATA``, else the cache."""
        return data_folder(data_home) / self.folder

    def are_present(self, data_home: DataHome) -> bool:
        """Tell whether the prepared files or all published ones are in the folder."""
        folder = self.place(data_home)
        return all(
            any(folder.rglob(pattern)) or any(folder.rglob(pattern + ".gz"))
            for pattern in self.prepared
        ) or all((folder / remote.name).is_file() for remote in self.published)

    def _check(self, folder: Path, found: Mapping[str, int]) -> None:
        """Refuse files whose counts are not the published ones."""
        for what, expected in self.counts.items():
            if found[what] != expected:
                raise InputError(
                    f"Expected {expected:,} {what} as published; the files in {folder} have"
                    f" {found[what]:,}. {_remedy(folder)}"
                )


def data_folder(data_home: DataHome = None) -> Path:
    """Return the folder of all data sets: `data_home`, else ``ORDINATE_DATA``, else the cache."""
    home = data_home or os.environ.get(ENVIRONMENT)
    if home:
        return Path(home).expanduser()
    import pooch

    return Path(pooch.os_cache("ordinate"))


def _download(remote: Remote, folder: Path) -> None:
    import pooch

    downloader = pooch.HTTPDownloader(timeout=TIMEOUT)
    failures = []
    for url in remote.urls:
        try:
            pooch.retrieve(
                url, remote.checksum, fname=remote.name, path=folder, downloader=downloader
            )
            return
        except (OSError, ValueError) as error:  # no connection, or another checksum
            failures.append(f"{url}: {error}")
    raise DownloadError(
        f"Could not download {remote.name} ({'; '.join(failures)}). Put the file into {folder},"
        f" or name a data folder that has it with data_home= or the environment variable"
        f" {ENVIRONMENT}."
    )


def _remedy(folder: Path) -> str:
    return f"Put the published files there, or remove {folder} to download them again."
