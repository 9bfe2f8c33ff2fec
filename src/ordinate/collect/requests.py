"""What every request passes: read it in good time, count it, refuse it or reply to it."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ordinate.collect.sessions import Refusal

if TYPE_CHECKING:
    from starlette.requests import Request

LARGEST_BODY = 64 * 1024
BODY_SECONDS = 10.0
_R = TypeVar("_R")


@dataclass(frozen=True)
class Reply:
    """What a handler answers: a JSON value, bytes of a type of their own, or a file."""

    content: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"
    once: bool = False
    """Whether the file is deleted once it is sent."""


class RateLimit:
    """Counts per key within a window of time; forgets all of them when the window ends."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._ends = seconds, 0.0
        self._counts: Counter[str] = Counter()

    def count(self, key: str = "") -> int:
        """Count one more, and return how many there were."""
        if (moment := time.monotonic()) >= self._ends:
            self._counts.clear()
            self._ends = moment + self._seconds
        self._counts[key] += 1
        return self._counts[key]

    def check(self, key: str, limit: int) -> None:
        """Count one more, or refuse it if that is too many."""
        if self.count(key) > limit:
            raise Refusal(429, "busy", "Too many requests; try again in a while.")


async def on_disk(future: Future[_R]) -> _R:
    """Wait for the writer without holding up other requests."""
    return await asyncio.wrap_future(future)


def address_of(request: Request) -> str:
    """Return the address of the browser; a proxy's word counts only with --behind-proxy."""
    return request.client.host if request.client else ""


def bearer_of(request: Request) -> str:
    """Return the token that a request brings; empty if it has none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def read_json(request: Request, *, foreign: bool = False) -> dict[str, Any]:
    """Read a small JSON object in good time; one that our own page sent, unless others may."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    if not foreign and site not in ("same-origin", "none"):
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
        if b"\\ud" in body.lower():  # half a character, which no file can hold
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Refusal(400, "malformed", "Expected JSON.") from None
    if not isinstance(value, dict):
        raise Refusal(400, "malformed", "Expected a JSON object.")
    return value
