"""How a study server bears many participants at once.

Participants are scripted, each with a connection of its own and so much thought between answers.
They run in processes of their own on the same machine as the server, so both share its cores.
Printed are the times of a request for questions and of an answer that is on disk, answers per
second, and what the server needed of processor and memory.

    python benchmarks/collect.py --participants 300 --seconds 60
    python benchmarks/collect.py --participants 300 --seconds 60 --adaptive
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

    async def timed(kind: str, path: str, body: object) -> dict[str, object]:
        start = time.perf_counter()
        reply = await client.post(path, body)
        if time.monotonic() > begin:
            times[kind].append(time.perf_counter() - start)
        return dict(reply)

    await asyncio.sleep(random.random() * 10 * thought)  # not all ask for questions at once
    while time.monotonic() < end:
        trials = (await timed("question", "/api/trials", {}))["trials"]
        assert trials, "ran out of questions: choose fewer seconds"
        for trial in trials[:10]:  # the page asks for more when ten are left
            await asyncio.sleep(random.expovariate(1 / thought))
            if time.monotonic() > end:
                break
            answer = {"trial": trial["trial"], "outcome": "answered", "chosen": [0], "rt_ms": 750}
            reply = await timed("answer", "/api/answers", {"answers": [answer]})
            assert reply["stored"] == {trial["trial"]: True}
    client.close()


def crowd(
    options: argparse.Namespace, number: int, consent: str, all_in: Any, results: Any
) -> None:
    """Play some of the participants; nobody begins before everyone has a session."""
    times: dict[str, list[float]] = {"question": [], "answer": []}
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
) -> tuple[list[dict[str, list[float]]], float, float, float]:
    """Let everyone take part; return their times, and the server's processor time and memory."""
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
    results = [queue.get() for _ in crowds]
    for one in crowds:
        one.join()
    return results, before, after, memory


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
            results, before, after, memory = run(options, consent, server.pid)
        finally:
            server.kill()
            server.wait()
        report(options, results, after - before, memory)
        if options.adaptive:
            print(adaptive_shares(folder))


def adaptive_shares(folder: Path) -> str:
    """Say how many adaptive questions a model chose, and how old it was."""
    connection = open_for_reading(folder)
    served, chosen, models = connection.execute(
        "SELECT COUNT(*), SUM(sampler!='random'), COUNT(DISTINCT model_version) FROM trials"
        " WHERE pool='adaptive' AND served_at IS NOT NULL"
    ).fetchone()
    connection.close()
    return f"{chosen:,} of {served:,} adaptive questions were chosen, by {models} models"


def report(
    options: argparse.Namespace,
    results: list[dict[str, list[float]]],
    processor: float,
    memory: float,
) -> None:
    print(
        f"{options.participants} participants, {options.thought} s of thought,"
        f" {options.seconds:g} s, {os.cpu_count()} cores ({platform.machine()}),"
        f" load {os.getloadavg()[0]:.1f}"
    )
    print("request    count     p50      p95      p99")
    for kind in ("question", "answer"):
        times = [value for result in results for value in result[kind]]
        marks = "".join(f"{1000 * quantile(times, share):7.1f}ms" for share in (0.5, 0.95, 0.99))
        print(f"{kind:9} {len(times):6,}{marks}")
    count = sum(len(result["answer"]) for result in results)
    print(
        f"{count / options.seconds:.0f} answers per second; {1000 * processor / count:.2f} ms of"
        f" processor time of the server per answer; {memory:.0f} MB"
    )


if __name__ == "__main__":
    main()
