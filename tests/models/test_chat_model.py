"""Asking and understanding: what is kept, what is told, what it costs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from gear_app.models.budget import Price, cost
from gear_app.models.chat_model import ChatModel, reply_key
from gear_app.models.errors import Unusable
from gear_app.models.messages import Parsed, Request, Unparsed
from gear_app.models.reply_model import Names, ReplyModel
from gear_app.models.server import Secret, Server
from gear_app.trace.events import Called, Event
from tests.models.conftest import Bench, MemoryReplies, Words
from tests.models.server import KEY, ScriptedServer, chat_reply, error, in_turn

PRICES = {"tiny": Price(1.0, 2.0)}


def upper(reply: str) -> Parsed[str]:
    if "bad" in reply:
        raise Unparsed("is bad")
    return Parsed(reply.upper(), ("piece one", "two") if "pieces" in reply else ())


class List(ReplyModel):
    names: Names


@dataclass(frozen=True)
class Asked(Request[str]):
    """A question whose reply is read by a function; `whole`: one that was cut off is of no use."""

    words: str = "hello"
    reads: Callable[[str], Parsed[str]] = upper
    whole: bool = True
    role = "answer"
    template = "answer_alone"

    @property
    def model(self) -> type[ReplyModel]:
        return Words if self.whole else List

    def values(self) -> dict[str, str]:
        return {"question": self.words}

    def parse(self, reply: str) -> Parsed[str]:
        return self.reads(reply)


def ask(words: str = "hello", **changes: Any) -> Asked:
    return Asked(words, **changes)


@pytest.fixture
def kept() -> MemoryReplies:
    return MemoryReplies()


def key_for(server: Server, request: Asked) -> bytes:
    return reply_key(server, request)


def model(bench: Bench, server: ScriptedServer, kept: Any = None, **changes: Any) -> ChatModel:
    replies = None if kept is None else lambda: kept
    return ChatModel(bench.chat(server, **changes), replies, PRICES)


def test_a_call_is_told_with_its_words_tokens_and_price(bench: Bench) -> None:
    events: list[Event] = []
    asked = ask()
    assert (
        model(bench, bench.serve(in_turn(error(429, "Wait."), chat_reply("hi")))).ask(
            asked, events.append
        )
        == "HI"
    )
    (called,) = events
    assert isinstance(called, Called)
    assert (called.role, called.model, called.prompt_hash) == ("answer", "tiny", asked.prompt.hash)
    assert (called.prompt, called.reply, called.attempts) == (asked.prompt.text, "hi", 2)
    assert (called.input_tokens, called.output_tokens, called.estimated) == (11, 7, False)
    assert called.cost == pytest.approx((11 * 1.0 + 7 * 2.0) / 1e6)
    assert called.ms > 0 and not called.cached and not called.cut


def test_what_was_understood_is_not_asked_again_and_costs_nothing(
    bench: Bench, kept: MemoryReplies
) -> None:
    server = bench.serve(in_turn(chat_reply("hi"), chat_reply("other")))
    events: list[Event] = []
    for _ in range(2):
        assert model(bench, server, kept).ask(ask(), events.append) == "HI"
    first, second = events
    assert isinstance(first, Called) and isinstance(second, Called)
    assert len(server.asked) == 1
    assert second == dataclasses.replace(first, cached=True, cost=0.0)


def test_a_reply_that_could_not_be_used_is_an_error_with_all_of_it_and_is_asked_for_again(
    bench: Bench, kept: MemoryReplies
) -> None:
    long = "bad " * 100
    asking, events = (
        model(bench, bench.serve(in_turn(chat_reply(long), chat_reply("good"))), kept),
        [],
    )
    with pytest.raises(Unusable) as caught:
        asking.ask(ask(), events.append)
    assert str(caught.value).startswith("The model's reply to 'answer' is bad. Reply: bad bad")
    assert len(str(caught.value)) < 300 and caught.value.reply == long
    assert asking.ask(ask(), events.append) == "GOOD"
    assert [(type(event), event.cached) for event in events] == [(Called, False), (Called, False)]


@pytest.mark.parametrize(("whole", "usable"), [(True, False), (False, True)])
def test_a_reply_that_was_cut_off_is_used_only_where_a_part_is_of_use(
    bench: Bench, whole: bool, usable: bool
) -> None:
    asking = model(bench, bench.serve(in_turn(chat_reply("half", finish="length"))))
    if usable:
        assert asking.ask(ask(whole=whole), lambda e: None) == "HALF"
    else:
        with pytest.raises(Unusable, match="was cut off at 7 tokens"):
            asking.ask(ask(whole=whole), lambda e: None)


def test_another_server_model_prompt_or_setting_is_another_reply_and_another_key_is_not() -> None:
    server = Server("http://localhost/v1", "tiny", key=Secret(KEY))
    changes: list[dict[str, Any]] = [
        {"base_url": "http://localhost/v2"},
        {"model": "large"},
        {"max_tokens": 9},
    ]
    keys = {key_for(dataclasses.replace(server, **change), ask()) for change in changes}
    keys |= {key_for(server, ask("other"))}
    assert len(keys | {key_for(server, ask())}) == 5
    assert key_for(dataclasses.replace(server, key=Secret("another"), at_once=1), ask()) == key_for(
        server, ask()
    )


def test_a_price_is_of_the_table_also_under_a_dated_name_and_else_unknown() -> None:
    table = {"big-1": Price(9, 18), "free": Price(0, 0)}
    assert cost(table, "big-1", 1_000_000, 0) == 9
    assert cost(table, "big-1-2024-07-18", 0, 1_000_000) == 18
    assert cost(table, "free", 10, 10) == 0
    assert cost(table, "big-1-audio", 1, 1) is None and cost({}, "gpt-4o-mini", 1, 1) is None
