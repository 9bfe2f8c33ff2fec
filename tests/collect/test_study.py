"""Reading the folder of a study: what is refused, what is frozen, what may change."""

import json

import pytest

import ordinate as od
from ordinate.collect.folder import read_study, thaw
from ordinate.collect.study import default_texts, what_changed


def test_the_new_folder_reads(make_folder):
    study = read_study(make_folder())
    assert (study.task.name, len(study.items), study.direction) == ("triplet", 16, "ltr")
    assert study.pools.total == 8
    assert study.items["apple"].media is None


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"pools__random": -1}, r"pools.random must be an integer >= 0"),
        ({"pools__random": "many"}, r"pools.random must be a whole number; got 'many'"),
        ({"pools__repeat": 6}, r"pools.repeat is 6; at most two fifths"),
        ({"task__kind": "couples"}, r"task.kind must be one of 'triplet'.*got 'couples'"),
        ({"task__choose": 8}, r"task.choose must be an integer >= 1 and <= 7"),
        ({"finish__redirect": "http://x.example"}, r"finish.redirect must begin with https://"),
        ({"title": " "}, r"no title"),
        ({"page__appearance": "grey"}, r"page.appearance must be one of 'light'.*got 'grey'"),
        ({"page__ground": "grey"}, r"page.ground must be a colour such as \"#808080\""),
        ({"answers__skip": 1}, r"answers.skip must be true or false"),
        ({"flags__fast_share": 2.0}, r"flags.fast_share must be a number in \[0, 1\]"),
    ],
)
def test_bad_settings_are_refused(make_folder, setting, message):
    with pytest.raises(od.InputError, match=message):
        read_study(make_folder(**setting))


def test_refuses_what_does_not_exist_and_guesses_what_was_meant(make_folder):
    folder = make_folder()
    with (folder / "study.toml").open("a") as file:
        file.write("session_per_minut = 3\n")
    with pytest.raises(od.InputError, match=r"'session_per_minut'.* did you mean 'session_per_min"):
        read_study(folder)
    (folder / "study.toml").write_text('title = "x"\n[tasks]\n')
    with pytest.raises(od.InputError, match=r"section 'tasks'.*did you mean 'task'"):
        read_study(folder)
    (folder / "study.toml").write_text("title = ")
    with pytest.raises(od.InputError, match="not valid TOML"):
        read_study(folder)
    with pytest.raises(od.InputError, match=r"no file study.toml .* ordinate collect new"):
        read_study(folder / "nowhere")


def items(folder, text):
    (folder / "items.csv").write_text("item_id,kind,source,label,alt,size\n" + text)
    return read_study(folder).items


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("=1+1", "cannot be used"),
        ("a;b", "cannot be used"),
        ("", "cannot be used"),
        ("b", "Two items are called 'b'"),
    ],
)
def test_refuses_names_of_items(make_folder, name, message):
    with pytest.raises(od.InputError, match=message):
        items(make_folder(), f"{name},,,,,\nb,,,,,\nc,,,,,\n")


def test_refuses_files_outside_the_study(make_folder, tmp_path):
    folder = make_folder()
    (tmp_path / "secret.png").write_bytes(b"secret")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    for source in ("../secret.png", str(tmp_path / "secret.png"), "link.png"):
        with pytest.raises(od.InputError, match="points outside the study"):
            items(folder, f"a,image,{source},,,\nb,,,,,\nc,,,,,\n")
    with pytest.raises(od.InputError, match=r"has no file 'gone\.png'"):
        items(folder, "a,,gone.png,,,\nb,,,,,\nc,,,,,\n")
    with pytest.raises(od.InputError, match="has more entries than columns"):
        items(folder, "a,,,,,,,\n")


def test_items_from_a_folder_know_their_kind(make_folder):
    folder = make_folder()
    (folder / "items.csv").unlink()
    (folder / "items").mkdir()
    for name in ("one.png", "two.mp3", "three.mp4", "four.html", ".hidden"):
        (folder / "items" / name).write_bytes(name.encode())
    found = read_study(folder).items
    assert {name: item.kind for name, item in found.items()} == {
        "one": "image",
        "two": "audio",
        "three": "video",
        "four": "html",
    }
    assert found["one"].media.endswith(".png")
    assert "one" not in found["one"].media, "the address tells the name of an item"


def test_metadata_of_items_is_kept(make_folder):
    found = items(make_folder(), "a,,,,,3\nb,,,,,4\nc,,,,,5\n")
    assert dict(found["b"].metadata) == {"size": "4"}


def test_the_hash_follows_what_answers_depend_on(make_folder, edit):
    folder = make_folder()
    first = read_study(folder)
    edit(folder, limits__participants=5, flags__fast_ms=100, finish__code="ABC")
    assert read_study(folder).hash == first.hash
    edit(folder, pools__random=5)
    (folder / "consent.md").write_text("Another text")
    (folder / "style.css").write_text("h1 { color: teal; }")
    changed = read_study(folder)
    assert changed.hash != first.hash
    phrases = what_changed(first.frozen(), changed.frozen())
    assert "pools.random was 4, is 5" in phrases
    assert any(phrase.startswith("pages.consent was") for phrase in phrases)
    assert any(phrase.startswith("style was '', is 'h1") for phrase in phrases)
    assert len(phrases) == 3


def test_a_frozen_study_comes_back(make_folder):
    folder = make_folder("odd_one_out")
    (folder / "questions.csv").write_text("pool,shown,expected\ncatch,apple;apple;cake,cake\n")
    study = read_study(folder)
    again = thaw(json.loads(json.dumps(study.frozen())), folder)
    assert again.hash == study.hash
    assert again.given == study.given


def test_texts_of_another_language(make_folder, edit):
    folder = make_folder(language="ar")
    (folder / "texts.toml").write_text('agree = "أوافق"\n')
    study = read_study(folder)
    assert study.direction == "rtl"
    assert study.texts["agree"] == "أوافق"
    assert study.texts["skip"] == default_texts()["skip"]
    (folder / "texts.toml").write_text('agre = "x"\n')
    with pytest.raises(od.InputError, match=r"'agre'.*did you mean 'agree'"):
        read_study(folder)


def test_questions_that_were_written_down(make_folder):
    folder = make_folder("pair_against_pair")
    path = folder / "questions.csv"
    path.write_text("pool,shown,expected\npractice,apple;pear;cake;rice,pear;apple\n")
    (question,) = read_study(folder).given["practice"]
    assert question.expected == (0,)
    for line, message in [
        ("main,apple;pear;cake;rice,", "line 2: pool must be one of"),
        ("catch,apple;pear;cake,", "needs 4 items in 'shown'"),
        ("catch,apple;pear;cake;stone,", "no item 'stone'"),
        ("catch,apple;pear;cake;rice,", "needs its right answer"),
        ("catch,apple;pear;cake;rice,apple;cake", "is not one of the choices"),
    ]:
        path.write_text("pool,shown,expected\n" + line + "\n")
        with pytest.raises(od.InputError, match=message):
            read_study(folder)
