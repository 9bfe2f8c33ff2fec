"""The requests of participants: come, be asked, answer, finish or stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ordinate.collect import arrivals, pages, sessions
from ordinate.collect.adaptive import Adaptive
from ordinate.collect.arrivals import Arrival
from ordinate.collect.folder import media_type
from ordinate.collect.plan import places_of
from ordinate.collect.requests import RateLimit, Reply, address_of, on_disk, read_json
from ordinate.collect.sessions import Refusal, Session
from ordinate.collect.store import PREVIEW, Store
from ordinate.collect.study import Study

if TYPE_CHECKING:
    from starlette.requests import Request

HEADER = "ordinate-session"
"""Header in which a page sends the token of its session; of several, that of the newest first."""
MOST_TOKENS = 20
AHEAD = 20
"""Questions that a page holds ready: it can go on so long without a connection."""
MOST_ANSWERS = 50
LONGEST_LINK, PICTURES_PER_MINUTE = 500, 5
"""Characters of a link that is drawn for a camera, and how often: others wait meanwhile."""
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
"""For a file of the study opened by itself: an SVG may have styles, and runs nothing."""
TRIES_PER_MINUTE = 20
"""Codes and errors that one address may send."""


class Participants:
    """The requests of participants."""

    def __init__(self, study: Study, store: Store, chooser: Adaptive | None = None) -> None:
        self.study, self.store, self.chooser = study, store, chooser
        spoken = {language: study.in_language(language) for language in study.languages}
        data = sessions.token_hash(store.key)[:8]
        preview = store.which == PREVIEW
        self.pages = {
            language: pages.participant_page(spoken_, data, preview=preview).encode()
            for language, spoken_ in spoken.items()
        }
        self.style = pages.study_style(study)
        self.media = {item.media: item for item in study.items.values() if item.media}
        self.content = {
            language: {name: pages.item_content(spoken_, i) for name, i in spoken_.items.items()}
            for language, spoken_ in spoken.items()
        }
        self.blocks = {
            language: [pages.block_content(block) for block in spoken_.blocks.values()]
            for language, spoken_ in spoken.items()
        }
        self.per_address, self.per_session = RateLimit(60), RateLimit(60)
        self.new_sessions = RateLimit(3600)
        self.tries, self.errors, self.pictures = RateLimit(60), RateLimit(60), RateLimit(60)
        self._known_places: dict[tuple[str, ...], list[dict[str, Any]]] = {}

    @property
    def paused(self) -> bool:
        """Whether the experimenter has paused the study."""
        return self.store.meta("paused") == "yes"

    async def show_page(self, request: Request) -> Reply:
        """Return the participant's page."""
        wish, accepted = request.query_params.get("lang"), request.headers.get("accept-language")
        language = pages.choose_language(self.study, wish, accepted or "")
        headers = {"cache-control": "no-cache", "vary": "accept-language"}
        page = self.pages[language]
        return Reply(page, headers=headers, media_type="text/html; charset=utf-8")

    async def show_style(self, request: Request) -> Reply:
        """Return the style sheet of the study."""
        headers = {"cache-control": "no-cache"}
        return Reply(self.style.encode(), headers=headers, media_type="text/css; charset=utf-8")

    async def state(self, request: Request) -> Reply:
        """Say where the participant stands, and whether the URL names somebody."""
        session = self._find(request, request.query_params)
        if session is not None and arrivals.is_due_again(self.store, session):
            session = None  # for the next wave
        named = sessions.source_of(request.query_params)[1] is not None
        found: dict[str, Any] = {"paused": self.paused, "named": named, "session": None}
        if session is None:
            refusal = arrivals.refusal_of(self.store, request.query_params)
            found["refused"] = refusal.reason if refusal else ""
            ways = {way: f"redirect_{way}" for way in ("declined", "full", "screened")}
            found["ways"] = {
                way: sessions.fill_address(getattr(self.study.finish, name), request.query_params)
                for way, name in ways.items()
            }
        else:
            known = {"id": session.session_id, "status": session.status}
            found["session"] = {**known, **self._begun(session)}
            if session.status in sessions.OVER:
                found |= self._farewell(session, session.code or "")
        return Reply(found)

    async def begin(self, request: Request) -> Reply:
        """Make a session for somebody who agreed to take part."""
        arrival = _arrival(request, await read_json(request))
        session = self._find(request, arrival.params)
        if session is not None and session.status == sessions.OPEN:
            return Reply(self._begun(session))
        if self.paused:
            raise Refusal(503, "paused", self.study.texts["paused"])
        limit = self.study.limits.new_sessions_per_address_per_hour
        self.new_sessions.check(address_of(request), limit)
        token = await on_disk(arrivals.begin(self.store, arrival))
        made = sessions.find(self.store, token)
        assert made is not None
        return Reply({**self._begun(made), "token": token}, 201)

    def _begun(self, session: Session) -> dict[str, Any]:
        """Return what a page needs to go on: its own blocks only, by their numbers."""
        blocks, names = self.blocks[session.language], list(self.study.blocks)
        return {
            "session": session.session_id,
            "left": sessions.n_left(self.store, session),
            "responses": sessions.responses_of(self.store, session),
            "blocks": {at: blocks[at] for at in map(names.index, session.blocks)},
        }

    async def trials(self, request: Request) -> Reply:
        """Hand out the next questions; they are on disk as served before they leave."""
        session = self._session(request)
        await read_json(request)
        rows = await self.hand_out(session, AHEAD)
        left = rows[0]["n_left"] if rows else 0  # of the same moment as the questions
        return Reply({"trials": [self.on_screen(row, session) for row in rows], "left": left})

    async def hand_out(self, session: Session, number: int) -> list[Any]:
        """Return the next questions of an open session once they are on disk as served."""
        if session.status != sessions.OPEN:
            raise Refusal(409, session.status, f"This session is {session.status}.")
        if self.paused:
            raise Refusal(503, "paused", self.study.texts["paused"])
        rows = sessions.next_trials(self.store, session, number)
        unserved = [row["trial_id"] for row in rows if row["served_at"] is None]
        if unserved:
            chosen = sessions.choose_adaptive(self.store, session, rows, self.chooser)
            await on_disk(sessions.mark_served(self.store, session, unserved, chosen))
            if chosen:  # another tab may have been quicker: what is on disk is what is asked
                rows = sessions.next_trials(self.store, session, number)
        return rows

    def _places(self, blocks: tuple[str, ...]) -> list[dict[str, Any]]:
        """Return where each place of a session with these blocks lies."""
        if blocks not in self._known_places:
            self._known_places[blocks] = places_of(self.study, blocks)
        return self._known_places[blocks]

    def on_screen(self, row: Any, session: Session) -> dict[str, Any]:
        """Return a question as a page needs it, without a name of any item."""
        question = sessions.question_of(row)
        content = self.content[session.language]
        shown = {
            "trial": row["trial_id"],
            "place": row["place"],
            "phase": row["phase"],
            **self._places(session.blocks)[row["place"]],
            "shown": [content[item] for item in question.shown],
        }
        if question.reference is not None:
            shown["reference"] = content[question.reference]
        if row["phase"] == "practice":
            shown["expected"] = list(question.expected)
        return shown

    async def questionnaire(self, request: Request) -> Reply:
        """Store the answers to a questionnaire; some of them may end the session."""
        session = self._session(request)
        given = await read_json(request)
        if session.status != sessions.OPEN:
            raise Refusal(409, session.status, f"This session is {session.status}.")
        moment, said, took = (given.get(name) for name in ("moment", "answers", "rt_ms"))
        full = arrivals.quota_is_full
        storing = sessions.respond(self.store, session, moment, said, took, full)
        status, code = await on_disk(storing)
        ended = replace(session, status=status)
        return Reply({"status": status, **(self._farewell(ended, code) if code else {})})

    async def answers(self, request: Request) -> Reply:
        """Store answers; what is acknowledged is on disk."""
        session = self._session(request)
        reply = await self.keep(session, (await read_json(request)).get("answers"))
        if self.study.sessions.catch_wrong:  # these answers may have ended the session
            session = self._find(request, {}) or session
        reply["status"] = session.status
        return Reply(reply)

    async def keep(self, session: Session, answers: Any) -> dict[str, Any]:
        """Store answers, and say of each whether it is on disk or why not."""
        if not isinstance(answers, list) or not 0 < len(answers) <= MOST_ANSWERS:
            raise Refusal(400, "malformed", f"Expected a list of 1 to {MOST_ANSWERS} answers.")
        refused, storing = sessions.record(self.store, session, answers)
        stored = await on_disk(storing)
        if self.chooser:
            self.chooser.note_answers()
        return {"stored": stored, "refused": refused}

    async def finish(self, request: Request) -> Reply:
        """Complete the session once everything is answered, and give the code."""
        session = self._session(request)
        await read_json(request)
        code = await on_disk(sessions.finish(self.store, session))
        return Reply(self._farewell(session, code))

    def _farewell(self, session: Session, code: str) -> dict[str, str]:
        return {"code": code, "redirect": sessions.redirect_of(self.store, session)}

    async def qr_code(self, request: Request) -> Reply:
        """Draw the link by which a participant goes on elsewhere, for the camera of a phone."""
        import segno

        session = self._session(request)
        self.pictures.check(session.session_id, PICTURES_PER_MINUTE)
        address = (await read_json(request)).get("address")
        if not isinstance(address, str) or not 0 < len(address) <= LONGEST_LINK:
            raise Refusal(400, "malformed", "Expected the address of a link.")
        return Reply({"svg": segno.make_qr(address).svg_inline(border=4, light="#fff")})

    async def withdraw(self, request: Request) -> Reply:
        """End the session at the participant's wish."""
        session = self._session(request)
        await read_json(request)
        await on_disk(sessions.withdraw(self.store, session))
        return Reply({"status": sessions.RETURNED})

    async def withdraw_by_code(self, request: Request) -> Reply:
        """Take back the answers of somebody who comes back with the code of the session."""
        code = (await read_json(request)).get("code")
        self.tries.check(address_of(request), TRIES_PER_MINUTE)
        if not isinstance(code, str):
            raise Refusal(400, "malformed", "Expected a code.")
        await on_disk(sessions.withdraw_by_code(self.store, code.strip()[:100].upper()))
        return Reply({"status": sessions.RETURNED})

    async def error(self, request: Request) -> Reply:
        """Keep what went wrong in a browser, for the experimenter."""
        said = await read_json(request)
        self.errors.check(address_of(request), TRIES_PER_MINUTE)
        error = {name: str(said.get(name, ""))[:300] for name in ("message", "where", "phase")}
        error["browser"] = request.headers.get("user-agent", "")[:300]
        await on_disk(sessions.note_error(self.store, self._find(request, {}), error))
        return Reply({})

    def _find(self, request: Request, params: Mapping[str, str]) -> Session | None:
        """Return the newest of the page's sessions that is not somebody else's."""
        tokens = request.headers.get(HEADER, "").split()[:MOST_TOKENS]
        found = (sessions.find(self.store, token, params) for token in tokens)
        return next(filter(None, found), None)

    def _session(self, request: Request) -> Session:
        session = self._find(request, {})
        if session is None:
            raise Refusal(401, "no_session", "There is no session; begin at the first page.")
        self.per_session.check(session.session_id, self.study.limits.session_per_minute)
        return session

    async def media_file(self, request: Request) -> Reply:
        """Return the file of an item by its address, under which it never changes."""
        item = self.media.get(request.path_params["name"])
        if item is None:
            raise Refusal(404, "not_found", "There is no such file.")
        kept = {"cache-control": "public, max-age=31536000, immutable"}
        kept["content-security-policy"] = MEDIA_POLICY
        kind = media_type(item.source) or "application/octet-stream"
        return Reply(self.study.folder / item.source, headers=kept, media_type=kind)


def _arrival(request: Request, body: Mapping[str, Any]) -> Arrival:
    """Read what the page says of somebody new; what is too long is cut."""
    given, once = body.get("params", {}), body.get("request")
    if not isinstance(once, str) or not 16 <= len(once) <= 64 or body.get("consent") is not True:
        raise Refusal(400, "malformed", "Expected consent and the id of the request.")
    if not isinstance(given, dict) or len(given) > 20:
        raise Refusal(400, "malformed", "Expected at most 20 URL parameters.")
    ratio = body.get("pixel_ratio")
    return Arrival(
        request=once,
        consent_version=str(body.get("consent_version"))[:64],
        user_agent=request.headers.get("user-agent", "")[:300],
        viewport=str(body.get("viewport", ""))[:20],
        pixel_ratio=float(ratio) if isinstance(ratio, int | float) and 0 < ratio < 100 else None,
        device=device if isinstance(device := body.get("device"), dict) else {},
        language=str(body.get("language", ""))[:35],
        params={str(name)[:60]: str(value)[:200] for name, value in given.items()},
    )
