"""A setting reaches BLAS, NumPy and Numba; what a machine lacks is left out and not failed."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("processors.py")
SHOW = """
import numba, scipy.linalg, threadpoolctl
libraries = [one for one in threadpoolctl.threadpool_info() if one["internal_api"] == "openblas"]
print({one["architecture"] for one in libraries} <= {"Sandybridge"}, numba.config.CPU_NAME)
"""


def run(*arguments):
    command = [sys.executable, SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_setting_reaches_the_libraries():
    done = run("sandybridge", "-W", "error", "-c", SHOW)
    assert done.returncode == 0, done.stderr
    if "These settings are of x86" not in done.stdout:
        assert "\nTrue generic\n" in done.stdout
        assert "sandybridge  passed" in done.stdout


@pytest.mark.parametrize("names", ["pentium", "zen,pentium"])
def test_an_unknown_setting_is_refused(names):
    done = run(names, "-c", "pass")
    if "These settings are of x86" not in done.stdout:
        assert done.returncode == 2
        assert "Expected some of haswell, zen, sandybridge, prescott, skylakex" in done.stderr


def test_a_failure_is_one():
    done = run("haswell", "-c", "raise SystemExit(3)")
    if "These settings are of x86" not in done.stdout:
        assert done.returncode == 1
        assert "haswell      failed (3)" in done.stdout
