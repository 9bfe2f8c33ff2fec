"""What a machine is asked, and what counts as its answer: one strict rule that guesses nothing.

A prompt is a template of the study with its own instructions, question and items filled in. Choices
are called by letters, in the order in which a screen would show them.
"""

from __future__ import annotations

import base64
import json
import re
import string
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ordinate._checks import InputError
from ordinate.collect.folder import media_type
from ordinate.collect.study import Study
from ordinate.tasks import Question, Task

FILE = "prompt.md"
BREAK = "---"
"""Line of a template that divides what the system says from what the user says."""
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Pictures that models read."""
LETTERS = string.ascii_uppercase
FOR_HANDS = "You can use the mouse, a finger or the keyboard."
"""What our instructions tell people alone."""
_FENCE = re.compile(r"```(?:\w+\n|\s)?(.*?)```", re.DOTALL)
_QUOTES = ('""', "''", "``", "“”", "‘’", "«»", "„“")

Message = dict[str, Any]


def read_template(folder: Path) -> str:
    """Return the template of a study's prompts: its own, or the one that we ship."""
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8-sig") if path.exists() else shipped_template()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {path} as text: {error}.") from None
    if text.count("{items}") != 1:
        raise InputError(f"{path} must have {{items}} once: the items of a question go there.")
    if "{items}" in _parts(text)[0]:
        raise InputError(f"{path} must have {{items}} below the line {BREAK}, where the user asks.")
    return text


def shipped_template() -> str:
    """Return the template of studies that have none."""
    return (files("ordinate.collect") / "template" / FILE).read_text("utf-8")


def check_items(study: Study) -> None:
    """Refuse a study with items that cannot be sent to a model."""
    for item in study.items.values():
        picture = item.kind == "image" and media_type(item.source) in PICTURES
        if item.kind != "text" and not picture:
            raise InputError(
                f"Machines are asked about texts and about pictures (png, jpeg, gif, webp); item"
                f" {item.item_id!r} is {item.source}. Convert it, or leave it out."
            )


def messages_of(template: str, study: Study, question: Question) -> list[Message]:
    """Return the messages that ask a question of a block."""
    system, user = _parts(template)
    known = {
        "instructions": study.pages["instructions"].replace(FOR_HANDS, "").strip(),
        "question": study.texts[study.question_key].replace("{k}", str(study.task.n_select)),
        "k": str(study.task.n_select),
        "answers": ", ".join(letters_of(study.task)),
    }
    before, after = (_filled(part, known) for part in user.split("{items}"))
    content = _joined([before, *_items(study, question), after])
    said = [{"role": "system", "content": _filled(system, known).strip()}] if system.strip() else []
    return [*said, {"role": "user", "content": content}]


def letters_of(task: Task) -> str:
    """Return the letters of the choices."""
    return LETTERS[: task.n_choices]


def schema_of(task: Task) -> dict[str, Any]:
    """Return the response format that lets a model say nothing but allowed letters."""
    letter: dict[str, Any] = {"type": "string", "enum": list(letters_of(task))}
    if task.n_select > 1:
        n = task.n_select
        letter = {"type": "array", "items": letter, "minItems": n, "maxItems": n}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"answer": letter},
        "required": ["answer"],
    }
    schema["additionalProperties"] = False
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


def read_answer(text: str, task: Task) -> tuple[int, ...] | None:
    """Return the choices that a reply names, None if it is anything but allowed letters.

    The whole reply is a letter, letters separated by commas, or a JSON object whose answer they are
    (`schema_of`). Quotation marks, a code fence, further entries of the object, a full stop at the
    end and small letters do no harm.
    """
    fenced = _FENCE.fullmatch(text.strip())
    named: Any = fenced[1].strip() if fenced else text.strip()
    if named.startswith("{"):
        try:
            named = json.loads(named).get("answer")
        except (ValueError, RecursionError):
            return None
    words = named
    if _is(named):
        words = [_unquoted(word) for word in _unquoted(named).removesuffix(".").split(",")]
    if not isinstance(words, list) or not all(_is(word) and len(word) == 1 for word in words):
        return None
    chosen = tuple(letters_of(task).find(word.upper()) for word in words)
    return chosen if task.accepts(chosen) else None


def _is(value: Any) -> bool:
    return isinstance(value, str)


def _unquoted(word: str) -> str:
    """Return a word without the quotation marks around it."""
    word = word.strip()
    inner = word[1:-1]
    if word[:1] + word[-1:] in _QUOTES and not {word[0], word[-1]} & set(inner):
        return inner.strip()
    return word


def reply_text(body: str) -> str:
    """Return what a model said in the reply of a server; nothing if it holds no text."""
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
        if isinstance(content, list):
            content = "".join(part["text"] for part in content)
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    return content if isinstance(content, str) else ""


def _parts(template: str) -> tuple[str, str]:
    """Return what the system and what the user says."""
    lines = template.splitlines()
    at = next((at for at, line in enumerate(lines) if line.strip() == BREAK), None)
    if at is None:
        return "", template
    return "\n".join(lines[:at]), "\n".join(lines[at + 1 :])


def _filled(text: str, known: Mapping[str, str]) -> str:
    """Fill the gaps of a text; what is filled in is not searched for gaps."""
    return re.sub(r"\{(\w+)\}", lambda gap: known.get(gap[1], gap[0]), text)


Part = str | dict[str, Any]


def _items(study: Study, question: Question) -> Iterator[Part]:
    """Return the items of a question as a screen shows them: the reference, then the choices."""
    task = study.task
    named = task.objects(question, range(len(task.options)))
    if question.reference is not None:
        yield f"{study.texts['reference']}: "
        yield _shown(study, question.reference)
        yield "\n"
    for letter, items in zip(letters_of(task), named, strict=False):
        yield f"{letter}: "
        for number, item in enumerate(items):
            yield " + " if number else ""
            yield _shown(study, item)
        yield "\n"
    if task.has_tie:
        yield f"{letters_of(task)[-1]}: {study.texts['tie']}\n"


def _shown(study: Study, name: str) -> Part:
    """Return an item as a part of a message: its text, or its picture as a data URL."""
    item = study.items[name]
    if item.kind == "text":
        return item.source
    return {"type": "image_url", "image_url": {"url": _data_url(study.folder / item.source)}}


@cache
def _data_url(path: Path) -> str:
    content = base64.b64encode(path.read_bytes()).decode()
    return f"data:{media_type(path.name)};base64,{content}"


def _joined(parts: list[Part]) -> str | list[dict[str, Any]]:
    """Return the content of a message: one text, or texts and pictures in turn."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        else:
            found.append(part)
    found[0], found[-1] = (
        end.strip() if isinstance(end, str) else end for end in (found[0], found[-1])
    )
    if len(found) == 1 and isinstance(found[0], str):
        return found[0].strip()
    return [part if isinstance(part, dict) else {"type": "text", "text": part} for part in found]
