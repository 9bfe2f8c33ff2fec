"""The experimenter's requests: how the study goes, pause, download; all of them need the token."""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
import sys
import threading
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.collect import pages, sessions
from ordinate.collect.adaptive import Adaptive, end_process, start_process
from ordinate.collect.arrivals import n_with_answer, places
from ordinate.collect.export import export_tables
from ordinate.collect.figures import Tallies, study_figures, trials_of
from ordinate.collect.requests import RateLimit, Reply, address_of, bearer_of, on_disk, read_json
from ordinate.collect.sessions import Refusal, question_of, token_hash
from ordinate.collect.store import Store, errors_of, reading, unpacked
from ordinate.collect.study import Study

if TYPE_CHECKING:
    from starlette.requests import Request

REFIT_SECONDS = 30.0
LONGEST_FIT = 600.0
FIGURES_SECONDS = 2.0
FIGURES_REST = 10
"""So much longer than counting takes is not counted again."""
TRIES_PER_MINUTE = 20
MOST_PARTICIPANTS = 1_000_000


def experimenter_token(store: Store, *, renew: bool = False) -> str | None:
    """Return a new token for the experimenter's page, or None if there is one already.

    Only its hash is kept, so it can be shown once and never again.
    """
    if store.meta("token_hash") is not None and not renew:
        return None
    token = secrets.token_urlsafe(24)
    store.set_meta("token_hash", token_hash(token)).result()
    return token


def is_experimenter(store: Store, token: str) -> bool:
    """Whether the token is the experimenter's, in time that does not depend on it."""
    known = store.meta("token_hash") or ""
    return hmac.compare_digest(token_hash(token), known)


class Experimenter:
    """What the experimenter's page asks for."""

    def __init__(
        self, study: Study, store: Store, adaptive: Adaptive | None = None, *, live: bool = True
    ) -> None:
        self.study, self.store, self._adaptive = study, store, adaptive
        self._page = pages.experimenter_page(study)
        self._wrong_tokens = RateLimit(60)
        self._tallies, self._counting = Tallies(), threading.Lock()
        self._figures: tuple[float, dict[str, Any]] | None = None
        self._fit: dict[str, Any] | None = None
        self._fitted_to, self._fitted_at, self._live = 0, 0.0, live
        self._fitting: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

    async def show_page(self, request: Request) -> Reply:
        """Return the page; it holds nothing that needs the token."""
        return Reply(self._page.encode(), media_type="text/html; charset=utf-8")

    async def status(self, request: Request) -> Reply:
        """Say how the study goes, with the newest map there is."""
        self._check_token(request)
        if self._figures is None or time.monotonic() > self._figures[0]:
            began = time.monotonic()
            try:
                found = await asyncio.to_thread(self.count)
            except InputError as error:
                raise InputError(self.store.problem or str(error)) from None
            # of a large study they take a while: participants come first
            pause = max(FIGURES_SECONDS, FIGURES_REST * (time.monotonic() - began))
            self._figures = (time.monotonic() + pause, found)
        figures = self._figures[1]
        self._refit(figures["n_answers"])
        fit = {"running": self._fitting is not None, "result": self._fit}
        paused = self.store.meta("paused") == "yes"
        choosing = self._adaptive.status if self._adaptive else None
        warnings = [self.store.problem, self._adaptive.warning if self._adaptive else ""]
        most, closed = places(self.store.reader, self.study)
        now = {"paused": paused, "fit": fit, "choosing": choosing}
        now |= {"participants": most, "closed": closed, "errors": errors_of(self.store.reader)}
        now["quotas"] = [
            [name, answer, n_with_answer(self.store.reader, self.study, name, answer), number]
            for name, quota in self.study.limits.quotas.items()
            for answer, number in quota.items()
        ]
        return Reply({**figures, **now, "warnings": [text for text in warnings if text]})

    def count(self) -> dict[str, Any]:
        """Return the figures of the study; what has not changed since the last call is not read."""
        with self._counting, reading(self.study.folder, self.store.which) as connection:
            return study_figures(connection, self.study, self._tallies)

    async def count_ahead(self) -> None:
        """Count the sessions there are, so that the first look at a large study is a quick one."""
        with suppress(InputError):  # the look itself says what is wrong
            await asyncio.to_thread(self.count)

    def _refit(self, n_answers: int) -> None:
        """Begin a fit in a process of its own, if there is news and none is running."""
        due = time.monotonic() - self._fitted_at > REFIT_SECONDS
        if self._live and self._fitting is None and due and n_answers != self._fitted_to:
            self._fitted_to = n_answers
            self._fitting = asyncio.create_task(self._run_fit())

    async def _run_fit(self) -> None:
        own = ("-m", "ordinate.collect.live", str(self.study.folder), self.store.which)
        process = self._process = await start_process(sys.executable, *own)
        try:
            async with asyncio.timeout(LONGEST_FIT):
                output, _ = await process.communicate()
            if process.returncode == 0:
                self._fit = json.loads(output)
            else:
                self._fit = {"advice": "The fit failed; the terminal of the server says why."}
        except TimeoutError:
            await end_process(process)
            self._fit = {"advice": f"The fit was ended: it took longer than {LONGEST_FIT:g} s."}
        finally:
            self._fitted_at, self._fitting, self._process = time.monotonic(), None, None

    async def close(self) -> None:
        """End a fit that is running."""
        if self._process is not None:
            self._process.kill()
        if self._fitting is not None:
            await self._fitting

    async def settings(self, request: Request) -> Reply:
        """Pause or resume, say how many may take part, and whether anybody new may begin.

        While the study is paused nobody begins or gets new questions; answers still come in.
        """
        self._check_token(request)
        kinds = {"paused": bool, "closed": bool, "participants": int}
        said = await read_json(request)
        wrong = any(type(value) is not kinds.get(name) for name, value in said.items())
        if not said or wrong or not 0 <= said.get("participants", 0) <= MOST_PARTICIPANTS:
            most = f"participants from 0 (no limit) to {MOST_PARTICIPANTS:,}"
            raise Refusal(400, "malformed", f"Expected paused, closed or {most}.")
        for name, value in said.items():
            text = {True: "yes", False: "no"}[value] if type(value) is bool else str(value)
            await on_disk(self.store.set_meta(name, text))
        return Reply(said)

    async def session(self, request: Request) -> Reply:
        """Show one session: what was asked and answered."""
        self._check_token(request)
        name = request.path_params["session"]
        rows = trials_of(self.store.reader, name)
        if not rows:
            raise Refusal(404, "not_found", "There is no such session.")
        shown = []
        for row in rows:
            task = self.study.blocks[row["block"]].task
            question, chosen = question_of(row), unpacked(row["chosen"] or "[]")
            picked = [list(option) for option in task.objects(question, chosen)]
            kept = ("place", "pool", "outcome", "rt_ms", "received_at", "input", "presentations")
            asked = {"reference": question.reference, "shown": question.shown, "chosen": picked}
            shown.append({**{key: row[key] for key in kept}, **asked})
        return Reply({"session_id": name, "trials": shown})

    async def decide(self, request: Request) -> Reply:
        """Include or reject a session, with a reason."""
        self._check_token(request)
        said = await read_json(request)
        own = request.path_params["session"]
        decided = sessions.decide(self.store, own, said.get("decision"), said.get("reason"))
        await on_disk(decided)
        self._figures, self._fitted_to = None, -1
        return Reply({})

    async def release(self, request: Request) -> Reply:
        """Open a session for its participant on any device."""
        self._check_token(request)
        await read_json(request)
        await on_disk(sessions.release(self.store, request.path_params["session"]))
        self._figures = None
        return Reply({"status": sessions.OPEN})

    async def export(self, request: Request) -> Reply:
        """Return all tables except identities as one archive."""
        self._check_token(request)
        archive = await asyncio.to_thread(self._archive)
        headers = {"content-disposition": 'attachment; filename="study.zip"'}
        return Reply(archive, headers=headers, media_type="application/zip", once=True)

    def _archive(self) -> Path:
        """Write the archive into a file; the response that sends it deletes it."""
        with TemporaryDirectory() as folder, NamedTemporaryFile(delete=False) as packed:
            try:
                with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                    output = Path(folder) / "answers.csv"
                    found = export_tables(self.study.folder, output, which=self.store.which)
                    for path in found.files:
                        archive.write(path, path.name)
            except BaseException:
                os.unlink(packed.name)
                raise
        return Path(packed.name)

    def _check_token(self, request: Request) -> None:
        if is_experimenter(self.store, bearer_of(request)):
            return
        self._wrong_tokens.check(address_of(request), TRIES_PER_MINUTE)
        raise Refusal(401, "token", "This needs the token that `ordinate collect serve` printed.")
