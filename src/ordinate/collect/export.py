"""What a study has gathered, as tables: comparisons, trials, sessions, items and a dictionary.

No table names anyone: identities are written only by a call of its own. Entries that a
spreadsheet would take for a formula get an apostrophe in front.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ordinate._arguments import argument
from ordinate._checks import InputError, check_choice
from ordinate.collect.figures import (
    COMPARING_POOLS,
    Figures,
    TrialRow,
    figures_of,
    sessions_of,
    tally_of,
)
from ordinate.collect.folder import refuse_own_files
from ordinate.collect.prompts import reply_text
from ordinate.collect.questionnaires import Ask
from ordinate.collect.sessions import (
    COMPLETE,
    FAILED,
    NOT_USED,
    REJECTED,
    RETURNED,
    SCREENED,
    question_of,
)
from ordinate.collect.store import PERSON, REAL, reading, study_of, unpacked
from ordinate.collect.study import SCHEMA, Study
from ordinate.io.atomic import atomic_path
from ordinate.io.coordinates import escape_formula, write_table
from ordinate.tasks import PAIR, Question, Task

if TYPE_CHECKING:
    from ordinate.comparisons.pairs import Pairs
    from ordinate.comparisons.record import Comparisons

TABLES = ("trials", "sessions", "items", "dictionary")
"""Tables beside the comparisons."""
REPLIES = "replies"
"""The table of what machines said, if any were asked."""
PART = 5000
"""Answers that are turned into comparisons at a time."""
COUNTS = (
    *("n_sessions", "n_withdrawn", "n_failed", "n_screened", "n_unfinished", "n_flagged"),
    *("n_rejected", "n_trials", "n_comparisons"),
)


class Column(NamedTuple):
    """What a column of a table holds; `values` lists them where there are few, joined by '; '."""

    meaning: str
    type: str = "text"
    values: str = ""


def _read_codebook() -> dict[str, dict[str, Column]]:
    found: dict[str, dict[str, Column]] = {}
    lines = (files("ordinate.collect") / "codebook.csv").read_text("utf-8").splitlines()
    for row in csv.DictReader(lines):
        column = Column(row["meaning"], row["type"], row["values"])
        found.setdefault(row["table"], {})[row["column"]] = column
    return found


CODEBOOK = _read_codebook()
"""What every column of the exported tables holds, by table and column."""
DICTIONARY = ("file", "column", "type", "values", "meaning")


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    files: tuple[Path, ...]
    counts: Counter[str]
    """Of sessions by what became of them, of trials and of comparisons; see COUNTS."""
    complete_only: bool = False
    without_flagged: bool = False
    include: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        own = {name: value for name, value in vars(self).items() if name != "counts"}
        return {**own, **self.counts, "files": [str(path) for path in self.files]}

    def __str__(self) -> str:
        count = self.counts
        lines = [
            f"{count['n_comparisons']:,} comparisons from {count['n_trials']:,} trials of"
            f" {count['n_sessions']:,} sessions."
        ]
        for what, left_out, option in (
            ("withdrawn", True, ""),
            ("rejected", True, ""),
            ("unfinished", self.complete_only, "complete_only"),
            ("flagged", self.without_flagged, "without_flagged"),
            (FAILED, FAILED not in self.include, "include"),
            (SCREENED, SCREENED not in self.include, "include"),
        ):
            said = "left out" if left_out else "among the comparisons"
            if option == "include" and left_out:
                said += f"; {argument(option, what)} includes them"
            elif option not in ("", "include") and not left_out:
                said += f"; {argument(option, True)} leaves them out"
            if number := count[f"n_{what}"]:
                lines.append(f"Sessions {what}: {number:,}, {said}.")
        return "\n".join([*lines, *(f"Wrote {path}" for path in self.files)])


def answers_to(connection: sqlite3.Connection, study: Study, block: str) -> Comparisons | Pairs:
    """Return people's answers to a block, grouped by participant, trial, pool, status and so on.

    Those of participants who stopped, failed, were screened out or rejected are not among them.
    """
    asked = {block: study.blocks[block]}
    found = (
        _comparing(session, rows, session["status"], asked)
        for session, rows in sessions_of(connection)
        if session["used"] and session["answered_by"] == PERSON
    )
    made: list[Any] = [_record(part, asked, study) for part in _in_parts(found)]
    together: Comparisons | Pairs = type(made[0]).concatenate(made)
    return together


_Part = list[tuple[Any, ...]]
"""Answers: the items of each question, what was chosen, and the labels of its rows."""
LABELS = ("participant", "trial", "pool", "status", "block", "condition", "answered_by", "wave")


def _by_task(study: Study) -> list[Mapping[str, Study]]:
    """Return the blocks of a study, those with the same task together."""
    found: dict[Task, dict[str, Study]] = {}
    for name, block in study.blocks.items():
        found.setdefault(block.task, {})[name] = block
    return list(found.values())


def _comparing(
    session: sqlite3.Row, rows: Iterable[TrialRow], status: str, asked: Mapping[str, Study]
) -> _Part:
    """Return the answers of a session to some blocks that are comparisons."""
    participant = session["participant"]
    whose = (session["condition"], session["answered_by"], session["wave"])
    return [
        (
            *(question_of(row).items, unpacked(row["chosen"])),
            *(participant, row["trial_id"], row["pool"], status, row["block"], *whose),
        )
        for row in rows
        if row["outcome"] == "answered" and row["pool"] in COMPARING_POOLS and row["block"] in asked
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


def _record(
    part: _Part, asked: Mapping[str, Study], study: Study, *, machines: bool = False
) -> Comparisons | Pairs:
    """Return answers to blocks with the same task, with whose and which they are."""
    from ordinate.comparisons.pairs import Pairs
    from ordinate.comparisons.record import Comparisons

    number = {name: at for at, name in enumerate(study.items)}
    questions, chosen, *columns = zip(*part, strict=True)
    items = np.array([[number[name] for name in names] for names in questions])
    needed = {
        **{"block": study.arrays.get("blocks"), "condition": study.design.conditions},
        **{"answered_by": machines, "wave": study.sessions.waves > 1},
    }
    labels = zip(LABELS, map(np.array, columns), strict=True)
    groups = {name: own for name, own in labels if needed.get(name, True)}
    if _task_of(asked).name == PAIR:
        outcomes = np.array([1, -1, 0])[np.array(chosen)[:, 0]]
        return Pairs(items, outcomes, groups=groups, names=list(number))
    rows, question = _task_of(asked).rows(items, np.array(chosen))
    return Comparisons(
        rows, groups={name: own[question] for name, own in groups.items()}, names=list(number)
    )


def export_tables(
    folder: Path,
    output: Path,
    *,
    which: str = REAL,
    without_flagged: bool = False,
    complete_only: bool = False,
    include: Sequence[str] = (),
) -> Exported:
    """Write all tables of a study except identities, in one pass and little memory.

    Of participants who stopped there is a row in sessions.csv, and no question or answer anywhere.
    Sessions that failed or were screened out have no comparisons, unless they are to be included.
    """
    for status in include:
        check_choice("include", status, (FAILED, SCREENED))
    if output.name in [f"{name}.csv" for name in (*TABLES, REPLIES)]:
        raise InputError(
            f"{output.name} is the name of another table; choose one like answers.csv."
        )
    with reading(folder, which) as connection, ExitStack() as written:
        connection.execute("PRAGMA cache_size=-65536")  # kB: what belongs together lies apart
        connection.execute("BEGIN")  # all tables show the same moment, also while answers come in
        study = study_of(connection, folder)
        machines = has_machines(connection)
        names = (*TABLES, *([REPLIES] if machines else []))
        first, *others = _by_task(study)
        stems = Counter[str]()
        more = []
        for asked in others:  # with other settings, a task may come more than once
            stem = f"{output.stem}-{_task_of(asked).name}"
            stems[stem] += 1
            more.append(output.with_stem(f"{stem}-{stems[stem]}" if stems[stem] > 1 else stem))
        beside = {name: output.with_name(f"{name}.csv") for name in names}
        files = (output, *more, *beside.values())
        refuse_own_files(study, files)
        items, rows = _items(study)
        of_sessions = {**CODEBOOK["sessions"], **_question_columns(study)}
        columns = {"trials": CODEBOOK["trials"], "sessions": of_sessions, "items": items}
        columns |= {REPLIES: CODEBOOK[REPLIES]} if machines else {}
        tables = {
            name: written.enter_context(_table(path, columns.get(name, DICTIONARY)))
            for name, path in beside.items()
        }
        tables["items"].writerows(rows)
        if machines:
            tables[REPLIES].writerows(_replies(connection))
        described = {f"{name}.csv": own for name, own in columns.items()}
        described = {output.name: CODEBOOK["answers"], **described}
        tables["dictionary"].writerows(_dictionary(described))
        counts = Counter(dict.fromkeys(COUNTS, 0))
        made = Exported(files, counts, complete_only, without_flagged, tuple(include))
        export = _Export(connection, study, machines, tables, list(of_sessions), made)
        export.write(first, output, first=True)
        for asked, path in zip(others, more, strict=True):
            export.write(asked, path)
    return made


@dataclass
class _Export:
    """The tables of one export while sessions are read."""

    connection: sqlite3.Connection
    study: Study
    machines: bool
    """Whether machines were asked too."""
    tables: Mapping[str, Any]
    """Writers of rows, by the name of the table."""
    columns: Sequence[str]
    """Those of sessions.csv."""
    made: Exported

    def _answers(self, asked: Mapping[str, Study], *, first: bool) -> Iterator[_Part]:
        """Give the answers to a task; on the way of the first one all sessions are written."""
        for session, trials in sessions_of(self.connection):
            figures = figures_of(session, tally_of(trials, self.study), self.study)
            if first:
                self._write_session(session, trials, figures)
            if self._keeps(session, figures):
                yield _comparing(session, trials, figures["status"], asked)

    def _keeps(self, session: sqlite3.Row, figures: Figures) -> bool:
        """Whether the comparisons of a session are wanted; what was decided comes first."""
        if figures["decision"]:
            return bool(session["used"])
        if self.made.without_flagged and figures["flags"]:
            return False
        if not session["used"]:
            return figures["status"] in self.made.include
        return figures["status"] == COMPLETE or not self.made.complete_only

    def _write_session(
        self, session: sqlite3.Row, trials: Sequence[TrialRow], figures: Figures
    ) -> None:
        """Write what is known of a session into all tables that have it."""
        flags = ";".join(figures["flags"])
        known = {**dict(session), **figures, "schema": SCHEMA, "flags": flags}
        if figures["status"] != RETURNED:
            known |= _responses(self.connection, session)
        self.tables["sessions"].writerow([_entry(known.get(name)) for name in self.columns])
        count, status = self.made.counts, figures["status"]
        count.update(n_sessions=1, n_withdrawn=status == RETURNED)
        if status == RETURNED:
            return
        served = [_trial(row, session, self.study) for row in trials if row["served_at"]]
        self.tables["trials"].writerows(map(_TRIAL, served))
        count.update(n_trials=len(served), n_flagged=bool(figures["flags"]))
        count.update(n_rejected=figures["decision"] == REJECTED)
        count.update(n_failed=status == FAILED, n_screened=status == SCREENED)
        count.update(n_unfinished=status not in (COMPLETE, *NOT_USED))

    def write(self, asked: Mapping[str, Study], path: Path, *, first: bool = False) -> None:
        """Write the answers to a task, and with those to the first one what else there is."""
        from ordinate.comparisons.pairs import Pairs
        from ordinate.io.record_files import pair_columns, write_comparisons

        made = self._made(asked, first=first)
        if _task_of(asked).name == PAIR:
            write_table(path, pair_columns(Pairs.concatenate(list(made))))
        else:
            write_comparisons(made, path)

    def _made(self, asked: Mapping[str, Study], *, first: bool) -> Iterator[Any]:
        for part in _in_parts(self._answers(asked, first=first)):
            made = _record(part, asked, self.study, machines=self.machines)
            self.made.counts["n_comparisons"] += len(made)
            yield made


def _task_of(asked: Mapping[str, Study]) -> Task:
    return next(iter(asked.values())).task


def export_identities(folder: Path, output: Path, *, which: str = REAL) -> int:
    """Write the private table of who took part, and return how many there are."""
    columns = ("session_id", "external_id", "url_params")
    with reading(folder, which) as connection:
        refuse_own_files(study_of(connection, folder), [output])
        rows = connection.execute("SELECT * FROM identities ORDER BY session_id").fetchall()
    with _table(output, columns, private=True) as table:
        table.writerows(map(_entry, row) for row in rows)
    return len(rows)


def _trial(row: TrialRow, session: sqlite3.Row, study: Study) -> dict[str, Any]:
    """Return what is known of a trial; names of items begin no formula."""
    task = study.blocks[row["block"]].task
    shown, chosen = _said(task, row["reference"], row["shown"], row["chosen"] or "[]")
    return {
        **row,
        **{name: session[name] for name in _OF_SESSION},
        "schema": SCHEMA,
        "index": row["place"],
        "task": task.name,
        "shown": shown,
        "n_select": task.n_select,
        "ranked": "true" if task.ranked else "false",
        "chosen": chosen,
        "chosen_positions": _joined(row["chosen"]),
        "outcome": row["outcome"] or "abandoned",
        "expected": _joined(row["expected"]),
        "fallback": "true" if row["pool"] == "adaptive" and row["sampler"] == "random" else "false",
        "click_ms": _joined(row["click_ms"]),
    }


_TRIAL = itemgetter(*CODEBOOK["trials"])
_OF_SESSION = ("study_hash", "participant", "answered_by", "condition", "wave")


@lru_cache(maxsize=2**14)
def _said(task: Task, reference: str | None, shown: str, chosen: str) -> tuple[str, str]:
    """Return the items that were shown, and those that were chosen."""
    question = Question(reference, unpacked(shown))
    objects = task.objects(question, unpacked(chosen))
    return ";".join(question.shown), ";".join(item for option in objects for item in option)


def _joined(numbers: str | None) -> str:
    """Return numbers that a column holds as JSON, joined; null is empty."""
    return (numbers or "")[1:-1].replace(", ", ";").replace("null", "")


def has_machines(connection: sqlite3.Connection) -> bool:
    """Whether machines were asked too."""
    query = "SELECT 1 FROM sessions WHERE answered_by!=? LIMIT 1"
    return connection.execute(query, (PERSON,)).fetchone() is not None


def _replies(connection: sqlite3.Connection) -> Iterator[list[Any]]:
    """Return the rows of replies.csv: what machines said, as it came."""
    for row in connection.execute(
        "SELECT r.*, s.session_id, s.participant, s.answered_by, a.outcome FROM replies r"
        " JOIN trials t USING (trial_id) JOIN sessions s USING (session_id)"
        " LEFT JOIN answers a ON a.trial_id=r.trial_id ORDER BY s.ordinal, t.place"
    ):
        known = {**row, "text": reply_text(row["body"] or "")}
        yield [_entry(known[name]) for name in CODEBOOK[REPLIES]]


def _responses(connection: sqlite3.Connection, session: sqlite3.Row) -> dict[str, Any]:
    """Return the answers of a session to questionnaires, by the names of their columns."""
    found = {}
    for moment, name, text in connection.execute(
        "SELECT moment, name, answer FROM responses WHERE session_id=?", (session["session_id"],)
    ):
        answer = json.loads(text)
        found[_question_column(moment, name)] = (
            ";".join(answer) if isinstance(answer, list) else answer
        )
    return found


def _asks(study: Study) -> Iterator[tuple[str, Ask]]:
    """Return all questions of questionnaires that anyone may be asked, with their moments."""
    most = max(len(study.blocks_of(condition)) for condition in study.conditions)
    between = [f"between-{number}" for number in range(1, most)]
    for moment in ("before", *between, "after"):
        for ask in study.questionnaires[moment.partition("-")[0]]:
            yield moment, ask


def _question_columns(study: Study) -> dict[str, Column]:
    """Return the columns of sessions.csv for questionnaires."""
    found = {}
    for moment, ask in _asks(study):
        values = ask.options or (range(1, ask.points + 1) if ask.kind == "scale" else ())
        kind = {"number": "number", "scale": "integer", "choices": "list"}.get(ask.kind, "text")
        listed = "; ".join(str(value) for value in values)
        found[_question_column(moment, ask.name)] = Column(ask.ask, kind, listed)
    return found


def _question_column(moment: str, name: str) -> str:
    _, _, number = moment.partition("-")
    return f"q_{name}_{number}" if number else f"q_{name}"


def _items(study: Study) -> tuple[dict[str, Column], list[list[Any]]]:
    more = [name for item in study.items.values() for name in item.metadata]
    own = {name: Column("column of the experimenter's items.csv") for name in more}
    columns = {**CODEBOOK["items"], **{n: own[n] for n in own if n not in CODEBOOK["items"]}}
    known = [{**item.metadata, **vars(item)} for item in study.items.values()]
    return columns, [[_entry(item.get(name)) for name in columns] for item in known]


def _dictionary(tables: Mapping[str, Mapping[str, Column]]) -> Iterator[list[str]]:
    """Return the rows of dictionary.csv, the codebook."""
    for file, columns in tables.items():
        for name, column in columns.items():
            # a file's name may be no text
            known = (file.encode("utf-8", "replace").decode(), name)
            yield [_entry(e) for e in (*known, column.type, column.values, column.meaning)]


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
    return escape_formula(value) if isinstance(value, str) else "" if value is None else value
