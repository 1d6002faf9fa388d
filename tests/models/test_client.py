"""The client against a server that misbehaves by a table."""

from __future__ import annotations

import json
import logging
import pickle
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import httpx2
import openai
import pytest

from gear_app.core.errors import BadInput, Cancelled
from gear_app.models import network
from gear_app.models.budget import Budget
from gear_app.models.errors import BadRequest, CallFailed, ServerFailed
from gear_app.models.reply_model import Numbers, ReplyModel
from gear_app.models.server import Patience, Secret, Server, proxy_for
from tests.models.conftest import AskingClient, Bench, Plain
from tests.models.server import (
    EVENTS,
    HEADERS,
    KEY,
    ScriptedReply,
    chat_reply,
    error,
    events,
    in_turn,
    piece,
    serving,
)
from tests.ports import free_port
from tests.waiting import PATIENCE_S

ASKED = Plain("reason", "Is it?")
TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


class Typed(ReplyModel):
    tools = (TOOL,)
    numbers: Numbers


TYPED = Plain("verify", "Give JSON.", Typed)


STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Every test that uses it twice: replies, faults and attempts are the same."""
    made = Bench(stream=request.param)
    yield made
    made.close()


@pytest.fixture
def streaming() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


def page(status: int, title: str) -> ScriptedReply:
    body = f"<!DOCTYPE html><!--[if IE]--><html><head><title>{title}</title></head>{' ' * 900}"
    return ScriptedReply(body.encode(), status, kind="text/html")


def body(data: Any, status: int = 200) -> ScriptedReply:
    return ScriptedReply(json.dumps(data).encode(), status)


# Replies


CALL = [
    {"index": 0, "id": "c", "type": "function", "function": {"name": "json", "arguments": "{}"}}
]
REPLIES = {
    "OpenAI": (chat_reply("yes"), "yes"),
    "empty": (chat_reply(None), ""),
    "DeepSeek, vLLM": (chat_reply("yes", reasoning_content="Hm."), "<think>\nHm.\n</think>\n\nyes"),
    "OpenRouter, Ollama": (chat_reply("yes", reasoning="Hm."), "<think>\nHm.\n</think>\n\nyes"),
    "refusal": (chat_reply(None, refusal="I will not."), "<refusal>I will not.</refusal>"),
    "tool": (chat_reply(None, "tool_calls", tool_calls=CALL), "{}"),
}


@pytest.mark.parametrize("form", REPLIES)
def test_replies_of_every_form_are_read(bench: Bench, form: str) -> None:
    sent, text = REPLIES[form]
    reply = bench.chat(bench.serve(in_turn(sent))).ask(ASKED)
    assert (reply.reply, reply.estimated, reply.cut, reply.attempts) == (text, False, False, 1)
    assert (reply.input_tokens, reply.output_tokens) == (11, 7)


@pytest.mark.parametrize("usage", [None, (-1, 2), (0, 0), (0, 4), (3, 0)])
def test_tokens_are_estimated_where_the_server_does_not_count(bench: Bench, usage: Any) -> None:
    sent = chat_reply("one two three.", usage=usage)
    reply = bench.chat(bench.serve(in_turn(sent))).ask(ASKED)
    assert (reply.estimated, reply.input_tokens, reply.output_tokens) == (True, 3, 4)


USAGE = {"prompt_tokens": 3, "completion_tokens": 1}
AZURE = {"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}
AFTER = {"choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {}}]}
STREAMS = {
    "OpenAI": events(piece("yes"), piece(finish="stop"), piece(usage=USAGE)).body,
    "Azure": events(AZURE, piece("yes"), piece(finish="stop") | {"usage": USAGE}, AFTER).body,
    "comments, CRLF, no blank": b": OPENROUTER PROCESSING\r\nevent: message\r\nid: 7\r\n"
    + events(piece("yes", "stop") | {"usage": USAGE})
    .body.replace(b"data: ", b"data:")
    .replace(b"\n", b"\r\n"),
    "no end mark": events(piece("yes", "stop") | {"usage": USAGE}, done=False).body,
    "two choices": events(
        {"choices": [{"index": 0, "delta": {"content": "yes"}}, {"index": 1, "delta": "no"}]},
        {"choices": [{"index": 1, "delta": {"content": "no"}}]},
        piece(finish="stop") | {"usage": USAGE},
    ).body,
}


@pytest.mark.parametrize("form", STREAMS)
def test_every_form_of_a_stream_is_read(streaming: Bench, form: str) -> None:
    server = streaming.serve(in_turn(ScriptedReply(STREAMS[form], kind=EVENTS)))
    reply = streaming.chat(server).ask(ASKED)
    assert (reply.reply, reply.input_tokens, reply.output_tokens) == ("yes", 3, 1)


def test_a_stream_that_has_ended_and_goes_on_is_a_whole_reply(streaming: Bench) -> None:
    ended = events(piece("yes", "stop") | {"usage": USAGE}, b"{}" * 9999)
    server = streaming.serve(in_turn(replace(ended, hangs=True)))
    assert streaming.chat(server).ask(ASKED).reply == "yes"


def test_a_call_sends_the_prompt_the_settings_and_the_key_and_nothing_of_the_environment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "elsewhere")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Elsewhere: a\nAuthorization: Bearer elsewhere")
    server = bench.serve(in_turn(chat_reply("yes")))
    bench.chat(server).ask(Plain("reason", "Is it\ud800?"))
    assert server.asked == [
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "Is it\ufffd?"}],
            "max_tokens": 2048,
            "temperature": 0.0,
            "seed": 0,
            **STREAMED,
        }
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["connection"] == "close"
    assert set(server.headers[0]) <= HEADERS
    open_ = Server(server.base_url, "tiny")
    without = AskingClient(open_)
    without.ask(ASKED)
    without.close()
    without.close()
    assert "authorization" not in server.headers[1]


# Faults


class Fault(NamedTuple):
    """A fault: how often a server is asked that begins with it and stays so (of at most 3 times),
    and words of the sentence. `kind`: ServerFailed where no other call is made.
    """

    sent: ScriptedReply
    attempts: int
    words: str
    kind: type[CallFailed] = CallFailed


SPENT = error(429, "You exceeded your quota.", code="insufficient_quota")
FILTER = {
    "error": {
        "message": "The response was filtered due to the prompt triggering the content management"
        " policy.",
        "param": "prompt",
        "code": "content_filter",
    }
}
PAGES = "Its address mostly ends in /v1, without /chat/completions"
FAULTS = {
    "500": Fault(error(500, "Try later."), 3, "answered 500: Try later, after 3 attempts"),
    "404 page": Fault(page(404, "404 Not Found"), 1, f"404 Not Found. {PAGES}.", ServerFailed),
    "401": Fault(error(401, "Wrong key."), 1, "answered 401: Wrong key.", ServerFailed),
    "quota": Fault(SPENT, 1, "answered 402: You exceeded your quota.", ServerFailed),
    "a day": Fault(error(429, "Full.", retry_after="86400"), 1, "Full, and asks to wait 86400 s"),
    "400": Fault(error(400, "No such role."), 1, "answered 400: No such role.", BadRequest),
    "Azure's filter": Fault(
        body(FILTER, 400), 1, "400: The response was filtered due to", BadRequest
    ),
    "200 limit": Fault(body({"error": {"message": "Limit.", "code": 429}}), 3, "429: Limit"),
    "200 null": Fault(body({"choices": None, "usage": None}), 1, "sent JSON without a reply"),
    "200 page": Fault(page(200, "Sign in"), 1, f"sent a web page: Sign in. {PAGES}"),
    "nothing": Fault(ScriptedReply(b""), 1, "sent what is not JSON: ''"),
    "breaks": Fault(ScriptedReply(chat_reply("yes" * 999).body, breaks=True), 1, "broke off"),
    "behind": Fault(
        body({"error": {"message": "No.", "metadata": {"raw": "Full"}}}, 400),
        1,
        "No: Full",
        BadRequest,
    ),
    "too large": Fault(ScriptedReply(b'"' + b"x" * 300_000 + b'"'), 1, "sent more than 0 MB"),
}


@pytest.fixture(autouse=True)
def small_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "LARGEST", 200_000)


def check_fault(bench: Bench, fault: Fault, request: Plain = ASKED) -> None:
    server = bench.serve(in_turn(fault.sent))
    with pytest.raises(CallFailed) as caught:
        bench.chat(server, retries=2, failures=9).ask(request)
    assert fault.words in str(caught.value) and server.base_url in str(caught.value)
    assert (type(caught.value), len(server.asked)) == (fault.kind, fault.attempts)
    if fault.attempts > 1:
        server.reply = in_turn(fault.sent, chat_reply("yes"))
        assert bench.chat(server).ask(request).attempts == 2


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_asked_again_where_that_may_help_and_told_in_a_sentence(
    bench: Bench, name: str
) -> None:
    check_fault(bench, FAULTS[name])


HALF = events(piece("half a reply"), piece(" and its end", "stop"))
STREAM_FAULTS = {
    "JSON": Fault(events(piece("hal"), b"{broken"), 1, "sent what cannot be read"),
    "error": Fault(
        events(piece("hal"), {"error": {"message": "Out of memory."}}),
        1,
        "broke off with an error: Out of memory",
    ),
    "message": Fault(
        events(piece("hal"), {"message": "Upstream timed out."}),
        1,
        "broke off with an error: Upstream timed out",
    ),
    "no end": Fault(events(piece("hal"), done=False), 1, "broke off before its reply was whole"),
    "cut": Fault(replace(HALF, breaks=True), 1, "broke off before"),
}


@pytest.mark.parametrize("name", STREAM_FAULTS)
def test_a_broken_stream_is_no_reply(streaming: Bench, name: str) -> None:
    check_fault(streaming, STREAM_FAULTS[name])


@pytest.mark.parametrize("how", ["stalls", "hangs", "drips"])
def test_a_slow_reply_is_given_up(bench: Bench, how: str) -> None:
    server = bench.serve(in_turn(replace(chat_reply("yes" * 1000), **{how: True})))
    with pytest.raises(CallFailed, match=r"gave no whole reply within 0\.5 s"):
        bench.chat(server, timeout_s=0.5).ask(ASKED)
    assert len(server.asked) == 1


def test_no_cost_is_counted_for_what_was_not_done(bench: Bench) -> None:
    for name in ("200 limit", "200 null", "500", "200 page"):
        budget = Budget(10_000)
        server = bench.serve(in_turn(FAULTS[name].sent))
        (outcome,) = bench.chat(server, retries=1).ask_all([ASKED], budget=budget)
        assert isinstance(outcome, CallFailed) and budget.spent == 0


# Addresses and proxies


def test_a_proxy_leads_to_the_addresses_over_https_that_visitors_did_not_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_PROXY", "no_proxy", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    proxy = "http://127.0.0.1:9"
    monkeypatch.setenv("all_proxy", proxy)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    assert proxy_for("https://models.example/v1") == proxy
    assert proxy_for("https://api.openai.com/v1") == proxy
    assert proxy_for("https://typed.example/v1") is None
    for address in ("http://models.example/v1", "https://localhost/v1", "https://[::1]:8/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert proxy_for(address) is None


def test_a_key_over_http_goes_to_its_server_and_to_no_proxy(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = bench.serve(in_turn(chat_reply("yes")))
    proxy = bench.serve(in_turn(chat_reply("stolen")))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
    assert bench.chat(server).ask(ASKED).reply == "yes" and not proxy.headers


def test_a_server_that_is_not_reached_is_told_with_the_way_out(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = bench.serve(in_turn(chat_reply("yes"))).base_url
    proxied = "https://models.example/v1"
    monkeypatch.setenv("ALL_PROXY", "socks5h://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_BASE_URL", proxied)
    for address, words in (
        (f"http://127.0.0.1:{free_port()}/v1", "no server answers at this address and port"),
        (http.replace("http:", "https:"), "it speaks http, and the address says https"),
        (proxied, "socksio"),
    ):
        chat = AskingClient(Server(address, "tiny", patience=Patience(retries=0)))
        with closing(chat), pytest.raises(CallFailed, match=words):
            chat.ask(ASKED)
    signed = openai.APIConnectionError(request=httpx2.Request("POST", proxied))
    signed.__cause__ = httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed")
    fault = network.explain(signed, Server(proxied, "tiny"))
    assert "SSL_CERT_FILE" in fault.message and fault.status == 0


@pytest.mark.parametrize(
    ("end", "path"),
    [("", "/v1/models"), ("/v1/", "/v1/models"), ("/v1/chat/completions", "/v1/models")],
)
def test_the_endpoints_are_found_whatever_the_end_of_the_address(
    bench: Bench, end: str, path: str
) -> None:
    server = bench.serve(in_turn(body({"data": []})))
    address = server.base_url.removesuffix("/v1") + end
    with closing(AskingClient(Server(address, "tiny"))) as chat:
        assert chat.models() == () and server.asked == [{"path": path}]


# Waits, attempts and rests


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 34.5s. Need more tokens?", 34.5),
        ("try again in 1m12.5s", 72.5),
        ("Please try again in 250ms.", 0.25),
    ],
)
def test_no_attempt_comes_sooner_than_the_body_of_a_refusal_says(
    bench: Bench, words: str, seconds: float
) -> None:
    server = bench.serve(in_turn(error(429, words), error(500, "Oops."), chat_reply("yes")))
    assert bench.chat(server).ask(ASKED).attempts == 3
    assert bench.waits[0] == seconds and bench.waits[1] <= 1


def test_after_repeated_failures_no_more_calls_are_made_until_it_has_rested(bench: Bench) -> None:
    server = bench.serve(in_turn(*[error(500, "Out of memory.")] * 8, chat_reply("yes")))
    chat = bench.chat(server, retries=1, failures=3, rest_s=1.0)
    for kind in (CallFailed, CallFailed, ServerFailed, ServerFailed):
        with pytest.raises(CallFailed, match="Out of memory") as caught:
            chat.ask(ASKED)
        assert type(caught.value) is kind
    assert len(server.asked) == 6
    time.sleep(1)
    with pytest.raises(ServerFailed):  # one failure is enough now
        chat.ask(ASKED)
    time.sleep(1)
    assert chat.ask(ASKED).reply == "yes"
    assert len(server.asked) == 9


# What a server refuses


def picky(*parts: str) -> Any:
    """Refuses requests with one of these parts."""

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        for part in parts:
            if part in asked:
                use = " Use 'max_completion_tokens' instead." if part == "max_tokens" else ""
                return error(400, f"Unsupported: '{part}'.{use}")
        return chat_reply("{}")

    return reply


@pytest.mark.parametrize(
    "parts",
    [["temperature", "max_tokens", "response_format"], ["seed"], ["stream_options", "stream"]],
)
def test_what_a_server_refuses_is_left_out_and_not_tried_again(
    bench: Bench, parts: list[str]
) -> None:
    server = bench.serve(picky(*parts))
    chat = bench.chat(server, at_once=1)
    replies = chat.ask_all([ASKED if "stream" in parts else TYPED] * 3)
    assert [getattr(replies[n], "attempts", 0) for n in range(3)] == [len(parts) + 1, 1, 1]
    assert not set(server.asked[-1]) & set(parts)
    assert bench.waits == []


# Several at once, and stopping


def test_eight_are_asked_at_once_where_eight_are_allowed_and_never_more(bench: Bench) -> None:
    together = threading.Barrier(8)

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        together.wait(PATIENCE_S)
        return chat_reply(asked["messages"][0]["content"])

    server = bench.serve(reply)
    requests = [Plain("extract", str(n)) for n in range(32)]
    replies = bench.chat(server, at_once=8).ask_all(requests)
    assert [getattr(replies[n], "reply", "") for n in range(32)] == [str(n) for n in range(32)]
    assert server.most_at_once == 8 and len(server.callers) == 32


@pytest.mark.parametrize(
    "held", [ScriptedReply(b"", stalls=True), replace(HALF, hangs=True)], ids=["whole", "streamed"]
)
def test_a_call_under_way_is_cancelled_at_once_and_its_connection_closed(
    bench: Bench, held: ScriptedReply
) -> None:
    server = bench.serve(in_turn(held, chat_reply("yes")))
    stop = [True]

    def check() -> None:
        if stop and server.asked:
            raise Cancelled("stop")

    chat = bench.chat(server, check, timeout_s=10 * PATIENCE_S, at_once=1)
    with pytest.raises(Cancelled):
        chat.ask(ASKED)
    assert server.gone.wait(PATIENCE_S)
    with pytest.raises(Cancelled):
        chat.ask(ASKED)
    stop.clear()
    assert chat.ask(ASKED).reply == "yes"


def test_a_wait_for_another_attempt_is_cancelled_too() -> None:
    began = time.monotonic()

    def check() -> None:
        if time.monotonic() - began > 0.15:
            raise Cancelled("stop")

    busy = in_turn(error(503, "Later.", retry_after="50"))
    with serving(busy) as server, pytest.raises(Cancelled):
        AskingClient(Server(server.base_url, "tiny"), check).ask(ASKED)
    assert time.monotonic() - began < 40


# Keys


def test_the_key_shows_in_no_message_repr_log_or_reply(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """The server repeats the key in every way it can."""
    caplog.set_level(logging.DEBUG)
    echoes = [
        error(400, f"Bad key {KEY}"),
        page(200, KEY),
        page(500, KEY),
        body({"error": {KEY: KEY}}, 401),
        ScriptedReply(KEY.encode(), 302, {"Location": f"http://x/{KEY}"}),
        body({"choices": KEY}),
        ScriptedReply(KEY.encode()),
        error(500, f"Authorization: Bearer {KEY}"),
        events({"error": {"message": KEY}}),
        events(piece("x"), {"message": KEY}),
    ]
    shown = []
    for echo in echoes:
        chat = bench.chat(bench.serve(in_turn(echo)), retries=0)
        with pytest.raises(CallFailed) as caught:
            chat.ask(ASKED)
        shown += [str(caught.value), repr(caught.value), repr(chat), str(vars(chat))]
        shown += ["".join(traceback.format_exception(caught.value)), repr(chat.server)]
        assert (caught.value.__context__ or caught.value.__cause__) is None
    spoken, listed = chat_reply(f"the key is {KEY}"), body({"data": [{"id": KEY}]})
    chat = bench.chat(bench.serve(in_turn(spoken, listed)))
    shown += [chat.ask(ASKED).reply, *chat.models(), caplog.text]
    assert len(shown) > 40 and all(KEY not in text for text in shown)
    assert "the key is [key]" in shown


@pytest.mark.parametrize("key", ["gsk_ABCDEF0123456789zyxwvQWERTY", "a-key-of-another-form"])
def test_wherever_words_are_cut_the_key_is_left_out_of_them(key: str) -> None:
    for before in range(310):
        for gap in (" ", " " * 900):
            words = "." * before + gap + key + " is not known" + " " * 2000 + "here"
            assert key[:4] not in network.excerpt(words, Secret(key))


def test_a_key_cannot_be_pickled_and_equals_only_itself() -> None:
    with pytest.raises(TypeError, match="not written anywhere"):
        pickle.dumps(Server("http://localhost/v1", "tiny", key=Secret(KEY)))
    assert Secret(KEY) == Secret(f" {KEY}\n") != Secret("other")
    for other in ("gsk_12345678", "sk-1234***89", "xai-abcd1234", "AIzaSy12-34"):
        assert Secret("ab").redact(f"A cab, not {other}, no") == "A cab, not [key], no"


@pytest.mark.parametrize(
    "bad",
    [
        *(
            {"base_url": address}
            for address in ("localhost:11434", "file:///etc/passwd", "http://")
        ),
        *({"base_url": f"http://{end}"} for end in ("[::1/v1", "☃.example/v1", "a\x01b/v1")),
        {"base_url": f"https://me:{KEY}@example.com/v1"},
        {"base_url": f"https://example.com/v1?key={KEY}"},
        {"base_url": "http://localhost/v1\n"},
        {"base_url": "http://localhost:99999/v1"},
        {"model": " "},
        *(
            {"key": Secret(key)}
            for key in (f"{KEY}\nX-Evil: 1", "ключ", 'a"b', "a b", "a\\b", "a'b")
        ),
    ],
)
def test_what_cannot_be_a_server_is_refused_without_repeating_it(bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        Server(**{"base_url": "http://localhost/v1", "model": "tiny", **bad})
    assert KEY not in str(caught.value)
