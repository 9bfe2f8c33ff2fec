"""One request to a server that speaks the OpenAI-compatible chat API, and how long to wait.

A request ends in one of four ways. There is a `Reply`; or the server put it off (`Busy`), which it
does not charge for; or it refused it for good (`Rejected`); or the request left and no whole reply
came back (`Lost`), so that nobody knows whether it was charged for. The key is known here alone.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from ipaddress import ip_address
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ordinate._checks import InputError

KEY = "ORDINATE_API_KEY"
"""Environment variable that holds the key, unless another is named."""
LARGEST_REPLY = 2**20
CONNECT_SECONDS = 10.0
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds to wait if the server does not say how long; each wait is twice the one before."""
PATIENCE = 300.0
"""Seconds that a server may ask to wait; if it asks for more, the run ends."""
SHORTEST_SECRET = 8
"""Shorter keys are placeholders, such as "none", and are not looked for in replies."""
_REFUSED_TEXTS = ("content_filter", "content_policy_violation")
"""Codes of status 400 that are about the question, not about the request."""
_NO_MONEY = ("insufficient_quota", "billing_hard_limit_reached")


class Reply(NamedTuple):
    """A whole reply, as it came."""

    body: str
    took_ms: int


class Busy(NamedTuple):
    """The server cannot answer now; `wait` is how many seconds it wants, if it says so."""

    why: str
    wait: float | None = None


class Rejected(NamedTuple):
    """The server will not answer such a request."""

    why: str


class Lost(NamedTuple):
    """The request left, and no whole reply came back."""

    why: str


class Chat:
    """A server, with a pace that it bears."""

    def __init__(
        self,
        endpoint: str,
        *,
        key_from: str = KEY,
        timeout: float = 60.0,
        per_minute: int = 0,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        require_client()
        import httpx

        self.endpoint = check_endpoint(endpoint)
        self._key, self._key_from = _read_key(key_from), key_from
        if self._key and not self.endpoint.startswith("https:") and not is_local(self.endpoint):
            raise InputError(
                f"The key in {key_from} would travel unencrypted to {self.endpoint}; use https, or"
                " unset the variable if that server needs no key."
            )
        self._timeout, self._spacing = timeout, 60 / per_minute if per_minute else 0.0
        self._sleep, self._clock, self._jitter = sleep, clock, Random()
        self._next = self._not_before = -math.inf
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.AsyncClient(
            headers=headers,
            limits=limits,
            timeout=httpx.Timeout(timeout, connect=min(timeout / 2, CONNECT_SECONDS), pool=None),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def turn(self) -> None:
        """Wait until the next request may leave."""
        while (pause := max(self._next, self._not_before) - self._clock()) > 0:
            await self._sleep(pause)
        self._next = self._clock() + self._spacing

    def put_off(self, busy: Busy, attempt: int) -> bool:
        """Let all requests wait as the server asks; False if it asks for more than patience."""
        wait = busy.wait
        if wait is None:
            backoff = min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT)
            wait = backoff * self._jitter.uniform(0.5, 1.0)
        if wait > PATIENCE:
            return False
        self._not_before = max(self._not_before, self._clock() + wait)
        return True

    async def send(self, body: bytes, request_id: str) -> Reply | Busy | Rejected | Lost:
        """Send a request once."""
        import httpx

        began = time.monotonic()
        headers = {"content-type": "application/json", "idempotency-key": request_id}
        address = f"{self.endpoint}/chat/completions"
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._client.stream("POST", address, content=body, headers=headers) as response,
            ):
                content = bytearray()
                async for part in response.aiter_bytes():
                    content += part
                    if len(content) > LARGEST_REPLY:
                        return Lost(f"the reply has more than {LARGEST_REPLY:,} bytes")
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError):
            return Busy(f"nothing answers at {self.endpoint}")
        except httpx.UnsupportedProtocol:
            return Rejected(f"{self.endpoint} is not the address of a web server")
        except (TimeoutError, httpx.TimeoutException):
            return Lost(f"no reply within {self._timeout:g} s")
        except httpx.HTTPError:
            return Lost("the connection ended before the reply did")
        text = self.without_key(bytes(content).decode("utf-8", "replace"))
        took = round(1000 * (time.monotonic() - began))
        return self._read(response.status_code, response.headers, text, took)

    def _read(
        self, status: int, headers: Mapping[str, str], text: str, took: int
    ) -> Reply | Busy | Rejected:
        """Say what a whole response is."""
        code, said = _complaint(text)
        if status == 200 or (status == 400 and code in _REFUSED_TEXTS):
            return Reply(text, took)
        why = f"status {status}" + (f", {said!r}" if said else "")
        if status in (401, 403):
            has = f"The key in {self._key_from} was sent" if self._key else "No key was sent"
            return Rejected(f"{why}. {has}; put the right one into {self._key_from}")
        if (status in (408, 409, 425, 429) and code not in _NO_MONEY) or status >= 500:
            return Busy(why, wait_of(headers))
        return Rejected(why)

    def without_key(self, text: str) -> str:
        """Return a text in which no server can have hidden the key."""
        if len(self._key) < SHORTEST_SECRET:
            return text
        for form in (self._key, json.dumps(self._key)[1:-1], self._key.replace("/", "\\/")):
            text = text.replace(form, "[key]")
        return text


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server wants us to wait; None if it names no number of them."""
    for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(ValueError):
            wait = float(headers.get(name, "")) / per_second
            if 0 <= wait < math.inf:
                return wait
    return None


def _complaint(text: str) -> tuple[str, str]:
    """Return the code and the message of an error as servers send them."""
    try:
        error = json.loads(text)["error"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return "", " ".join(text.split())[:200]
    if not isinstance(error, dict):
        return "", str(error)[:200]
    return str(error.get("code") or error.get("type") or ""), str(error.get("message", ""))[:200]


def check_endpoint(endpoint: str) -> str:
    """Return the address of a server without a slash at its end; refuse one that holds a key."""
    try:
        parts = urlsplit(endpoint)
        _ = parts.port
    except ValueError:
        raise InputError(f"--endpoint is not an address: {endpoint!r}.") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "--endpoint must be an address alone, without a name, password or parameters. Keys"
            " come from the environment."
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"--endpoint must be an address such as http://127.0.0.1:8000/v1; got {endpoint!r}."
        )
    return endpoint.rstrip("/")


def is_local(endpoint: str) -> bool:
    """Whether a server is on this machine."""
    host = urlsplit(endpoint).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _read_key(name: str) -> str:
    """Return the key from the environment; nobody hears what it is."""
    key = os.environ.get(name, "").strip()
    if not all("!" <= character <= "~" for character in key):
        raise InputError(f"The key in {name} has characters that a key cannot have; copy it again.")
    return key


def require_client() -> None:
    """Say how to install what speaks HTTP, if it is not there."""
    if find_spec("httpx") is None:
        raise InputError(
            "`ordinate collect ask` needs httpx, which is not installed:"
            ' pip install "ordinate[machines]"'
        )
