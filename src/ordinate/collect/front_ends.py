"""Other programs that ask the questions of a study, such as jsPsych or PsychoPy.

A front end shows questions in its own way. It has a token of its own, says for whom it asks, takes
the next question and sends the answer; everything behind that is as for our own page.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ordinate.collect import arrivals, pages, sessions
from ordinate.collect.arrivals import Arrival
from ordinate.collect.participant import TRIES_PER_MINUTE, Participants
from ordinate.collect.requests import RateLimit, Reply, address_of, bearer_of, on_disk, read_json
from ordinate.collect.sessions import COMPLETE, OPEN, Refusal, Session, token_hash
from ordinate.collect.store import Store
from ordinate.collect.study import FrontEnds

if TYPE_CHECKING:
    from starlette.requests import Request

API = ("/api/next", "/api/answers")
"""Where pages of other sites may ask, if the study names them."""
LONGEST_ID = 100
_SHARED = {
    b"access-control-allow-methods": b"GET, POST",
    b"access-control-allow-headers": b"authorization, content-type",
    b"access-control-max-age": b"600",
}


def cors_headers(front_ends: FrontEnds, path: str, origin: bytes) -> list[tuple[bytes, bytes]]:
    """Return what lets a page of another site read a reply, if the study names its site."""
    media = path.startswith("/media/") and bool(front_ends.origins)
    found = [(b"cross-origin-resource-policy", b"cross-origin")] if media else []
    if (path in API or media) and origin.decode("latin-1") in front_ends.origins:
        found += [(b"access-control-allow-origin", origin), (b"vary", b"origin"), *_SHARED.items()]
    return found


def front_end_tokens(store: Store) -> dict[str, str]:
    """Return new tokens for front ends that have none yet; only their hashes are kept."""
    made = {}
    for name in store.study.front_ends.names:
        if store.meta(_entry(name)) is None:
            made[name] = secrets.token_urlsafe(24)
            store.set_meta(_entry(name), token_hash(made[name])).result()
    return made


def _entry(name: str) -> str:
    return f"front_end {name}"


class FrontEndRequests:
    """The requests of front ends."""

    def __init__(self, people: Participants) -> None:
        self._people, self._study, self._store = people, people.study, people.store
        self._wrong_tokens = RateLimit(60)
        self._known = [
            (name, store_hash)
            for name in self._study.front_ends.names
            if (store_hash := self._store.meta(_entry(name)))
        ]

    async def next(self, request: Request) -> Reply:
        """Return the next question of somebody; it is on disk as served before it leaves."""
        session = await self._session(request, request.query_params.get("participant"))
        if session.status == OPEN:
            if rows := await self._people.hand_out(session, 1):
                return Reply(self._question(rows[0], session))
            code = await on_disk(sessions.finish(self._store, session))
            session = replace(session, status=COMPLETE, code=code)
        if session.status != COMPLETE:
            raise Refusal(409, session.status, f"This session is {session.status}.")
        return Reply({"done": True, "code": session.code})

    def _question(self, row: Any, session: Session) -> dict[str, Any]:
        """Return a question as a front end needs it."""
        block = self._study.blocks[row["block"]]
        task, question = block.task, sessions.question_of(row)
        shown = self._people.on_screen(row, session)
        texts = block.in_language(session.language).texts
        for place in ("block", "block_number", "opens"):
            del shown[place]
        offset = int(task.has_reference)
        options = [[place - offset for place in option] for option in task.options]
        if self._study.front_ends.item_ids:
            named = zip(shown["shown"], question.shown, strict=True)
            shown["shown"] = [{**item, "item_id": name} for item, name in named]
            if question.reference is not None:
                shown["reference"] = {**shown["reference"], "item_id": question.reference}
        return {
            "done": False,
            **shown,
            "left": row["n_left"],
            "task": task.name,
            "question": texts[block.question_key].replace("{k}", str(task.n_select)),
            "options": [*options, *([[]] if task.has_tie else [])],
            "n_select": task.n_select,
            "ranked": task.ranked,
        }

    async def answers(self, request: Request) -> Reply:
        """Store answers of a front end, or else of our own page."""
        if not bearer_of(request):
            return await self._people.answers(request)
        body = await read_json(request, foreign=True)
        session = await self._session(request, body.get("participant"))
        answers = body.get("answers")
        if isinstance(answers, list):
            answers = [{"outcome": "answered", **a} if isinstance(a, dict) else a for a in answers]
        kept = await self._people.keep(session, answers)
        return Reply({**kept, "left": sessions.n_left(self._store, session)})

    async def _session(self, request: Request, participant: Any) -> Session:
        """Return the session of somebody whom a front end asks; begin one for somebody new."""
        front_end = self._front_end(request)
        if not isinstance(participant, str) or not 0 < len(participant) <= LONGEST_ID:
            raise Refusal(400, "malformed", f"Expected participant, 1 to {LONGEST_ID} characters.")
        params = {"participant": participant}
        session = sessions.find_of_front_end(self._store, front_end, params)
        if session is None:
            if self._people.paused:
                raise Refusal(503, "paused", self._study.texts["paused"])
            limit = self._study.limits.new_sessions_per_address_per_hour
            self._people.new_sessions.check(address_of(request), limit)
            # longer than any that a page may send, and the same if two requests come at once
            once = f"front end {token_hash(f'{front_end} {participant}')}"
            agent = request.headers.get("user-agent", "")[:300]
            arrival = Arrival(once, "", agent, params=params, front_end=front_end)
            await on_disk(arrivals.begin(self._store, arrival))
            session = sessions.find_of_front_end(self._store, front_end, params)
            assert session is not None
        limit = self._study.limits.session_per_minute
        self._people.per_session.check(session.session_id, limit)
        return session

    def _front_end(self, request: Request) -> str:
        """Return which front end asks, by its token."""
        origin = request.headers.get("origin", "")
        own = f"{request.url.scheme}://{request.url.netloc}"
        if origin and origin not in (own, *self._study.front_ends.origins):
            raise Refusal(403, "foreign", "This site is not among front_ends.origins.")
        found = token_hash(bearer_of(request))
        for name, known in self._known:
            if hmac.compare_digest(found, known):
                return name
        self._wrong_tokens.check(address_of(request), TRIES_PER_MINUTE)
        raise Refusal(401, "token", "This needs the token of a front end of the study.")

    async def description(self, request: Request) -> Reply:
        """Return what front ends may ask, as OpenAPI."""
        if not self._study.front_ends.names:
            raise Refusal(404, "not_found", "This study has no front ends.")
        return Reply(pages.static_file("openapi.json"))
