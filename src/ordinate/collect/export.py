"""What a study has gathered, as tables: comparisons, trials, sessions, items and a dictionary.

No table names anyone: identities are written only by a call of its own. Entries that a
spreadsheet would take for a formula get an apostrophe in front.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.collect.figures import answered_trials, session_figures, study_of
from ordinate.collect.store import REAL, open_for_reading
from ordinate.collect.study import SCHEMA, Study
from ordinate.io.atomic import atomic_path
from ordinate.io.coordinates import harmless

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons

TRIAL_COLUMNS = {
    "schema": "version of these tables",
    "study_hash": "hash of the study as it was launched",
    "trial_id": "key of the presentation, made by the server",
    "session_id": "key of the session, see sessions.csv",
    "participant": "pseudonym; the same in every session of one person",
    "index": "place in the session, from 0; practice included",
    "block": "practice or main",
    "pool": "why it was asked: practice, random, validation, catch, repeat or adaptive",
    "task": "triplet, odd_one_out, choose_k or pair_against_pair",
    "reference": "item that the others are compared with; empty for tasks without one",
    "shown": "items in screen order, joined by ';'; of pairs the first two and the last two",
    "n_select": "how many were to be chosen",
    "ranked": "whether the order of choosing counts (true or false)",
    "chosen": "items chosen, joined by ';', in the order of choosing; of pairs the two items",
    "chosen_positions": "their positions on the screen from 0, joined by ';'; of pairs 0 or 1",
    "outcome": "answered, skipped, timed_out, media_failed, or abandoned (served, no answer)",
    "expected": "positions that are right in practice and catch questions, joined by ';'",
    "repeat_of": "trial_id of the same question asked earlier with its sides swapped",
    "sampler": "how the question was found: random, fixed, repeat, or the rule of an adaptive one",
    "score": "what the rule of an adaptive question thought of it; units are the rule's own",
    "fallback": "true if an adaptive question is random for want of a model, else false",
    "model_version": "answers that the model of an adaptive question had seen",
    "served_at": "when the question left the server, UTC, ISO 8601",
    "received_at": "when the answer arrived, UTC, ISO 8601",
    "rt_ms": "milliseconds from the painted frame to the answer",
    "click_ms": "milliseconds of each choice, joined by ';'",
    "input": "device of the answer: mouse, touch, pen or key",
    "hidden_ms": "milliseconds the page was hidden meanwhile",
    "presentations": "how often the question was on the screen; more than 1 after a reload",
}
SESSION_COLUMNS = {
    "schema": "version of these tables",
    "study_hash": "hash of the study as it was launched",
    "session_id": "key of the session",
    "ordinal": "order of arrival, from 1",
    "participant": "pseudonym; the same in every session of one person",
    "recruiter": "prolific, mturk, sona, link, or empty",
    "consent_version": "hash of the consent text that was agreed to",
    "consent_at": "when, UTC, ISO 8601",
    "seed": "seed of the order of questions",
    "user_agent": "the browser, as it names itself",
    "viewport": "size of the page in CSS pixels",
    "pixel_ratio": "device pixels per CSS pixel",
    "started_at": "when the session began, UTC, ISO 8601",
    "last_seen_at": "when it last sent something, UTC, ISO 8601",
    "finished_at": "when it ended, UTC, ISO 8601",
    "status": "open, complete, returned (the participant stopped) or expired (idle too long)",
    "code_issued": "completion code that was shown",
    "n_trials": "questions planned, practice included",
    "n_done": "questions that have an outcome",
    "n_answered": "questions answered, practice not included",
    "n_skipped": "questions skipped",
    "catch_right": "share of catch questions answered as expected",
    "repeat_same": "share of repeats answered as the first time",
    "median_rt_ms": "median response time in milliseconds",
    "fast_share": "share of answers faster than flags.fast_ms",
    "one_side_share": "share of answers at the most frequent position",
    "flags": "fast, one_sided, failed_catch, joined by ';'",
}
ITEM_COLUMNS = {
    "item_id": "name of the item in all tables",
    "kind": "text, image, audio, video or html",
    "source": "the text, or the file in the study's folder",
    "sha256": "hash of the content",
    "label": "name for figures",
    "alt": "description for those who cannot see it",
}
ANSWER_COLUMNS = {
    "anchor, near, far": "anchor is nearer to near than to far (tasks with single items)",
    "i, j, k, l": "i and j are nearer to each other than k and l (pair_against_pair)",
    "participant": "pseudonym",
    "trial": "trial_id; rows of one trial come from one choice and belong together",
    "pool": "random, validation, repeat or adaptive; judge maps by the first two",
}


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    files: tuple[Path, ...]
    n_sessions: int
    n_trials: int
    n_comparisons: int
    n_left_out: int
    """Sessions that were left out because they are flagged."""


def comparisons_of(
    connection: sqlite3.Connection, study: Study, *, without: Iterable[str] = ()
) -> Comparisons:
    """Return the answers as comparisons, grouped by participant, trial and pool.

    Parameters
    ----------
    connection : sqlite3.Connection
        The data base.
    study : Study
        The study it belongs to.
    without : iterable of str
        Sessions to leave out.

    Returns
    -------
    Comparisons
        All items are objects, whether they were asked about or not.
    """
    from ordinate.comparisons.record import Comparisons

    left_out = set(without)
    found = [
        (row, answered)
        for row, answered in answered_trials(connection)
        if row["session_id"] not in left_out
    ]
    if not found:
        raise InputError("The study has no answers that are comparisons yet.")
    answers = study.task.comparisons([answered for _, answered in found], list(study.items))
    pool = {answered.trial: row["pool"] for row, answered in found}
    pools = [pool[str(trial)] for trial in answers.groups["trial"]]
    return Comparisons(
        answers.rows, groups={**answers.groups, "pool": pools}, names=list(study.items)
    )


def export_tables(
    folder: Path, output: Path, *, which: str = REAL, without_flagged: bool = False
) -> Exported:
    """Write all tables of a study except identities.

    Parameters
    ----------
    folder : Path
        The study.
    output : Path
        Table of comparisons; trials.csv, sessions.csv, items.csv and dictionary.csv go beside it.
    which : str
        Which data base.
    without_flagged : bool
        Whether to leave flagged sessions out of the comparisons; the other tables have them.

    Returns
    -------
    Exported
        The files, and how much is in them.
    """
    from ordinate.io.files import write_comparisons

    connection = open_for_reading(folder, which)
    try:
        connection.execute("BEGIN")  # all tables show the same moment, also while answers come in
        study = study_of(connection, folder)
        figures = session_figures(connection, study)
        flagged = [f.session_id for f in figures if f.flags] if without_flagged else []
        answers = comparisons_of(connection, study, without=flagged)
        tables: dict[str, tuple[Sequence[str], list[dict[str, Any]]]] = {
            "trials.csv": (list(TRIAL_COLUMNS), list(_trials(connection, study))),
            "sessions.csv": (list(SESSION_COLUMNS), _sessions(connection, study, figures)),
            "items.csv": _items(study),
            "dictionary.csv": (["file", "column", "meaning"], _dictionary(output.name)),
        }
    finally:
        connection.close()
    if output.name in tables:
        raise InputError(
            f"{output.name} is the name of another table; choose one like answers.csv."
        )
    write_comparisons(answers, output)
    for name, (columns, rows) in tables.items():
        _write(output.with_name(name), columns, rows)
    return Exported(
        files=(output, *(output.with_name(name) for name in tables)),
        n_sessions=len(figures),
        n_trials=len(tables["trials.csv"][1]),
        n_comparisons=len(answers),
        n_left_out=len(flagged),
    )


def export_identities(folder: Path, output: Path, *, which: str = REAL) -> int:
    """Write the private table of who took part, and return how many there are."""
    connection = open_for_reading(folder, which)
    try:
        rows = connection.execute("SELECT * FROM identities ORDER BY session_id").fetchall()
    finally:
        connection.close()
    columns = ["session_id", "external_id", "url_params"]
    _write(output, columns, [dict(zip(columns, row, strict=True)) for row in rows], private=True)
    return len(rows)


def _trials(connection: sqlite3.Connection, study: Study) -> Iterable[dict[str, Any]]:
    task = study.task
    rows = connection.execute(
        "SELECT t.*, a.*, t.trial_id AS trial_id, s.participant, s.study_hash FROM trials t"
        " JOIN sessions s USING (session_id) LEFT JOIN answers a ON a.trial_id=t.trial_id"
        " WHERE t.served_at IS NOT NULL ORDER BY s.ordinal, t.place"
    )
    same = ("study_hash", "trial_id", "session_id", "participant", "block", "pool", "reference")
    also = ("repeat_of", "sampler", "score", "model_version", "served_at", "received_at")
    more = ("rt_ms", "input", "hidden_ms", "presentations")
    for row in rows:
        shown, chosen = json.loads(row["shown"]), json.loads(row["chosen"] or "[]")
        items = [shown[place] for place in chosen]
        if task.kind == "pair_against_pair":
            items = [item for place in chosen for item in shown[2 * place : 2 * place + 2]]
        yield {
            **{name: row[name] for name in (*same, *also, *more)},
            "fallback": str(row["pool"] == "adaptive" and row["sampler"] == "random").lower(),
            "schema": SCHEMA,
            "index": row["place"],
            "task": task.kind,
            "shown": ";".join(shown),
            "n_select": task.n_select,
            "ranked": str(task.ranked).lower(),
            "chosen": ";".join(items),
            "chosen_positions": _joined(chosen),
            "outcome": row["outcome"] or "abandoned",
            "expected": _joined(json.loads(row["expected"])),
            "click_ms": _joined(json.loads(row["click_ms"] or "[]")),
        }


def _joined(numbers: Iterable[int | None]) -> str:
    return ";".join("" if number is None else str(number) for number in numbers)


def _sessions(
    connection: sqlite3.Connection, study: Study, figures: Sequence[Any]
) -> list[dict[str, Any]]:
    rows = {row["session_id"]: row for row in connection.execute("SELECT * FROM sessions")}
    table = []
    for person in figures:
        known = {**dict(rows[person.session_id]), **vars(person), "schema": SCHEMA}
        known["flags"] = ";".join(person.flags)
        table.append({name: known[name] for name in SESSION_COLUMNS})
    return table


def _items(study: Study) -> tuple[list[str], list[dict[str, Any]]]:
    more = [name for item in study.items.values() for name in item.metadata]
    columns = list(dict.fromkeys([*ITEM_COLUMNS, *more]))
    rows = [
        {**item.metadata, **{name: getattr(item, name) for name in ITEM_COLUMNS}}
        for item in study.items.values()
    ]
    return columns, rows


def _dictionary(answers: str) -> list[dict[str, str]]:
    tables: Mapping[str, Mapping[str, str]] = {
        answers: ANSWER_COLUMNS,
        "trials.csv": TRIAL_COLUMNS,
        "sessions.csv": SESSION_COLUMNS,
        "items.csv": ITEM_COLUMNS,
    }
    return [
        {"file": file, "column": column, "meaning": meaning}
        for file, columns in tables.items()
        for column, meaning in columns.items()
    ]


def _write(
    path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], *, private: bool = False
) -> None:
    with atomic_path(path) as temporary:
        if private:
            temporary.touch(mode=0o600)
        with temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([_entry(column) for column in columns])
            for row in rows:
                writer.writerow([_entry(row.get(column)) for column in columns])


def _entry(value: Any) -> Any:
    """Return an entry such that no spreadsheet takes it for a formula; numbers stay as they are."""
    return harmless(value) if isinstance(value, str) else "" if value is None else value
