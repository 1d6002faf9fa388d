"""Several calls at once, rests after failures, and cancelling."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import pytest

from gear_app.errors import Cancelled
from gear_app.llm import request_pool
from gear_app.llm.errors import CallFailed, ServerFailed
from gear_app.llm.request import Request
from gear_app.llm.request_pool import TimeSource
from gear_app.llm.response import Reply
from gear_app.thread_context import progress_to
from tests.llm.completion.asked import ASKED, as_it_is
from tests.llm.conftest import Bench
from tests.llm.server import ScriptedReply, chat_reply, error, in_turn
from tests.waiting import PATIENCE_S


def test_eight_are_asked_at_once_where_eight_are_allowed_and_never_more(bench: Bench) -> None:
    together = threading.Barrier(8)

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        together.wait(PATIENCE_S)
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


def test_calls_that_wait_for_their_turn_are_not_made_once_the_key_is_refused(bench: Bench) -> None:
    server = bench.serve(in_turn(error(401, "Wrong key.")))
    outcomes = dict(bench.chat(server, at_once=1).ask_all([ASKED] * 5, as_it_is))
    assert [type(outcomes[n]) for n in range(5)] == [ServerFailed] * 5
    assert len(server.asked) == 1


def test_no_call_is_begun_once_somebody_asked_to_stop(bench: Bench) -> None:
    asked_to: list[int] = []

    def check() -> None:
        if asked_to:
            raise Cancelled("Stop.")

    server = bench.serve(in_turn(chat_reply("hi")))
    chat = bench.chat(server, check)
    first = chat.submit(ASKED, lambda reply: reply.text)
    assert first.result(PATIENCE_S) == "hi"
    asked_to.append(1)
    with pytest.raises(Cancelled):
        chat.submit(ASKED, lambda reply: reply.text)
    assert len(server.asked) == 1 and chat.free_slots == chat.server.at_once


def test_a_call_under_way_is_cancelled_at_once_and_its_connection_closed(bench: Bench) -> None:
    server = bench.serve(in_turn(ScriptedReply(b"", stalls=True)))

    def check() -> None:
        if server.asked:
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        bench.chat(server, check, timeout_s=10 * PATIENCE_S).ask(ASKED)
    assert server.gone.wait(PATIENCE_S)


def test_a_wait_for_another_attempt_is_cancelled_too(bench: Bench) -> None:
    server = bench.serve(in_turn(error(503, "Later.", retry_after="50")))
    began = time.monotonic()

    def check() -> None:
        if time.monotonic() - began > 0.15:
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        bench.chat(server, check, TimeSource()).ask(ASKED)
    assert time.monotonic() - began < 50


def test_who_waits_is_told_for_which_server_and_when_it_is_asked_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_pool, "TOLD_S", 0.0)
    server = bench.serve(in_turn(error(503, "Later.", retry_after="50"), chat_reply("yes")))
    told: list[str] = []

    async def until_told(seconds: float) -> None:
        while not any("Later" in text for text in told):
            await asyncio.sleep(0.01)

    with progress_to(told.append):
        time_ = TimeSource(lambda: 1000.0, until_told, lambda: 0.0)
        assert bench.chat(server, time=time_).ask(ASKED).text == "yes"
    again = next(text for text in told if "Later" in text)
    assert urlsplit(server.base_url).netloc in again and "asked again in 50 s" in again
    assert told[-1] == "", "and that it is over"


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
