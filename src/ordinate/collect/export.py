"""What a study has gathered, as tables: comparisons, trials, sessions, items and a dictionary.

No table names anyone: identities are written only by a call of its own. Entries that a
spreadsheet would take for a formula get an apostrophe in front.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ordinate._checks import InputError
from ordinate.collect.figures import (
    COMPARING_POOLS,
    Answered,
    SessionFigures,
    TrialRow,
    answered_of,
    figures_of,
    sessions_of,
    tally_of,
)
from ordinate.collect.folder import refuse_own_files
from ordinate.collect.sessions import COMPLETE, RETURNED, question_of
from ordinate.collect.store import REAL, reading, study_of, unpacked
from ordinate.collect.study import SCHEMA, Study
from ordinate.io.atomic import atomic_path
from ordinate.io.coordinates import harmless, write_table
from ordinate.tasks import PAIR, TASKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons
    from ordinate.scales.pairs import Pairs

TRIAL_COLUMNS = {
    "schema": "version of these tables",
    "study_hash": "hash of the study as it was launched",
    "trial_id": "key of the presentation, made by the server",
    "session_id": "key of the session, see sessions.csv",
    "participant": "pseudonym; the same in every session of one person",
    "index": "place in the session, from 0; practice included",
    "block": "name of the block, main if the study names none",
    "phase": "practice or main",
    "pool": "why it was asked: practice, random, validation, catch, repeat or adaptive",
    "task": f"{', '.join(TASKS[:-1])} or {TASKS[-1]}",
    "reference": "item that the others are compared with; empty for tasks without one",
    "shown": "items in screen order, joined by ';'; of pairs the first two and the last two",
    "n_select": "how many were to be chosen",
    "ranked": "whether the order of choosing counts (true or false)",
    "chosen": "items chosen, joined by ';', in the order of choosing; of pairs the two items; empty"
    " for a tie",
    "chosen_positions": "their positions on the screen from 0, joined by ';'; of pairs 0 or 1; 2"
    " for a tie",
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
    "code_issued": "code that was shown at the end, also to those who stopped",
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
    "i, j, k, l": "i and j are nearer to each other than k and l (pairs)",
    "left, right, answer": "two items, and the one that is more, or tie (pair)",
    "participant": "pseudonym",
    "trial": "trial_id; rows of one trial come from one choice and belong together",
    "pool": "random, validation, repeat or adaptive; judge maps by the first two",
    "status": "complete, or open or expired where the participant has not finished",
}
PART = 5000
"""Answers that are turned into comparisons at a time."""
COUNTS = ("n_sessions", "n_withdrawn", "n_unfinished", "n_flagged", "n_trials", "n_comparisons")


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    files: tuple[Path, ...]
    n_sessions: int
    n_withdrawn: int
    """Sessions that participants stopped: no table has their answers."""
    n_unfinished: int
    """Sessions that are open or have expired."""
    n_flagged: int
    n_trials: int
    n_comparisons: int


def comparisons_of(connection: sqlite3.Connection, study: Study) -> Comparisons:
    """Return the answers as comparisons, grouped by participant, trial, pool and status.

    Those of participants who stopped are not among them.
    """
    from ordinate.comparisons.record import Comparisons

    return Comparisons.concatenate([_comparisons(p, study) for p in _answers_of(connection)])


def pairs_of(connection: sqlite3.Connection, study: Study) -> Pairs:
    """Return the answers about two items, grouped as `comparisons_of` does."""
    from ordinate.scales.pairs import Pairs

    return Pairs.concatenate([_pairs(part, study) for part in _answers_of(connection)])


_Part = list[tuple[tuple[str, str], Answered]]
"""Answers with the pools of their questions and the statuses of their sessions."""


def _comparing(session: sqlite3.Row, rows: Iterable[TrialRow], status: str) -> _Part:
    """Return the answers of a session that are comparisons."""
    return [
        ((row["pool"], status), answered_of(row, session["participant"]))
        for row in rows
        if row["outcome"] == "answered" and row["pool"] in COMPARING_POOLS
    ]


def _in_parts(answers: Iterable[_Part]) -> Iterator[_Part]:
    """Put the answers of sessions together until they are worth a call; refuse to find none."""
    found, part = False, []
    for more in answers:
        part += more
        if len(part) >= PART:
            yield part
            found, part = True, []
    if part:
        yield part
    elif not found:
        raise InputError("The study has no answers that are comparisons yet.")


def _answers_of(connection: sqlite3.Connection) -> Iterator[_Part]:
    """Return the answers that count, some at a time."""
    return _in_parts(
        _comparing(session, rows, session["status"])
        for session, rows in sessions_of(connection)
        if session["status"] != RETURNED
    )


def _comparisons(part: _Part, study: Study) -> Comparisons:
    from ordinate.comparisons.record import Comparisons

    items, chosen, groups = _columns(part, study)
    rows, question = study.task.rows(items, chosen)
    return Comparisons(
        rows, groups={name: of[question] for name, of in groups.items()}, names=list(study.items)
    )


def _pairs(part: _Part, study: Study) -> Pairs:
    from ordinate.scales.pairs import Pairs

    items, chosen, groups = _columns(part, study)
    outcomes = np.array([1, -1, 0])[chosen[:, 0]]
    return Pairs(items, outcomes, groups=groups, names=list(study.items))


def _columns(
    part: _Part, study: Study
) -> tuple[NDArray[np.intp], NDArray[np.intp], dict[str, NDArray[Any]]]:
    """Return the items of each answer, what was chosen, and whose and which it is."""
    number = {name: at for at, name in enumerate(study.items)}
    items = [[number[name] for name in answered.question.items] for _, answered in part]
    labels = [
        (answered.participant, answered.trial, pool, status) for (pool, status), answered in part
    ]
    groups = zip(("participant", "trial", "pool", "status"), zip(*labels, strict=True), strict=True)
    return (
        np.array(items),
        np.array([answered.chosen for _, answered in part]),
        {name: np.array(of) for name, of in groups},
    )


def export_tables(
    folder: Path,
    output: Path,
    *,
    which: str = REAL,
    without_flagged: bool = False,
    complete_only: bool = False,
) -> Exported:
    """Write all tables of a study except identities, in one pass and little memory.

    Of participants who stopped there is a row in sessions.csv, and no question or answer anywhere.
    """
    from ordinate.io.record_files import write_comparisons
    from ordinate.scales.files import pair_columns
    from ordinate.scales.pairs import Pairs

    names = ("trials.csv", "sessions.csv", "items.csv", "dictionary.csv")
    if output.name in names:
        raise InputError(
            f"{output.name} is the name of another table; choose one like answers.csv."
        )
    files = (output, *(output.with_name(name) for name in names))
    count: Counter[str] = Counter()
    with reading(folder, which) as connection, ExitStack() as written:
        connection.execute("PRAGMA cache_size=-65536")  # kB: what belongs together lies apart
        connection.execute("BEGIN")  # all tables show the same moment, also while answers come in
        study = study_of(connection, folder)
        refuse_own_files(study, files)
        items, rows = _items(study)
        columns = (TRIAL_COLUMNS, SESSION_COLUMNS, items, ("file", "column", "meaning"))
        tables = [
            written.enter_context(_table(path, header))
            for path, header in zip(files[1:], columns, strict=True)
        ]
        tables[2].writerows(rows)
        tables[3].writerows(_dictionary(output.name))

        def answers() -> Iterator[_Part]:
            """Write each session on the way."""
            for session, trials in sessions_of(connection):
                figures = figures_of(session, tally_of(trials, study.task), study)
                tables[1].writerow(_session(session, figures))
                count["n_sessions"] += 1
                if figures.status == RETURNED:
                    count["n_withdrawn"] += 1
                    continue
                served = [row for row in trials if row["served_at"] is not None]
                tables[0].writerows(_trial(row, session, study) for row in served)
                flagged, complete = bool(figures.flags), figures.status == COMPLETE
                count.update(n_trials=len(served), n_flagged=flagged, n_unfinished=not complete)
                if not (without_flagged and flagged) and (complete or not complete_only):
                    yield _comparing(session, trials, figures.status)

        def comparisons() -> Iterator[Comparisons]:
            for part in _in_parts(answers()):
                found = _comparisons(part, study)
                count["n_comparisons"] += len(found)
                yield found

        if study.task.name == PAIR:
            pairs = Pairs.concatenate([_pairs(part, study) for part in _in_parts(answers())])
            count["n_comparisons"] = len(pairs)
            write_table(output, pair_columns(pairs))
        else:
            write_comparisons(comparisons(), output)
    return Exported(files, **{name: count[name] for name in COUNTS})


def export_identities(folder: Path, output: Path, *, which: str = REAL) -> int:
    """Write the private table of who took part, and return how many there are."""
    columns = ("session_id", "external_id", "url_params")
    with reading(folder, which) as connection:
        refuse_own_files(study_of(connection, folder), [output])
        rows = connection.execute("SELECT * FROM identities ORDER BY session_id").fetchall()
    with _table(output, columns, private=True) as table:
        table.writerows(map(_entry, row) for row in rows)
    return len(rows)


def _trial(row: TrialRow, session: sqlite3.Row, study: Study) -> list[Any]:
    """Return a row of trials.csv; names of items begin no formula."""
    task = study.task
    shown, chosen = unpacked(row["shown"]), unpacked(row["chosen"] or "[]")
    items = [item for option in task.objects(question_of(row), chosen) for item in option]
    known = {
        **row,
        "schema": SCHEMA,
        "study_hash": session["study_hash"],
        "participant": session["participant"],
        "index": row["place"],
        "task": task.name,
        "shown": ";".join(shown),
        "n_select": task.n_select,
        "ranked": str(task.ranked).lower(),
        "chosen": ";".join(items),
        "chosen_positions": _joined(chosen),
        "outcome": row["outcome"] or "abandoned",
        "expected": _joined(unpacked(row["expected"])),
        "fallback": str(row["pool"] == "adaptive" and row["sampler"] == "random").lower(),
        "click_ms": _joined(json.loads(row["click_ms"] or "[]")),
    }
    return [known[name] for name in TRIAL_COLUMNS]


def _joined(numbers: Iterable[int | None]) -> str:
    return ";".join("" if number is None else str(number) for number in numbers)


def _session(session: sqlite3.Row, figures: SessionFigures) -> list[Any]:
    """Return a row of sessions.csv."""
    known = {**dict(session), **vars(figures), "schema": SCHEMA, "flags": ";".join(figures.flags)}
    return [_entry(known[name]) for name in SESSION_COLUMNS]


def _items(study: Study) -> tuple[list[str], list[list[Any]]]:
    more = [name for item in study.items.values() for name in item.metadata]
    columns = list(dict.fromkeys([*ITEM_COLUMNS, *more]))
    known = [{**item.metadata, **vars(item)} for item in study.items.values()]
    return columns, [[_entry(item.get(name)) for name in columns] for item in known]


def _dictionary(answers: str) -> Iterator[tuple[str, str, str]]:
    tables: Mapping[str, Mapping[str, str]] = {
        answers: ANSWER_COLUMNS,
        "trials.csv": TRIAL_COLUMNS,
        "sessions.csv": SESSION_COLUMNS,
        "items.csv": ITEM_COLUMNS,
    }
    for file, columns in tables.items():
        for column, meaning in columns.items():
            # a file's name may be no text
            yield _entry(file.encode("utf-8", "replace").decode()), column, meaning


@contextmanager
def _table(path: Path, columns: Iterable[str], *, private: bool = False) -> Iterator[Any]:
    """Give a writer of rows; the table is there when the block ends, whole or not at all."""
    with atomic_path(path) as temporary:
        if private:
            temporary.touch(mode=0o600)
        with temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([_entry(column) for column in columns])
            yield writer


def _entry(value: Any) -> Any:
    """Return an entry such that no spreadsheet takes it for a formula; numbers stay as they are."""
    return harmless(value) if isinstance(value, str) else "" if value is None else value
