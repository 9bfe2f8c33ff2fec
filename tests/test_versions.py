import numpy as np

from ordinate._versions import versions


def test_versions_by_package():
    found = versions(["numpy", "no-such-package"])
    assert list(found) == ["Python", "numpy", "no-such-package"]
    assert found["numpy"] == np.__version__
    assert found["no-such-package"] is None
