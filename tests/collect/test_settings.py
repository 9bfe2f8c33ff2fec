"""Every entry of study.toml, in every place where it may stand, is checked, served and taken."""

import json
import re
from dataclasses import fields
from importlib.resources import files

import numpy as np
import pytest

from ordinate.collect.folder import read_study
from ordinate.collect.pages import block_content
from ordinate.collect.prepare import check_study
from ordinate.collect.questionnaires import ENTRIES, MOMENTS, TRANSLATED
from ordinate.collect.study import _BLOCK, SECTIONS, General

ADDRESS = "https://recruiter.example/{participant}"
GENERAL = {
    "title": "Which?",
    "language": "fr",
    "direction": "rtl",
    "contact": "lab@university.example",
    "dimension": 3,
    "features": "features.npy",
    "seed": 4,
}
OTHER_VALUES = {
    "task": {"kind": "odd_one_out", "shown": 6, "choose": 3, "ranked": False, "ties": False},
    "page": {"appearance": "dark", "ground": "#808080", "stimulus_px": 90, "stimulus_mm": 40.0},
    "pools": {
        **{"practice": 1, "random": 9, "validation": 3, "catch": 1, "repeat": 2},
        **{"adaptive": 2, "break_every": 5},
    },
    "answers": {"skip": True, "time_limit_s": 9.5, "warn_below_ms": 0, "dead_time_ms": 0},
    "sessions": {
        **{"resume_hours": 2.0, "again": True, "ids": "required", "catch_wrong": 1},
        **{"time_limit_minutes": 40.0, "waves": 2, "days_between": 3.0},
    },
    "finish": {
        **{"code": "DONE", "code_screened": "OUT", "code_failed": "NO", "redirect": ADDRESS},
        **dict.fromkeys(("redirect_declined", "redirect_withdrawn", "redirect_full"), ADDRESS),
        **dict.fromkeys(("redirect_screened", "redirect_failed"), ADDRESS),
    },
    "flags": {
        **{"fast_ms": 200, "fast_share": 0.5, "one_side_share": 0.8, "catch_wrong_share": 0.3},
    },
    "limits": {
        **{"participants": 9, "address_per_minute": 60, "session_per_minute": 9},
        "new_sessions_per_address_per_hour": 20,
        "quotas": {"condition": {"one": 3}},
    },
    "prolific": {
        **{"study": "65abc", "bonus": 1.5, "bonus_catch_right": 0.5, "bonus_repeat_same": 0.2},
    },
    "front_ends": {"names": ["psychopy"], "origins": ["https://lab.example"], "item_ids": True},
    "design": {"conditions": ["one", "two"], "order": "latin-square"},
    "device": {
        **{"width": 300, "height": 300, "phones": False, "keyboard": True},
        **{"sound": True, "card": True},
    },
}
QUESTIONS = {
    "number": {"minimum": 1, "maximum": 99, "screen_out_below": 18, "screen_out_above": 80},
    "text": {"lines": 3},
    "choice": {"options": ["yes", "no"], "screen_out": ["no"]},
    "choices": {"options": ["red", "blue", "green"], "screen_out": ["blue"]},
    "scale": {"points": 5, "low": "never", "high": "always"},
}
BLOCK = {
    "name": "shape",
    "instructions": "shape.md",
    "question": "Which has the other shape?",
    "question_de": "Was hat eine andere Form?",
    "items": {"source": ["apple", "pear", "cherry", "bread", "cheese"]},
    "conditions": ["one"],
    "task": {"kind": "triplet"},
    "pools": {"random": 3, "validation": 1, "repeat": 0},
}


def in_toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {in_toml(v)}" for name, v in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def table(heading, entries):
    return "\n".join([heading, *(f"{name} = {in_toml(v)}" for name, v in entries.items()), ""])


@pytest.fixture
def folder(make_folder):
    """A study in English that can also be taken in German, with nothing but a title."""
    folder = make_folder()
    for page in ("consent", "instructions", "debrief", "shape"):
        (folder / f"{page}.md").write_text(f"# {page}")
        (folder / f"{page}.de.md").write_text(f"# {page} auf Deutsch")
    rows = (folder / "items.csv").read_text().replace("alt\n", "alt,source_de\n", 1)
    (folder / "items.csv").write_text(rows.replace("apple,\n", "apple,,Apfel\n"))
    (folder / "study.toml").write_text('title = "Which?"\n')
    return folder


def add(folder, text):
    with (folder / "study.toml").open("a") as file:
        file.write(text)


@pytest.fixture
def served(folder, join):
    """Check the study, and serve it if the check allows that; return its pages and blocks."""

    def serve():
        checked = check_study(folder)
        assert checked.is_ready, checked.findings
        client = join(folder=folder).client
        pages = {language: client.get(f"/?lang={language}") for language in ("en", "de")}
        assert {page.status_code for page in pages.values()} == {200}
        study, blocks = read_study(folder), {}
        for language in pages:
            spoken = study.in_language(language) if language in study.languages else study
            blocks[language] = [block_content(block) for block in spoken.blocks.values()]
        return {language: f"{page.text}{blocks[language]}" for language, page in pages.items()}

    return serve


def test_the_tables_of_this_file_name_every_entry():
    assert set(GENERAL) == {field.name for field in fields(General)}
    assert {name: set(section) for name, section in OTHER_VALUES.items()} == {
        name: {field.name for field in fields(section)} for name, section in SECTIONS.items()
    }
    assert {kind: set(entries) for kind, entries in QUESTIONS.items()} == {
        kind: set(entries) for kind, entries in ENTRIES.items()
    }
    assert {name for name in BLOCK if name != "question_de"} == set(_BLOCK)


def test_the_template_shows_every_entry():
    text = (files("ordinate.collect") / "template" / "study.toml").read_text("utf-8")
    shown = set(re.findall(r"^(?:# )?(\w+) = ", text, flags=re.M))
    sections = (*GENERAL, *(name for section in OTHER_VALUES.values() for name in section))
    assert {*sections, *_BLOCK} <= shown


@pytest.mark.parametrize("name", GENERAL)
def test_an_entry_above_the_sections(folder, served, name):
    if name == "features":
        np.save(folder / GENERAL[name], np.eye(len(read_study(folder).items)))
    (folder / "study.toml").write_text(table("", {"title": "Which?", name: GENERAL[name]}))
    served()
    assert getattr(read_study(folder).general, name) == GENERAL[name]


@pytest.mark.parametrize(
    ("section", "name"), [(s, name) for s, entries in OTHER_VALUES.items() for name in entries]
)
def test_an_entry_of_a_section(folder, served, section, name):
    value = OTHER_VALUES[section][name]
    assert value != getattr(SECTIONS[section](), name, None)
    add(folder, table(f"[{section}]", {name: value}))
    if name == "stimulus_mm":
        add(folder, table("[device]", {"card": True}))
    if name == "quotas":
        add(folder, table("[design]", {"conditions": ["one", "two"]}))
    served()
    found = getattr(read_study(folder), "asked" if section == "task" else section)
    assert getattr(found, name) == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize("name", [name for name in BLOCK if name != "name"])
def test_an_entry_of_a_block(folder, served, name):
    add(folder, table("[design]", {"conditions": ["one", "two"]}))
    add(folder, table("[pools]", {"random": 5, "validation": 1, "repeat": 0}))
    add(folder, table("[[blocks]]", {"name": "shape", name: BLOCK[name]}))
    add(folder, table("[[blocks]]", {"name": "rest"}))
    served()


@pytest.mark.parametrize(
    ("section", "name"), [(s, name) for s in ("task", "pools") for name in OTHER_VALUES[s]]
)
def test_an_entry_of_a_section_of_a_block(folder, served, section, name):
    value = OTHER_VALUES[section][name]
    add(folder, table("[[blocks]]", {"name": "shape", section: {name: value}}))
    add(folder, table("[[blocks]]", {"name": "rest"}))
    served()
    block = read_study(folder).blocks["shape"]
    assert getattr(block.asked if section == "task" else block.pools, name) == value


def test_a_block_with_every_entry_speaks_both_languages(folder, served):
    add(folder, table("[design]", {"conditions": ["one", "two"]}))
    add(folder, table("[[blocks]]", BLOCK))
    add(folder, table("[[blocks]]", {"name": "rest"}))
    pages = served()
    assert BLOCK["question"] in pages["en"]
    assert BLOCK["question_de"] in pages["de"]
    assert BLOCK["question"] not in pages["de"]
    assert "shape auf Deutsch" in pages["de"]
    german = read_study(folder).in_language("de").blocks["shape"]
    assert german.items["apple"].source == "Apfel"
    assert len(german.items) == 5, "the same items in every language"


def test_a_question_of_a_block_in_one_language_is_asked_in_all(folder, served):
    add(folder, table("[[blocks]]", {"name": "shape", "question": "Which shape?"}))
    pages = served()
    assert "Which shape?" in pages["en"]
    assert "Which shape?" in pages["de"]
    notes = [finding.sentence for finding in check_study(folder).findings]
    assert "Block shape has no question_de." in notes


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("kind", ENTRIES)
def test_the_entries_of_a_questionnaire(folder, served, kind, moment):
    add(folder, table("[[blocks]]", {"name": "first"}) + table("[[blocks]]", {"name": "second"}))
    add(folder, table("[[before]]", {"name": "vision", "kind": "text", "ask": "Vision?"}))
    entries = {**QUESTIONS[kind], "ask": "How?", "required": False, "show_if": {"vision": ["no"]}}
    translated = {
        f"{name}_de": [f"{one} de" for one in entries[name]]
        if isinstance(entries[name], list)
        else f"{entries[name]} de"
        for name in TRANSLATED
        if name in entries
    }
    question = {"name": "asked", "kind": kind, **entries, **translated}
    add(folder, table(f"[[{moment}]]", question))
    pages = served()
    assert "How? de" in pages["de"]
    assert "How? de" not in pages["en"]
