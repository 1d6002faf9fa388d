"""Events of every run: how it begins, what a language model was asked and replied, the final
ranking, what stands out in it, the answers, and how the run ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gear_app.core.text import count
from gear_app.core.types import PassageId, Source, Span
from gear_app.trace.events.base import Emit, Event, PassageOfRun, RankedPassage


@dataclass(frozen=True, slots=True)
class Started(Event, summary="{method}, reader {reader}"):
    """A run began."""

    question: str  # the user's words
    method: str  # its name with its base, as in `ircot:hipporag`
    settings: tuple[tuple[str, str], ...] = ()  # pairs of full name and value, all of them
    reader: str = ""  # the reader's name
    # keys of what hybrid search alone finds, best first, where the method does not begin with it
    hybrid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Called(Event, auxiliary=True):
    """A language model was asked, and replied, usably or not, or `failed` says why it did not. It
    comes before the event that says what was understood of the reply, or that a step gave up.
    """

    role: str  # what it was asked to do, as in `read`
    model: str  # its name at the server
    prompt_hash: str  # of the prompt's file in `gear_app/models/prompts`, as it was then
    prompt: str  # all that was sent
    reply: str  # all that came back; empty where nothing did
    input_tokens: int  # of the prompt, as the server counted
    output_tokens: int  # of the reply
    ms: float  # milliseconds from the question to the reply
    cost: float | None = None  # in dollars; None where no price is known, 0 for a cached reply
    estimated: bool = False  # the tokens were counted here and roughly, because the server did not
    cached: bool = False  # a stored reply; tokens and milliseconds are those it once took
    cut: bool = False  # the reply ended at the limit of tokens
    attempts: int = 1  # how many calls it took, those that the server refused included
    # why no reply came, in the server's words; empty where one did. A replay fails there again, and
    # nothing is counted
    failed: str = ""
    step: str = ""  # the step of the run that asked; "" outside of a run

    @property
    def summary(self) -> str:
        if self.failed:
            return f"{self.model} as {self.role}: no reply. {self.failed}"
        cached = ", kept from before" if self.cached else ""
        tokens = f"{self.input_tokens:,} + {self.output_tokens:,} tokens"
        return f"{self.model} as {self.role}: {tokens}{cached}"


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """A step gave up, or could use a part of a reply only; or the run failed."""

    step: str  # the step of the run; "" where none is known
    message: str  # why
    reply: str = ""  # the raw reply, where there was one, or its first 100,000 characters
    dropped: int = 0  # parts of the reply that could not be used; 0 where the step gave up
    replied: bool = False  # there was a reply, which may be an empty one

    def __post_init__(self) -> None:
        object.__setattr__(self, "replied", self.replied or bool(self.reply))

    @property
    def summary(self) -> str:
        return f"{self.step or 'run'}: {self.message}"


def at_step(emit: Emit, step: str) -> Emit:
    """A sink that stamps a step on calls of a model and failures before it passes events on."""

    def stamp(event: Event) -> None:
        emit(replace(event, step=step) if isinstance(event, Called | Failed) else event)

    return stamp


@dataclass(frozen=True, slots=True)
class Ranked(Event, verb="rank", summary="{ranking}"):
    """The final ranking."""

    ranking: tuple[RankedPassage, ...]  # at least 200 deep where the method yields so many


@dataclass(frozen=True, slots=True)
class EvidencePassage(PassageOfRun):
    """One of the first passages, with what of it speaks for it."""

    rank: int  # its place in the final ranking, from 1
    excerpt: str  # some of its text
    sentence: Span  # the sentence that counts, in the excerpt; empty where there is none
    marks: tuple[
        Span, ...
    ] = ()  # the places in the excerpt of what joins the passages, and of the answer
    answers: bool = False  # the sentence has the answer


@dataclass(frozen=True, slots=True)
class EvidenceLink:
    """A name that joins two of the first passages."""

    ends: tuple[PassageId, PassageId]  # the one that ranks higher first
    mention: str  # what both name, as it is written
    holders: int  # how many passages hold it
    share: float  # of pairs like this one, the share that were two gold passages, as measured


@dataclass(frozen=True, slots=True)
class NameLead(PassageOfRun):
    """A rare name in the first passages, and a passage that has it and is not among these."""

    start: PassageId  # the passage with the name that it is reached from
    mention: str  # the name, as it is written
    passages: int  # how many passages hold it
    excerpt: str  # some of the text, with the sentence that is nearest to the question
    sentence: Span  # that one's place in the excerpt
    marks: tuple[Span, ...] = ()  # the places in the excerpt of the name


@dataclass(frozen=True, slots=True)
class EvidenceFound(Event):
    """Evidence without a reader: of the first passages those that carry the answer most likely,
    what joins them, and other passages with a rare name from these.
    """

    # the two that the first link joins, then the others of the first five by rank; by rank where
    # nothing joins two of them
    passages: tuple[EvidencePassage, ...]
    links: tuple[EvidenceLink, ...] = ()  # what joins two of them, the likeliest pair first
    size: int = 0  # passages of the collection
    leads: tuple[NameLead, ...] = ()  # other passages with a rare name from these, best first

    @property
    def pair(self) -> tuple[EvidencePassage, ...]:
        """The two that carry the answer most likely, or the first two where nothing joins two."""
        return self.passages[:2]

    @property
    def summary(self) -> str:
        if not self.links:
            return f"no name joins the first {count(len(self.passages), 'passage')}"
        first, second = self.pair
        return f"{first.name} and {second.name}, joined by {self.links[0].mention}"


@dataclass(frozen=True, slots=True)
class Answered(Event, verb="answer", summary="{source}, {passages:passage}: {answer}"):
    """An answer was written after the ranking, where the run was to write one (GEAR App. K.3)."""

    source: Source  # the first passages, or as bounds the gold passages, or nothing
    answer: str  # the reader's words; empty where it has none
    passages: tuple[RankedPassage, ...]  # given, in order; scores of the final ranking, or 0


@dataclass(frozen=True, slots=True)
class Stopped(Event, summary="{why}: {sentence}"):
    """The run ended."""

    why: Literal[
        "answerable",
        "iteration limit",
        "query repeated",
        "nothing to rewrite",
        "budget",
        "reply unusable",
        "model failed",
    ]
    sentence: str = ""  # the same for the screen
