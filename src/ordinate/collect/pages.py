"""The two pages: the participant's and the experimenter's, made once when a study is served."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from ordinate._pages import fill_page
from ordinate.collect.study import Item, Study

PACKAGE = "ordinate.collect"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_FILES = (
    *("participant.js", "questionnaire.js", "device.js", "experimenter.js", "worker.js"),
    *("collect.css", "dark.css", "icon.svg"),
)
STATIC = {name: _TYPES[Path(name).suffix] for name in _FILES}
"""Files that the pages load, with their types; there are no others."""
_LINKING_TAGS = {"a", "area", "img", "map"}


def markdown(text: str) -> str:
    """Turn a text of the experimenter into HTML; HTML inside it is shown, not used."""
    from markdown_it import MarkdownIt

    html: str = MarkdownIt("js-default", {"html": False, "linkify": False}).render(text)
    return html


def sanitised(html: str) -> str:
    """Leave of an item's HTML what can neither run, load nor ask for anything."""
    import nh3

    tags = nh3.ALLOWED_TAGS - _LINKING_TAGS
    clean: str = nh3.clean(html, tags=tags, attributes={"*": {"dir", "lang"}})
    return clean


def item_content(study: Study, item: Item) -> dict[str, str]:
    """Return what the page needs to show an item: never its id, which may tell too much."""
    content = {"kind": item.kind, "alt": item.alt}
    if item.kind == "text":
        content["text"] = item.source
    elif item.kind == "html":
        content["html"] = sanitised((study.folder / item.source).read_text(encoding="utf-8"))
    else:
        content["src"] = f"media/{item.media}"
    return content


def participant_page(study: Study, data: str = "", *, preview: bool = False) -> str:
    """Return the page at /, the same for everyone; `data` tells a preview from the real study."""
    return fill_page(
        PACKAGE,
        "participant.html",
        study=study,
        pages={name: markdown(study.pages[name]) for name in ("consent", "debrief")},
        contact=study.texts["contact"].replace("{contact}", study.general.contact),
        setting=json.dumps(
            {**_setting(study), "place": f"{study.hash}-{data}", "preview": preview}
        ),
        preview=preview,
    )


def choose_language(study: Study, wish: str | None, accepted: str) -> str:
    """Return the language of the page: as the address says, as the browser asks, or the study's.

    `accepted` is a header such as "de-AT,de;q=0.9,en;q=0.5".
    """
    known = {language.lower(): language for language in reversed(study.languages)}
    known = {**{name.split("-")[0]: language for name, language in known.items()}, **known}
    asked: list[tuple[float, str]] = []
    for part in accepted.split(","):
        name, _, quality = part.strip().partition(";q=")
        with suppress(ValueError):
            asked.append((float(quality or 1), name))
    wishes = sorted(asked, key=lambda entry: -entry[0])
    for name in [wish or "", *(name for quality, name in wishes if quality > 0)]:
        for form in (name.lower(), name.lower().split("-")[0]):
            if form in known:
                return known[form]
    return study.general.language


def study_style(study: Study) -> str:
    """Return the style sheet of a study: its ground, the size of stimuli, its own rules."""
    page, values = study.page, dict[str, str]()
    if page.ground:
        values |= dict.fromkeys(("ground", "raised"), page.ground)
        values |= dict.fromkeys(("ink", "quiet", "line"), page.ink)
    if page.stimulus_px:
        values["stimulus"] = f"{page.stimulus_px}px"
    settings = "".join(f" --{name}: {value};" for name, value in values.items())
    return f":root {{{settings} }}\n{study.style}"


def experimenter_page(study: Study) -> str:
    """Return the page of the experimenter, which shows nothing before it has the token."""
    return fill_page(PACKAGE, "experimenter.html", study=study)


def static_file(name: str) -> bytes:
    """Return one of the files beside the pages."""
    return (files(PACKAGE) / "page" / name).read_bytes()


def _setting(study: Study) -> Mapping[str, Any]:
    """Return what the script needs to know before anyone has agreed to anything."""
    rules = study.answers
    return {
        "consent_version": study.consent_version,
        "language": study.general.language,
        "device": asdict(study.device),
        "stimulus_mm": study.page.stimulus_mm,
        "questionnaires": {
            moment: [ask.on_page(study.general.language) for ask in asks]
            for moment, asks in study.questionnaires.items()
        },
        "skip": rules.skip,
        "time_limit_s": rules.time_limit_s,
        "warn_below_ms": rules.warn_below_ms,
        "dead_time_ms": rules.dead_time_ms,
        "texts": dict(study.texts),
    }


def block_content(study: Study) -> Mapping[str, Any]:
    """Return what the script needs to know about a block."""
    task = study.task
    return {
        "task": task.name,
        "question": study.texts[study.question_key].replace("{k}", str(task.n_select)),
        "n_choices": task.n_choices,
        "n_select": task.n_select,
        "ranked": task.ranked,
        "practice": study.pools.practice > 0,
        "break_every": study.pools.break_every,
        "instructions": markdown(study.pages["instructions"]),
    }
