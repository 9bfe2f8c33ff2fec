"""What we use of other packages' private parts: in one file each, with the versions tried."""

from operator import attrgetter
from pathlib import Path

import pytest

import ordinate

SRC = Path(ordinate.__file__).parent
PYPROJECT = (Path(__file__).parents[1] / "pyproject.toml").read_text()

PRIVATE = {
    "numba": (
        ("0.61", "0.68"),
        "_compiler.py",
        "numba.core.caching",
        "FunctionCache",
        ["load_overload", "save_overload", "flush", "cache_path"],
    ),
    "distributed": (
        ("2025.1", "2026.8"),
        "comparisons/dask_tasks.py",
        "distributed.scheduler",
        "worker_restrictions",
        ["TaskState.loose_restrictions", "TaskState.worker_restrictions"],
    ),
    "uvicorn": (
        ("0.30", "0.54"),
        "collect/server.py",
        "uvicorn.protocols.http.httptools_impl",
        "HttpToolsProtocol",
        ["connection_made", "data_received", "on_message_begin", "on_headers_complete"],
    ),
}
"""By package: the oldest and the newest version tried, the file, the module, the word by which the
use is found, and what must be there."""


@pytest.mark.parametrize("package", PRIVATE)
def test_private_parts_are_where_we_look_for_them(package):
    (oldest, _), _, module, word, parts = PRIVATE[package]
    found = pytest.importorskip(module)
    owner = getattr(found, word, found)
    for part in parts:
        attrgetter(part)(owner)
    assert f'"{package}>={oldest}' in PYPROJECT, "try the oldest version that we allow"


@pytest.mark.parametrize("package", PRIVATE)
def test_one_file_uses_them(package):
    _, file, _, word, _ = PRIVATE[package]
    users = [path for path in SRC.rglob("*.py") if word in path.read_text()]
    assert users == [SRC / file]


def test_the_box_of_an_estimator_is_made_by_a_public_function():
    assert not [path for path in SRC.rglob("*.py") if "_repr_html_inner" in path.read_text()]
