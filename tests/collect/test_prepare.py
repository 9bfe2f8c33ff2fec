"""A new folder, and everything that would go wrong with it."""

import pytest

import ordinate as od
from ordinate.collect.prepare import check_study, minutes, new_study, require_sound
from ordinate.collect.store import Store
from ordinate.collect.tasks import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_a_new_study_is_ready(tmp_path, task):
    new_study(tmp_path / "study", task)
    study, findings = check_study(tmp_path / "study")
    assert study.task.kind == task
    assert not [finding for finding in findings if finding.is_mistake]
    notes = [finding.sentence for finding in findings]
    assert any("gap to fill in: [minutes]" in note for note in notes)
    assert any("contact names nobody" in note for note in notes)
    assert "{{" not in study.pages["instructions"]


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(od.InputError, match="exists and is not empty"):
            new_study(place)


def mistake(folder):
    _, findings = check_study(folder)
    return next(finding.sentence for finding in findings if finding.is_mistake)


def test_mistakes(make_folder):
    few = make_folder(name="few")
    (few / "items.csv").write_text("item_id\na\nb\nc\n")
    assert "6 different questions, of which 3 items have 3" in mistake(few)
    grid = make_folder("choose_k", name="grid", task__shown=20)
    assert "shows 21 different items; there are 16" in mistake(grid)
    with pytest.raises(od.InputError, match="there are 16"):
        require_sound(grid)
    gone = make_folder(name="gone")
    (gone / "consent.md").unlink()
    assert "Cannot read" in mistake(gone)


def test_a_launched_study_that_changed(make_folder, edit):
    folder = make_folder()
    Store(require_sound(folder)).close()
    assert require_sound(folder)
    edit(folder, pools__random=6)
    assert "has changed since: pools.random was 4, is 6" in mistake(folder)


def test_doubts(make_folder, monkeypatch):
    monkeypatch.setattr("ordinate.collect.prepare.LARGE_FILE", 2)
    folder = make_folder(pools__catch=0, language="de")
    (folder / "one.png").write_bytes(b"same")
    rows = "".join(f"x{n},x{n},\n" for n in range(5))
    (folder / "items.csv").write_text(f"item_id,source,alt\na,one.png,\nb,one.png,\n{rows}")
    _, findings = check_study(folder)
    said = " ".join(finding.sentence for finding in findings)
    for part in (
        "have no description in the column alt",
        "one.png has 0.0 MB",
        "Items 'a' and 'b' have the same content",
        "No catch questions",
        "texts are still English",
    ):
        assert part in said


def test_minutes(make_folder):
    assert minutes(require_sound(make_folder())) == 1
