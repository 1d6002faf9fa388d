"""A reply that comes in pieces: server-sent events, understood while they come in. Pure; nonsense
is a Fault.

The openai package brings the bytes. It would hold an event of any length and hand on objects that
nobody has checked, so the few rules of the format are here: fields by line, an event by blank line.
"""

from __future__ import annotations

import json
from typing import Any

from gear_app.llm import response
from gear_app.llm.request import Request
from gear_app.llm.response import Fault, Reply

MOST = 4_000_000  # bytes of a line, characters of a reply
TOO_LARGE = Fault(f"sent more than {MOST // 1_000_000} MB, which is no reply")
_EVENTS = b"deir:"  # a body that begins so is events: data, event, id, retry, comment


class Incoming:
    """The body of one response while it comes in. A server that streams nothing may send its reply
    whole.

    `characters` of the reply have come; `ended`: what comes now is of no interest.
    """

    def __init__(self, request: Request, kind: str) -> None:
        """`kind` is the content type, which is only repeated in messages."""
        self._request, self._kind = request, kind
        self._line, self._data, self._whole = bytearray(), list[bytes](), bytearray()
        self._events: bool | None = None  # not known before the first byte
        self._said: list[str] = []
        self._usage: object = None
        self._finish: object = None
        self._fault: Fault | None = None
        self._choices = self._done = False
        self.characters = 0

    @property
    def ended(self) -> bool:
        """Whether the server said that this was all, or what came is no reply."""
        return self._done or self._fault is not None

    def feed(self, part: bytes) -> None:
        """Take the next bytes."""
        if self._events is None and part.strip():
            self._events = part.lstrip()[:1] in [bytes([byte]) for byte in _EVENTS]
        if not self._events:
            self._whole += part
            return
        *lines, rest = part.split(b"\n")
        for line in lines:
            self._took(bytes(self._line + line).removesuffix(b"\r"))
            self._line.clear()
        self._line += rest
        if len(self._line) > MOST or self.characters > MOST:
            self._fault = TOO_LARGE

    def reply(self, ms: float) -> Reply | Fault:
        """What came, when no more comes; the same as if it had been sent whole."""
        if not self._events:
            return response.reply(bytes(self._whole), self._kind, self._request, ms)
        if not self.ended:  # the last event may lack its blank line
            self._took(bytes(self._line))
            self._took(b"")
        if self._fault:
            return self._fault
        if not (self._done or self._finish):
            return Fault("broke off before its reply was whole", again=True)
        if not self._choices:
            return Fault("sent events without a reply", again=True)
        text = json.loads(
            json.dumps("".join(self._said))
        )  # joins the halves of a character sent in two pieces
        return response.made(text, self._usage, self._finish, self._request, ms)

    def _took(self, line: bytes) -> None:
        """One line; a blank one ends an event."""
        if self.ended:
            return
        if line:
            name, _, value = line.partition(b":")
            self._data += [value.removeprefix(b" ")] if name == b"data" else []
            return
        data, self._data = b"\n".join(self._data), []
        if data.strip() == b"[DONE]":
            self._done = True
        elif data.strip():
            self._event(data)

    def _event(self, data: bytes) -> None:
        found = response.parsed(data, self._kind)
        if isinstance(found, Fault):
            self._fault = found
        elif isinstance(found, dict) and found.get("error"):
            self._fault = Fault(f"broke off with an error: {response.said(found)}", again=True)
        else:
            self._chunk(found, data)

    def _chunk(self, found: Any, data: bytes) -> None:  # noqa: ANN401
        try:
            self._usage = found.get("usage") or self._usage
            for choice in found.get("choices") or []:  # the one with the usage has none
                self._choices = True
                self._said.append(response.content(choice.get("delta") or {}))
                self.characters += len(self._said[-1])
                self._finish = choice.get("finish_reason") or self._finish
        except (LookupError, TypeError, AttributeError):
            self._fault = Fault(
                f"sent an event that is no part of a reply: {response.short(data)!r}", again=True
            )
