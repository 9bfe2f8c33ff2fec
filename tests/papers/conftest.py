"""Running the experiments of papers/ in small."""

import os

import pytest

from papers._common import missing, read
from papers.run import SCRIPTS, run


@pytest.fixture
def rows_of(tmp_path):
    """Run a script as a person would, once; return the rows of one of its tables."""
    done = set()

    def rows_of(name, table):
        script = SCRIPTS[name]
        if missing(script.extras):
            pytest.skip(f"needs {missing(script.extras)}")
        if script.data and "ORDINATE_DATA" not in os.environ:
            pytest.skip("needs ORDINATE_DATA")
        if name not in done:
            run(name, quick=True, output=tmp_path)
            done.add(name)
        return read(tmp_path / f"{table}.csv")

    return rows_of
