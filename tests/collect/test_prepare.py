"""A new folder, and everything that would go wrong with it."""

import re
from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from ordinate.collect import arrivals
from ordinate.collect.folder import read_study
from ordinate.collect.prepare import check_study, estimate_minutes, load_sound_study, new_study
from ordinate.collect.store import Store
from ordinate.tasks import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_a_new_study_is_ready(tmp_path, task):
    new_study(tmp_path / "study", task)
    study, findings = check_study(tmp_path / "study")
    assert study.task.name == task
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


def pictures(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())


def notes(folder):
    study, findings = check_study(folder)
    return study, " ".join(f.sentence for f in findings if not f.is_mistake)


def test_a_folder_of_pictures_becomes_a_study(tmp_path, monkeypatch):
    names = [f"face {n}.jpg" for n in range(6)] + ["items/b.png", "items/b.webp", "items/c.wav"]
    pictures(tmp_path, *names, "Thumbs.db", "items/notes.txt", ".DS_Store")
    monkeypatch.chdir(tmp_path)
    written = new_study(Path())
    assert {path.name for path in written} == {
        *("study.toml", "items.csv", "texts.toml"),
        *("consent.md", "instructions.md", "debrief.md", "prompt.md"),
    }
    study, said = notes(Path())
    assert {item.source for item in study.items.values()} == set(names)
    assert set(study.items) == {*(f"face {n}" for n in range(6)), "b.png", "b.webp", "c"}
    assert "Left out, because no picture, sound, film or HTML page: items/notes.txt." in said
    with pytest.raises(od.InputError, match=r"has a file .* already; choose another name"):
        new_study(Path())


def test_a_table_of_items_that_is_there_is_kept(tmp_path):
    text = "item_id,source\n" + "".join(f"i{n},{n}.png\n" for n in range(8))
    pictures(tmp_path, *(f"{n}.png" for n in range(9)))
    (tmp_path / "items.csv").write_text(text)
    assert tmp_path / "items.csv" not in new_study(tmp_path)
    assert (tmp_path / "items.csv").read_text() == text
    study, said = notes(tmp_path)
    assert (len(study.items), "Left out, because not named in items.csv: 8.png." in said) == (
        8,
        True,
    )


@pytest.mark.parametrize("where", ["", "items/"])
def test_pictures_beside_the_example_of_new_are_a_mistake(make_folder, where):
    folder = make_folder()
    pictures(folder, f"{where}a.png", f"{where}b.png")
    assert f"(2, {where}a.png among them) are not in it" in mistake(folder)
    study = read_study(folder)
    store = Store(study)
    arrivals.begin(store, arrivals.Arrival("r" * 16, study.consent_version)).result()
    store.close()
    assert load_sound_study(folder), "people have taken part: it goes on as it is"
    assert (
        f"Left out, because not named in items.csv: {where}a.png, {where}b.png." in notes(folder)[1]
    )


def test_only_what_can_be_shown_is_taken_from_the_folder(make_folder):
    folder = make_folder()
    (folder / "items.csv").unlink()
    shown = [f"items/{n}.png" for n in range(6)] + ["items/old.tif"]
    pictures(folder, *shown, "items/Thumbs.db", "items/notes.txt", "items/more/x.png", "beside.jpg")
    study, said = notes(folder)
    assert [item.source for item in study.items.values()] == shown
    for part in (
        "because no picture, sound, film or HTML page: items/Thumbs.db, items/notes.txt.",
        "because not in the folder items: beside.jpg.",
        "because a folder inside the folder items, which is not searched: items/more/.",
        "items/old.tif is of a kind that few browsers show",
    ):
        assert part in said
    (folder / "items.csv").write_text(
        "item_id,source\n"
        + "".join(f"i{n},{'x' * 300}{n}\n" for n in range(8))
        + "n,items/notes.txt\n"
    )
    assert "Item 'n' is shown as the text 'items/notes.txt', not as the file" in notes(folder)[1]


def mistake(folder):
    _, findings = check_study(folder)
    return next(finding.sentence for finding in findings if finding.is_mistake)


def test_mistakes_of_a_study_are_listed(make_folder):
    few = make_folder(name="few")
    (few / "items.csv").write_text("item_id\na\nb\nc\n")
    assert "6 different questions, of which 3 items have 3" in mistake(few)
    grid = make_folder("choose_k", name="grid", task__shown=20)
    assert "shows 21 different items; there are 16" in mistake(grid)
    with pytest.raises(od.InputError, match="there are 16"):
        load_sound_study(grid)
    gone = make_folder(name="gone")
    (gone / "consent.md").unlink()
    assert "Cannot read" in mistake(gone)


def test_a_launched_study_that_changed(make_folder, edit):
    folder = make_folder()
    store = Store(load_sound_study(folder))
    edit(folder, pools__random=5)
    assert load_sound_study(folder), "nobody has taken part yet"
    arrivals.begin(store, arrivals.Arrival("r" * 16, store.study.consent_version)).result()
    store.close()
    edit(folder, title="Another", pools__validation=3)
    said = mistake(folder)
    for change in ("general.title was", "pools.random was 4, is 5", "pools.validation was 2, is 3"):
        assert change in said
    with pytest.raises(od.InputError, match=re.escape(said)):
        load_sound_study(folder)
    with pytest.raises(od.InputError, match=re.escape(said)):
        Store(read_study(folder))


def test_notes_about_a_study_are_listed(make_folder, monkeypatch):
    monkeypatch.setattr("ordinate.collect.prepare.LARGE_FILE", 2)
    folder = make_folder(pools__catch=0, language="it")
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


def test_the_length_of_a_study_is_estimated(make_folder):
    assert estimate_minutes(load_sound_study(make_folder())) == 1


@pytest.mark.parametrize(
    ("listed", "mistake"),
    [
        (None, "participants.txt cannot be read"),
        ("\n", "participants.txt lists nobody"),
        ("anna\nbert\nanna\n", "has the id 'anna' more than once"),
        ("anna\nbert\n", None),
    ],
)
def test_a_list_of_participants_is_checked(make_folder, listed, mistake):
    folder = make_folder(sessions__ids="listed")
    if listed is not None:
        (folder / "participants.txt").write_text(listed)
    _, findings = check_study(folder)
    mistakes = [finding.sentence for finding in findings if finding.is_mistake]
    assert [mistake in sentence for sentence in mistakes] == ([True] if mistake else [])


def test_the_commented_examples_of_the_template_are_right(make_folder):
    folder = make_folder()
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(re.sub(r"^# (?=\[|\w+ = )", "", text, flags=re.M))
    rows = (folder / "items.csv").read_text().splitlines()
    groups = [f"{row},{'food' if n % 2 else 'drinks'}" for n, row in enumerate(rows[1:])]
    (folder / "items.csv").write_text("\n".join([f"{rows[0]},group", *groups]))
    (folder / "taste.md").write_text("# Taste")
    study, findings = check_study(folder)
    assert [finding for finding in findings if finding.is_mistake] == []
    assert list(study.blocks) == ["taste", "thirst"]
    assert [len(asks) for asks in study.questionnaires.values()] == [2, 0, 2]


def test_features_must_fit_the_items(make_folder):
    folder = make_folder(features="x.npy")
    missing = [str(one.sentence) for one in check_study(folder).findings if one.is_mistake]
    assert any("features do not fit the items" in sentence for sentence in missing)
    n_items = len(read_study(folder).items)
    np.save(folder / "x.npy", np.eye(n_items))
    assert not [one for one in check_study(folder).findings if one.is_mistake]
    items = list(read_study(folder).items)
    labels = np.array(items[:-1])
    np.savez(folder / "x.npz", object=labels, x=np.eye(n_items)[1:])
    toml = folder / "study.toml"
    toml.write_text(toml.read_text().replace("x.npy", "x.npz"))
    assert any("no features of 1 of" in one.sentence for one in check_study(folder).findings)
    toml.write_text(toml.read_text().replace("x.npz", "x.npy"))
    np.save(folder / "x.npy", np.eye(n_items + 1))
    (mistake,) = [one for one in check_study(folder).findings if one.is_mistake]
    assert f"{n_items + 1} rows without labels and {n_items} objects" in mistake.sentence
