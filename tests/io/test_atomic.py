import stat

import pytest

from ordinate import InputError
from ordinate.io.atomic import atomic_path


def test_block_that_succeeds_replaces_the_file(tmp_path):
    target = tmp_path / "map.csv"
    target.write_text("old")
    with atomic_path(target) as path:
        assert path.parent == tmp_path
        assert path.suffix == ".csv"
        path.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    target = tmp_path / "map.csv"
    target.write_text("old")

    def write():
        with atomic_path(target) as path:
            path.write_text("half")
            raise failure

    with pytest.raises(failure):
        write()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_permissions_of_the_old_file_stay(tmp_path):
    target = tmp_path / "shared.csv"
    target.write_text("old")
    target.chmod(0o664)
    with atomic_path(target) as path:
        path.write_text("new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o664


def test_a_link_is_followed(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    link.symlink_to(real)
    with atomic_path(link) as path:
        path.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with atomic_path("map.csv") as path:
        path.write_text("new")
    assert (tmp_path / "map.csv").read_text() == "new"


def test_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(InputError, match=r"Cannot write .*there is no folder .*nowhere"),
        atomic_path(tmp_path / "nowhere" / "map.csv"),
    ):
        pass


def test_a_folder_is_not_overwritten(tmp_path):
    with pytest.raises(InputError, match="is not a regular file"), atomic_path(tmp_path):
        pass
