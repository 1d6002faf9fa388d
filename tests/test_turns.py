"""Turns at the processor: one computes, in the order in which they asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from gear_app.core.errors import Cancelled
from gear_app.core.threads import Processor, Turn, away, in_turn, turn_wanted
from tests.waiting import PATIENCE_S, until


def begin(pool: ThreadPoolExecutor, turn: Turn, work: Callable[[], object]) -> Future[None]:
    def done() -> None:
        with in_turn(turn):
            work()

    return pool.submit(done)


def test_one_computes_at_a_time_in_the_order_in_which_they_asked() -> None:
    processor, go_on, order = Processor(), threading.Event(), list[int]()
    with ThreadPoolExecutor(5) as pool:
        first = begin(pool, Turn(processor), lambda: go_on.wait(PATIENCE_S))
        until(lambda: processor.turn is not None)
        for n in range(4):
            begin(pool, Turn(processor), lambda n=n: order.append(n))
            until(lambda n=n: processor.waiting == n + 1)
        assert order == []
        go_on.set()
    assert first.done() and order == [0, 1, 2, 3] and processor.turn is None


def test_who_is_away_holds_nobody_and_comes_back_after_those_who_asked_before() -> None:
    processor, replied, told = Processor(), threading.Event(), list[str]()
    waiting = Turn(processor)

    def asks() -> None:
        with away():
            replied.wait(PATIENCE_S)
        told.append("reply")

    def computes() -> None:
        replied.set()
        until(turn_wanted)
        told.append("computed")

    with ThreadPoolExecutor(2) as pool:
        begin(pool, waiting, asks)
        assert waiting.left.wait(PATIENCE_S)
        begin(pool, Turn(processor), computes)
    assert told == ["computed", "reply"] and waiting.waited_ms > 0


def test_who_is_cancelled_while_away_ends_without_another_turn() -> None:
    processor = Processor()
    other = Turn(processor)

    def stopped() -> None:
        with away():
            other.take()
            raise Cancelled("stop")

    with ThreadPoolExecutor(1) as pool:
        ended = begin(pool, Turn(processor), stopped)
        with pytest.raises(Cancelled):
            ended.result(PATIENCE_S)
    assert processor.turn is other
