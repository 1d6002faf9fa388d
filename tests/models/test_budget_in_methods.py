"""A budget stops every method, with the ranking of what was found; and the most calls that a method
makes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gear_app.core.types import Ranking
from gear_app.display import gold as gold_words
from gear_app.display.telling import gain
from gear_app.methods import answer, build, config_for, most_calls
from gear_app.models.budget import Budget
from gear_app.models.chat_model import ChatModel
from gear_app.models.reader.readers import LlmReader
from gear_app.trace import gold, timeline
from gear_app.trace.events import Called, Event, Failed, Ranked, Started, Stopped, from_row, to_row
from gear_app.trace.trace import RunTrace
from tests.acting import READY
from tests.display.told import purpose
from tests.models.conftest import Bench
from tests.models.server import ScriptedServer
from tests.models.world import endless, role_of
from tests.small import QUESTION, SmallWorld, of_kind

ASKING = [name for name in READY if most_calls(name, config_for(name), 15)]
BASED = ["sync_ge:bm25", "ircot:sync_ge:bm25", "bgec:hipporag"]


def asked(small: SmallWorld, name: str, reader: LlmReader) -> tuple[Ranking, list[Event]]:
    events: list[Event] = []
    method = build(name, small.index, reader, small.embedder)
    return answer(method, small.index, QUESTION, 8, events.append), events


@pytest.fixture
def reader(bench: Bench) -> Callable[[ScriptedServer, Budget | None], LlmReader]:
    def made(server: ScriptedServer, budget: Budget | None) -> LlmReader:
        return LlmReader(ChatModel(bench.chat(server, max_tokens=50), budget=budget))

    return made


@pytest.mark.parametrize("name", [*ASKING, *BASED])
def test_a_method_never_makes_more_calls_than_it_says_and_can_make_them_all(
    bench: Bench, small: SmallWorld, name: str, reader: Any
) -> None:
    server = bench.serve(endless())
    asked(small, name, reader(server, None))
    said = sorted(call.prompt for call in most_calls(name, config_for(name), 8))
    assert sorted(role_of(request) for request in server.asked) == said


@pytest.mark.parametrize("name", [*ASKING, *BASED])
def test_every_method_stops_at_every_call_and_keeps_what_it_found(
    bench: Bench, small: SmallWorld, name: str, reader: Any
) -> None:
    most = len(most_calls(name, config_for(name), 8))
    free, _ = asked(small, name, reader(bench.serve(endless()), None))
    first = name.startswith("agent")  # without a reply it searches nothing
    for calls in {*range(first, min(most, 7)), most - 1}:
        server = bench.serve(endless())
        budget = Stopping(calls)
        ranking, events = asked(small, name, reader(server, budget))
        assert len(server.asked) == calls and len(of_kind(events, Called)) == calls
        (stopped,) = of_kind(events, Stopped)
        assert (stopped.why, stopped.sentence) == ("budget", "That is all.")
        assert not of_kind(events, Failed) and isinstance(events[-1], Ranked)
        assert ranking.ids and len(ranking.ids) >= min(5, len(free.ids)), (
            "what the first search found"
        )
        assert of_kind(events, Ranked)[-1].ranking[0].id == ranking.ids[0]
        assert [from_row(to_row(event)) for event in events] == events
        _drawn([Started(QUESTION, name, (), "llm"), *events])


def _drawn(events: list[Event]) -> None:
    """The screen says why, and copes with a run that ends anywhere."""
    gold_keys = ["harbour", "quill", "lorn"]
    assert all(purpose(step, events) for step in timeline.steps(events))
    end = RunTrace.of(events).end
    assert end and (end.why, end.sentence) == ("budget", "That is all.")
    found = gold.gold_passages(events, gold_keys)
    assert [one.key for one in found] == gold_keys and all(
        gold_words.origin_sentence(one, QUESTION) for one in found
    )
    assert gain(RunTrace.of(events), gold_keys)


class Stopping(Budget):
    """Allows so many calls."""

    def __init__(self, calls: int) -> None:
        super().__init__(10**9)
        self._calls = calls

    def reserve(self, prompt: str, limit: int) -> Any:
        self._calls -= 1
        if self._calls < 0:
            self.reached = "That is all."
        return super().reserve(prompt, limit)
