"""The web server of a study: routes, what is checked before any of them, and the process.

Handlers return a `Reply` and raise `Refusal`; only `make_app` and `make_server` know Starlette and
uvicorn, which are loaded there.
"""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import json
import logging
import re
import socket
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.collect import pages
from ordinate.collect.adaptive import Adaptive
from ordinate.collect.experimenter import Experimenter
from ordinate.collect.front_ends import FrontEndRequests, cors_headers
from ordinate.collect.participant import Participants
from ordinate.collect.requests import RateLimit, Reply
from ordinate.collect.sessions import Refusal
from ordinate.collect.store import StorageError, Store

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.routing import Route


CUT_OFF = 64 * 1024
"""Bytes of headers that nobody sends by mistake: the connection ends without a reply."""
HEADER_SECONDS = 10.0
MOST_CONNECTIONS = 4000
MOST_PER_ADDRESS = 2000
"""Connections of one address; a whole school may share it, and browsers have six each."""
LOG_LINES_PER_MINUTE = 60


def raise_file_limit() -> int:
    """Let the process have as many connections as the server takes, and return how many it may."""
    try:
        import resource
    except ImportError:  # not on this system, which has no such limit
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(2 * MOST_CONNECTIONS, hard if hard != resource.RLIM_INFINITY else 10**9)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else int(soft)


class FewLines(logging.Filter):
    """Lets so many lines of a log pass in a minute, and says once that others are left out."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = RateLimit(60)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written."""
        if (count := self._lines.count()) == LOG_LINES_PER_MINUTE:
            record.msg, record.args = f"{record.getMessage()} (further lines left out)", ()
        return count <= LOG_LINES_PER_MINUTE


_FEW_LINES = FewLines()


def impatient_protocol(most_per_address: int = 0) -> Any:
    """Return uvicorn's HTTP protocol with limits on the headers of a request: time and size.

    One address has at most so many connections at once (0: any number); others are cut off.
    """
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    connected = Counter[str]()

    class Impatient(HttpToolsProtocol):
        _deadline: asyncio.TimerHandle | None = None
        _n_header_bytes = 0
        _address = ""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._address = self.client[0] if self.client else ""
            connected[self._address] += 1
            if 0 < most_per_address < connected[self._address]:
                transport.abort()
                return
            self._expect_headers()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._deadline is not None:
                self._n_header_bytes += len(data)
                if self._n_header_bytes > CUT_OFF:
                    self.transport.abort()

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._expect_headers()

        def on_headers_complete(self) -> None:
            self._headers_are_there()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._headers_are_there()
            connected[self._address] -= 1
            if not connected[self._address]:
                del connected[self._address]
            super().connection_lost(exc)

        def _expect_headers(self) -> None:
            self._headers_are_there()
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

        def _headers_are_there(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline, self._n_header_bytes = None, 0

    return Impatient


LARGEST_HEADERS = 16 * 1024
TOO_MANY_HEADERS = (
    f"Your browser sent more than {LARGEST_HEADERS // 1024} kB of headers; delete the cookies of"
    " this site and its neighbours, and load the page again."
)
LOOPBACK = ("127.0.0.0/8", "::1/128")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_NAME = "[A-Za-z0-9_-][A-Za-z0-9._-]*"
"""Part of an address that needs no escapes."""

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


Handler = Callable[["Request"], Awaitable[Reply]]


def make_app(
    store: Store,
    address: Address | None = None,
    *,
    live: bool = True,
    chooser: Adaptive | None = None,
) -> Starlette:
    """Return the ASGI application of a study, as it is served at an address."""
    require_server()
    from starlette.applications import Starlette

    study, proxies = store.study, address.proxies if address else ()
    secure = bool(proxies or (address and address.certificate))
    wanted = chooser is None and live and study.adaptive_blocks
    adaptive = Adaptive(study, store) if wanted else None
    people = Participants(study, store, chooser or adaptive)
    desk = Experimenter(study, store, adaptive, live=live)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        choosing = asyncio.create_task(adaptive.run()) if adaptive else None
        counting = asyncio.create_task(desk.count_ahead())
        yield
        await counting
        await desk.close()
        if adaptive and choosing:
            choosing.cancel()
            await adaptive.close()

    app = Starlette(routes=_routes(people, desk), lifespan=lifespan)
    app.add_middleware(_Guard, people=people, secure=secure, proxies=proxies)
    return app


def _routes(people: Participants, desk: Experimenter) -> list[Route]:
    """Return who answers which requests."""
    from starlette.routing import Route

    others = FrontEndRequests(people)

    def route(path: str, handler: Handler, method: str = "POST") -> Route:
        return Route(path, _endpoint(handler, people), methods=[method])

    return [
        route("/", people.show_page, "GET"),
        route("/api/state", people.state, "GET"),
        route("/api/session", people.begin),
        route("/api/trials", people.trials),
        route("/api/answers", others.answers),
        route("/api/next", others.next, "GET"),
        route("/api/openapi.json", others.description, "GET"),
        route("/api/questionnaire", people.questionnaire),
        route("/api/finish", people.finish),
        route("/api/qr", people.qr_code),
        route("/api/withdraw", people.withdraw),
        route("/api/withdraw-by-code", people.withdraw_by_code),
        route("/api/error", people.error),
        route("/media/{name}", people.media_file, "GET"),
        route("/static/study.css", people.show_style, "GET"),
        route("/static/{name}", _static, "GET"),
        route("/worker.js", _static, "GET"),  # it serves what lies below its own address
        route("/experimenter", desk.show_page, "GET"),
        route("/experimenter/status", desk.status, "GET"),
        route("/experimenter/sessions/{session}", desk.session, "GET"),
        route("/experimenter/sessions/{session}/release", desk.release),
        route("/experimenter/sessions/{session}/decide", desk.decide),
        route("/experimenter/settings", desk.settings),
        route("/experimenter/export", desk.export, "GET"),
    ]


def mount(apps: Mapping[str, Starlette]) -> Starlette:
    """Return one application of several, each below a path of its own."""
    from starlette.applications import Starlette
    from starlette.responses import RedirectResponse
    from starlette.routing import BaseRoute, Mount, Route

    @asynccontextmanager
    async def lifespan(whole: Any) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            for app in apps.values():
                await running.enter_async_context(app.router.lifespan_context(app))
            yield

    async def redirect(request: Request) -> Any:
        """Add the slash that addresses inside a page are relative to."""
        name, query = request.url.path.rsplit("/", 1)[1], request.url.query
        return RedirectResponse(f"{name}/{'?' if query else ''}{query}", 308)

    routes: list[BaseRoute] = []
    for path, app in apps.items():
        routes += [Route(path, redirect), Mount(path, app)] if path else [Mount("/", app)]
    return Starlette(routes=routes, lifespan=lifespan)


@lru_cache
def _packed(name: str) -> bytes:
    return gzip.compress(pages.static_file(name))


async def _static(request: Request) -> Reply:
    """Return a file beside the pages, packed if the browser takes that."""
    name = request.url.path.rsplit("/", 1)[1]
    if name not in pages.STATIC:
        raise Refusal(404, "not_found", "There is no such file.")
    kept = {"cache-control": "no-cache", "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        kept["content-encoding"] = "gzip"
        return Reply(_packed(name), headers=kept, media_type=pages.STATIC[name])
    return Reply(pages.static_file(name), headers=kept, media_type=pages.STATIC[name])


def _endpoint(handler: Handler, people: Participants) -> Callable[[Request], Awaitable[Any]]:
    """Turn a handler into what Starlette calls."""

    async def endpoint(request: Request) -> Any:
        try:
            reply = await handler(request)
        except Refusal as refusal:
            reply = _refused(refusal)
        except (StorageError, sqlite3.Error):
            message = people.study.texts["storage_full"]
            reply = _refused(Refusal(507, "storage", message))
        except InputError as error:
            reply = _refused(Refusal(409, "data", str(error)))
        return _as_response(reply)

    return endpoint


def _refused(refusal: Refusal) -> Reply:
    headers = {"retry-after": "5"} if refusal.status in (429, 503, 507) else {}
    return Reply({"error": refusal.reason, "message": str(refusal)}, refusal.status, headers)


def _as_response(reply: Reply) -> Any:
    from starlette.background import BackgroundTask
    from starlette.responses import FileResponse, Response

    content = reply.content
    if isinstance(content, Path):
        sent = BackgroundTask(content.unlink) if reply.once else None
        return FileResponse(content, reply.status, reply.headers, reply.media_type, sent)
    if not isinstance(content, bytes):
        content = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    headers = {"cache-control": "no-store", **reply.headers}
    return Response(content, reply.status, headers, reply.media_type)


Message = MutableMapping[str, Any]


class _Guard:
    """Around every request: who sends it, the limits, and the headers that make a page safe."""

    def __init__(
        self, app: Any, people: Participants, secure: bool, proxies: Sequence[Network]
    ) -> None:
        self._app, self._people, self._proxies = app, people, proxies
        safe = dict(_SECURITY)
        if secure:
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

        path = scope["path"].removeprefix(scope.get("root_path", ""))
        sent = dict(scope["headers"])
        shared = cors_headers(self._people.study.front_ends, path, sent.get(b"origin", b""))

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [*message["headers"], *shared]
                present = {name for name, _ in own}
                safe = (header for header in self._headers if header[0] not in present)
                message["headers"] = [*own, *safe]
            await send(message)

        try:
            if self._proxies:
                scope["client"] = (self._sender(scope), 0)
            address = scope["client"][0] if scope.get("client") else ""
            limit = self._people.study.limits.address_per_minute
            self._people.per_address.check(address, limit)
            if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEADERS:
                raise Refusal(431, "headers", TOO_MANY_HEADERS)
        except Refusal as refusal:
            await _as_response(_refused(refusal))(scope, receive, send_safely)
            return
        if scope["method"] == "OPTIONS" and shared:
            await _as_response(Reply(b"", 204))(scope, receive, send_safely)
            return
        await self._app(scope, receive, send_safely)

    def _sender(self, scope: Message) -> str:
        """Return the address of the browser by the word of our proxy; refuse who comes past it."""
        peer = str(scope["client"][0])
        if not self._is_proxy(peer):
            raise Refusal(403, "proxy", "This server is reached through its proxy only.")
        said = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
        named = [part.strip() for part in said.decode("latin-1").split(",") if part.strip()]
        strangers = [name for name in named if not self._is_proxy(name)]
        return strangers[-1] if strangers else peer

    def _is_proxy(self, name: str) -> bool:
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._proxies)


@dataclass(frozen=True)
class Address:
    """Where a study is served, and how browsers reach it."""

    host: str = "127.0.0.1"
    port: int = 8000
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    trusted_proxies: tuple[str, ...] = ()
    path: str = ""
    """Below which the studies are, such as /lab."""

    def __post_init__(self) -> None:
        if self.path and not re.fullmatch(rf"(/{_NAME})+", self.path):
            raise InputError(
                "--path must begin with a slash and consist of letters, digits and . _ -, such as"
                f" /lab; got {self.path!r}."
            )
        if (self.certificate is None) != (self.key is None):
            raise InputError("TLS needs both --tls-certificate and --tls-key; one is missing.")
        if self.is_loopback or self.certificate or self.trusted_proxies:
            return
        if self.behind_proxy:
            raise InputError(
                f"{self.host} can be reached past the proxy, and answers would travel unencrypted."
                " Serve on 127.0.0.1, or name the address of a proxy on another machine with"
                " --trusted-proxy."
            )
        raise InputError(
            f"{self.host} can be reached from outside, and answers would travel unencrypted."
            " Give --tls-certificate and --tls-key, or serve on 127.0.0.1 behind a proxy that"
            " handles TLS, with --behind-proxy; the documentation has a recipe."
        )

    @property
    def proxies(self) -> tuple[Network, ...]:
        """Where requests must come from, if they come through a proxy."""
        if not (self.behind_proxy or self.trusted_proxies):
            return ()
        found = [ipaddress.ip_network(name) for name in LOOPBACK]
        for name in self.trusted_proxies:
            try:
                found.append(ipaddress.ip_network(name))
            except ValueError:
                raise InputError(
                    f"--trusted-proxy must be an address such as 10.0.0.5 or a network such as"
                    f" 10.0.0.0/24; got {name!r}."
                ) from None
        return tuple(found)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def url(self, path: str = "") -> str:
        """Return the address of a study to type into a browser on this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}{path}/"

    def paths(self, folders: Sequence[Path]) -> list[str]:
        """Return where the studies of folders are: one at the path, several below it by name."""
        if len(folders) == 1:
            return [self.path]
        names = [folder.resolve().name for folder in folders]
        for number, name in enumerate(names):
            if not re.fullmatch(_NAME, name) or name in names[:number]:
                raise InputError(
                    f"Several studies are served below the names of their folders. {name!r} is"
                    " there twice, or has other characters than letters, digits and . _ -;"
                    " rename the folder."
                )
        return [f"{self.path}/{name}" for name in names]


def require_server() -> None:
    """Say how to install what serving needs, if it is not there."""
    for module in ("starlette", "uvicorn", "httptools", "nh3", "markdown_it", "segno"):
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


def make_server(apps: Mapping[str, Starlette], address: Address) -> Any:
    """Return the uvicorn server of studies by their paths, not yet running; see `make_app`."""
    require_server()
    import uvicorn

    server = uvicorn.Server(
        uvicorn.Config(
            mount(apps),
            host=address.host,
            port=address.port,
            ssl_certfile=address.certificate,
            ssl_keyfile=address.key,
            # all connections of a proxy have its address
            http=impatient_protocol(0 if address.proxies else MOST_PER_ADDRESS),
            ws="none",
            lifespan="on",
            access_log=False,  # addresses of participants are nobody's business
            log_level="warning",
            server_header=False,
            proxy_headers=False,  # they are read where others than the proxy are refused
            timeout_keep_alive=65,
            timeout_graceful_shutdown=5,
            limit_concurrency=MOST_CONNECTIONS,
        )
    )
    logging.getLogger("uvicorn.error").addFilter(_FEW_LINES)  # its configuration is loaded by now
    return server
