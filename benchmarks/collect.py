"""How a study server bears many participants at once.

Participants are scripted, each with a connection of its own and so much thought between answers.
They run in processes of their own on the same machine as the server, so both share its cores.
Measured are the times until an answer is on disk, requests that failed, answers per second, what
the server needed of processor and memory, and the share of adaptive questions that were really
chosen. 95 % of the answers should take at most 100 ms (300 participants) or 400 ms (1,000).

With --front-end participants are asked by another program, one question at a time, and the time of
GET /api/next counts: 95 % should take at most 50 ms with 100 of them. Without --participants all
four cases of the page are measured and written there.

With --starts participants come one after the other within some seconds, load the page and begin a
session, while those who are there answer. 95 % of the sessions should begin within 500 ms.

    python benchmarks/collect.py
    python benchmarks/collect.py --participants 1000 --adaptive
    python benchmarks/collect.py --participants 100 --front-end
    python benchmarks/collect.py --starts
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pages import conditions, list_table, put_tables  # the script beside this one

from ordinate.collect.folder import read_study
from ordinate.collect.prepare import new_study
from ordinate.collect.simulate import Client
from ordinate.collect.store import open_for_reading

FRONT_END = "bench"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "collect.rst"


def make_study(folder: Path, *, adaptive: bool = False, usual: bool = False) -> None:
    new_study(folder)
    path = folder / "study.toml"
    text = path.read_text()
    for old, new in {
        "random = 40 ": f"random = {40 if usual else 200 if adaptive else 400} ",
        "adaptive = 0 ": f"adaptive = {200 if adaptive else 0} ",
        "address_per_minute = 6000": "address_per_minute = 100000000",
        "session_per_minute = 240": "session_per_minute = 100000000",
        "per_hour = 200": "per_hour = 100000000",
        "names = [] ": f'names = ["{FRONT_END}"] ',
    }.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def start_server(folder: Path, port: int) -> subprocess.Popen[str]:
    command = "from ordinate.cli import main; main()"
    arguments = ["collect", "serve", str(folder), "--port", str(port)]
    server = subprocess.Popen(
        [sys.executable, "-c", command, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    while not server.stdout.readline().startswith("Stop"):
        pass
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server
        except OSError:
            time.sleep(0.05)


async def timed(
    client: Client,
    begin: float,
    times: dict[str, list[float]],
    kind: str,
    path: str,
    body: object = None,
) -> dict[str, Any]:
    """Send a request, and keep how long it took."""
    start = time.perf_counter()
    try:
        status, reply = await client.request("GET" if body is None else "POST", path, body)
    except (OSError, asyncio.IncompleteReadError):
        client.close()  # the next request opens a connection
        status, reply = 0, {}
    took = time.perf_counter() - start
    if time.monotonic() > begin:
        times[kind if status == 200 else "failed"].append(took)
    return dict(reply)


async def asked_elsewhere(
    client: Client, thought: float, begin: float, end: float, times: dict[str, list[float]]
) -> None:
    """Answer questions that a front end asks one by one."""
    who = secrets.token_hex(8)
    await asyncio.sleep(random.random() * 10 * thought)
    while time.monotonic() < end:
        address = f"/api/next?participant={who}"
        found = await timed(client, begin, times, "question", address)
        await asyncio.sleep(random.expovariate(1 / thought))
        answer = {"trial": found.get("trial"), "chosen": [0], "rt_ms": 750}
        body = {"participant": who, "answers": [answer]}
        await timed(client, begin, times, "answer", "/api/answers", body)
    client.close()


async def participant(
    client: Client, thought: float, begin: float, end: float, times: dict[str, list[float]]
) -> None:
    """Answer questions until the time is over."""
    await asyncio.sleep(random.random() * 10 * thought)  # not all ask for questions at once
    while time.monotonic() < end:
        reply = await timed(client, begin, times, "question", "/api/trials", {})
        trials = reply.get("trials", ())
        assert trials or reply.get("left") != 0, "ran out of questions: choose fewer seconds"
        for trial in trials[:10]:  # the page asks for more when ten are left
            await asyncio.sleep(random.expovariate(1 / thought))
            if time.monotonic() > end:
                break
            answer = {"trial": trial["trial"], "outcome": "answered", "chosen": [0], "rt_ms": 750}
            reply = await timed(
                client, begin, times, "answer", "/api/answers", {"answers": [answer]}
            )
            assert reply.get("stored", {}) in ({}, {trial["trial"]: True})
        else:
            await asyncio.sleep(0 if trials else thought)
    client.close()


def crowd(
    options: argparse.Namespace, number: int, consent: str, all_in: Any, results: Any
) -> None:
    """Play some of the participants; nobody begins before everyone has a session."""
    times: dict[str, list[float]] = {"question": [], "answer": [], "failed": []}
    agreed = {"consent": True, "consent_version": consent}

    async def everyone() -> None:
        clients = [Client("127.0.0.1", options.port) for _ in range(number)]
        for client in clients:
            if options.front_end:
                client.header, client.token = "authorization", f"Bearer {options.front_end}"
                continue
            await client.post("/api/session", {**agreed, "request": secrets.token_hex(16)})
        all_in.wait()
        begin = time.monotonic() + 12 * options.thought
        end = begin + options.seconds
        play = asked_elsewhere if options.front_end else participant
        people = (play(one, options.thought, begin, end, times) for one in clients)
        await asyncio.gather(*people)

    asyncio.run(everyone())
    results.put(times)


async def newcomer(
    client: Client, options: argparse.Namespace, consent: str, times: dict[str, list[float]]
) -> None:
    """Come at a moment of one's own, begin a session, and answer until everyone has come."""
    begin = time.monotonic()
    await asyncio.sleep(random.random() * options.within)
    await timed(client, begin, times, "state", "/api/state")
    agreed = {"consent": True, "consent_version": consent, "request": secrets.token_hex(16)}
    start = time.perf_counter()
    await client.post("/api/session", agreed)
    times["session"].append(time.perf_counter() - start)
    end = begin + options.within
    play = dict[str, list[float]](question=[], answer=[], failed=times["failed"])
    await participant(client, options.thought, begin, end, play)
    times["answer"] += play["answer"]


def measure_starts(options: argparse.Namespace) -> tuple[object, ...]:
    """Let everybody come within so many seconds, and return a row of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study"
        make_study(folder, usual=True)
        consent = read_study(folder).consent_version
        server = start_server(folder, options.port)
        kinds = ("state", "session", "answer", "failed")
        times: dict[str, list[float]] = {kind: [] for kind in kinds}

        async def everyone() -> None:
            clients = [Client("127.0.0.1", options.port) for _ in range(options.participants)]
            people = (newcomer(client, options, consent, times) for client in clients)
            await asyncio.gather(*people)

        try:
            asyncio.run(everyone())
            processor, _ = used_by(server.pid)
        finally:
            server.kill()
            server.wait()
        assert len(times["session"]) == options.participants
        shares = (f"{1000 * quantile(times['session'], share):.0f}" for share in (0.5, 0.95, 0.99))
        within = f"within {options.within:g} s" if options.within else "at one moment"
        return (
            f"{options.participants:,} {within}",
            *shares,
            500,
            f"{1000 * quantile(times['answer'], 0.95):.0f}" if times["answer"] else "",
            len(times["failed"]),
            f"{processor:.1f}",
        )


def children_of(process: int) -> list[int]:
    """Return the processes that a process has started."""
    path = Path(f"/proc/{process}/task/{process}/children")
    return [int(name) for name in path.read_text().split()]


def used_by(process: int) -> tuple[float, float]:
    """Return processor seconds and the largest memory in MB of a process, from Linux's records."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    status = Path(f"/proc/{process}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return ticks / os.sysconf("SC_CLK_TCK"), int(peak.split()[1]) / 1024


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def run(
    options: argparse.Namespace, consent: str, server: int
) -> tuple[list[dict[str, list[float]]], float, list[float]]:
    """Let everyone take part; return their times, and the server's processor time and memory.

    The memory of the process that chooses questions comes behind that of the server.
    """
    all_in = multiprocessing.Barrier(options.processes + 1)
    queue: Any = multiprocessing.Queue()
    share = options.participants // options.processes
    arguments = (options, share, consent, all_in, queue)
    crowds = [
        multiprocessing.Process(target=crowd, args=arguments) for _ in range(options.processes)
    ]
    for one in crowds:
        one.start()
    all_in.wait()
    time.sleep(12 * options.thought)
    before, _ = used_by(server)
    time.sleep(options.seconds)
    after, memory = used_by(server)
    memories = [memory, *(used_by(child)[1] for child in children_of(server))]
    results = [queue.get() for _ in crowds]
    for one in crowds:
        one.join()
    return results, after - before, memories


HEAD = ("participants", "answers per second", "median (ms)", "95 % (ms)", "99 % (ms)", "goal (ms)")
HEAD += ("failed requests", "server, CPU ms per answer", "server (MB)", "model (MB)")
HEAD += ("adaptive questions chosen", "models")
STARTS = ("participants come", "median (ms)", "95 % (ms)", "99 % (ms)", "goal (ms)")
STARTS += ("answers meanwhile, 95 % (ms)", "failed requests", "server, CPU s in all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--participants", type=int, default=0)
    parser.add_argument("--thought", type=float, default=0.75, help="mean seconds per answer")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--processes", type=int, default=2, help="that play participants")
    parser.add_argument("--adaptive", action="store_true", help="half of the questions adaptive")
    parser.add_argument("--front-end", action="store_true", help="asked by another program")
    parser.add_argument("--starts", action="store_true", help="how long sessions take to begin")
    parser.add_argument("--port", type=int, default=8799)
    options = parser.parse_args()
    if options.starts:
        options.participants, options.thought = options.participants or 1000, 3.0
        rows = []
        for options.within in (120, 60, 30, 0):
            rows.append(measure_starts(options))
            print(*rows[-1], sep=" | ", flush=True)
        load = f"load at the end {os.getloadavg()[0]:.1f}"
        put_tables(PAGE, {"starts": f"{conditions()}; {load}.\n\n{list_table(STARTS, rows)}"})
        return
    cases = [(options.participants, options.adaptive)]
    if not options.participants:
        cases = [(300, False), (300, True), (1000, False), (1000, True)]
    print(*HEAD, sep=" | ")
    rows = []
    for options.participants, options.adaptive in cases:
        rows.append(measure(options))
        print(*rows[-1], sep=" | ", flush=True)
    if len(rows) > 1:
        load = f"load at the end {os.getloadavg()[0]:.1f}"
        how = f"{conditions()}; {options.seconds:g} s per row, {load}."
        put_tables(PAGE, {"load": f"{how}\n\n{list_table(HEAD, rows)}"})


def measure(options: argparse.Namespace) -> tuple[object, ...]:
    """Let people take part in a new study, and return a row of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study"
        make_study(folder, adaptive=options.adaptive)
        consent = read_study(folder).consent_version
        server = start_server(folder, options.port)
        if options.front_end:
            options.front_end = (folder / f"data/answers.{FRONT_END}.token").read_text().strip()
        try:
            results, processor, memories = run(options, consent, server.pid)
        finally:
            server.kill()
            server.wait()
        answers = [value for result in results for value in result["answer"]]
        shares = (f"{1000 * quantile(answers, share):.1f}" for share in (0.5, 0.95, 0.99))
        if options.front_end:
            asked = [1000 * value for result in results for value in result["question"]]
            times = ", ".join(f"{quantile(asked, share):.1f}" for share in (0.5, 0.95, 0.99))
            print(f"GET /api/next, ms, median, 95 %, 99 % of {len(asked):,}: {times}")
        memory = [f"{megabytes:.0f}" for megabytes in memories]
        chosen, served, models = adaptive_counts(folder)
        return (
            f"{options.participants:,}, {'half adaptive' if options.adaptive else 'random'}",
            f"{len(answers) / options.seconds:,.0f}",
            *shares,
            100 if options.participants <= 300 else 400,
            sum(len(result["failed"]) for result in results),
            f"{1000 * processor / len(answers):.2f}",
            memory[0],
            *(memory[1:2] or [""]),
            f"{chosen:,} of {served:,} ({chosen / served:.0%})" if served else "",
            models or "",
        )


def adaptive_counts(folder: Path) -> tuple[int, int, int]:
    """Return how many adaptive questions a model chose, of how many served, and by how many."""
    connection = open_for_reading(folder)
    served, chosen, models = connection.execute(
        "SELECT COUNT(*), COALESCE(SUM(sampler!='random'), 0), COUNT(DISTINCT model_version)"
        " FROM trials WHERE pool='adaptive' AND served_at IS NOT NULL"
    ).fetchone()
    connection.close()
    return chosen, served, models


if __name__ == "__main__":
    main()
