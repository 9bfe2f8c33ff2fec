import os
import stat
import subprocess
import sys

import pytest

from ordinate import InputError
from ordinate.io.atomic import atomic_path, check_writable


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


def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch):
    target = tmp_path / "map.csv"
    target.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: path != target)  # root may always write
    with pytest.raises(InputError, match=r"map.csv: it is read-only"), atomic_path(target):
        pytest.fail("began")


def test_a_folder_without_permission_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with (
        pytest.raises(InputError, match="no permission to write in"),
        atomic_path(tmp_path / "map.csv"),
    ):
        pytest.fail("began")


def test_names_can_be_as_long_as_the_system_allows(tmp_path):
    longest = "ü" * 125 + ".csv"
    with atomic_path(tmp_path / longest) as path:
        path.write_text("new")
    assert [file.name for file in tmp_path.iterdir()] == [longest]
    with (
        pytest.raises(InputError, match="File name too long"),
        atomic_path(tmp_path / ("x" * 252 + ".csv")),
    ):
        pytest.fail("began")


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path, full_disk):
    target = tmp_path / "map.csv"
    target.write_text("old")

    def write():
        with atomic_path(target) as path:
            path.write_text("new")

    with pytest.raises(OSError, match=r"No space left on device: .*map\.csv"):
        write()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_what_killed_runs_left_is_removed_by_the_next(tmp_path):
    target = tmp_path / "map.csv"
    code = (
        "import os, sys\n"
        "from ordinate.io.atomic import atomic_path\n"
        "with atomic_path(sys.argv[1]) as path:\n"
        "    path.write_text('half')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(target)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.read_text() == "half"
    with atomic_path(tmp_path / "other.csv") as path:
        path.write_text("new")
    assert left.exists()
    with atomic_path(target) as path:
        path.write_text("new")
        with atomic_path(target) as second:  # a run that goes on at the same time is left alone
            second.write_text("newer")
        assert path.exists()
    assert {file.name for file in tmp_path.iterdir()} == {"map.csv", "other.csv"}


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "y/" * 3000 + "y.csv", "a\0b.csv"])
def test_names_that_no_system_takes(tmp_path, name):
    with pytest.raises(InputError, match=r"Cannot write (?s:.*): .*(too long|null)"):
        check_writable(tmp_path / name)


def test_links_that_lead_in_a_circle(tmp_path):
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    with pytest.raises(InputError, match="its links lead in a circle"):
        check_writable(loop)
    with pytest.raises(InputError, match=r"there is no folder .*loop\.csv"):
        check_writable(loop / "map.csv")
    assert loop.is_symlink()
