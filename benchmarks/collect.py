"""How a study server bears many participants at once.

Participants are scripted, each with a connection of its own and so much thought between answers.
They run in processes of their own on the same machine as the server, so both share its cores.
Printed are the times of a request for questions and of an answer that is on disk, requests that
failed, answers per second, what the server needed of processor and memory, and with --adaptive the
share of adaptive questions that were really chosen. It fails if 95 % of the answers take longer
than the goal (100 ms for up to 300 participants, 400 ms for more), or if a request fails.

    python benchmarks/collect.py --participants 300 --seconds 60
    python benchmarks/collect.py --participants 300 --seconds 60 --adaptive
    python benchmarks/collect.py --participants 1000 --seconds 60
    python benchmarks/collect.py --participants 1000 --seconds 60 --adaptive
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import platform
import random
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ordinate.collect.folder import read_study
from ordinate.collect.prepare import new_study
from ordinate.collect.simulate import Client
from ordinate.collect.store import open_for_reading


def make_study(folder: Path, *, adaptive: bool = False) -> None:
    new_study(folder)
    path = folder / "study.toml"
    text = path.read_text()
    for old, new in {
        "random = 40 ": f"random = {200 if adaptive else 400} ",
        "adaptive = 0 ": f"adaptive = {200 if adaptive else 0} ",
        "address_per_minute = 6000": "address_per_minute = 100000000",
        "session_per_minute = 240": "session_per_minute = 100000000",
        "per_hour = 200": "per_hour = 100000000",
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


async def participant(
    client: Client, thought: float, begin: float, end: float, times: dict[str, list[float]]
) -> None:
    """Answer questions until the time is over."""

    async def timed(kind: str, path: str, body: object) -> dict[str, Any]:
        start = time.perf_counter()
        try:
            status, reply = await client.request("POST", path, body)
        except (OSError, asyncio.IncompleteReadError):
            client.close()  # the next request opens a connection
            status, reply = 0, {}
        took = time.perf_counter() - start
        if time.monotonic() > begin:
            times[kind if status == 200 else "failed"].append(took)
        return dict(reply)

    await asyncio.sleep(random.random() * 10 * thought)  # not all ask for questions at once
    while time.monotonic() < end:
        reply = await timed("question", "/api/trials", {})
        trials = reply.get("trials", ())
        assert trials or reply.get("left") != 0, "ran out of questions: choose fewer seconds"
        for trial in trials[:10]:  # the page asks for more when ten are left
            await asyncio.sleep(random.expovariate(1 / thought))
            if time.monotonic() > end:
                break
            answer = {"trial": trial["trial"], "outcome": "answered", "chosen": [0], "rt_ms": 750}
            reply = await timed("answer", "/api/answers", {"answers": [answer]})
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
            await client.post("/api/session", {**agreed, "request": secrets.token_hex(16)})
        all_in.wait()
        begin = time.monotonic() + 12 * options.thought
        end = begin + options.seconds
        people = (participant(one, options.thought, begin, end, times) for one in clients)
        await asyncio.gather(*people)

    asyncio.run(everyone())
    results.put(times)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--participants", type=int, default=300)
    parser.add_argument("--thought", type=float, default=0.75, help="mean seconds per answer")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--processes", type=int, default=2, help="that play participants")
    parser.add_argument("--adaptive", action="store_true", help="half of the questions adaptive")
    parser.add_argument("--port", type=int, default=8799)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study"
        make_study(folder, adaptive=options.adaptive)
        consent = read_study(folder).consent_version
        server = start_server(folder, options.port)
        try:
            results, processor, memories = run(options, consent, server.pid)
        finally:
            server.kill()
            server.wait()
        reached = report(options, results, processor, memories)
        if options.adaptive:
            print(adaptive_shares(folder))
    sys.exit(0 if reached else 1)


def adaptive_shares(folder: Path) -> str:
    """Say how many adaptive questions a model chose, and how old it was."""
    connection = open_for_reading(folder)
    served, chosen, models = connection.execute(
        "SELECT COUNT(*), SUM(sampler!='random'), COUNT(DISTINCT model_version) FROM trials"
        " WHERE pool='adaptive' AND served_at IS NOT NULL"
    ).fetchone()
    connection.close()
    chosen = chosen or 0
    share = 100 * chosen / max(served, 1)
    return f"{chosen:,} of {served:,} adaptive questions ({share:.0f} %) chosen, by {models} models"


def report(
    options: argparse.Namespace,
    results: list[dict[str, list[float]]],
    processor: float,
    memories: list[float],
) -> bool:
    """Print what was measured, and return whether the goal was reached."""
    print(
        f"{options.participants} participants, {options.thought} s of thought,"
        f" {options.seconds:g} s, {os.cpu_count()} cores ({platform.machine()}),"
        f" load {os.getloadavg()[0]:.1f}"
    )
    print("request    count     p50      p95      p99")
    for kind in ("question", "answer"):
        times = [value for result in results for value in result[kind]]
        if not times:
            continue
        marks = "".join(f"{1000 * quantile(times, share):7.1f}ms" for share in (0.5, 0.95, 0.99))
        print(f"{kind:9} {len(times):6,}{marks}")
    answers = [value for result in results for value in result["answer"]]
    n_failed = sum(len(result["failed"]) for result in results)
    memory = " and ".join(f"{megabytes:.0f}" for megabytes in memories)
    print(
        f"{len(answers) / options.seconds:.0f} answers per second; {n_failed} requests failed;"
        f" {1000 * processor / len(answers):.2f} ms of processor time of the server per answer;"
        f" {memory} MB"
    )
    goal = 0.1 if options.participants <= 300 else 0.4
    reached = n_failed == 0 and quantile(answers, 0.95) <= goal
    print(f"95 % of the answers within {1000 * goal:.0f} ms: {'yes' if reached else 'NO'}")
    return reached


if __name__ == "__main__":
    main()
