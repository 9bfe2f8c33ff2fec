"""The two pages: what is in them, and that texts of people stay texts."""

import json
import re
from html import unescape
from importlib.resources import files

import pytest

from ordinate.collect.folder import read_study
from ordinate.collect.pages import (
    STATIC,
    block_content,
    experimenter_page,
    item_content,
    markdown,
    participant_page,
    sanitised,
    static_file,
    study_style,
)
from ordinate.collect.study import default_texts


def test_nothing_is_loaded_from_elsewhere_and_no_script_is_inline(make_folder):
    study = read_study(make_folder())
    for page in (participant_page(study), experimenter_page(study)):
        assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)
        assert not re.search(r"<script(?![^>]*src=)", page)
        assert not re.search(r"\son\w+=|style=", page)
    for name in STATIC:
        text = static_file(name).decode()
        assert "https://" not in text
        assert not re.search(r"@import|eval\(|new Function", text)


def test_texts_of_the_experimenter_are_escaped(make_folder, edit):
    folder = make_folder(title="<script>x</script> & more")
    (folder / "consent.md").write_text("**Bold** <img src=x onerror=alert(1)> [a](javascript:x)")
    page = participant_page(read_study(folder))
    assert "<script>x" not in page
    assert "<img src=x" not in page
    assert 'href="javascript' not in page
    assert "<strong>Bold</strong>" in page


def test_the_script_gets_its_setting(make_folder):
    study = read_study(make_folder("choose_k"))
    page = participant_page(study)
    setting = json.loads(unescape(re.search(r'data-setting="([^"]*)"', page).group(1)))
    block = block_content(study)
    assert (block["task"], block["n_select"]) == ("choose_k", 2)
    assert block["question"].startswith("Choose the 2 ")
    assert setting["texts"] == dict(study.texts)


def test_language_and_direction(make_folder):
    page = participant_page(read_study(make_folder(language="he")))
    assert '<html lang="he" dir="rtl">' in page


def test_the_appearance_is_the_studys_and_not_the_devices(make_folder):
    def links(appearance):
        study = read_study(make_folder(name=appearance, page__appearance=appearance))
        return re.findall(r'<link rel="stylesheet" href="static/(.*)">', participant_page(study))

    assert links("light") == ["collect.css", "study.css"]
    assert links("dark") == ["collect.css", "dark.css", "study.css"]
    assert "prefers-color-scheme" in links("system")[1]


@pytest.mark.parametrize(
    ("ground", "ink"), [("#ffffff", "#000000"), ("#808080", "#000000"), ("#203040", "#ffffff")]
)
def test_the_style_of_a_study(make_folder, ground, ink):
    folder = make_folder(page__ground=ground, page__stimulus_px=200)
    (folder / "style.css").write_text("h1 { color: teal; }")
    style = study_style(read_study(folder))
    assert f"--ground: {ground};" in style
    assert f"--ink: {ink};" in style
    assert "--stimulus: 200px;" in style
    assert style.endswith("h1 { color: teal; }")


def test_every_text_that_a_page_names_exists_and_every_text_is_used():
    folder = files("ordinate.collect") / "page"
    scripts = ("participant.js", "participant.html", "questionnaire.js", "device.js")
    page = "".join((folder / name).read_text() for name in scripts)
    named = set(re.findall(r"\btexts\.(\w+)", page)) | set(re.findall(r'connection\("(\w+)"', page))
    named |= {
        "storage_full",
        "expired_elsewhere",
        "busy",
        "contact",
        "already",
        "too_early",
        "elsewhere",
        "full",
        "no_id",
        "not_listed",
        "withdraw_code_unknown",
    }
    named |= {"no_phones", "too_small", "keyboard_needed", "sound_needed"}
    texts = set(default_texts())
    assert named <= texts
    assert {name for name in texts - named if not name.startswith("question_")} == set()


def test_markdown_and_html():
    assert (
        markdown("# Hello\n\n- a\n- b") == "<h1>Hello</h1>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"
    )
    assert sanitised("<i>x</i><style>*{}</style><svg onload=y></svg>") == "<i>x</i>"


def test_what_is_shown_of_an_item(make_folder):
    folder = make_folder()
    (folder / "angry.png").write_bytes(b"png")
    (folder / "items.csv").write_text(
        "item_id,source,alt\nangry_1,angry.png,a face\nb,b,\nc,c,\nd,d,\ne,e,\n"
    )
    study = read_study(folder)
    content = item_content(study, study.items["angry_1"])
    assert content == {
        "kind": "image",
        "alt": "a face",
        "src": f"media/{study.items['angry_1'].media}",
    }
