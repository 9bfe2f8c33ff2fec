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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ordinate._checks import InputError
from ordinate.collect.codebook import (
    ANSWER_COLUMNS,
    DICTIONARY,
    ITEM_COLUMNS,
    LONG_COLUMNS,
    SESSION_COLUMNS,
    TRIAL_COLUMNS,
    WIDE_TRIAL,
    Column,
)
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
from ordinate.collect.plan import places_of
from ordinate.collect.questionnaires import Ask
from ordinate.collect.sessions import COMPLETE, RETURNED, question_of
from ordinate.collect.store import REAL, reading, study_of, unpacked
from ordinate.collect.study import SCHEMA, Study
from ordinate.io.atomic import atomic_path
from ordinate.io.coordinates import harmless, write_table
from ordinate.tasks import PAIR, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons
    from ordinate.scales.pairs import Pairs

TABLES = ("trials", "sessions", "items", "long", "wide", "dictionary")
"""Tables beside the comparisons."""
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

    Those of participants who stopped are not among them. Of a study with several tasks they are
    the answers to the first one.
    """
    from ordinate.comparisons.record import Comparisons

    asked = _by_task(study)[0]
    parts = _answers_of(connection, asked)
    return Comparisons.concatenate([_comparisons(part, asked, study) for part in parts])


def pairs_of(connection: sqlite3.Connection, study: Study) -> Pairs:
    """Return the answers about two items, grouped as `comparisons_of` does."""
    from ordinate.scales.pairs import Pairs

    parts = _answers_of(connection, _by_task(study)[0])
    return Pairs.concatenate([_pairs(part, study) for part in parts])


_Part = list[tuple[tuple[str, ...], Answered]]
"""Answers with pool, status, block and condition."""
LABELS = ("pool", "status", "block", "condition")


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
    condition = session["condition"]
    return [
        ((row["pool"], status, row["block"], condition), answered_of(row, session["participant"]))
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


def _answers_of(connection: sqlite3.Connection, asked: Mapping[str, Study]) -> Iterator[_Part]:
    """Return the answers to some blocks that count, some at a time."""
    return _in_parts(
        _comparing(session, rows, session["status"], asked)
        for session, rows in sessions_of(connection)
        if session["status"] != RETURNED
    )


def _comparisons(part: _Part, asked: Mapping[str, Study], study: Study) -> Comparisons:
    """Return answers to blocks with the same task as comparisons."""
    from ordinate.comparisons.record import Comparisons

    items, chosen, groups = _columns(part, study)
    rows, question = _task_of(asked).rows(items, chosen)
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
    columns = zip(*((found.participant, found.trial, *of) for of, found in part), strict=True)
    groups = dict(zip(("participant", "trial", *LABELS), columns, strict=True))
    if not study.arrays.get("blocks"):
        del groups["block"]
    if not study.design.conditions:
        del groups["condition"]
    return (
        np.array(items),
        np.array([answered.chosen for _, answered in part]),
        {name: np.array(of) for name, of in groups.items()},
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

    names = [f"{name}.csv" for name in TABLES]
    if output.name in names:
        raise InputError(
            f"{output.name} is the name of another table; choose one like answers.csv."
        )
    count: Counter[str] = Counter()
    with reading(folder, which) as connection, ExitStack() as written:
        connection.execute("PRAGMA cache_size=-65536")  # kB: what belongs together lies apart
        connection.execute("BEGIN")  # all tables show the same moment, also while answers come in
        study = study_of(connection, folder)
        first, *others = _by_task(study)
        more = [output.with_stem(f"{output.stem}-{_task_of(asked).name}") for asked in others]
        files = (output, *more, *(output.with_name(name) for name in names))
        refuse_own_files(study, files)
        items, rows = _items(study)
        wide = _wide_columns(study)
        columns = {"trials": TRIAL_COLUMNS, "sessions": SESSION_COLUMNS, "items": items}
        columns |= {"long": LONG_COLUMNS, "wide": wide}
        tables = {
            name: written.enter_context(
                _table(output.with_name(f"{name}.csv"), columns.get(name, DICTIONARY))
            )
            for name in TABLES
        }
        tables["items"].writerows(rows)
        described = {output.name: ANSWER_COLUMNS, **{f"{n}.csv": c for n, c in columns.items()}}
        tables["dictionary"].writerows(_dictionary(described))

        def kept(figures: SessionFigures) -> bool:
            """Whether the comparisons of a session are wanted."""
            complete = figures.status == COMPLETE
            return not (without_flagged and figures.flags) and (complete or not complete_only)

        def answers() -> Iterator[_Part]:
            """Write each session on the way."""
            for session, trials in sessions_of(connection):
                figures = figures_of(session, tally_of(trials, study), study)
                known = _session(session, figures)
                tables["sessions"].writerow([_entry(known[name]) for name in SESSION_COLUMNS])
                count["n_sessions"] += 1
                if figures.status == RETURNED:
                    count["n_withdrawn"] += 1
                    continue
                served = [
                    _trial(row, session, study) for row in trials if row["served_at"] is not None
                ]
                tables["trials"].writerows([row[n] for n in TRIAL_COLUMNS] for row in served)
                responses = _responses(connection, session, study)
                tables["long"].writerows(_long(known, served, responses))
                tables["wide"].writerow(_wide(known, served, responses, wide))
                flagged, complete = bool(figures.flags), figures.status == COMPLETE
                count.update(n_trials=len(served), n_flagged=flagged, n_unfinished=not complete)
                if kept(figures):
                    yield _comparing(session, trials, figures.status, first)

        def other_answers(asked: Mapping[str, Study]) -> Iterator[_Part]:
            for session, trials in sessions_of(connection):
                figures = figures_of(session, tally_of(trials, study), study)
                if figures.status != RETURNED and kept(figures):
                    yield _comparing(session, trials, figures.status, asked)

        def comparisons(
            found: Iterator[_Part], asked: Mapping[str, Study]
        ) -> Iterator[Comparisons]:
            for part in _in_parts(found):
                made = _comparisons(part, asked, study)
                count["n_comparisons"] += len(made)
                yield made

        def write(found: Iterator[_Part], asked: Mapping[str, Study], path: Path) -> None:
            if _task_of(asked).name != PAIR:
                write_comparisons(comparisons(found, asked), path)
                return
            pairs = Pairs.concatenate([_pairs(part, study) for part in _in_parts(found)])
            count["n_comparisons"] += len(pairs)
            write_table(path, pair_columns(pairs))

        write(answers(), first, output)
        for asked, path in zip(others, more, strict=True):
            write(other_answers(asked), asked, path)
    return Exported(files, **{name: count[name] for name in COUNTS})


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
    shown, chosen = unpacked(row["shown"]), unpacked(row["chosen"] or "[]")
    items = [item for option in task.objects(question_of(row), chosen) for item in option]
    return {
        **row,
        "schema": SCHEMA,
        "study_hash": session["study_hash"],
        "participant": session["participant"],
        "condition": session["condition"],
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


def _asked(trial: Mapping[str, Any]) -> str:
    """Return the items of a trial, the reference first."""
    return ";".join(filter(None, (trial["reference"], trial["shown"])))


@dataclass(frozen=True)
class _Response:
    """An answer to a question of a questionnaire, or why there is none."""

    moment: str
    ask: str
    name: str
    outcome: str
    answer: Any
    received_at: str
    rt_ms: int | None


def _responses(
    connection: sqlite3.Connection, session: sqlite3.Row, study: Study
) -> list[_Response]:
    """Return the answers of a session to questionnaires, in the order of the questions."""
    found = {
        (row["moment"], row["name"]): row
        for row in connection.execute(
            "SELECT * FROM responses WHERE session_id=?", (session["session_id"],)
        )
    }
    responses = []
    for moment, ask in _asks(study):
        if (row := found.get((moment, ask.name))) is not None:
            answer = json.loads(row["answer"])
            entry = ";".join(answer) if isinstance(answer, list) else answer
            said = (moment, ask.ask, ask.name, row["outcome"], entry)
            responses.append(_Response(*said, row["received_at"], row["rt_ms"]))
    return responses


def _asks(study: Study) -> Iterator[tuple[str, Ask]]:
    """Return all questions of questionnaires that anyone may be asked, with their moments."""
    most = max(len(study.blocks_of(condition)) for condition in study.design.conditions or ("",))
    between = [f"between-{number}" for number in range(1, most)]
    for moment in ("before", *between, "after"):
        for ask in study.questionnaires[moment.partition("-")[0]]:
            yield moment, ask


def _long(
    session: Mapping[str, Any], trials: Sequence[Mapping[str, Any]], responses: Sequence[_Response]
) -> Iterator[list[Any]]:
    """Return the rows of long.csv of a session, in the order in which they were answered."""
    rows = [
        {**vars(r), "type": "question", "block": r.moment, "asked": r.ask, "pool": "questionnaire"}
        for r in responses
    ] + [
        {**trial, "type": "trial", "name": trial["trial_id"]}
        | {"asked": _asked(trial), "answer": trial["chosen"]}
        for trial in trials
    ]
    last = "9999"  # what has no answer comes last
    rows.sort(key=lambda row: row["received_at"] or last)
    for number, row in enumerate(rows, start=1):
        known = {**session, **row, "row": number}
        yield [_entry(known[name]) for name in LONG_COLUMNS]


def _wide_columns(study: Study) -> dict[str, Column]:
    """Return the columns of wide.csv: the session, its questionnaires, its comparisons."""
    found = dict(SESSION_COLUMNS)
    for moment, ask in _asks(study):
        values = ask.options or (range(1, ask.points + 1) if ask.kind == "scale" else ())
        kind = {"number": "number", "scale": "integer", "choices": "list"}.get(ask.kind, "text")
        listed = "; ".join(str(value) for value in values)
        found[_question_column(moment, ask.name)] = Column(ask.ask, kind, listed)
    conditions = study.design.conditions or ("",)
    most = max(len(places_of(study, study.blocks_of(condition))) for condition in conditions)
    for number in range(1, most + 1):
        for name, column in WIDE_TRIAL.items():
            meaning = f"question {number} of the session: {column.meaning}"
            found[f"trial_{number}_{name}"] = column._replace(meaning=meaning)
    return found


def _question_column(moment: str, name: str) -> str:
    _, _, number = moment.partition("-")
    return f"q_{name}_{number}" if number else f"q_{name}"


def _wide(
    session: Mapping[str, Any],
    trials: Sequence[Mapping[str, Any]],
    responses: Sequence[_Response],
    columns: Iterable[str],
) -> list[Any]:
    """Return the row of wide.csv of a session."""
    known = dict(session)
    known |= {_question_column(r.moment, r.name): r.answer for r in responses}
    for trial in trials:
        said = {"asked": _asked(trial), "answer": trial["chosen"], "rt_ms": trial["rt_ms"]}
        known |= {f"trial_{trial['index'] + 1}_{name}": value for name, value in said.items()}
    return [_entry(known.get(name)) for name in columns]


def _joined(numbers: Iterable[int | None]) -> str:
    return ";".join("" if number is None else str(number) for number in numbers)


def _session(session: sqlite3.Row, figures: SessionFigures) -> dict[str, Any]:
    """Return what is known of a session."""
    return {**dict(session), **vars(figures), "schema": SCHEMA, "flags": ";".join(figures.flags)}


def _items(study: Study) -> tuple[dict[str, Column], list[list[Any]]]:
    more = [name for item in study.items.values() for name in item.metadata]
    own = {name: Column("column of the experimenter's items.csv") for name in more}
    columns = {**ITEM_COLUMNS, **{n: own[n] for n in own if n not in ITEM_COLUMNS}}
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
    return harmless(value) if isinstance(value, str) else "" if value is None else value
