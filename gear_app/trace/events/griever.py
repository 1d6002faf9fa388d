"""GRIEVER: the question's clauses, and what of the query was matched to triples."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.core.text import count
from gear_app.core.types import EntityName, Span
from gear_app.trace.events.base import Event, ShownTriple

NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the question."""

    text: str  # its words
    span: Span  # where they stand in it
    connector: str = ""  # the word that begins it ("who", "that")


@dataclass(frozen=True, slots=True)
class Split(Event, verb="split"):
    """The question's relative clauses (GRIEVER §1)."""

    question: str  # the user's words
    clauses: tuple[Clause, ...]  # in order; one is the whole question, none where it has no words

    @property
    def summary(self) -> str:
        return " | ".join(clause.text for clause in self.clauses)


@dataclass(frozen=True, slots=True)
class Match:
    """A partial triple matched to the query's words (GRIEVER §4 and 5): score = `mention_cosine` ·
    (`relation_cosine` + `agreement`) + `title_weight` · `title_cosine`.
    """

    triple: ShownTriple  # the stored one
    mention: str  # the query's words that were matched to its known side
    mention_span: Span  # where they stand
    mention_cosine: float  # how near they are
    relation: str  # the query's words that were matched to the predicate; empty where none were
    relation_spans: tuple[Span, ...]  # where they stand
    # of the partial triple and the phrase around the mention; of its clause where there is no
    # phrase
    relation_cosine: float
    known: str  # the side that was matched
    new: str  # the other side
    score: float  # what matches are ordered by
    taken: bool  # it rewrites the query
    agreement: float = 0.0  # what words in common add to the relation's cosine
    title_cosine: float = 0.0  # of the mention and the title of the triple's passage, at least 0
    title_weight: float = 0.0  # how much that counts
    # what gives way to `new` where it is taken: mention and relation, and what would be left
    # hanging without them
    place: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Join:
    """An entity that the next hop must touch."""

    entity: EntityName
    synonyms: tuple[tuple[str, float], ...]  # pairs of another name and the cosine
    passages: int  # how many are left


@dataclass(frozen=True, slots=True)
class Matched(Event, verb="match"):
    """Partial triples matched to the query (GRIEVER §3 to §5)."""

    query: str  # what was matched
    triples: int  # how many the passages found have
    shortlisted: int  # how many of their partial triples were matched (each triple has two)
    matches: tuple[Match, ...]  # the best, best first
    # entities that the next hop must touch: the new sides of the matches that were taken
    joins: tuple[Join, ...] = ()
    sure: float = 0.0  # the score from which a match rewrites the query

    @property
    def summary(self) -> str:
        joins = ", ".join(join.entity for join in self.joins) or "none"
        return f"{len(self.matches)} of {count(self.triples, 'triple')} matched, next: {joins}"
