"""The web server of a study: routes, what is checked before any of them, and the process.

Handlers return a `Reply` and raise `Refusal`; only `make_app` and `make_server` know Starlette and
uvicorn, which are loaded there.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.collect import pages
from ordinate.collect.adaptive import Adaptive, Chooser, NoChooser
from ordinate.collect.experimenter import Experimenter
from ordinate.collect.participant import COOKIE, Participants
from ordinate.collect.requests import Reply
from ordinate.collect.sessions import Refusal
from ordinate.collect.store import StorageError, Store
from ordinate.collect.study import Study

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

LARGEST_HEADERS = 16 * 1024
HEADER_SECONDS = 10.0

_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:;"
    " media-src 'self' blob:; connect-src 'self'; worker-src 'self';"
    " form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
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


Handler = Callable[["Request"], Awaitable[Reply]]


def make_app(
    study: Study,
    store: Store,
    *,
    secure: bool = False,
    live: bool = True,
    chooser: Chooser | None = None,
) -> Starlette:
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
        Whether models are fitted while people answer: for adaptive questions, and for the map of
        the experimenter's page while it is open.
    chooser : Chooser, optional
        Who chooses adaptive questions; by default a process of its own.

    Returns
    -------
    starlette.applications.Starlette
        For uvicorn, or for a test client.
    """
    require_server()
    from starlette.applications import Starlette
    from starlette.routing import Route

    adaptive = Adaptive(study, store) if chooser is None and live and study.pools.adaptive else None
    people = Participants(study, store, chooser or adaptive or NoChooser(), secure=secure)
    desk = Experimenter(study, store, adaptive, live=live)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        choosing = asyncio.create_task(adaptive.run()) if adaptive else None
        yield
        await desk.close()
        if adaptive and choosing:
            choosing.cancel()
            await adaptive.close()

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
            Route("/media/{name}", _media_endpoint(people)),
            route("/static/{name}", _static, "GET"),
            route("/worker.js", _worker, "GET"),
            route("/experimenter", desk.show_page, "GET"),
            route("/experimenter/status", desk.status, "GET"),
            route("/experimenter/pause", desk.pause),
            route("/experimenter/export", desk.export, "GET"),
        ],
        lifespan=lifespan,
    )
    app.add_middleware(_Guard, people=people)
    return app


async def _worker(request: Request) -> Reply:
    """Return the worker; it has an address of its own because it serves what lies below that."""
    return _file("worker.js")


async def _static(request: Request) -> Reply:
    return _file(request.path_params["name"])


def _file(name: str) -> Reply:
    if name not in pages.STATIC:
        raise Refusal(404, "not_found", "There is no such file.")
    kept = {"cache-control": "no-cache"}
    return Reply(pages.static_file(name), headers=kept, media_type=pages.STATIC[name])


def _endpoint(handler: Handler, people: Participants) -> Callable[[Request], Awaitable[Any]]:
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


def _media_endpoint(people: Participants) -> Callable[[Request], Awaitable[Any]]:
    """Return what hands out the files of items, which never change under their address."""
    from starlette.responses import FileResponse

    async def endpoint(request: Request) -> Any:
        try:
            path, kind = people.media_file(request.path_params["name"])
        except Refusal as refusal:
            return _as_response(_refused(refusal), people)
        kept = {"cache-control": "public, max-age=31536000, immutable"}
        kept["content-security-policy"] = _MEDIA_POLICY
        return FileResponse(path, media_type=kind, headers=kept)

    return endpoint


def _refused(refusal: Refusal) -> Reply:
    headers = {"retry-after": "5"} if refusal.status in (429, 503, 507) else {}
    return Reply({"error": refusal.reason, "message": str(refusal)}, refusal.status, headers)


def _as_response(reply: Reply, people: Participants) -> Any:
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

    def __init__(self, app: Any, people: Participants) -> None:
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


def make_server(
    study: Study,
    store: Store,
    address: Address,
    *,
    live: bool = True,
    chooser: Chooser | None = None,
) -> Any:
    """Return the uvicorn server of a study, not yet running; see `make_app`."""
    require_server()
    import uvicorn

    secure = address.certificate is not None or address.behind_proxy
    return uvicorn.Server(
        uvicorn.Config(
            make_app(study, store, secure=secure, live=live, chooser=chooser),
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
