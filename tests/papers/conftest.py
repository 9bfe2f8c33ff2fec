"""Running the experiments of papers/ in small."""

import os
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from papers._common import missing, read
from papers.run import SCRIPTS, run


@pytest.fixture(autouse=True)
def _small_fits_may_stop_early():
    """Let fits stop before they have converged, as `papers.run` does."""
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        yield


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
