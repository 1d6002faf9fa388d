"""Faults of a server: which are asked again, which are told at once."""

from __future__ import annotations

import gzip
import json
import socket
from typing import Any

import pytest

from gear_app.llm.budget import Budget
from gear_app.llm.errors import CallFailed, ServerFailed
from tests.llm.completion.asked import ASKED, as_it_is
from tests.llm.conftest import Bench, assert_asked_again
from tests.llm.server import ScriptedReply, chat_reply, error, in_turn


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
    assert_asked_again(bench, fault, words)


RAW = {"message": "Provider error", "code": 429, "metadata": {"raw": "Upstream is busy."}}
WITHIN = [
    ({"error": {"message": "Free models: limit.", "code": 429}}, "answered: Free models: limit", 3),
    ({"error": {"message": "No such model.", "code": "404"}}, "answered: No such model", 1),
    ({"error": "The slot is gone."}, "answered: The slot is gone", 3),
    ({"error": RAW}, "answered: Provider error: Upstream is busy", 3),
    ({"choices": [{"error": RAW, "message": {"content": ""}}]}, "Upstream is busy", 3),
    ({"choices": None, "usage": None}, "sent JSON without a reply", 3),
]


@pytest.mark.parametrize(("body", "words", "attempts"), WITHIN)
def test_an_error_in_a_body_of_status_200_is_no_call_that_was_paid_for(
    bench: Bench, body: dict[str, Any], words: str, attempts: int
) -> None:
    server = bench.serve(in_turn(ScriptedReply(json.dumps(body).encode())))
    budget = Budget(10_000)
    asked = bench.chat(server, retries=2).ask_all([ASKED], as_it_is, budget)
    ((_, outcome),) = asked
    assert isinstance(outcome, CallFailed) and words in str(outcome)
    assert (len(server.asked), budget.taken) == (attempts, 0)


def test_what_a_gateway_repeats_of_the_server_behind_it_is_told(bench: Bench) -> None:
    inner = json.dumps({"error": {"message": "Quota of the day is used up."}})
    for raw, words in ((RAW["metadata"], "Upstream is busy"), ({"raw": inner}, "Quota of the day")):
        body = json.dumps({"error": {**RAW, "metadata": raw}}).encode()
        with pytest.raises(CallFailed, match=f"answered 429: Provider error: {words}"):
            bench.chat(bench.serve(in_turn(ScriptedReply(body, 429))), retries=0).ask(ASKED)


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
