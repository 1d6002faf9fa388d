"""A server on loopback that speaks OpenAI's protocol and replies, or fails, as a test says."""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

EVENTS = "text/event-stream"
KEY = "sk-test-1234567890abcdef"
HEADERS = {  # that a call is sent with, and no others
    *("host", "accept", "accept-encoding", "connection", "content-type", "content-length"),
    "authorization",
}


@dataclass
class ScriptedReply:
    """One response. `stalls`: the body is held back until the server closes; `breaks`: the
    connection is cut in it; `hangs`: half of it is sent, and then no more; `drips`: it comes byte
    by byte. A model's reply is sent in pieces where that was asked for.
    """

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    stalls: bool = False
    breaks: bool = False
    hangs: bool = False
    drips: bool = False
    pause_s: float = 0.02  # between two bytes

    @property
    def sent(self) -> bytes:
        """As much of the body as is sent at all."""
        return self.body[: len(self.body) // 2] if self.breaks or self.hangs else self.body


def chat_reply(
    text: str | None, finish: str = "stop", usage: Any = (11, 7), **message: Any
) -> ScriptedReply:
    """A model's reply as the protocol has it."""
    spoken = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "finish_reason": finish, "message": spoken}
    body: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [choice],
    }
    if usage:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return ScriptedReply(json.dumps(body).encode())


def events(*data: Any, done: bool = True) -> ScriptedReply:
    """Server-sent events: bytes as they are, all else as JSON; `done` adds the mark of the end."""
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in data] + [
        b"[DONE]"
    ] * done
    return ScriptedReply(b"".join(b"data: " + line + b"\n\n" for line in lines), kind=EVENTS)


def piece(
    text: Any = None, finish: str | None = None, usage: Any = None, **delta: Any
) -> dict[str, Any]:
    """One piece of a reply, as the protocol has it; one without text is the last, which counts the
    tokens.
    """
    spoken = delta if text is None else {"content": text, **delta}
    choices = [] if usage else [{"index": 0, "delta": spoken, "finish_reason": finish}]
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "model": "tiny",
        "choices": choices,
        "usage": usage,
    }


def in_pieces(reply: ScriptedReply, usage: bool) -> ScriptedReply:
    """The same reply as a stream, three characters at a time; what is no reply stays as it is."""
    try:
        whole = json.loads(reply.body)
        (choice,), message = whole["choices"], dict(whole["choices"][0]["message"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return reply
    if "error" in choice:
        return reply
    sent = [piece(role=message.pop("role"), content="")]
    for name, text in message.items():
        size = 3 if isinstance(text, str) else 1
        sent += [piece(**{name: text[n : n + size]}) for n in range(0, len(text or ""), size)]
    sent.append(piece(finish=choice["finish_reason"]))
    if usage and "usage" in whole:
        sent.append(piece(usage=whole["usage"]))
    return dataclasses.replace(reply, body=events(*sent).body, kind=EVENTS)


def error(status: int, message: str, code: str | None = None, **headers: str) -> ScriptedReply:
    """An error in OpenAI's form."""
    body = {"error": {"message": message, "type": "invalid_request_error", "code": code}}
    return ScriptedReply(
        json.dumps(body).encode(),
        status,
        {name.replace("_", "-"): value for name, value in headers.items()},
    )


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that was killed is no error here."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class ScriptedServer:
    """Replies by a function of the request's JSON; `asked` are these, `headers` those that came
    with them.
    """

    def __init__(self, reply: Callable[[dict[str, Any]], ScriptedReply]) -> None:
        self.reply = reply
        self.streams = True  # where it is asked to; else its replies are whole all the same
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.callers: set[int] = set()  # ports: one for every connection
        self.gone = threading.Event()  # a caller hung up on a stalled reply
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self.http = _Quiet(("127.0.0.1", 0), _handler(self))
        self.http.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        return [asked["messages"][0]["content"] for asked in self.asked]

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            yield
        finally:
            with self._lock:
                self._now -= 1


@contextmanager
def serving(reply: Callable[[dict[str, Any]], ScriptedReply]) -> Iterator[ScriptedServer]:
    """A server that runs."""
    scripted = ScriptedServer(reply)
    thread = threading.Thread(
        target=scripted.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    yield scripted
    scripted.closing.set()
    scripted.http.shutdown()
    scripted.http.server_close()


def in_turn(*replies: ScriptedReply) -> Callable[[dict[str, Any]], ScriptedReply]:
    """These one after another; the last one again and again."""
    left = list(replies)
    return lambda asked: left.pop(0) if len(left) > 1 else left[0]


def _handler(scripted: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send({"path": self.path})

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # the caller was stopped while it asked
                self.close_connection = True
                return
            self._send(json.loads(body))

        def _send(self, asked: dict[str, Any]) -> None:
            with scripted.counted():
                scripted.asked.append(asked)
                scripted.callers.add(self.client_address[1])
                scripted.headers.append(
                    {name.lower(): value for name, value in self.headers.items()}
                )
                reply = scripted.reply(asked)
            if asked.get("stream") and scripted.streams:
                reply = in_pieces(
                    reply, asked.get("stream_options", {}).get("include_usage", False)
                )
            with suppress(OSError):
                self._write(reply)

        def _write(self, reply: ScriptedReply) -> None:
            if reply.stalls:
                self._hold()
                return
            self.send_response(reply.status)
            for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
                self.send_header(name, value)
            streams = reply.kind == EVENTS
            self.send_header(
                *(
                    ("Transfer-Encoding", "chunked")
                    if streams
                    else ("Content-Length", str(len(reply.body)))
                )
            )
            self.end_headers()
            for part in (
                [bytes([byte]) for byte in reply.body]
                if reply.drips
                else filter(None, [reply.sent])
            ):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if streams else part)
                if reply.drips and scripted.closing.wait(reply.pause_s):
                    return
            if reply.hangs:
                self._hold()
            elif reply.breaks:
                self.close_connection = True
            elif streams:
                self.wfile.write(b"0\r\n\r\n")

        def _hold(self) -> None:
            """Wait until the caller hangs up, or the server closes."""
            self.close_connection = True
            self.connection.settimeout(0.02)
            while not scripted.closing.is_set():
                with suppress(TimeoutError):
                    if not self.connection.recv(1):
                        scripted.gone.set()
                        return

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    return Handler
