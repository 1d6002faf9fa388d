"""A hard cap: what is held, what is taken, and that the sum never goes over it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from gear_app.models.budget import CHECK_S, OVERHEAD, Budget
from gear_app.models.chat_model import ChatModel
from gear_app.models.errors import BudgetReached, CallFailed, Fault
from gear_app.models.messages import estimated_tokens
from gear_app.trace.events import Called, Event, ignore
from tests.models.conftest import Bench
from tests.models.server import ScriptedReply, chat_reply, in_turn
from tests.models.test_chat_model import Asked, ask
from tests.waiting import PATIENCE_S

PROMPT = "word " * 36  # 36 tokens, estimated; 180 bytes


def counted(input_tokens: int, output_tokens: int) -> Called:
    return Called("read", "tiny", "", PROMPT, "fine", input_tokens, output_tokens, 1.0)


# Arithmetic


async def ended(outcome: asyncio.Future[Called] | Called | Fault) -> Called:
    """A call with this end."""
    if isinstance(outcome, Fault):
        raise outcome
    return outcome if isinstance(outcome, Called) else await outcome


def spending(
    budget: Budget, outcome: asyncio.Future[Called] | Called | Fault
) -> asyncio.Task[Called]:
    return asyncio.create_task(budget.spend(PROMPT, 50, lambda: ended(outcome)))


def in_a_loop(calls: Coroutine[Any, Any, None]) -> None:
    """Run it on a thread of its own: in this one a browser's tests may have left a loop running."""
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, calls).result()


def test_a_call_that_may_not_fit_waits_for_those_under_way_and_only_then_is_refused() -> None:
    async def calls() -> None:
        budget = Budget(500)
        replies = [asyncio.get_running_loop().create_future() for _ in range(4)]
        tasks = [spending(budget, reply) for reply in replies]

        async def end(n: int, reply: Called) -> None:
            replies[n].set_result(reply)
            await tasks[n]
            await asyncio.sleep(4 * CHECK_S)

        await asyncio.sleep(2 * CHECK_S)
        assert budget.reserved == 180 + OVERHEAD + 50, "the first goes alone"
        await end(0, counted(100, 50))  # 350 are left, each call holds 175
        assert budget.reserved == 350, "two of them"
        await end(1, counted(100, 1))
        assert budget.reached == "", "74 + what the third does not use may be enough"
        await end(2, counted(100, 1))
        with pytest.raises(BudgetReached) as raised:
            await tasks[3]
        assert str(raised.value) == (
            "The budget of 500 tokens does not allow another call: 352 were spent and the next may"
            " take 175. Set a higher one to go on; replies that came so far are kept and cost"
            " nothing."
        )

    in_a_loop(calls())


def test_what_broke_off_may_have_been_charged_for_and_a_refusal_was_not() -> None:
    async def calls() -> None:
        budget = Budget(1000)
        for fault, taken in (
            (Fault("answered 429", 429), 0),
            (Fault("gave no whole reply within 5 s"), 294),
        ):
            with pytest.raises(Fault):
                await spending(budget, fault)
            assert (budget.spent, budget.reserved) == (taken, 0)
        cancelled = spending(budget, asyncio.get_running_loop().create_future())
        await asyncio.sleep(0)
        cancelled.cancel()
        with suppress(asyncio.CancelledError):
            await cancelled
        assert (budget.spent, budget.reserved) == (588, 0)

    in_a_loop(calls())


# Calls


def asks(count: int, words: str = "hello") -> list[Asked]:
    return [ask(f"{words} {n}") for n in range(count)]


def generous(input_ratio: float, output: int) -> Callable[[dict[str, Any]], ScriptedReply]:
    """Counts other tokens of a prompt than estimated; the second call is replied to when the third
    is there.
    """
    came, third = iter(range(1, 1000)), threading.Event()

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        number = next(came)
        if number == 2:
            assert third.wait(PATIENCE_S)
        if number == 3:
            third.set()
        estimated = estimated_tokens(asked["messages"][0]["content"]) + OVERHEAD
        return chat_reply("hi", usage=(int(estimated * input_ratio), output))

    return reply


@pytest.mark.parametrize(("ratio", "output"), [(1.0, 5), (1.6, 40), (3.0, 40), (0.4, 40)])
def test_eight_at_once_never_go_over_a_small_cap(bench: Bench, ratio: float, output: int) -> None:
    server, cap = bench.serve(generous(ratio, output)), 4000
    model = ChatModel(bench.chat(server, max_tokens=40, at_once=8), budget=(budget := Budget(cap)))
    events: list[Event] = []
    found = model.ask_all(asks(60), events.append)
    taken = sum(event.input_tokens + event.output_tokens for event in events)  # type: ignore[attr-defined]
    came = sum(value == "HI" for value in found)
    assert taken == budget.spent <= cap and came == len(events) == len(server.asked)
    assert 0 < came < 60 and all(
        isinstance(value, BudgetReached) for value in found if value != "HI"
    )
    assert cap - taken < 2 * taken / came, "what was left would not have been enough for two more"
    assert server.most_at_once > 1


def test_a_reply_that_is_garbled_or_breaks_off_takes_what_was_reserved(bench: Bench) -> None:
    cut = ScriptedReply(chat_reply("hi").body, breaks=True)
    server = bench.serve(in_turn(cut, ScriptedReply(b"not JSON"), chat_reply("hi")))
    model = ChatModel(bench.chat(server, max_tokens=40), budget=(budget := Budget(10_000)))
    most = budget.largest(ask().prompt.text, 40)
    for _ in range(2):
        with pytest.raises(CallFailed):
            model.ask(ask(), ignore)
    model.ask(ask(), ignore)
    assert budget.spent == 2 * most + 18
