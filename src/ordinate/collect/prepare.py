"""Before a study: the folder to begin with, and everything that would go wrong."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from ordinate._checks import InputError, check_choice
from ordinate.collect.folder import default_texts, read_study
from ordinate.collect.plan import make_plan
from ordinate.collect.store import database_path, open_for_reading
from ordinate.collect.study import Study, hash_of, what_changed
from ordinate.collect.tasks import TASKS

_TASK_IN_WORDS = {
    "triplet": "You see one thing above and two below. Choose the one of the two that is more like"
    " the one above.",
    "odd_one_out": "You see three things. Choose the one that is least like the other two.",
    "choose_k": "You see one thing above and several below. Choose those that are most like the one"
    " above.",
    "pair_against_pair": "You see two pairs. Choose the pair whose two things are more alike.",
}
SECONDS_PER_QUESTION = 4
LARGE_FILE = 2_000_000
_PLACEHOLDER = re.compile(r"\[[^\]]+\](?!\()")


def new_study(folder: Path, task: str = "triplet") -> list[Path]:
    """Write the folder of a study that runs as it is, to be edited.

    Parameters
    ----------
    folder : Path
        A folder that does not exist yet, or is empty.
    task : str
        One of TASKS.

    Returns
    -------
    list of Path
        The files.
    """
    check_choice("--task", task, TASKS)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists and is not empty; choose another name.")
    package = files("ordinate.collect")
    with as_file(package / "template") as template:
        shutil.copytree(template, folder, dirs_exist_ok=True)
    (folder / "texts.toml").write_bytes((package / "page" / "texts.toml").read_bytes())
    _replace(folder / "study.toml", 'kind = "triplet" ', f'kind = "{task}" ')
    _replace(folder / "instructions.md", "{{task}}", _TASK_IN_WORDS[task])
    return sorted(folder.iterdir())


def _replace(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


@dataclass(frozen=True)
class Finding:
    """Something about a study; a mistake keeps it from being served."""

    is_mistake: bool
    sentence: str


def check_study(folder: Path) -> tuple[Study | None, list[Finding]]:
    """Find everything that would go wrong with a study.

    Parameters
    ----------
    folder : Path
        The study.

    Returns
    -------
    study : Study or None
        None if the folder cannot be read.
    findings : list of Finding
        Mistakes first.
    """
    try:
        study = read_study(folder)
    except InputError as error:
        return None, [Finding(True, str(error))]
    mistakes = [Finding(True, sentence) for sentence in _mistakes(study)]
    return study, [*mistakes, *(Finding(False, sentence) for sentence in _doubts(study))]


def require_sound(folder: Path) -> Study:
    """Return the study of a folder, or refuse it with its first mistake."""
    study, findings = check_study(folder)
    for finding in findings:
        if finding.is_mistake:
            raise InputError(finding.sentence)
    assert study is not None
    return study


def _mistakes(study: Study) -> Iterator[str]:
    task, pools, n_items = study.task, study.pools, len(study.items)
    if n_items < task.n_needed:
        yield f"{task.kind} shows {task.n_needed} different items; there are {n_items}."
        return
    wanted = pools.random + pools.validation + pools.adaptive
    possible = task.n_possible(n_items)
    if wanted > possible / 2:
        yield (
            f"Everyone is asked {wanted} different questions, of which {n_items} items have"
            f" {possible}; that is more than half of them, so lower random, validation or adaptive."
        )
        return
    try:
        make_plan(study, seed=0)
    except InputError as error:
        yield str(error)
    for item in study.items.values():
        if item.kind == "html":
            try:
                (study.folder / item.source).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                yield f"The HTML of item {item.item_id!r} is not UTF-8; save it as such."
    yield from _changes_since_launch(study)


def _changes_since_launch(study: Study) -> Iterator[str]:
    if not database_path(study.folder).exists():
        return
    connection = open_for_reading(study.folder)
    frozen = connection.execute("SELECT value FROM meta WHERE key='frozen'").fetchone()
    connection.close()
    launched = json.loads(frozen[0])
    if hash_of(launched) != study.hash:
        for change in what_changed(launched, study.frozen()):
            yield f"The study was launched and has changed since: {change}."


def _doubts(study: Study) -> Iterator[str]:
    for name, text in study.pages.items():
        for gap in _PLACEHOLDER.findall(text):
            yield f"{name}.md still has a gap to fill in: {gap}"
    if study.general.contact in ("", "name@example.org"):
        yield "contact names nobody; participants should know whom to ask."
    if study.general.language.split("-")[0] != "en":
        english = default_texts()
        same = [name for name, text in study.texts.items() if english[name] == text]
        if same:
            yield f"{len(same)} texts are still English, {same[0]} among them; see texts.toml."
    unseen = [i.item_id for i in study.items.values() if i.kind in ("image", "video") and not i.alt]
    if unseen:
        yield (
            f"{len(unseen)} items, {unseen[0]!r} among them, have no description in the column alt;"
            " people who use a screen reader cannot take part."
        )
    for item in study.items.values():
        if item.media and (size := (study.folder / item.source).stat().st_size) > LARGE_FILE:
            yield f"{item.source} has {size / 1e6:.1f} MB; participants wait for it."
    contents: dict[str, str] = {}
    for item in study.items.values():
        if (other := contents.setdefault(item.sha256, item.item_id)) != item.item_id:
            yield f"Items {other!r} and {item.item_id!r} have the same content."
    if study.pools.catch == 0:
        yield "No catch questions: nothing will tell who is not looking."
    if study.pools.random + study.pools.validation < 0.1 * study.pools.total:
        yield "Few random questions: there will be little to judge a map by."


def minutes(study: Study) -> int:
    """Return about how long a session takes, at a few seconds per question."""
    n_questions = study.pools.practice + study.pools.total
    return max(1, round(n_questions * SECONDS_PER_QUESTION * study.task.n_select / 60))
