"""`ordinate doctor`: what this installation has, and what could be added."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

from ordinate._versions import versions
from ordinate.cli._options import Json
from ordinate.cli._results import print_json


@dataclass(frozen=True)
class Extra:
    """Packages that `pip install "ordinate[name]"` adds, and what they are for."""

    name: str
    packages: tuple[str, ...]
    purpose: str

    @property
    def present(self) -> bool:
        """Whether all of them are installed."""
        return all(versions(self.packages).values())

    @property
    def command(self) -> str:
        """What adds them."""
        return f'pip install "ordinate[{self.name}]"'


EXTRAS = (
    Extra("gpu", ("torch",), "fits on a GPU"),
    Extra(
        "collect",
        ("starlette", "uvicorn", "httptools", "nh3", "markdown-it-py", "segno"),
        "studies, ordinate collect",
    ),
    Extra("machines", ("httpx",), "answers of language models, ordinate collect ask"),
    Extra("cluster", ("dask", "distributed"), "answers in many files, fits on a cluster"),
    Extra("data", ("h5py", "unlzw3"), "some of the data sets"),
    Extra("excel", ("openpyxl",), "Excel files"),
    Extra("rsa", ("rsatoolbox", "h5py"), "dissimilarities as files of rsatoolbox"),
    Extra("arviz", ("arviz",), "draws of a map as InferenceData"),
    Extra("anndata", ("anndata",), "maps of cells in AnnData"),
)


def doctor(json: Json = False) -> None:
    """Show what is installed: versions, threads, GPU, folders, and what could be added.

    Include its output in bug reports.

    Example: ordinate doctor
    """
    found = examine()
    if json:
        print_json(found)
        return
    for title, text in [*found["versions"].items(), ("system", found["system"])]:
        print(f"{title:14} {text}")
    print(f"{'threads':14} {found['threads']}")
    print(f"{'GPU':14} {found['gpu'] or 'none'}")
    absent = "" if found["data_folder"]["exists"] else " (not made yet)"
    print(f"{'data folder':14} {found['data_folder']['path']}{absent}")
    for extra in EXTRAS:
        state = "installed" if extra.present else f"missing: {extra.command}"
        print(f"{extra.name:14} {state} — {extra.purpose}")


def examine() -> dict[str, Any]:
    """Return what there is, as plain Python values."""
    from joblib import cpu_count

    from ordinate.datasets._files import data_folder

    folder = data_folder()
    return {
        "versions": versions(),
        "system": platform.platform(),
        "threads": cpu_count(),
        "gpu": _gpu(),
        "data_folder": {"path": str(folder), "exists": folder.is_dir()},
        "extras": {extra.name: extra.present for extra in EXTRAS},
    }


def _gpu() -> str | None:
    """Name the GPU that torch can use, if any."""
    try:
        import torch
    except ImportError:
        return None
    if torch.cuda.is_available():
        return str(torch.cuda.get_device_name())
    return "Apple GPU (mps)" if torch.backends.mps.is_available() else None
