"""Before a study: the folder to begin with, and everything that would go wrong."""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.resources import files
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ordinate._checks import InputError, check_choice, some_of
from ordinate.collect.folder import LISTED, MEDIA, left_out, listed_ids, media_files, read_study
from ordinate.collect.live import features_of
from ordinate.collect.plan import make_plan
from ordinate.collect.questionnaires import TRANSLATED
from ordinate.collect.store import database_path, has_participants, reading, study_of
from ordinate.collect.study import Study, changes_told, default_texts, texts_in
from ordinate.tasks import PAIR, TASKS, in_words, make_task

SECONDS_PER_QUESTION = 4
LARGE_FILE = 2_000_000
MOST_NAMED = 10
"""Files and items that a sentence lists."""
MOST_LINES = 24
"""Items that a check lists."""
_PLACEHOLDER = re.compile(r"\[[^\]]+\](?!\()")


def new_study(folder: Path, task: str = "triplet") -> list[Path]:
    """Write the folder of a study that runs as it is, to be edited."""
    check_choice("--task", task, TASKS)
    content = _template()
    content["study.toml"] = content["study.toml"].replace('kind = "triplet" ', f'kind = "{task}" ')
    if task == PAIR:
        asked = default_texts()["question_pair"]
        content["study.toml"] = content["study.toml"].replace("Which is more alike?", asked)
    content["instructions.md"] = content["instructions.md"].replace(
        "{{task}}", make_task(task).instructions
    )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        media = media_files(folder, ".", "items") if folder.is_dir() else []
        table = folder / "items.csv"
        if not (media or table.is_file()):
            raise InputError(
                f"{folder} exists and is not empty, and holds no pictures, sounds or films to ask"
                " about; choose another name."
            )
        if media:
            content["items.csv"] = _table_of(media)
        if table.exists():
            del content["items.csv"]
        if taken := [name for name in content if (folder / name).exists()]:
            raise InputError(f"{folder} has a file {taken[0]} already; choose another name.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in content.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [folder / name for name in sorted(content)]


def _template() -> dict[str, str]:
    """Return the files of a new study, by name."""
    package = files("ordinate.collect")
    found = {file.name: file.read_text("utf-8") for file in (package / "template").iterdir()}
    texts = (package / "page" / "texts.toml").read_text("utf-8")
    # commented out: what is not changed follows the language of the study
    return {**found, "texts.toml": re.sub(r"^(?=\w)", "# ", texts, flags=re.M)}


def _table_of(media: Sequence[str]) -> str:
    """Return an items.csv that lists files by their names."""
    stems = Counter(Path(name).stem for name in media)
    table = StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["item_id", "kind", "source", "label", "alt"])
    for name in media:
        if not name.isprintable():
            raise InputError(f"The name of the file {name!r} is not valid text; rename it.")
        path = Path(name)
        writer.writerow([path.stem if stems[path.stem] == 1 else path.name, "", name, "", ""])
    return table.getvalue()


class Finding(NamedTuple):
    """Something about a study; a mistake keeps it from being served."""

    is_mistake: bool
    sentence: str


class Checked(NamedTuple):
    """A study, if it can be read, and what was found about it; prints as lines for people."""

    study: Study | None
    findings: list[Finding]

    @property
    def is_ready(self) -> bool:
        """Whether the study can be served."""
        return not any(finding.is_mistake for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain Python values."""
        summary = _summary(self.study) if self.study else {}
        findings = [finding._asdict() for finding in self.findings]
        return {"ready": self.is_ready, **summary, "findings": findings}

    def __str__(self) -> str:
        study = self.study
        lines = [f"{'Mistake' if wrong else 'Note'}: {said}" for wrong, said in self.findings]
        if study and self.is_ready:
            lines.append(f"Ready. Try it with: ordinate collect simulate {study.folder}")
        return "\n".join([*(_described(study) if study else ()), *lines])


_LISTED = ("item_id", "kind", "source")


def _summary(study: Study) -> dict[str, Any]:
    return {
        "title": study.general.title,
        "task": _tasks(study),
        "blocks": list(study.blocks),
        "conditions": list(study.design.conditions),
        "n_items": len(study.items),
        "items": [{n: getattr(item, n) for n in _LISTED} for item in study.items.values()],
        "left_out": left_out(study),
        "questions_per_participant": study.most("total"),
        "minutes": estimate_minutes(study),
        "study_hash": study.hash,
    }


def _tasks(study: Study) -> str:
    """Return the names of the tasks of a study."""
    return ", ".join(dict.fromkeys(in_words(block.task.name) for block in study.blocks.values()))


def _described(study: Study) -> Iterator[str]:
    """Say what a study asks about what."""
    yield (
        f"{study.general.title}: {_tasks(study)}, {len(study.items)} items,"
        f" {study.most('total')} questions per participant, about {estimate_minutes(study)} min."
    )
    items = list(study.items.values())
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(i.kind for i in items).items())
    yield f"Items ({kinds}):"
    width = max(len(item.item_id) for item in items[:MOST_LINES])
    for item in items[:MOST_LINES]:
        yield f"  {item.item_id:{width}}  {item.kind:5}  {item.source}"
    if len(items) > MOST_LINES:
        yield f"  … and {len(items) - MOST_LINES} more; --json has all"
    for condition in study.conditions:
        if study.arrays.get("blocks"):
            whose = f" of the condition {condition}" if condition else ""
            yield f"Blocks{whose}: {', '.join(study.blocks_of(condition))}"


def check_study(folder: Path) -> Checked:
    """Find everything that would go wrong with a study."""
    try:
        study = read_study(folder)
    except InputError as error:
        return Checked(None, [Finding(True, str(error))])
    mistakes = [Finding(True, sentence) for sentence in _mistakes(study)]
    return Checked(study, [*mistakes, *(Finding(False, sentence) for sentence in _doubts(study))])


def load_sound_study(folder: Path) -> Study:
    """Return the study of a folder, or refuse it with its first mistake."""
    study, findings = check_study(folder)
    for finding in findings:
        if finding.is_mistake:
            raise InputError(finding.sentence)
    assert study is not None
    return study


def _mistakes(study: Study) -> Iterator[str]:
    for name, block in study.blocks.items():
        for sentence in _mistakes_of_block(block):
            yield sentence if block is study else f"Block {name}: {sentence}"
    if study.sessions.catch_wrong > (most := study.most("catch")):
        yield (
            f"sessions.catch_wrong is {study.sessions.catch_wrong}, but nobody is asked more than"
            f" {most} catch questions; raise pools.catch, or list them in questions.csv."
        )
    try:
        features_of(study)
    except (InputError, OSError) as error:
        yield f"The features do not fit the items: {error}"
    if study.page.stimulus_mm and not study.device.card:
        yield "page.stimulus_mm needs the size of the screen; set card = true in [device]."
    for item in study.items.values():
        if item.kind == "html":
            try:
                (study.folder / item.source).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                yield f"The HTML of item {item.item_id!r} is not UTF-8; save it as such."
    if study.sessions.ids == "listed":
        yield from _mistaken_ids(study)
    yield from _mistaken_quotas(study)
    yield from _changes_since_launch(study)
    table = study.folder / "items.csv"
    if table.exists() and not database_path(study.folder).exists():
        media = media_files(study.folder, ".", "items")
        if media and table.read_text(encoding="utf-8-sig") == _template()["items.csv"]:
            yield (
                f"items.csv is still the example that `new` wrote, and the files that are there"
                f" ({len(media)}, {media[0]} among them) are not in it. Name them in its column"
                " source, or move them into the folder items and delete items.csv."
            )


def _mistakes_of_block(study: Study) -> Iterator[str]:
    task, pools, n_items = study.task, study.pools, len(study.items)
    if n_items < task.n_items:
        yield f"{task.name} shows {task.n_items} different items; there are {n_items}."
        return
    wanted = pools.random + pools.validation + pools.adaptive
    possible = task.n_possible(n_items)
    share = 1 if task.name == PAIR else 2
    if wanted > possible / share:
        yield (
            f"Everyone is asked {wanted} different questions, of which {n_items} items have"
            f" {possible}; that is more than {'all' if share == 1 else 'half of them'}, so lower"
            " random, validation or adaptive."
        )
        return
    try:
        make_plan(study, seed=0)
    except InputError as error:
        yield str(error)


def _mistaken_quotas(study: Study) -> Iterator[str]:
    asks = {ask.name: ask.options for ask in study.questionnaires["before"] if ask.kind == "choice"}
    known = {"condition": study.design.conditions, **asks}
    for name, quota in study.limits.quotas.items():
        for answer, most in quota.items() if isinstance(quota, dict) else [("", quota)]:
            if answer not in known.get(name, ()) or type(most) is not int or most < 0:
                yield (
                    f"limits.quotas.{name}: expected numbers of people by condition, or by"
                    f" an answer to a choice of [[before]]; got {answer!r} = {most!r}."
                )


def _mistaken_ids(study: Study) -> Iterator[str]:
    try:
        ids = listed_ids(study.folder)
    except InputError as error:
        yield str(error)
        return
    if not ids:
        yield f"{LISTED} lists nobody, so nobody may take part; write one id per line."
    if twice := [name for name, times in Counter(ids).items() if times > 1]:
        yield f"{LISTED} has the id {twice[0]!r} more than once; each may take part once."


def _changes_since_launch(study: Study) -> Iterator[str]:
    if not database_path(study.folder).exists():
        return
    try:
        with reading(study.folder) as connection:
            launched = study_of(connection, study.folder) if has_participants(connection) else study
    except InputError as error:
        yield str(error)
        return
    if changed := changes_told(launched, study):
        yield changed


def _doubts(study: Study) -> Iterator[str]:
    for name, text in study.pages.items():
        for gap in _PLACEHOLDER.findall(text):
            yield f"{name}.md still has a gap to fill in: {gap}"
    if study.general.contact in ("", "name@example.org"):
        yield "contact names nobody; participants should know whom to ask."
    with suppress(InputError, OSError):  # a mistake, and listed as one
        features = features_of(study)
        without = 0 if features is None else int((features != features).any(axis=1).sum())
        if without:
            named = f"{without} of {len(study.items)} items"
            yield f"{study.general.features} has no features of {named}; only answers place them."
    yield from _untranslated(study)
    for name, block in study.blocks.items():
        alike = block.pages["instructions"] == study.pages["instructions"]
        if alike and block.task.name != study.task.name:
            yield f"Block {name} has another task than the instructions; write some of its own."
    unseen = [i.item_id for i in study.items.values() if i.kind in ("image", "video") and not i.alt]
    if unseen:
        yield (
            f"{len(unseen)} items, {unseen[0]!r} among them, have no description in the column alt;"
            " people who use a screen reader cannot take part."
        )
    for item in study.items.values():
        if item.media and (size := (study.folder / item.source).stat().st_size) > LARGE_FILE:
            yield f"{item.source} has {size / 1e6:.1f} MB; participants wait for it."
        if item.kind == "text" and os.path.isfile(study.folder / item.source):
            yield (
                f"Item {item.item_id!r} is shown as the text {item.source!r}, not as the file of"
                f" that name; files that are shown end in {', '.join(MEDIA)}."
            )
        elif item.media and Path(item.source).suffix.lower() not in MEDIA:
            yield f"{item.source} is of a kind that few browsers show; convert it."
    by_reason: dict[str, list[str]] = {}
    for name, why in left_out(study).items():
        by_reason.setdefault(why, []).append(name)
    for why, names in by_reason.items():
        yield f"Left out, because {why}: {some_of(names, MOST_NAMED)}."
    contents: dict[str, str] = {}
    for item in study.items.values():
        if (other := contents.setdefault(item.sha256, item.item_id)) != item.item_id:
            yield f"Items {other!r} and {item.item_id!r} have the same content."
    if study.sessions.waves > 1 and study.sessions.ids == "optional":
        yield 'sessions.waves needs to know who comes again; set ids to "required" or "listed".'
    if study.questionnaires["between"] and len(study.blocks) == 1:
        yield "[[between]] is never shown: there is one block only; see [[blocks]]."
    if study.design.conditions and len(study.blocks) == 1:
        yield "All conditions are alike: no [[blocks]] belong to one of them alone."
    for name, block in study.blocks.items():
        listed = {pool: len(block.given.get(pool, ())) for pool in ("practice", "catch")}
        too_few = listed["practice"] < block.pools.practice or not listed["catch"]
        if block.asks_its_own_question and block.task.has_catch and too_few:
            whose = "The question is" if block is study else f"Block {name}: its question is"
            yield (
                f"{whose} your own, so its right answers are unknown: catch questions are only"
                f" those of questions.csv ({listed['catch']}), and practice beyond those there"
                f" ({listed['practice']}) says neither right nor wrong."
            )
    pools = [block.pools for block in study.blocks.values()]
    if not any(pool.catch for pool in pools):
        yield "No catch questions: nothing will tell who is not looking."
    if any(pool.random + pool.validation < 0.1 * pool.total for pool in pools):
        yield "Few random questions: there will be little to judge a map by."


def _untranslated(study: Study) -> Iterator[str]:
    """Say what is not there in all languages of a study."""
    english = default_texts()
    for language in study.languages:
        ours = language.split("-")[0] == "en" or texts_in(language) != english
        texts = {} if ours else study.in_language(language).texts
        same = [name for name, text in texts.items() if english[name] == text]
        if same:
            file = "texts.toml" if language == study.general.language else f"texts.{language}.toml"
            yield f"{len(same)} texts are still English, {same[0]} among them; see {file}."
    for language in study.languages[1:]:
        for ask in chain.from_iterable(study.questionnaires.values()):
            names = [f"{name}_{language}" for name in TRANSLATED if getattr(ask, name)]
            if missing := [name for name in names if name not in ask.translations]:
                yield f"The question {ask.name!r} has no {', '.join(missing)}."
        for block in study.arrays.get("blocks", ()):
            if "question" in block and f"question_{language}" not in block:
                yield f"Block {block['name']} has no question_{language}."


def estimate_minutes(study: Study) -> int:
    """Return about how long a session takes, at a few seconds per question."""
    n_questions = study.most("practice") + study.most("total")
    n_select = max(block.task.n_select for block in study.blocks.values())
    return max(1, round(n_questions * SECONDS_PER_QUESTION * n_select / 60))
