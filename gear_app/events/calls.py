"""A language model's calls, and answers."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.events.base import Event, RankedPassage, Verb
from gear_app.text import count
from gear_app.types import Source

__all__ = ["Answered", "Called"]

ANSWER = Verb(
    "answer",
    "The reader answers from what was retrieved, and as bounds from the gold passages and from"
    " none.",
    reader=True,
    heading="question",
)


@dataclass(frozen=True, slots=True)
class Called(Event):
    """A language model was asked, and replied, usably or not, or `failed` says why it did not. It
    comes before the event that says what was understood of the reply, or that a step gave up.

    Attributes:
        role: what it was asked to do, as in `read`
        model: its name at the server
        prompt_hash: of the prompt's file in `gear_app/prompts`, as it was then
        prompt: all that was sent
        reply: all that came back; empty where nothing did
        input_tokens: of the prompt, as the server counted
        output_tokens: of the reply
        ms: milliseconds from the question to the reply
        cost: in dollars; null where no price is known, 0 where the reply was kept from before
        estimated: whether the tokens were counted here and roughly, because the server did not
        cached: whether the reply was kept from before; tokens and milliseconds are those it once
            took
        cut: whether the reply ended at the limit of tokens
        attempts: how many calls it took, those that the server refused included
        failed: why no reply came, in the server's words; empty where one did. A replay fails there
            again, and nothing is counted
    """

    BESIDE = True

    role: str
    model: str
    prompt_hash: str
    prompt: str
    reply: str
    input_tokens: int
    output_tokens: int
    ms: float
    cost: float | None = None
    estimated: bool = False
    cached: bool = False
    cut: bool = False
    attempts: int = 1
    failed: str = ""

    @property
    def summary(self) -> str:
        if self.failed:
            return f"{self.model} as {self.role}: no reply. {self.failed}"
        kept = ", kept from before" if self.cached else ""
        tokens = f"{self.input_tokens:,} + {self.output_tokens:,} tokens"
        return f"{self.model} as {self.role}: {tokens}{kept}"


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """An answer was written after the ranking, where the run was to write one (GEAR App. K.3).

    Attributes:
        source: from what: `retrieved`, the first passages; or as a bound `gold`, the gold passages,
            or `nothing`
        answer: the reader's words; empty where it has none
        passages: those it was given, in order; their scores are those of the final ranking, 0 where
            they are not in it
    """

    VERB = ANSWER

    source: Source
    answer: str
    passages: tuple[RankedPassage, ...]

    @property
    def summary(self) -> str:
        given = count(len(self.passages), "passage")
        return f"{self.source}, {given}: {self.answer or 'no answer'}"
