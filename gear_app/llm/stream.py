"""A reply that comes in pieces: server-sent events, parsed while they come in. Pure.

The openai package brings the bytes. Its own parser of events is not used: see decision 0021.
"""

from __future__ import annotations

import json
from typing import Any

from gear_app.llm import response
from gear_app.llm.request import Request
from gear_app.llm.response import Fault, Reply

LIMIT = 4_000_000  # bytes of a line, characters of a reply
TOO_LARGE = Fault(f"sent more than {LIMIT // 1_000_000} MB, which is no reply")
_EVENTS = b"deir:"  # a body that begins so is events: data, event, id, retry, comment


class StreamedReply:
    """The body of one response while it comes in: events, or JSON where a server streams nothing.

    `characters` is how many characters of the reply have come.
    """

    def __init__(self, request: Request, content_type: str) -> None:
        """`content_type` is only repeated in messages."""
        self._request, self._content_type = request, content_type
        self._line, self._data, self._body = bytearray(), list[bytes](), bytearray()
        self._is_events: bool | None = None  # not known before the first byte
        self._texts: list[str] = []
        self._usage: object = None
        self._finish: object = None
        self._fault: Fault | None = None
        self._has_choices = self._done = False
        self.characters = 0

    @property
    def ended(self) -> bool:
        """Whether the server said that this was all, or what came is no reply."""
        return self._done or self._fault is not None

    def feed(self, part: bytes) -> None:
        """Take the next bytes."""
        if self._is_events is None and part.strip():
            self._is_events = part.lstrip()[0] in _EVENTS
        if not self._is_events:
            self._body += part
            return
        *lines, rest = part.split(b"\n")
        for line in lines:
            self._end_line(bytes(self._line + line).removesuffix(b"\r"))
            self._line.clear()
        self._line += rest
        if len(self._line) > LIMIT or self.characters > LIMIT:
            self._fault = TOO_LARGE

    def reply(self, ms: float) -> Reply | Fault:
        """The reply, when no more bytes come; the same as if it had been sent in one body."""
        if not self._is_events:
            body = bytes(self._body)
            return response.parse_reply(body, self._content_type, self._request, ms)
        if not self.ended:  # the last event may lack its blank line
            self._end_line(bytes(self._line))
            self._end_line(b"")
        if self._fault:
            return self._fault
        if not (self._done or self._finish):
            return Fault("broke off before its reply was whole", retryable=True)
        if not self._has_choices:
            return Fault("sent events without a reply", retryable=True)
        # Through JSON and back: joins the halves of a character that came in two pieces.
        text = json.loads(json.dumps("".join(self._texts)))
        return response.make_reply(text, self._usage, self._finish, self._request, ms)

    def _end_line(self, line: bytes) -> None:
        """One line; a blank one ends an event."""
        if self.ended:
            return
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            return
        data, self._data = b"\n".join(self._data), []
        if data.strip() == b"[DONE]":
            self._done = True
        elif data.strip():
            self._end_event(data)

    def _end_event(self, data: bytes) -> None:
        event = response.parse_json(data, self._content_type)
        if isinstance(event, Fault):
            self._fault = event
        elif isinstance(event, dict) and event.get("error"):
            message = response.error_message(event)
            self._fault = Fault(f"broke off with an error: {message}", retryable=True)
        else:
            self._add_piece(event, data)

    def _add_piece(self, event: Any, data: bytes) -> None:  # noqa: ANN401
        try:
            self._usage = event.get("usage") or self._usage
            for choice in event.get("choices") or []:  # the event with the usage has none
                self._has_choices = True
                self._texts.append(response.message_text(choice.get("delta") or {}))
                self.characters += len(self._texts[-1])
                self._finish = choice.get("finish_reason") or self._finish
        except (LookupError, TypeError, AttributeError):
            self._fault = Fault(
                f"sent an event that is no part of a reply: {response.excerpt(data)!r}",
                retryable=True,
            )
