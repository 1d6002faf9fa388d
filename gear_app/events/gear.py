"""The events of base retrieval, graph expansion and the agent (GEAR), and how every run begins and
ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gear_app.events.base import Event
from gear_app.events.parts import BeamStep, Link, RankedPassage
from gear_app.types import ProximalTriple, Substitution


@dataclass(frozen=True, slots=True)
class Started(Event):
    """A run began: the question, the method's name and settings, the reader's name."""

    question: str
    method: str
    settings: tuple[tuple[str, str], ...] = ()
    reader: str = ""


@dataclass(frozen=True, slots=True)
class Retrieved(Event):
    """Base retrieval C'q(n) = h(q(n), C, k): the passages found for `query` by `base`."""

    query: str
    base: str
    ranking: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Read(Event):
    """A reader gave proximal triples: for the search ("sync", Eq. 1) or for the gist memory
    ("gist", Eq. 4).
    """

    purpose: Literal["sync", "gist"]
    query: str
    triples: tuple[ProximalTriple, ...]
    passed_over: tuple[ProximalTriple, ...] = ()


@dataclass(frozen=True, slots=True)
class Linked(Event):
    """Proximal triples were linked to stored ones (tripleLink, Eq. 2)."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Expanded(Event):
    """The diverse triple beam search (Alg. 1), step by step, and its flattened list of passages."""

    query: str
    starts: int
    steps: tuple[BeamStep, ...]
    passages: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Fused(Event):
    """Lists were fused by RRF: Cq(n) of one iteration ("iteration", Eq. 3) or "final", Eq. 9 as of
    now.
    """

    purpose: Literal["iteration", "final"]
    lists: tuple[str, ...]
    ranking: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Remembered(Event):
    """The gist memory grew (Eq. 5): what was added, what was an exact repeat, and how large it is
    now.
    """

    added: tuple[ProximalTriple, ...]
    repeated: tuple[ProximalTriple, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Reasoned(Event):
    """The verdict on the gist memory (Eq. 6)."""

    answerable: bool
    reason: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Rewrote(Event):
    """The next query (Eq. 7), and what a local reader substituted for what."""

    query: str
    substitutions: tuple[Substitution, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked(Event):
    """The final ranking, at least 200 deep where the method yields that many."""

    ranking: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Stopped(Event):
    """Why the run ended: one of the words below, and a sentence for the screen."""

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


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """A step gave up: which, why, and the raw reply where there was one.

    `dropped`: it did not, only so many parts of the reply could not be used. `replied`: there was a
    reply, if an empty one.
    """

    step: str
    message: str
    reply: str = ""
    dropped: int = 0
    replied: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "replied", self.replied or bool(self.reply))
