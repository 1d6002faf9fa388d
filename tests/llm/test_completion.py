"""The chat client against a scripted server: what leaves, what comes back, and every fault;
streamed or not.
"""

from __future__ import annotations

import gzip
import itertools
import logging
import pickle
import re
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import httpx2
import openai
import pytest

from gear_app.errors import BadInput, Cancelled
from gear_app.llm import response, transport
from gear_app.llm.completion import ChatClient
from gear_app.llm.environment import uses_proxy
from gear_app.llm.errors import CallFailed, ServerFailed
from gear_app.llm.request import Request
from gear_app.llm.request_pool import LoopThread, TimeSource
from gear_app.llm.response import Fault, Reply
from gear_app.llm.server import Patience, Secret, Server, Spec
from tests.llm.conftest import Bench
from tests.llm.server import KEY, ScriptedReply, chat_reply, error, in_turn

ASKED = Request("reason", "Is it?")


def as_it_is(position: int, reply: Reply) -> Reply:
    return reply


SCHEMA = {"type": "object"}
STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Every test here twice: the reply, the faults and the attempts are the same."""
    made = Bench(stream=request.param)
    yield made
    made.close()


# What leaves, what comes back


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
    assert set(server.headers[0]) == {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "authorization",
        "x-stainless-raw-response",
    }


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

    def serve() -> None:
        for _ in range(4):  # once for every connection, at most
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
        threading.Thread(target=serve, daemon=True).start()
        server = Server(
            f"http://127.0.0.1:{listener.getsockname()[1]}/v1", "tiny", stream=bench.stream
        )
        with closing(ChatClient(server)) as chat:
            for words in ("first", "second", "first"):
                assert chat.ask(Request("reason", words)).text == f"to the {words}"


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


# Faults


def test_429_is_asked_again_no_sooner_than_the_server_says(bench: Bench) -> None:
    server = bench.serve(
        in_turn(
            error(429, "Slow down.", retry_after="7"),
            error(429, "Slow.", retry_after="0"),
            chat_reply("yes"),
        )
    )
    reply = bench.chat(server, time=bench.clock.time(jitter=1.0)).ask(ASKED)
    assert (reply.text, reply.attempts) == ("yes", 3)
    assert bench.clock.waits == [
        7 * 1.25,
        0.5,
    ]  # asked for plus a quarter by chance; own second wait, halved by chance


@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 529])
def test_passing_troubles_are_asked_again_with_doubling_waits_and_then_given_up(
    bench: Bench, status: int
) -> None:
    server = bench.serve(in_turn(error(status, "Try later.")))
    with pytest.raises(
        CallFailed, match=f"answered {status}: Try later, after 4 attempts"
    ) as caught:
        bench.chat(server, retries=3).ask(ASKED)
    assert not isinstance(caught.value, ServerFailed)
    assert bench.clock.waits == [0.5, 1.0, 2.0]
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (
            error(400, "The prompt is too long."),
            CallFailed,
            "answered 400: The prompt is too long.",
        ),
        (
            ScriptedReply(b'{"detail": "Unprocessable"}', 422),
            CallFailed,
            "answered 422: Unprocessable",
        ),
        (error(401, "Incorrect API key."), ServerFailed, "answered 401: Incorrect API key."),
        (
            ScriptedReply(b'{"error": "model not found, pull it first"}', 404),
            ServerFailed,
            "404: model not found, pull it first",
        ),
        (
            ScriptedReply(b"<h1>Forbidden</h1>", 403, kind="text/html"),
            ServerFailed,
            "403: <h1>Forbidden</h1>",
        ),
        (
            error(429, "You exceeded your quota.", code="insufficient_quota"),
            ServerFailed,
            "You exceeded your quota.",
        ),
        (
            error(429, "Come back.", retry_after="3600"),
            CallFailed,
            "Come back, and asks to wait 3600 s",
        ),
        (
            ScriptedReply(b"", 302, {"Location": "http://192.0.2.1/v1"}),
            ServerFailed,
            "It sends callers elsewhere",
        ),
    ],
)
def test_what_asking_again_does_not_cure_is_told_at_once_in_the_servers_words(
    bench: Bench, reply: ScriptedReply, kind: type[CallFailed], words: str
) -> None:
    server = bench.serve(in_turn(reply))
    with pytest.raises(CallFailed) as caught:
        bench.chat(server).ask(ASKED)
    assert type(caught.value) is kind
    assert words in str(caught.value) and server.base_url in str(caught.value)
    assert (len(server.asked), bench.clock.waits) == (1, [])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            ScriptedReply(b"<html>Welcome</html>", kind="text/html; charset=utf-8"),
            "sent text/html that is not JSON: '<html>",
        ),
        (ScriptedReply(chat_reply("\u00e9").body.replace(b"\\u00e9", b"\xe9")), "not UTF-8"),
        (ScriptedReply(b'{"choices": []}'), "JSON without a reply"),
        (ScriptedReply(b"[]"), "JSON without a reply"),
        (ScriptedReply(b'{"choices": [{"message": "hello"}]}'), "JSON without a reply"),
        (ScriptedReply(b"[" * 100_000), "not JSON"),
        (ScriptedReply(b""), "not JSON"),
        (ScriptedReply(chat_reply("yes" * 1000).body, breaks=True), "broke off"),
        (ScriptedReply(b"", stalls=True), "gave no whole reply within 0.4 s"),
        (
            ScriptedReply(chat_reply("yes" * 1000).body, drips=True),
            "gave no whole reply within 0.4 s",
        ),
        (
            ScriptedReply(
                gzip.compress(chat_reply("yes").body), headers={"Content-Encoding": "gzip"}
            ),
            "not UTF-8",
        ),
    ],
)
def test_garbled_broken_and_slow_replies_are_asked_for_again(
    bench: Bench, fault: ScriptedReply, words: str
) -> None:
    server = bench.serve(in_turn(fault, chat_reply("yes"), fault))
    patience: dict[str, Any] = {"timeout_s": 0.4} if fault.stalls or fault.drips else {}
    assert bench.chat(server, retries=1, **patience).ask(ASKED).attempts == 2
    with pytest.raises(CallFailed) as caught:
        bench.chat(server, retries=0, **patience).ask(ASKED)
    assert words in str(caught.value)
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [200, 500])
def test_ten_megabytes_are_not_read(bench: Bench, status: int) -> None:
    server = bench.serve(in_turn(ScriptedReply(b'"' + b"x" * 10_000_000 + b'"', status)))
    with pytest.raises(CallFailed, match="sent more than 4 MB, which is no reply"):
        bench.chat(server).ask(ASKED)
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_named(bench: Bench) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = bench.serve(in_turn(chat_reply("")))
    server.base_url = f"http://127.0.0.1:{port}/v1"
    with pytest.raises(
        CallFailed,
        match=f"{port}/v1 could not be reached, or broke off: no server answers at.*after 2 attempts",
    ):
        bench.chat(server, retries=1).ask(ASKED)


# Asking for less


def picky(*parts: str) -> Any:
    """Refuses requests that have one of these parts, in words that name them only where the part is
    a parameter.
    """

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        wanted = asked.get("response_format", {}).get("type")
        for part in parts:
            if part in asked or part == wanted:
                use = " Use 'max_completion_tokens' instead." if part == "max_tokens" else ""
                return error(
                    400, f"Unsupported: '{'response_format' if part == wanted else part}'.{use}"
                )
        return chat_reply("{}")

    return reply


@pytest.mark.parametrize(
    ("parts", "left"),
    [
        ([], {"json_schema", "seed", "temperature", "max_tokens"}),
        (["json_schema"], {"json_object", "seed", "temperature", "max_tokens"}),
        (["json_schema", "json_object"], {"seed", "temperature", "max_tokens"}),
        (
            ["temperature", "max_tokens", "json_schema"],
            {"json_object", "seed", "max_completion_tokens"},
        ),
        (["seed"], {"json_schema", "temperature", "max_tokens"}),
    ],
)
def test_what_a_server_refuses_is_left_out_and_not_tried_again(
    bench: Bench, parts: list[str], left: set[str]
) -> None:
    server = bench.serve(picky(*parts))
    chat = bench.chat(server)
    asked = Request("verify", "Give JSON.", SCHEMA)
    assert chat.ask(asked).attempts == len(parts) + 1
    assert chat.ask(asked).attempts == 1
    sent = server.asked[-1]
    assert {*sent, sent.get("response_format", {}).get("type")} - {None, *STREAMED} == left | {
        "model",
        "messages",
    } | ({"response_format"} if "response_format" in sent else set())
    assert bench.clock.waits == []


def test_what_one_call_found_out_the_calls_behind_it_know(bench: Bench) -> None:
    server = bench.serve(picky("json_schema", "json_object"))
    found = dict(
        bench.chat(server, at_once=1).ask_all(
            [Request("verify", "Give JSON.", SCHEMA)] * 5, as_it_is
        )
    )
    assert all(isinstance(reply, Reply) for reply in found.values())
    assert len(server.asked) == 5 + 2


def test_a_prompt_that_is_refused_in_any_case_takes_nothing_from_the_others(bench: Bench) -> None:
    server = bench.serve(
        lambda asked: (
            error(400, "Too long.")
            if "long" in asked["messages"][0]["content"]
            else chat_reply("{}")
        )
    )
    chat = bench.chat(server)
    with pytest.raises(CallFailed, match="Too long"):
        chat.ask(Request("verify", "long", SCHEMA))
    chat.ask(Request("verify", "short", SCHEMA))
    assert server.asked[-1]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "verify", "schema": SCHEMA, "strict": True},
    }


# Several calls


def test_eight_are_asked_at_once_where_eight_are_allowed_and_never_more(bench: Bench) -> None:
    together = threading.Barrier(8)

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        together.wait(10)
        return chat_reply(asked["messages"][0]["content"])

    server = bench.serve(reply)
    requests = [Request("extract", str(n)) for n in range(32)]
    found = dict(bench.chat(server, at_once=8).ask_all(requests, as_it_is))
    assert [reply.text for _, reply in sorted(found.items()) if isinstance(reply, Reply)] == [
        str(n) for n in range(32)
    ]
    assert server.most_at_once == 8


def test_after_repeated_failures_no_more_calls_are_made_until_it_has_rested(bench: Bench) -> None:
    replies = itertools.chain(
        [error(500, "Out of memory.")] * 8, itertools.repeat(chat_reply("yes"))
    )
    server = bench.serve(lambda asked: next(replies))
    chat = bench.chat(server, retries=1, failures=3, rest_s=30.0)
    for kind in (CallFailed, CallFailed, ServerFailed):
        with pytest.raises(
            CallFailed, match=r"answered 500: Out of memory, after 2 attempts"
        ) as caught:
            chat.ask(ASKED)
        assert type(caught.value) is kind
    with pytest.raises(ServerFailed, match="Out of memory"):
        chat.ask(ASKED)
    assert len(server.asked) == 6
    bench.clock.now += 31
    with pytest.raises(ServerFailed):  # one failure is enough now
        chat.ask(ASKED)
    assert len(server.asked) == 8
    bench.clock.now += 31
    assert chat.ask(ASKED).text == "yes"
    assert chat.ask(ASKED).text == "yes"


def test_a_failure_between_replies_opens_nothing(bench: Bench) -> None:
    server = bench.serve(in_turn(*[error(500, "Oops."), chat_reply("yes")] * 4))
    chat = bench.chat(server, retries=0, failures=2)
    for _ in range(3):
        with pytest.raises(CallFailed):
            chat.ask(ASKED)
        chat.ask(ASKED)


def test_calls_that_wait_for_their_turn_are_not_made_once_the_key_is_refused(bench: Bench) -> None:
    server = bench.serve(in_turn(error(401, "Wrong key.")))
    outcomes = dict(bench.chat(server, at_once=1).ask_all([ASKED] * 5, as_it_is))
    assert [type(outcomes[n]) for n in range(5)] == [ServerFailed] * 5
    assert len(server.asked) == 1


# Cancelling


def test_no_call_is_begun_once_somebody_asked_to_stop(bench: Bench) -> None:
    asked_to: list[int] = []

    def check() -> None:
        if asked_to:
            raise Cancelled("Stop.")

    server = bench.serve(in_turn(chat_reply("hi")))
    chat = bench.chat(server, check)
    first = chat.submit(ASKED, lambda reply: reply.text)
    assert first.result(5) == "hi"
    asked_to.append(1)
    with pytest.raises(Cancelled):
        chat.submit(ASKED, lambda reply: reply.text)
    assert len(server.asked) == 1 and chat.free_slots == chat.server.at_once


def test_a_call_under_way_is_cancelled_at_once_and_its_connection_closed(bench: Bench) -> None:
    server = bench.serve(in_turn(ScriptedReply(b"", stalls=True)))
    began = time.monotonic()

    def check() -> None:
        if server.asked:
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        bench.chat(server, check, timeout_s=60.0).ask(ASKED)
    assert server.gone.wait(5)
    assert time.monotonic() - began < 5


def test_a_wait_for_another_attempt_is_cancelled_too(bench: Bench) -> None:
    server = bench.serve(in_turn(error(503, "Later.", retry_after="50")))
    began = time.monotonic()

    def check() -> None:
        if time.monotonic() - began > 0.15:
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        bench.chat(server, check, TimeSource()).ask(ASKED)
    assert time.monotonic() - began < 5


def test_a_cancelled_chat_can_be_asked_again(bench: Bench) -> None:
    server = bench.serve(in_turn(ScriptedReply(b"", stalls=True), chat_reply("yes")))
    stop = [True]

    def check() -> None:
        if stop and server.asked:
            raise Cancelled("stop")

    chat = bench.chat(server, check, at_once=1)
    with pytest.raises(Cancelled):
        chat.ask(ASKED)
    stop.clear()
    assert chat.ask(ASKED).text == "yes"


# The key


def test_the_key_shows_in_no_message_repr_log_or_reply(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """The server repeats the key in every way it can."""
    caplog.set_level(logging.DEBUG)
    echoes = [
        error(400, f"Bad key {KEY}"),
        ScriptedReply(f"<html>{KEY}</html>".encode(), kind="text/html"),
        ScriptedReply(f'{{"error": {{"{KEY}": "{KEY}"}}}}'.encode(), 401),
        ScriptedReply(KEY.encode(), 302, {"Location": f"http://x/{KEY}"}),
        ScriptedReply(f'{{"choices": "{KEY}"}}'.encode()),
        error(500, f"Authorization: Bearer {KEY}"),
    ]
    shown = [caplog.text]
    for echo in echoes:
        chat = bench.chat(bench.serve(in_turn(echo)), retries=0)
        with pytest.raises(CallFailed) as caught:
            chat.ask(ASKED)
        shown += [
            str(caught.value),
            repr(caught.value),
            "".join(traceback.format_exception(caught.value)),
        ]
        shown += [repr(chat), repr(chat.server), f"{chat.server.key}", str(vars(chat))]
        inner = caught.value.__context__ or caught.value.__cause__
        assert inner is None
    chat = bench.chat(
        bench.serve(
            in_turn(
                chat_reply(f"the key is {KEY}"),
                ScriptedReply(f'{{"data": [{{"id": "{KEY}"}}]}}'.encode()),
            )
        )
    )
    shown += [chat.ask(ASKED).text, *chat.models(), caplog.text]
    assert len(shown) > 40 and all(KEY not in text for text in shown)
    assert "the key is [key]" in shown


def test_no_part_of_a_key_is_left_where_a_servers_words_are_cut(bench: Bench) -> None:
    words = "." * 284 + KEY + " is not known"
    for sent in (
        error(401, words),
        ScriptedReply(words.encode(), 401),
        ScriptedReply(words.encode()),
        ScriptedReply(b'{"a": "%b"}' % words.encode()),
    ):
        with pytest.raises(CallFailed) as caught:
            bench.chat(bench.serve(in_turn(sent)), retries=0).ask(ASKED)
        assert "…" in str(caught.value) and ".s" not in str(caught.value)


@pytest.mark.parametrize("key", ["gsk_ABCDEF0123456789zyxwvQWERTY", "a-key-of-another-form"])
def test_wherever_words_are_cut_the_key_is_left_out_of_them(key: str) -> None:
    for before in range(310):
        for gap in (" ", " " * 900):
            words = "." * before + gap + key + " is not known" + " " * 2000 + "here"
            for sent in (words, words.encode()):
                shown = Secret(key).redact_cut(repr(response.excerpt(sent)))
                left = shown.lstrip("'. ").rstrip("'")
                assert left in ("", "…") or (left.startswith("[key]") and left.endswith("…")), left


def test_keys_of_others_are_taken_out_too() -> None:
    for other in ("gsk_12345678", "sk-1234***89", "xai-abcd1234", "AIzaSy12-34"):
        assert Secret().redact(f"Not {other}, no") == "Not [key], no"


def test_a_key_cannot_be_pickled_and_equals_only_itself() -> None:
    with pytest.raises(TypeError, match="not written anywhere"):
        pickle.dumps(Server("http://localhost/v1", "tiny", Secret(KEY)))
    assert Secret(KEY) == Secret(f" {KEY}\n") != Secret("other")
    assert Secret("ab").redact("a cab with sk-1234***89") == "a cab with [key]"


@pytest.mark.parametrize(
    "bad",
    [
        {"base_url": "localhost:11434"},
        {"base_url": "file:///etc/passwd"},
        {"base_url": "http://"},
        {"base_url": f"https://me:{KEY}@example.com/v1"},
        {"base_url": f"https://example.com/v1?key={KEY}"},
        {"base_url": "http://[::1/v1"},
        {"model": " "},
        {"key": Secret(f"{KEY}\nX-Evil: 1")},
        {"key": Secret("ключ")},
        {"at_once": 0},
        {"max_tokens": 0},
        {"base_url": "http://☃.example/v1"},
        {"base_url": "http://a\x01b/v1"},
        {"base_url": "http://localhost/v1\n"},
        {"base_url": "http://localhost:99999/v1"},
        {"key": Secret('a"b')},
        {"key": Secret("a b")},
        {"key": Secret("a\\b")},
        {"key": Secret("a'b")},
    ],
)
def test_what_cannot_be_a_server_is_refused_without_repeating_it(bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        Server(**{"base_url": "http://localhost/v1", "model": "tiny", **bad})
    assert KEY not in str(caught.value)


def test_an_address_that_turns_out_to_be_none_is_a_fault() -> None:
    async def called() -> str:
        raise httpx2.InvalidURL("no address")

    loop = LoopThread()  # of its own: a browser test leaves one running on this thread
    found = loop.submit(
        transport.catch_faults(called(), Server("http://localhost/v1", "tiny"))
    ).result()
    loop.close()
    assert isinstance(found, Fault) and "no address" in found.message


@pytest.mark.parametrize(
    "stored",
    [
        '{"base_url": "http://localhost/v1", "model": "m", "extra": 1}',
        "[]",
        "no JSON",
        "null",
        "5",
        '"model"',
        "{}",
        '{"base_url": 5, "model": null}',
        '{"base_url": "http://localhost/v1"}',
        "[" * 100_000,
        '{"base_url": "http://localhost/v1", "model": "m", "at_once": true}',
    ],
)
def test_a_stored_model_that_is_none_is_told(stored: str) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        Spec.from_json(stored)


def test_a_stored_model_is_what_it_was() -> None:
    spec = Spec("http://localhost/v1", "m", 5, 2, True, "environment")
    assert (
        Spec.from_json(spec.to_json()) == spec
        and Spec.from_json(spec.to_json(), "environment") == spec
    )
    assert Spec.from_json('{"base_url": "a", "model": "m"}') == Spec("a", "m")


def test_patience_has_the_defaults_that_the_page_tells() -> None:
    patience = Patience()
    assert (patience.timeout_s, patience.retries, patience.failures, patience.longest_wait_s) == (
        120,
        5,
        3,
        60,
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("[Errno -2] Name or service not known", "no server of this name is known"),
        ("[Errno 111] Connection refused", "no server answers at this address and port"),
        ("something else", "something else"),
    ],
)
def test_faults_of_the_network_are_told_in_words(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, said: str, words: str
) -> None:
    server = bench.serve(in_turn(chat_reply("")))

    async def broken(*_: object, **__: object) -> None:
        raise httpx2.ConnectError(said)

    monkeypatch.setattr(httpx2.AsyncClient, "send", broken)
    with pytest.raises(CallFailed, match=f"broke off: {re.escape(words)}"):
        bench.chat(server, retries=0).ask(ASKED)
