"""Languages: every text in each of them, which one is chosen, and the attribute that says so."""

import re
from importlib.resources import files

import pytest

import ordinate as od
from ordinate.collect.folder import read_study
from ordinate.collect.pages import choose_language
from ordinate.collect.prepare import check_study
from ordinate.collect.study import default_texts, texts_in

SHIPPED = ("de", "es", "fr", "ja", "zh")


def placeholders(text):
    return sorted(re.findall(r"\{\w+\}", text))


def test_these_languages_are_shipped():
    folder = files("ordinate.collect") / "page" / "languages"
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.toml" for name in SHIPPED]


@pytest.mark.parametrize("language", SHIPPED)
def test_every_text_has_every_language_with_the_same_placeholders(language):
    english, translated = default_texts(), texts_in(language)
    assert set(translated) == set(english)
    for name, text in english.items():
        assert placeholders(translated[name]) == placeholders(text), name
        assert translated[name] != text, f"{name} is not translated"


@pytest.fixture
def folder(make_folder):
    """A study in English that can also be taken in German and in Japanese."""
    folder = make_folder()
    for language in ("de", "ja"):
        for page in ("consent", "instructions", "debrief"):
            (folder / f"{page}.{language}.md").write_text(f"# {page} {language}")
    (folder / "texts.de.toml").write_text('agree = "Einverstanden"\ntitle = "Was ist gleich?"\n')
    rows = (folder / "items.csv").read_text().replace("alt\n", "alt,source_de\n", 1)
    (folder / "items.csv").write_text(rows.replace("apple,\n", "apple,,Apfel\n"))
    with (folder / "study.toml").open("a") as file:
        file.write(
            '[[before]]\nname = "hand"\nkind = "choice"\nask = "Which hand?"\n'
            'options = ["left", "right"]\n'
            'ask_de = "Welche Hand?"\noptions_de = ["links", "rechts"]\n'
        )
    return folder


def test_translations_of_questionnaires_that_are_missing_are_noted(folder):
    notes = [finding.sentence for finding in check_study(folder).findings]
    assert "The question 'hand' has no ask_ja, options_ja." in notes
    assert not [note for note in notes if "ask_de" in note]


@pytest.mark.parametrize(
    ("wish", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "fr-FR,fr;q=0.9", "en"),
        (None, "de-AT,de;q=0.9,en;q=0.5", "de"),
        (None, "fr,en;q=0.3,ja;q=0.8", "ja"),
        (None, "ja;q=0,de;q=0.1", "de"),
        (None, "nonsense;q=x,,;q=", "en"),
        ("ja", "de", "ja"),
        ("DE", "", "de"),
        ("fr", "de", "de"),
    ],
)
def test_the_language_is_chosen(folder, wish, accepted, language):
    assert choose_language(read_study(folder), wish, accepted) == language


def test_a_page_is_in_one_language(folder, join):
    person = join(folder=folder)
    page = person.client.get("/?lang=de").text
    assert '<html lang="de" dir="ltr">' in page
    for text in ("consent de", "Einverstanden", "Was ist gleich?", "Welche Hand?", "links"):
        assert text in page
    assert "I do not agree" not in page
    japanese = person.client.get("/", headers={"accept-language": "ja"})
    assert '<html lang="ja"' in japanese.text
    assert japanese.headers["vary"] == "accept-language"
    assert '<html lang="en"' in person.client.get("/").text


def test_answers_are_those_of_the_study_in_every_language(folder, join):
    person = join(folder=folder)
    german = person.study.in_language("de")
    begun = person.begin(language="de", consent_version=german.consent_version)
    assert begun.status_code == 201
    shown = [item for trial in person.trials() for item in (*trial["shown"], trial["reference"])]
    texts = {item["text"] for item in shown}
    assert "apple" not in texts
    row = person.store.reader.execute("SELECT * FROM sessions").fetchone()
    assert (row["language"], row["consent_version"]) == ("de", german.consent_version)
    reply = person.post("/api/questionnaire", {"moment": "before", "answers": {"hand": "left"}})
    assert reply.status_code == 200
    assert join(person).begin(language="de").json()["error"] == "consent_changed"


def test_a_study_in_one_of_the_languages_needs_no_texts(make_folder, edit):
    folder = make_folder(language="de")
    study = read_study(folder)
    assert study.texts["agree"] == texts_in("de")["agree"]
    assert not any("English" in finding.sentence for finding in check_study(folder)[1])
    edit(folder, language="it")
    assert any("still English" in finding.sentence for finding in check_study(folder)[1])


def test_refuses_half_a_language(folder):
    (folder / "debrief.ja.md").unlink()
    with pytest.raises(od.InputError, match=r"consent.ja.md, but no debrief.ja.md; a language"):
        read_study(folder)
    (folder / "consent.ja.md").unlink()
    (folder / "texts.de.toml").write_text('agre = "Ja"\n')
    with pytest.raises(od.InputError, match=r"texts.de.toml has the key 'agre'.*did you mean"):
        read_study(folder)
