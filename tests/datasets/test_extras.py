import json
import sys

import pytest

from ordinate.datasets._extras import import_extra


def test_returns_the_library():
    assert import_extra("json") is json


def test_a_missing_library_gives_the_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r'h5py, .* pip install "ordinate\[data\]"'):
        import_extra("h5py")
