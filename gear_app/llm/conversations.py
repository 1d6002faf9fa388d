"""Talks with a model: one question after another about one thing, and many of them under way at
once.

A talk is a generator: it yields what to ask, is sent what was understood of the reply, and returns
what it came to.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.llm.chat_model import Ask, Heard, Model
from gear_app.llm.failures import CallFailed, Unusable
from gear_app.llm.reply_parser import Parsed

K = TypeVar("K")
V = TypeVar("V")
Talk = Generator[Ask[Any], Any, V]


class Ended(NamedTuple, Generic[K, V]):
    """What a talk came to, or why it came to nothing; its replies in order, and how they fell
    short.

    `dropped` counts the parts of replies that could not be used, `cut` says that one ended at the
    limit of tokens.
    """

    about: K
    value: V | ModelFailed
    replies: tuple[str, ...]
    dropped: int
    cut: bool


@dataclass
class _Going(Generic[K, V]):
    """A talk that goes on, what was asked last, and what was heard in it."""

    about: K
    talk: Talk[V]
    asked: Ask[Any] | None = None
    replies: tuple[str, ...] = ()
    dropped: int = 0
    cut: bool = False

    def heard(self, heard: Heard[Any]) -> None:
        self.replies += (heard.reply.text,)
        self.cut |= heard.reply.cut
        if isinstance(heard.understood, Parsed):
            self.dropped += len(heard.understood.dropped)

    def ended(self, value: V | ModelFailed) -> Ended[K, V]:
        return Ended(self.about, value, self.replies, self.dropped, self.cut)


class Flow(Generic[K, V]):
    """Talks that go on while whoever began them does something else between two looks. Use it from
    one thread.
    """

    def __init__(self, model: Model, emit: Emit) -> None:
        """`emit` gets the events of every reply when it is looked at, on the thread that looks."""
        self._model, self._emit = model, emit
        self._waiting: dict[Future[Heard[Any] | CallFailed], _Going[K, V]] = {}
        self._ended: list[Ended[K, V]] = []
        self._closed = False

    @property
    def about(self) -> list[K]:
        """What the talks are about that have not ended, or that nobody was told of yet."""
        return [going.about for going in self._waiting.values()] + [
            ended.about for ended in self._ended
        ]

    @property
    def room(self) -> int:
        """How many more talks can be begun whose first call need not wait for a place."""
        return 0 if self._closed else self._model.free

    def begin(self, about: K, talk: Talk[V]) -> None:
        """Begin a talk. One that needs no call, as its replies were kept, has ended when this
        returns.
        """
        self._go_on(_Going(about, talk), None)

    def look(self, within_s: float) -> list[Ended[K, V]]:
        """The talks that have ended since the last look; waits for a reply, so long at most, where
        there is none.
        """
        if self._waiting:
            wait(self._waiting, 0 if self._ended else within_s, FIRST_COMPLETED)
        self._come_in()
        ended, self._ended = self._ended, []
        return ended

    def close(self) -> list[Ended[K, V]]:
        """Close the connections of all calls under way; the talks that have ended until now."""
        self._closed = True
        self._waiting = {
            future: going for future, going in self._waiting.items() if not future.cancel()
        }
        return self.look(0)

    def _come_in(self) -> None:
        """Take in what has come, in the order it was asked for. Raises StoreFailed, last, where one
        was not kept.
        """
        failed: BaseException | None = None
        for future in [future for future in self._waiting if future.done()]:
            going, error = self._waiting.pop(future), future.exception()
            if error is not None:
                failed = error
                continue
            outcome = future.result()
            if isinstance(outcome, CallFailed):
                assert going.asked is not None  # it waited for a reply
                self._model.tell_failure(going.asked, outcome, self._emit)
                self._ended.append(going.ended(outcome))
            else:
                self._heard(going, outcome)
        if failed is not None:
            raise failed

    def _heard(self, going: _Going[K, V], heard: Heard[Any]) -> None:
        going.heard(heard)
        value = self._model.tell(heard, self._emit)
        if isinstance(value, Unusable):
            self._ended.append(going.ended(value))
        else:
            self._go_on(going, value)

    def _go_on(self, going: _Going[K, V], value: object) -> None:
        """Ask the next thing. A talk that would go on after the close is dropped; its replies so
        far are kept.
        """
        try:
            ask = going.talk.send(value)
        except StopIteration as end:
            self._ended.append(going.ended(end.value))
            return
        kept = self._model.kept(ask)
        if kept is not None:
            self._heard(going, kept)
        elif not self._closed:
            going.asked = ask
            self._waiting[self._model.begin(ask)] = going


def together(model: Model, talks: Sequence[Talk[V]], emit: Emit) -> list[V | ModelFailed]:
    """What each talk came to, in order: all first questions are asked at once, then all second
    ones.
    """
    found: dict[int, V | ModelFailed] = {}
    sent: dict[int, Any] = dict.fromkeys(range(len(talks)))
    while sent:
        asks: dict[int, Ask[Any]] = {}
        for n, value in sent.items():
            try:
                asks[n] = talks[n].send(value)
            except StopIteration as end:
                found[n] = end.value
        heard = dict(zip(asks, model.ask_all(list(asks.values()), emit), strict=True))
        found |= {n: value for n, value in heard.items() if isinstance(value, ModelFailed)}
        sent = {n: value for n, value in heard.items() if n not in found}
    return [found[n] for n in range(len(talks))]
