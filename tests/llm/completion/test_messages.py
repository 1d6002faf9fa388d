"""What leaves for a server, and what comes back: prompt, settings, key, proxies, replies, models."""

from __future__ import annotations

import socket
import threading
from contextlib import closing, suppress
from typing import Any

import httpx2
import openai
import pytest

from gear_app.llm import transport
from gear_app.llm.completion import ChatClient
from gear_app.llm.environment import uses_proxy
from gear_app.llm.errors import CallFailed
from gear_app.llm.request import Request
from gear_app.llm.server import Server
from tests.llm.completion.asked import ASKED, STREAMED
from tests.llm.conftest import Bench
from tests.llm.server import HEADERS, KEY, ScriptedReply, chat_reply, error, in_turn


def test_a_call_sends_the_prompt_the_settings_and_the_key_and_nothing_of_the_environment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "elsewhere")
    monkeypatch.setenv(
        "OPENAI_CUSTOM_HEADERS", "X-Elsewhere: secret\nAuthorization: Bearer elsewhere"
    )
    server = bench.serve(in_turn(chat_reply("yes")))
    reply = bench.chat(server).ask(ASKED)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("yes", 11, 7)
    assert (reply.estimated, reply.cut, reply.attempts) == (False, False, 1)
    assert server.asked == [
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "Is it?"}],
            "max_tokens": 2048,
            "temperature": 0.0,
            "seed": 0,
            **(STREAMED if bench.stream else {}),
        }
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert set(server.headers[0]) == HEADERS


def test_a_server_that_wants_no_key_is_sent_none(bench: Bench) -> None:
    server = bench.serve(in_turn(chat_reply("yes")))
    chat = ChatClient(Server(server.base_url, "tiny"))
    chat.ask(ASKED)
    chat.close()
    assert "authorization" not in server.headers[0]


@pytest.mark.parametrize(
    ("sent", "text", "cut"),
    [
        (chat_reply("half a", finish="length"), "half a", True),
        (chat_reply(None, refusal="I will not."), "I will not.", False),
        (chat_reply(None), "", False),
        (
            chat_reply([{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]),
            "one two",
            False,
        ),  # type: ignore[arg-type]
        (chat_reply("a\ud800b\x00c"), "a\ufffdb\ufffdc", False),
        (ScriptedReply(chat_reply("yes").body, kind="text/plain"), "yes", False),
    ],
)
def test_replies_of_every_form_are_read(
    bench: Bench, sent: ScriptedReply, text: str, cut: bool
) -> None:
    reply = bench.chat(bench.serve(in_turn(sent))).ask(ASKED)
    assert (reply.text, reply.cut) == (text, cut)


@pytest.mark.parametrize("usage", [None, (-1, 2), (True, 2), ("3", 4), (0, 0), (0, 4), (3, 0)])
def test_tokens_are_estimated_and_marked_where_the_server_does_not_count(
    bench: Bench, usage: Any
) -> None:
    sent = chat_reply("one two three.", usage=None)
    if usage:
        counts = b'"usage": {"prompt_tokens": %s, "completion_tokens": %s}' % tuple(
            str(n).encode() for n in usage
        )
        sent.body = (
            sent.body[:-1]
            + b", "
            + counts.replace(b"True", b"true").replace(b": 3,", b': "3",')
            + b"}"
        )
    reply = bench.chat(bench.serve(in_turn(sent))).ask(ASKED)
    assert (reply.estimated, reply.input_tokens, reply.output_tokens) == (True, 3, 4)


def test_a_reply_without_words_may_have_no_tokens(bench: Bench) -> None:
    reply = bench.chat(bench.serve(in_turn(chat_reply(None, usage=(11, 0))))).ask(ASKED)
    assert (reply.text, reply.estimated, reply.input_tokens, reply.output_tokens) == (
        "",
        False,
        11,
        0,
    )


def test_a_server_that_replies_twice_is_heard_once(bench: Bench) -> None:
    """Its second reply would else be the one to the next prompt."""
    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            caller, _ = listener.accept()
            with caller, suppress(OSError):
                while asked := caller.recv(100_000):
                    for words in ("first", "second"):
                        if words.encode() in asked:  # headers may come before the prompt
                            caller.sendall(answer(f"to the {words}") + answer("too much"))

    def answer(text: str) -> bytes:
        response = chat_reply(text).body
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(response), response)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        server = Server(
            f"http://127.0.0.1:{listener.getsockname()[1]}/v1", "tiny", stream=bench.stream
        )
        with closing(ChatClient(server)) as chat:
            for words in ("first", "second", "first"):
                assert chat.ask(Request("reason", words)).text == f"to the {words}"
        ended.set()
        socket.create_connection(listener.getsockname()).close()  # the last that it waits for
        thread.join()


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
def test_a_key_over_http_goes_to_its_server_and_to_no_proxy(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    server, proxy = (
        bench.serve(in_turn(chat_reply("yes"))),
        bench.serve(in_turn(chat_reply("stolen"))),
    )
    for other in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
    assert bench.chat(server).ask(ASKED).text == "yes" and not proxy.headers


def test_a_proxy_leads_to_the_addresses_over_https_that_visitors_did_not_type() -> None:
    there = {"OPENAI_BASE_URL": "https://models.example/v1"}
    assert uses_proxy("https://models.example/v1", there) and uses_proxy(
        "https://api.openai.com/v1", there
    )
    assert not uses_proxy("https://typed.example/v1", there)
    for address in (
        "http://models.example/v1",
        "https://localhost/v1",
        "https://127.0.0.2/v1",
        "https://[::1]:8/v1",
    ):
        assert not uses_proxy(address, {"OPENAI_BASE_URL": address})


def test_a_proxy_is_used_where_it_may_be(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    monkeypatch.setattr(
        httpx2.AsyncClient, "__init__", lambda self, **given: asked.append(given["transport"])
    )
    monkeypatch.setattr(openai, "AsyncOpenAI", lambda **given: None)
    for address in ("https://models.example/v1", "https://typed.example/v1"):
        transport.make_client(Server(address, "tiny"))
    assert asked[0] is None and asked[1] is not None


def test_models_are_listed(bench: Bench) -> None:
    server = bench.serve(
        in_turn(
            ScriptedReply(b'{"data": [{"id": "tiny"}, {"id": "large"}]}'), error(401, "Wrong key.")
        )
    )
    chat = bench.chat(server)
    assert chat.models() == ("tiny", "large")
    assert server.asked == [{"path": "/v1/models"}]
    with pytest.raises(CallFailed, match=r"answered 401: Wrong key\."):
        chat.models()
