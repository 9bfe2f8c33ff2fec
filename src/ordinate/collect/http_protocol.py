"""Uvicorn's HTTP protocol, which ends connections whose headers are too slow or too long.

Uvicorn has no option for either; `tests/test_private_parts.py` names the versions tried.
"""

from __future__ import annotations

import asyncio
from typing import Any

CUT_OFF = 64 * 1024
"""Bytes of headers that nobody sends by mistake: the connection ends without a reply."""
HEADER_SECONDS = 10.0


def impatient_protocol() -> Any:
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
            super().connection_lost(exc)

        def _expect_headers(self) -> None:
            self._headers_are_there()
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

        def _headers_are_there(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline, self._n_header_bytes = None, 0

    return Impatient
