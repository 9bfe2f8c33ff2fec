"""The web server of a study: routes, what is checked before any of them, and the process.

Handlers return a `Reply` and raise `Refusal`; only `make_app` and `serve` know Starlette and
uvicorn, which are loaded there.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import mimetypes
import secrets
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ordinate._checks import InputError
from ordinate.collect import pages, sessions
from ordinate.collect.sessions import Arrival, Refusal, Session
from ordinate.collect.store import StorageError, Store
from ordinate.collect.study import Study

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

COOKIE = "ordinate_session"
LARGEST_BODY = 64 * 1024
LARGEST_HEADERS = 16 * 1024
BODY_SECONDS = 10.0
HEADER_SECONDS = 10.0
AHEAD = 20
"""Questions that a page holds ready: it can go on so long without a connection."""
MOST_ANSWERS = 50
_R = TypeVar("_R")

_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:;"
    " media-src 'self' blob:; connect-src 'self'; form-action 'none';"
    " frame-ancestors 'none'; base-uri 'none'"
)
_SECURITY = {
    "content-security-policy": _PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
"""For a file of the study opened by itself: an SVG may have styles, and runs nothing."""


@dataclass(frozen=True)
class Reply:
    """What a handler answers: a JSON value, or bytes of a type of their own."""

    content: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"
    token: str | None = None
    """A token for the participant's cookie."""


class RateLimit:
    """Counts per key within a window of time; forgets all of them when the window ends."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._ends = seconds, 0.0
        self._counts: Counter[str] = Counter()

    def check(self, key: str, limit: int) -> None:
        """Count one more, or refuse it if that is too many."""
        if (moment := time.monotonic()) >= self._ends:
            self._counts.clear()
            self._ends = moment + self._seconds
        self._counts[key] += 1
        if self._counts[key] > limit:
            raise Refusal(429, "busy", "Too many requests; try again in a while.")


class StudyServer:
    """The requests of participants.

    Parameters
    ----------
    study : Study
        What is asked.
    store : Store
        Where answers go.
    secure : bool
        Whether browsers come by https, so that the cookie must too.
    """

    def __init__(self, study: Study, store: Store, *, secure: bool = False) -> None:
        self.study, self.store, self.secure = study, store, secure
        self.page = pages.participant_page(study)
        self.media = {item.media: item for item in study.items.values() if item.media}
        self.content = {name: pages.item_content(study, i) for name, i in study.items.items()}
        self.per_address, self.per_session = RateLimit(60), RateLimit(60)
        self.new_sessions = RateLimit(3600)

    @property
    def paused(self) -> bool:
        """Whether the experimenter has paused the study."""
        return self.store.meta("paused") == "yes"

    async def show_page(self, request: Request) -> Reply:
        """Return the participant's page."""
        headers = {"cache-control": "no-cache"}
        return Reply(self.page.encode(), headers=headers, media_type="text/html; charset=utf-8")

    async def state(self, request: Request) -> Reply:
        """Say where the participant stands."""
        session = sessions.find(self.store, request.cookies.get(COOKIE), request.query_params)
        found: dict[str, Any] = {"paused": self.paused, "session": None}
        if session is not None:
            found["session"] = {
                "id": session.session_id,
                "status": session.status,
                "left": sessions.n_left(self.store, session),
            }
            if session.status == sessions.COMPLETE:
                found |= self._farewell(session, session.code or "")
        return Reply(found)

    async def begin(self, request: Request) -> Reply:
        """Make a session for somebody who agreed to take part."""
        arrival = _arrival(request, await read_json(request))
        session = sessions.find(self.store, request.cookies.get(COOKIE), arrival.params)
        if session is not None and session.status == sessions.OPEN:
            return Reply(self._begun(session))
        if self.paused:
            raise Refusal(503, "paused", self.study.texts["paused"])
        limit = self.study.limits.new_sessions_per_address_per_hour
        self.new_sessions.check(address_of(request), limit)
        token = await on_disk(sessions.begin(self.store, arrival))
        made = sessions.find(self.store, token)
        assert made is not None
        return Reply(self._begun(made), 201, token=token)

    def _begun(self, session: Session) -> dict[str, Any]:
        return {"session": session.session_id, "left": sessions.n_left(self.store, session)}

    async def trials(self, request: Request) -> Reply:
        """Hand out the next questions; they are on disk as served before they leave."""
        session = self._session(request)
        await read_json(request)
        if session.status != sessions.OPEN:
            raise Refusal(409, session.status, f"This session is {session.status}.")
        if self.paused:
            raise Refusal(503, "paused", self.study.texts["paused"])
        rows, unserved = sessions.next_trials(self.store, session, AHEAD)
        if unserved:
            await on_disk(sessions.mark_served(self.store, session, unserved))
        left = sessions.n_left(self.store, session)
        return Reply({"trials": [self._on_screen(row) for row in rows], "left": left})

    def _on_screen(self, row: Any) -> dict[str, Any]:
        question = sessions.question_of(row)
        shown = {
            "trial": row["trial_id"],
            "place": row["place"],
            "block": row["block"],
            "shown": [self.content[item] for item in question.shown],
        }
        if question.reference is not None:
            shown["reference"] = self.content[question.reference]
        if row["block"] == "practice":
            shown["expected"] = list(question.expected)
        return shown

    async def answers(self, request: Request) -> Reply:
        """Store answers; what is acknowledged is on disk."""
        session = self._session(request)
        answers = (await read_json(request)).get("answers")
        if not isinstance(answers, list) or not 0 < len(answers) <= MOST_ANSWERS:
            raise Refusal(400, "malformed", f"Expected a list of 1 to {MOST_ANSWERS} answers.")
        refused, stored = sessions.record(self.store, session, answers)
        return Reply({"stored": await on_disk(stored), "refused": refused})

    async def finish(self, request: Request) -> Reply:
        """Complete the session once everything is answered, and give the code."""
        session = self._session(request)
        await read_json(request)
        code = await on_disk(sessions.finish(self.store, session))
        return Reply(self._farewell(session, code))

    def _farewell(self, session: Session, code: str) -> dict[str, str]:
        return {"code": code, "redirect": sessions.redirect_of(self.store, session)}

    async def withdraw(self, request: Request) -> Reply:
        """End the session at the participant's wish."""
        session = self._session(request)
        await read_json(request)
        await on_disk(sessions.withdraw(self.store, session))
        return Reply({"status": sessions.RETURNED})

    def _session(self, request: Request) -> Session:
        session = sessions.find(self.store, request.cookies.get(COOKIE))
        if session is None:
            raise Refusal(401, "no_session", "There is no session; begin at the first page.")
        self.per_session.check(session.session_id, self.study.limits.session_per_minute)
        return session

    def media_file(self, name: str) -> tuple[Path, str]:
        """Return the file of an item by its address, and its type."""
        item = self.media.get(name)
        if item is None:
            raise Refusal(404, "not_found", "There is no such file.")
        kind = mimetypes.guess_type(item.source)[0] or "application/octet-stream"
        return self.study.folder / item.source, kind


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
        params={str(name)[:60]: str(value)[:200] for name, value in given.items()},
    )


async def on_disk(future: Future[_R]) -> _R:
    """Wait for the writer without holding up other requests."""
    return await asyncio.wrap_future(future)


def address_of(request: Request) -> str:
    """Return the address of the browser; a proxy's word counts only with --behind-proxy."""
    return request.client.host if request.client else ""


async def read_json(request: Request) -> dict[str, Any]:
    """Read a small JSON object that our own page sent, in good time."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refusal(403, "foreign", "Requests from other sites are refused.")
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise Refusal(415, "content_type", "Expected application/json.")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST_BODY:
                    raise Refusal(413, "too_large", f"At most {LARGEST_BODY} bytes are read.")
    except TimeoutError:
        raise Refusal(408, "too_slow", "The request took too long.") from None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400, "malformed", "Expected JSON.") from None
    if not isinstance(value, dict):
        raise Refusal(400, "malformed", "Expected a JSON object.")
    return value


Handler = Callable[["Request"], Awaitable[Reply]]


def make_app(study: Study, store: Store, *, secure: bool = False, live: bool = True) -> Starlette:
    """Return the ASGI application of a study.

    Parameters
    ----------
    study : Study
        What is asked.
    store : Store
        Where answers go.
    secure : bool
        Whether browsers come by https.
    live : bool
        Whether the experimenter's page fits maps while it is open.

    Returns
    -------
    starlette.applications.Starlette
        For uvicorn, or for a test client.
    """
    require_server()
    from starlette.applications import Starlette
    from starlette.responses import FileResponse
    from starlette.routing import Route

    from ordinate.collect.experimenter import Experimenter

    people = StudyServer(study, store, secure=secure)
    desk = Experimenter(study, store, live=live)

    async def media(request: Request) -> Any:
        try:
            path, kind = people.media_file(request.path_params["name"])
        except Refusal as refusal:
            return _as_response(_refused(refusal), people)
        kept = {"cache-control": "public, max-age=31536000, immutable"}
        kept["content-security-policy"] = _MEDIA_POLICY
        return FileResponse(path, media_type=kind, headers=kept)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        yield
        await desk.close()

    def route(path: str, handler: Handler, method: str = "POST") -> Route:
        return Route(path, _endpoint(handler, people), methods=[method])

    app = Starlette(
        routes=[
            route("/", people.show_page, "GET"),
            route("/api/state", people.state, "GET"),
            route("/api/session", people.begin),
            route("/api/trials", people.trials),
            route("/api/answers", people.answers),
            route("/api/finish", people.finish),
            route("/api/withdraw", people.withdraw),
            Route("/media/{name}", media),
            route("/static/{name}", _static, "GET"),
            route("/experimenter", desk.show_page, "GET"),
            route("/experimenter/status", desk.status, "GET"),
            route("/experimenter/pause", desk.pause),
            route("/experimenter/export", desk.export, "GET"),
        ],
        lifespan=lifespan,
    )
    app.add_middleware(_Guard, people=people)
    return app


async def _static(request: Request) -> Reply:
    name = request.path_params["name"]
    if name not in pages.STATIC:
        raise Refusal(404, "not_found", "There is no such file.")
    kept = {"cache-control": "no-cache"}
    return Reply(pages.static_file(name), headers=kept, media_type=pages.STATIC[name])


def _endpoint(handler: Handler, people: StudyServer) -> Callable[[Request], Awaitable[Any]]:
    """Turn a handler into what Starlette calls."""

    async def endpoint(request: Request) -> Any:
        try:
            reply = await handler(request)
        except Refusal as refusal:
            reply = _refused(refusal)
        except StorageError:
            message = people.study.texts["storage_full"]
            reply = _refused(Refusal(507, "storage", message))
        return _as_response(reply, people)

    return endpoint


def _refused(refusal: Refusal) -> Reply:
    headers = {"retry-after": "5"} if refusal.status in (429, 503, 507) else {}
    return Reply({"error": refusal.reason, "message": str(refusal)}, refusal.status, headers)


def _as_response(reply: Reply, people: StudyServer) -> Any:
    from starlette.responses import Response

    content = reply.content
    if not isinstance(content, bytes):
        content = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    headers = {"cache-control": "no-store", **reply.headers}
    response = Response(content, reply.status, headers, reply.media_type)
    if reply.token is not None:
        response.set_cookie(
            COOKIE,
            reply.token,
            max_age=int(people.study.sessions.resume_hours * 3600),
            httponly=True,
            samesite="strict",
            secure=people.secure,
        )
    return response


Message = MutableMapping[str, Any]


class _Guard:
    """Around every request: the limit per address, and the headers that make a page safe."""

    def __init__(self, app: Any, people: StudyServer) -> None:
        self._app, self._people = app, people
        safe = dict(_SECURITY)
        if people.secure:
            safe["strict-transport-security"] = "max-age=31536000"
        self._headers = [(name.encode(), value.encode()) for name, value in safe.items()]

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(header for header in self._headers if header[0] not in present),
                ]
            await send(message)

        address = scope["client"][0] if scope.get("client") else ""
        try:
            limit = self._people.study.limits.address_per_minute
            self._people.per_address.check(address, limit)
        except Refusal as refusal:
            await _as_response(_refused(refusal), self._people)(scope, receive, send_safely)
            return
        await self._app(scope, receive, send_safely)


@dataclass(frozen=True)
class Address:
    """Where a study is served, and how browsers reach it."""

    host: str = "127.0.0.1"
    port: int = 8000
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise InputError("TLS needs both --tls-certificate and --tls-key; one is missing.")
        if not (self.is_loopback or self.certificate or self.behind_proxy):
            raise InputError(
                f"{self.host} can be reached from outside, and answers would travel unencrypted."
                " Give --tls-certificate and --tls-key, or serve on 127.0.0.1 behind a proxy that"
                " speaks TLS and say --behind-proxy; the documentation has a recipe."
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        """The address to type into a browser on this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}/"


def require_server() -> None:
    """Say how to install what serving needs, if it is not there."""
    for module in ("starlette", "uvicorn", "httptools", "nh3", "markdown_it"):
        if find_spec(module) is None:
            raise InputError(
                f"`ordinate collect` needs {module}, which is not installed:"
                ' pip install "ordinate[collect]"'
            )


def experimenter_token(store: Store, *, renew: bool = False) -> str | None:
    """Return a new token for the experimenter's page, or None if there is one already.

    Only its hash is kept, so it can be shown once and never again.
    """
    if store.meta("token_hash") is not None and not renew:
        return None
    token = secrets.token_urlsafe(24)
    store.set_meta("token_hash", sessions.token_hash(token)).result()
    return token


def is_experimenter(store: Store, token: str) -> bool:
    """Whether the token is the experimenter's, in time that does not depend on it."""
    known = store.meta("token_hash") or ""
    return hmac.compare_digest(sessions.token_hash(token), known)


def require_free(address: Address) -> None:
    """Refuse an address that cannot be listened on."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise InputError(
                f"Cannot listen on {address.host}, port {address.port}: {error.strerror}; choose"
                " others with --host and --port."
            ) from None


def make_server(study: Study, store: Store, address: Address, *, live: bool = True) -> Any:
    """Return the uvicorn server of a study, not yet running."""
    require_server()
    import uvicorn

    secure = address.certificate is not None or address.behind_proxy
    return uvicorn.Server(
        uvicorn.Config(
            make_app(study, store, secure=secure, live=live),
            host=address.host,
            port=address.port,
            ssl_certfile=address.certificate,
            ssl_keyfile=address.key,
            http=_impatient_protocol(),
            ws="none",
            lifespan="on",
            access_log=False,  # addresses of participants are nobody's business
            log_level="warning",
            server_header=False,
            proxy_headers=address.behind_proxy,
            forwarded_allow_ips="127.0.0.1",
            timeout_keep_alive=65,
            timeout_graceful_shutdown=5,
            limit_concurrency=4000,
        )
    )


def _impatient_protocol() -> Any:
    """Return uvicorn's HTTP protocol with a limit on the time and size of a request's headers."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class Impatient(HttpToolsProtocol):
        _deadline: asyncio.TimerHandle | None = None
        _n_header_bytes = 0

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._expect_headers()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._deadline is not None:
                self._n_header_bytes += len(data)
                if self._n_header_bytes > LARGEST_HEADERS:
                    self.transport.abort()

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._expect_headers()

        def on_headers_complete(self) -> None:
            self._headers_are_there()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._headers_are_there()
            super().connection_lost(exc)

        def _expect_headers(self) -> None:
            self._headers_are_there()
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

        def _headers_are_there(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline, self._n_header_bytes = None, 0

    return Impatient
