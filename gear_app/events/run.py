"""Every run: how it begins, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gear_app.events.base import Event, PassageOfRun, RankedPassage, Verb, in_words
from gear_app.text import count
from gear_app.types import Span

__all__ = [
    "EvidenceFound",
    "EvidenceLink",
    "EvidencePassage",
    "Failed",
    "NameLead",
    "Ranked",
    "Started",
    "Stopped",
]

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
class EvidencePassage(PassageOfRun):
    """One of the first passages, with what of it speaks for it.

    Attributes:
        rank: its place in the final ranking, from 1
        excerpt: some of its text
        sentence: the place in the excerpt of the sentence that counts; an empty one where the
            passage has no sentence
        marks: the places in the excerpt of what joins the passages
    """

    rank: int
    excerpt: str
    sentence: Span
    marks: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceLink:
    """What joins two of the first passages.

    Attributes:
        ends: their ids, the one that ranks higher first
        mention: what both name, as it is written
        holders: how many passages hold it
        share: of pairs like this one, the share that were two gold passages, as measured
    """

    ends: tuple[int, int]
    mention: str
    holders: int
    share: float


@dataclass(frozen=True, slots=True)
class NameLead(PassageOfRun):
    """A rare name in the first passages, and a passage that has it and is not among these.

    Attributes:
        start: id of the passage with the name that it is reached from
        mention: the name, as it is written
        passages: how many passages hold it
        excerpt: some of the text, with the sentence that is nearest to the question
        sentence: that one's place in the excerpt
        marks: the places in the excerpt of the name
    """

    start: int
    mention: str
    passages: int
    excerpt: str
    sentence: Span
    marks: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceFound(Event):
    """What was found, told without a reader: of the first passages those that carry the answer most
    likely, what joins them, and other passages with a rare name from these.

    Attributes:
        passages: the two that the first link joins, then the others of the first five by rank; by
            rank where nothing joins two of them
        links: what joins two of them, the likeliest pair first
        size: passages of the collection
        leads: other passages with a rare name from these, best first
    """

    passages: tuple[EvidencePassage, ...]
    links: tuple[EvidenceLink, ...] = ()
    size: int = 0
    leads: tuple[NameLead, ...] = ()

    @property
    def pair(self) -> tuple[EvidencePassage, ...]:
        """The two that carry the answer most likely, or the first two where nothing joins two."""
        return self.passages[:2]

    @property
    def summary(self) -> str:
        if not self.links:
            return f"no name joins the first {count(len(self.passages), 'passage')}"
        one, other = self.pair
        return f"{one.name} and {other.name}, joined by {self.links[0].mention}"


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
