"""A study on a real socket, and what is asked of every page that a browser opens."""

import asyncio
import re
import threading
import time

from ordinate.collect.prepare import load_sound_study
from ordinate.collect.server import Address, make_app, make_server
from ordinate.collect.store import REAL, Store, connect, database_path

PATIENCE = 1200
"""Seconds after which nothing will happen, on a busy machine either."""
NETWORK = ("ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION", "Failed to load resource", "ERR_EMPTY")


class Served:
    """A study on a real socket of this machine."""

    def __init__(self, folder, which=REAL):
        self.study = load_sound_study(folder)
        self.store = Store(self.study, which)
        self.server = make_server({"": make_app(self.store, live=False)}, Address(port=0))
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(
            target=self.loop.run_until_complete, args=(self.server.serve(),)
        )
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive()
            time.sleep(0.01)
        port = self.server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"

    def close(self):
        self.server.should_exit = True
        self.thread.join()
        self.loop.close()
        self.store.close()

    def rows(self, at_least=0):
        """Answers on disk, once there are so many."""
        late = time.monotonic() + PATIENCE
        while len(found := rows_of(self.study.folder)) < at_least:
            assert time.monotonic() < late, f"there are {len(found)} answers, not {at_least}"
            time.sleep(0.05)
        return found


def rows_of(folder):
    connection = connect(database_path(folder), read_only=True)
    rows = connection.execute(
        "SELECT * FROM trials t JOIN answers a USING (trial_id) ORDER BY t.place"
    ).fetchall()
    connection.close()
    return rows


def rule(page, url, complaints, expected):
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def on_console(said):
        if said.type == "error" and not any(word in said.text for word in expected):
            complaints.append(said.text)

    page.on("console", on_console)
    local = re.match(r"https?://[^/]+/", url).group()
    known = (local, "blob:", "about:", *(word for word in expected if word.startswith("http")))
    page.on("request", lambda asked: asked.url.startswith(known) or complaints.append(asked.url))
