"""A study in one file, and back."""

import stat
import zipfile

import pytest

import ordinate as od
from ordinate.collect import sessions
from ordinate.collect.backup import back_up_study, restore_study
from ordinate.collect.folder import read_study
from ordinate.collect.participant import HEADER


@pytest.fixture
def archive(join, tmp_path):
    """The archive of a study that is being served, with three answers."""
    person = join()
    person.begin()
    person.send(*(person.answer(trial) for trial in person.trials()[:3]))
    (person.study.folder / "items").mkdir()
    (person.study.folder / "items" / "note.txt").write_text("not an item")
    assert back_up_study(person.study.folder, tmp_path / "backup.zip") == 3
    return person, tmp_path / "backup.zip"


def test_a_study_comes_back_with_its_answers_and_continues(archive, open_store, tmp_path):
    person, path = archive
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, "it says who took part"
    token = person.client.headers[HEADER]
    for folder in (tmp_path / "new", tmp_path / "empty"):
        if folder.name == "empty":
            folder.mkdir()
        assert restore_study(path, folder) == 3
        store = open_store(read_study(folder))
        session = sessions.find(store, token)
        assert (session.status, sessions.n_left(store, session)) == ("open", 6)
        assert (folder / "items" / "note.txt").read_text() == "not an item"
        assert sorted(p.name for p in folder.iterdir()) == sorted(
            p.name for p in person.study.folder.iterdir()
        )


def test_a_backup_inside_the_study_does_not_hold_itself(archive, tmp_path):
    person, _ = archive
    inside = person.study.folder / "backup.zip"
    back_up_study(person.study.folder, inside)
    assert "backup.zip" not in zipfile.ZipFile(inside).namelist()


def test_a_backup_replaces_no_other(archive):
    person, path = archive
    before = path.read_bytes()
    with pytest.raises(od.InputError, match="may be your last backup; choose another name"):
        back_up_study(person.study.folder, path)
    assert path.read_bytes() == before


def test_nothing_is_overwritten_or_left_half_done(archive, tmp_path):
    person, path = archive
    with pytest.raises(od.InputError, match="not an empty folder"):
        restore_study(path, person.study.folder)
    with pytest.raises(od.InputError, match="There is no file"):
        restore_study(tmp_path / "none.zip", tmp_path / "other")
    with pytest.raises(od.InputError, match="There is no folder"):
        restore_study(path, tmp_path / "a" / "b")
    (tmp_path / "text.zip").write_text("text")
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as evil:
        evil.writestr("study.toml", "")
        evil.writestr("../outside.txt", "")
    whole = zipfile.ZipFile(path)
    with zipfile.ZipFile(tmp_path / "cut.zip", "w") as cut:
        for name in whole.namelist():
            content = whole.read(name)
            cut.writestr(name, content[:5000] if name.endswith("sqlite") else content)
    before = sorted(p.name for p in tmp_path.iterdir())
    for name in ("text.zip", "evil.zip", "cut.zip"):
        with pytest.raises(od.InputError, match=r"is not a backup|damaged"):
            restore_study(tmp_path / name, tmp_path / "other")
    assert sorted(p.name for p in tmp_path.iterdir()) == before
