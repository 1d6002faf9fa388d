"""Every run: how it begins, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gear_app.events.base import Event, RankedPassage, Verb, in_words

__all__ = ["Failed", "Ranked", "Started", "Stopped"]

RANK = Verb(
    "rank",
    "The final ranking: the retrieval's own, nothing was added to it.",
    heading="question",
)


@dataclass(frozen=True, slots=True)
class Started(Event):
    """A run began.

    Attributes:
        question: the user's words
        method: its name with its base, as in `ircot:hipporag`
        settings: pairs of full name and value, all of them
        reader: the reader's name
        hybrid: keys of what hybrid search alone finds, best first, where the method does not begin
            with it
    """

    question: str
    method: str
    settings: tuple[tuple[str, str], ...] = ()
    reader: str = ""
    hybrid: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        return f"{self.method}, reader {self.reader or 'none'}"


@dataclass(frozen=True, slots=True)
class Ranked(Event):
    """The final ranking.

    Attributes:
        ranking: at least 200 deep where the method yields so many
    """

    VERB = RANK

    ranking: tuple[RankedPassage, ...]

    @property
    def summary(self) -> str:
        return in_words(self.ranking)


@dataclass(frozen=True, slots=True)
class Stopped(Event):
    """Why the run ended.

    Attributes:
        why: one of `answerable`, `iteration limit`, `query repeated`, `nothing to rewrite`,
            `budget`, `reply unusable`, `model failed`
        sentence: the same for the screen
    """

    why: Literal[
        "answerable",
        "iteration limit",
        "query repeated",
        "nothing to rewrite",
        "budget",
        "reply unusable",
        "model failed",
    ]
    sentence: str = ""

    @property
    def summary(self) -> str:
        return f"{self.why}: {self.sentence}" if self.sentence else self.why


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """A step gave up, or could use a part of a reply only.

    Attributes:
        step: which
        message: why
        reply: the raw reply, where there was one; of one longer than 100,000 characters the
            beginning (`Called` has all of it)
        dropped: how many parts of the reply could not be used; the step went on with the rest. 0
            where it gave up
        replied: whether there was a reply, which may be an empty one
    """

    step: str
    message: str
    reply: str = ""
    dropped: int = 0
    replied: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "replied", self.replied or bool(self.reply))

    @property
    def summary(self) -> str:
        return f"{self.step}: {self.message}"
