"""Connections on which a request does not arrive: they end, so that nobody holds the server's by
sending a letter now and then, or nothing.

uvicorn, which serves, has a time-out between requests alone, and none for what it waits for within
one. The protocol below is its own with such a time-out.
"""

from __future__ import annotations

import asyncio

from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.protocols.http.auto import AutoHTTPProtocol

ARRIVAL_S = 10.0  # for a request with its body
LEAST = 10_000  # bytes a second of a body that may take longer, as a large file's
LOOKS = 4  # within that time


class PatientProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]  # one of two classes
    """A connection of a browser, until it becomes a WebSocket."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._begin_to_wait()
        self._look_later()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        self._received += len(data)
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request, or for what is left of one that was answered early."""
        self._begin_to_wait()
        super().on_response_complete()

    def _begin_to_wait(self) -> None:
        self._since, self._received = self.loop.time(), 0

    def _look_later(self) -> None:
        self.loop.call_later(ARRIVAL_S / LOOKS, self._look)

    def _look(self) -> None:
        """Close it where the request takes too long."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        being_answered = self.cycle is not None and not self.cycle.response_complete
        if being_answered and not self.cycle.more_body:
            self._begin_to_wait()
        may_take = ARRIVAL_S + (self._received / LEAST if being_answered else 0.0)
        if self.loop.time() - self._since > may_take:
            self.transport.close()
        else:
            self._look_later()


def register() -> None:
    """Let every server of this process that begins from now on use it."""
    HTTP_PROTOCOLS["auto"] = f"{__name__}:{PatientProtocol.__name__}"
