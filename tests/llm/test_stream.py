"""Replies that come in pieces: the same as whole ones, however they are cut; and how much has come
is told.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.errors import Cancelled
from gear_app.events import Called, Event
from gear_app.llm import response
from gear_app.llm.errors import CallFailed
from gear_app.llm.request import Request
from gear_app.llm.request_pool import TimeSource
from gear_app.llm.response import Fault, Reply, StreamedReply
from gear_app.llm.server import Spec
from gear_app.store.runs import Runs
from tests.llm.conftest import Bench, assert_asked_again
from tests.llm.server import (
    EVENTS,
    ScriptedReply,
    chat_reply,
    error,
    events,
    in_pieces,
    in_turn,
    piece,
)
from tests.llm.test_reader import gear_script
from tests.llm.world import by_role
from tests.small import QUESTION
from tests.waiting import PATIENCE_S
from tests.workspaces import filled

ASKED = Request("query_entities", "Is it?")
HALVES = events(piece("half a reply"), piece(" and its end", "stop"))
SLOW = dataclasses.replace(
    events(*[piece("abc")] * 4, piece(finish="stop")), drips=True, pause_s=0.0003
)


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Chats that stream."""
    made = Bench(stream=True)
    yield made
    made.close()


def heard(sent: bytes, *cuts: int) -> Reply | Fault:
    """What is understood of a body that comes cut at these places."""
    incoming = StreamedReply(ASKED, EVENTS)
    for start, end in itertools.pairwise([0, *sorted(cuts), len(sent)]):
        incoming.feed(sent[start:end])
    return incoming.reply(0.0)


# The same as whole


@given(
    st.text(max_size=40),
    st.sampled_from(["stop", "length", None]),
    st.sampled_from([None, (11, 7)]),
    st.data(),
)
def test_a_reply_in_pieces_is_the_reply_whole_wherever_it_is_cut(
    text: str, finish: str, usage: tuple[int, int] | None, data: st.DataObject
) -> None:
    whole = chat_reply(text, finish, usage)
    sent = in_pieces(whole, usage=True).body
    cuts = data.draw(st.lists(st.integers(0, len(sent)), max_size=8))
    assert heard(sent, *cuts) == response.parse_reply(whole.body, whole.kind, ASKED, 0.0)


@pytest.mark.parametrize(
    "sent",
    [
        events(
            piece("yes"),
            piece(finish="stop"),
            piece(usage={"prompt_tokens": 3, "completion_tokens": 1}),
        ).body,
        events(
            piece("yes", "stop", usage=None)
            | {"usage": {"prompt_tokens": 3, "completion_tokens": 1}}
        ).body,
        b": hello\r\nevent: message\r\nid: 7\r\ndata:"
        + events(piece("yes", "stop") | {"usage": {"prompt_tokens": 3, "completion_tokens": 1}})
        .body.removeprefix(b"data: ")
        .replace(b"\n", b"\r\n"),
        events(
            piece("yes", "stop") | {"usage": {"prompt_tokens": 3, "completion_tokens": 1}},
            done=False,
        ).body[:-2],
        events(
            piece("yes") | {"usage": {"prompt_tokens": 3, "completion_tokens": 0}},
            json.dumps(
                piece(finish="stop") | {"usage": {"prompt_tokens": 3, "completion_tokens": 1}},
                indent=1,
            )
            .replace("\n", "\ndata: ")
            .encode(),
        ).body,
        chat_reply("yes", usage=(3, 1)).body,
    ],
    ids=[
        "last counts",
        "all in one",
        "comments and CRLF",
        "no end mark",
        "every piece counts, many lines",
        "whole",
    ],
)
def test_every_form_of_a_stream_is_read(sent: bytes) -> None:
    assert heard(sent) == heard(sent, *range(len(sent))) == Reply("yes", 3, 1, 0.0)


def test_halves_of_one_character_are_joined_and_lone_ones_replaced() -> None:
    assert heard(events(piece("a \ud83d"), piece("\ude00 \ud83d", "stop")).body) == Reply(
        "a \U0001f600 \ufffd", 3, 3, 0.0, estimated=True
    )


def test_a_server_that_refuses_to_count_or_to_stream_is_asked_for_less(bench: Bench) -> None:
    def reply(asked: dict[str, Any]) -> ScriptedReply:
        refused = next((part for part in ("stream_options", "stream") if part in asked), None)
        return error(400, f"Unknown parameter: '{refused}'") if refused else chat_reply("yes")

    server = bench.serve(reply)
    chat = bench.chat(server)
    assert [chat.ask(ASKED).attempts for _ in range(2)] == [3, 1]
    assert [sorted({"stream", "stream_options"} & set(asked)) for asked in server.asked] == [
        ["stream", "stream_options"],
        ["stream"],
        [],
        [],
    ]


def test_every_call_has_a_connection_of_its_own(bench: Bench) -> None:
    """Some servers close it without saying so, and some send more than one reply."""
    server = bench.serve(in_turn(chat_reply("yes")))
    chat = bench.chat(server)
    for _ in range(3):
        chat.ask(ASKED)
    assert (len(server.asked), len(server.callers)) == (3, 3)
    whole = bench.chat(server, stream=False)
    for _ in range(3):
        whole.ask(ASKED)
    assert (len(server.asked), len(server.callers)) == (6, 6)
    assert {headers["connection"] for headers in server.headers} == {"close"}


def test_what_a_server_withholds_after_the_end_is_not_waited_for(bench: Bench) -> None:
    sent = events(piece("yes", "stop")).body
    server = bench.serve(in_turn(ScriptedReply(sent + b":" * len(sent), kind=EVENTS, hangs=True)))
    assert bench.chat(server, timeout_s=PATIENCE_S).ask(ASKED).text == "yes"


# Faults


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (events(piece("hal"), b"{broken"), "sent text/event-stream that is not JSON: '{broken'"),
        (events(piece("hal"), b'{"choices": [{"delta": {"content": "\xe9"}}]}'), "not UTF-8"),
        (events(piece("hal"), b"[" * 100_000), "not JSON"),
        (
            events(piece("hal"), ["a list"]),
            "sent an event that is no part of a reply: '[\"a list\"]'",
        ),
        (events(piece("hal"), {"choices": ["yes"]}), "no part of a reply"),
        (events(piece(7)), "no part of a reply"),
        (
            events(piece("hal"), {"error": {"message": "Out of memory."}}),
            "broke off with an error: Out of memory.",
        ),
        (
            events(piece("hal"), {"error": "slot gone", "code": 500}, done=False),
            "broke off with an error: slot gone",
        ),
        (events(piece("hal"), done=False), "broke off before its reply was whole"),
        (events(), "sent events without a reply"),
        (
            events(piece(usage={"prompt_tokens": 3, "completion_tokens": 1})),
            "sent events without a reply",
        ),
        (ScriptedReply(b"", kind=EVENTS), "sent text/event-stream that is not JSON: ''"),
        (
            ScriptedReply(b"<html>Welcome</html>", kind=EVENTS),
            "that is not JSON: '<html>Welcome</html>'",
        ),
        (dataclasses.replace(HALVES, breaks=True), "broke off: "),
        (dataclasses.replace(HALVES, hangs=True), "gave no whole reply within 0.4 s"),
        (dataclasses.replace(HALVES, drips=True), "gave no whole reply within 0.4 s"),
    ],
)
def test_garbled_broken_and_slow_streams_are_asked_for_again(
    bench: Bench, fault: ScriptedReply, words: str
) -> None:
    assert_asked_again(bench, fault, words)


@pytest.mark.parametrize(
    "endless",
    [
        events(piece("x" * 10_000_000)),
        events(*[piece("x" * 100_000)] * 100),
        ScriptedReply(b":" * 10_000_000, kind=EVENTS),
    ],
    ids=["one event", "many events", "one comment"],
)
def test_ten_megabytes_in_pieces_are_not_read(bench: Bench, endless: ScriptedReply) -> None:
    server = bench.serve(in_turn(endless))
    with pytest.raises(CallFailed, match="sent more than 4 MB, which is no reply"):
        bench.chat(server).ask(ASKED)
    assert len(server.asked) == 1


def test_what_surrounds_the_pieces_may_be_longer_than_a_reply_but_not_endless(bench: Bench) -> None:
    around = events(*[piece("x") | {"around": "x" * 99_000}] * 50, piece("y", "stop")).body
    endless = (b":" * 999 + b"\n") * 40_000
    server = bench.serve(
        in_turn(ScriptedReply(around, kind=EVENTS), ScriptedReply(endless, kind=EVENTS))
    )
    chat = bench.chat(server, timeout_s=60.0)
    assert chat.ask(ASKED).text == "x" * 50 + "y"
    with pytest.raises(CallFailed, match="sent more than 32 MB"):
        chat.ask(ASKED)


# Telling, and stopping


class Told:
    """Remembers what it was told; stops where it is told to."""

    def __init__(self, stop: bool = False) -> None:
        self.stop = stop
        self.all: list[tuple[str, int]] = []

    def __call__(self, role: str, characters: int) -> None:
        self.all.append((role, characters))
        if self.stop:
            raise Cancelled("stop")


def test_how_much_has_come_is_told_while_it_comes_and_nothing_at_the_end(bench: Bench) -> None:
    told = Told()
    server = bench.serve(in_turn(SLOW))
    clock = itertools.count(step=0.2)  # seconds pass between two looks
    reply = bench.chat(server, time=TimeSource(lambda: next(clock)), progress=told).ask(ASKED)
    assert reply.text == "abc" * 4
    *parts, end = told.all
    assert end == ("query_entities", 0)
    assert parts and [role for role, _ in parts] == ["query_entities"] * len(parts)
    counts = [count for _, count in parts]
    assert counts == sorted(set(counts)) and counts[0] > 0 and counts[-1] <= 12


def test_it_is_told_at_most_twice_a_second(bench: Bench) -> None:
    told = Told()
    server = bench.serve(in_turn(SLOW))
    bench.chat(server, progress=told).ask(ASKED)  # the test's clock stands still
    assert [count > 0 for _, count in told.all] == [True, False]


def test_a_stream_is_cancelled_at_once_and_its_connection_closed(bench: Bench) -> None:
    server = bench.serve(in_turn(dataclasses.replace(HALVES, hangs=True), chat_reply("yes")))
    told = Told(stop=True)
    chat = bench.chat(server, progress=told, timeout_s=10 * PATIENCE_S, at_once=1)
    with pytest.raises(Cancelled):
        chat.ask(ASKED)
    assert told.all == [("query_entities", 12)]
    assert server.gone.wait(PATIENCE_S)
    assert chat.ask(ASKED).text == "yes"


# In a run


def test_a_streamed_run_is_the_same_run_and_says_how_much_has_come(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    films = filled(tmp_path)
    script = gear_script()
    slow = in_pieces(chat_reply(script["read"][0]), usage=True)
    slow = dataclasses.replace(
        slow, body=slow.body.replace(b'"tiny"', b'"tiny", "x": "%s"' % (b"x" * 99))
    )
    script["read"][0] = dataclasses.replace(slow, drips=True, pause_s=0.00001)
    server = bench.serve(by_role(**script))
    messages: list[str] = []
    set_message = Runs.set_message

    def record(runs: Runs, run: str, text: str) -> None:
        messages.append(text)
        set_message(runs, run, text)

    monkeypatch.setattr(Runs, "set_message", record)
    streamed = films.ask(
        QUESTION,
        "films",
        "gear:bm25",
        reader="llm",
        model=Spec(server.base_url, "tiny", stream=True),
    )
    progress = [text for text in messages if text.startswith("read: ")]
    assert progress and all(
        re.fullmatch(r"read: [1-9]\d* characters so far\.", text) for text in progress
    )
    assert messages[messages.index(progress[-1]) + 1] == ""
    assert all(asked["stream"] for asked in server.asked)
    server.reply = by_role(**gear_script())
    films.store.replies.forget()
    whole = films.ask(
        QUESTION, "films", "gear:bm25", reader="llm", model=Spec(server.base_url, "tiny")
    )

    def without_ms(happened: tuple[Event, ...]) -> list[Event]:
        return [
            dataclasses.replace(one, ms=0.0) if isinstance(one, Called) else one for one in happened
        ]

    assert without_ms(streamed.events) == without_ms(whole.events)
    assert len([event for event in streamed.events if isinstance(event, Called)]) == 7
