"""GRIEVER: the question's clauses, and what of the query was matched to triples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gear_app.events.base import Countable, Event, ShownTriple, Verb
from gear_app.text import count
from gear_app.types import ProximalTriple, Span

__all__ = ["Clause", "Join", "Match", "Matched", "Split"]

NOWHERE = Span(0, 0)
SPLIT = Verb(
    "split",
    "The question is cut at its relative clauses, so that the innermost can be answered first.",
    heading="",
)
MATCH = Verb(
    "match",
    "Triples that the query half states: the side it does not name is what it asks for.",
    triples=True,
    heading="",
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the question.

    Attributes:
        text: its words
        span: where they stand in it
        connector: the word that begins it ("who", "that")
    """

    text: str
    span: Span
    connector: str = ""


@dataclass(frozen=True, slots=True)
class Split(Event):
    """The question's relative clauses (GRIEVER §1).

    Attributes:
        question: the user's words
        clauses: in order; one is the whole question, none where it has no words
    """

    VERB = SPLIT

    question: str
    clauses: tuple[Clause, ...]

    @property
    def summary(self) -> str:
        return " | ".join(clause.text for clause in self.clauses)


@dataclass(frozen=True, slots=True)
class Match:
    """A partial triple matched to the query's words (GRIEVER §4 and 5): score = `mention_cosine` ·
    (`relation_cosine` + `agreement`) + `title_weight` · `title_cosine`.

    Attributes:
        triple: the stored one
        mention: the query's words that were matched to its known side
        mention_span: where they stand
        mention_cosine: how near they are
        relation: the query's words that were matched to the predicate; empty where none were
        relation_spans: where they stand
        relation_cosine: of the partial triple and the phrase around the mention; of its clause
            where there is no phrase
        known: the side that was matched
        new: the other side
        score: what matches are ordered by
        taken: it rewrites the query
        agreement: what words in common add to the relation's cosine
        title_cosine: of the mention and the title of the triple's passage, at least 0
        title_weight: how much that counts
        place: what gives way to `new` where it is taken: mention and relation, and what would be
            left hanging without them
    """

    triple: ShownTriple
    mention: str
    mention_span: Span
    mention_cosine: float
    relation: str
    relation_spans: tuple[Span, ...]
    relation_cosine: float
    known: str
    new: str
    score: float
    taken: bool
    agreement: float = 0.0
    title_cosine: float = 0.0
    title_weight: float = 0.0
    place: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Join:
    """An entity that the next hop must touch.

    Attributes:
        entity: its name
        synonyms: pairs of another name and the cosine
        passages: how many are left
    """

    entity: str
    synonyms: tuple[tuple[str, float], ...]
    passages: int


@dataclass(frozen=True, slots=True)
class Matched(Event):
    """Partial triples matched to the query (GRIEVER §3 to §5).

    Attributes:
        query: what was matched
        triples: how many the passages found have
        shortlisted: how many of their partial triples were matched (each triple has two)
        matches: the best, best first
        joins: entities that the next hop must touch: the new sides of the matches that were taken
        sure: the score from which a match rewrites the query
    """

    VERB = MATCH

    query: str
    triples: int
    shortlisted: int
    matches: tuple[Match, ...]
    joins: tuple[Join, ...] = ()
    sure: float = 0.0

    @property
    def summary(self) -> str:
        joins = ", ".join(join.entity for join in self.joins) or "none"
        return f"{len(self.matches)} of {count(self.triples, 'triple')} matched, next: {joins}"

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """Those that were matched."""
        return (match.triple for match in self.matches)

    @property
    def countable(self) -> Mapping[str, Countable]:
        matches = Countable.of(match.triple.text for match in self.matches)
        return {"candidates": Countable(self.triples), "matches": matches}

    @property
    def names_told(self) -> Iterable[str]:
        """The entities that the next hop must touch."""
        return (join.entity for join in self.joins)
