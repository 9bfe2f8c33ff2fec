"""What the tables and the experimenter's page of a large study cost.

A study with so many answered trials is written straight into its data base. Then it is exported by
`ordinate collect export` in a process of its own, and the figures of the experimenter's page are
counted: for the first time after a start, and again while some people answer, as the page asks
every few seconds. The page gets seconds, processor seconds and the largest memory.

    python benchmarks/collect_export.py
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from pages import conditions, list_table, put_tables

from collect import PAGE  # the scripts beside this one
from ordinate.collect.experimenter import Experimenter
from ordinate.collect.folder import read_study
from ordinate.collect.plan import make_plan
from ordinate.collect.prepare import new_study
from ordinate.collect.store import Store, now

PLANS = 100
"""Different plans; everyone has one of them."""
ACTIVE = 30
"""People who answer between two looks at the experimenter's page."""


def fill(folder: Path, n_trials: int) -> int:
    """Write the folder of a study whose participants have answered everything."""
    new_study(folder)
    study = read_study(folder)
    plans = [make_plan(study, seed) for seed in range(PLANS)]
    n_sessions = -(-n_trials // len(plans[0]))
    store = Store(study)
    path = store.path
    store.close()
    rng, time_ = Random(0), "2026-01-01T12:00:00.000Z"  # long ago: they answer no more
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        for number in range(n_sessions):
            session = f"s{rng.getrandbits(48):012x}"
            connection.execute(
                "INSERT INTO sessions (session_id, ordinal, token_hash, request, study_hash,"
                " participant, recruiter, consent_version, consent_at, seed, user_agent, viewport,"
                " pixel_ratio, started_at, last_seen_at, finished_at, status, code_issued)"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'complete',?)",
                (
                    *(session, number + 1, str(number), str(number), study.hash),
                    *(f"p{rng.getrandbits(40):010x}", "", study.consent_version, time_, number),
                    *("Browser/1", "1280x720", 1.0, time_, time_, time_, f"{number:08X}"),
                ),
            )
            trials, answers = zip(
                *answered(plans[number % PLANS], session, time_, rng), strict=True
            )
            connection.executemany(f"INSERT INTO trials VALUES ({','.join('?' * 14)})", trials)
            connection.executemany(f"INSERT INTO answers VALUES ({','.join('?' * 9)})", answers)
        connection.execute("COMMIT")
    return n_sessions


def answered(
    plan: list[Any], session: str, time_: str, rng: Random
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Make the rows of a participant's questions and answers."""
    names = [f"t{session[1:]}{place:04x}{rng.getrandbits(32):08x}" for place in range(len(plan))]
    for place, planned in enumerate(plan):
        question, repeat = planned.question, planned.repeat_of
        rt = round(400 + rng.expovariate(1 / 600))
        trial = (
            *(names[place], session, place, planned.phase, planned.pool, question.reference),
            *(json.dumps(question.shown), json.dumps(question.expected), planned.sampler),
            *(None, None, None if repeat is None else names[repeat], time_, "main"),
        )
        answer = (names[place], "answered", f"[{rng.randrange(2)}]", time_, rt, f"[{rt}]")
        yield trial, (*answer, 0, "mouse", 1)


def export(folder: Path, output: Path) -> tuple[str, ...]:
    """Export in a process of its own; return seconds, of them busy, memory and size in MB."""
    command = "from ordinate.cli import main; main()"
    arguments = ["collect", "export", str(folder), "-o", str(output)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", command, *arguments], check=True, stdout=sys.stderr)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = sum(path.stat().st_size for path in output.parent.iterdir()) / 1e6
    memory = after.ru_maxrss / 1024
    return f"{took:.1f}", f"{processor:.1f}", f"{memory:.0f}", f"{size:.0f}"


def count(folder: Path) -> tuple[str, ...]:
    """Count the figures of the page twice, some people having answered in between."""
    store = Store(read_study(folder))
    desk = Experimenter(store.study, store, live=False)
    seconds = []
    try:
        for _ in range(2):
            began = time.thread_time()
            json.dumps(desk.count())
            seconds.append(time.thread_time() - began)
            store.submit(
                lambda connection: connection.execute(
                    "UPDATE sessions SET last_seen_at=? WHERE ordinal<=?", (now(), ACTIVE)
                )
            ).result()
    finally:
        store.close()
    return tuple(f"{1000 * took:.0f}" for took in seconds)


HEAD = ("trials", "sessions", "export (s)", "CPU s", "memory (MB)", "tables (MB)")
HEAD += ("page, at the start (CPU ms)", "page, each look (CPU ms)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, nargs="+", default=[100_000, 1_000_000])
    options = parser.parse_args()
    rows = []
    print(*HEAD, sep=" | ")
    for n_trials in options.trials:
        with tempfile.TemporaryDirectory() as place:
            folder, tables = Path(place) / "study", Path(place) / "tables"
            tables.mkdir()
            n_sessions = fill(folder, n_trials)
            looks = count(folder)
            taken = export(folder, tables / "answers.csv")
        rows.append((f"{n_trials:,}", f"{n_sessions:,}", *taken, *looks))
        print(*rows[-1], sep=" | ", flush=True)
    how = f"{conditions()}; load at the end {os.getloadavg()[0]:.1f}."
    put_tables(PAGE, {"export": f"{how}\n\n{list_table(HEAD, rows)}"})


if __name__ == "__main__":
    main()
