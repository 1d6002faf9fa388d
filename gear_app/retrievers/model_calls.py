"""What a method's calls of a language model come to: how many they are at most, for an estimate
before a run, and how a run goes on or ends where a reply is of no use or no budget is left.

A method says in METHODS (`calls`) what it asks; how often it asks a base is a call named SEARCH, in
whose place the base's stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from gear_app.errors import ModelFailed
from gear_app.events import Emit, Failed, Stopped
from gear_app.llm.errors import BudgetReached, Unusable
from gear_app.reader.roles import Reader, ReaderRequest, Reply
from gear_app.types import Ranking

SEARCH = "search"


class PromptCall(NamedTuple):
    """One call: its prompt by the file's name, the passages in it at most, and how many earlier
    replies it repeats. `once`: not for each question, but for the collection, and no more of these
    than half its passages.
    """

    prompt: str
    passages: int = 0
    repeats: int = 0
    once: bool = False


MostCalls = Callable[[Any, int], Sequence[PromptCall]]  # of a configuration and the run's k


def no_calls(config: object, k: int) -> Sequence[PromptCall]:
    """The calls of a method that asks no reader: none."""
    return ()


def usable(reader: Reader, request: ReaderRequest[Reply], step: str, emit: Emit) -> Reply | None:
    """The reader's reply; None, and an event, where it cannot be used."""
    try:
        return reader.ask(request, emit)
    except Unusable as error:
        emit(Failed(step, str(error), error.reply, replied=error.replied))
        return None


@contextmanager
def without_budget(ranking: Ranking) -> Iterator[None]:
    """The ranking is the run's where the budget is used up within."""
    try:
        yield
    except BudgetReached as error:
        error.ranking = ranking
        raise


UNUSABLE = Stopped("reply unusable", "A reply could not be used; the ranking is of what was found.")


def stop_after(step: str, error: ModelFailed, emit: Emit) -> Stopped:
    """Why the run ends with this error of a step; emits Failed, unless its budget is used up: then
    nothing failed.
    """
    if isinstance(error, BudgetReached):
        return Stopped("budget", str(error))
    emit(Failed(step, str(error), error.reply, replied=error.replied))
    if error.replied:
        return UNUSABLE
    return Stopped("model failed", f"{str(error).rstrip('.')}. The ranking is of what was found.")
