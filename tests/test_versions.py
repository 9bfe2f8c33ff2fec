import re
from pathlib import Path

import numpy as np

import ordinate as od
from ordinate._versions import versions

ROOT = Path(__file__).parents[1]


def test_versions_by_package():
    found = versions(["numpy", "no-such-package"])
    assert list(found) == ["Python", "numpy", "no-such-package"]
    assert found["numpy"] == np.__version__
    assert found["no-such-package"] is None


def test_one_version_everywhere():
    citation = (ROOT / "CITATION.cff").read_text()
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {od.__version__}\n" in citation
    assert re.search(rf"^## \[{re.escape(od.__version__)}\]", changelog, re.MULTILINE)
