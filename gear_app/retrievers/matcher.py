"""GRIEVER's matcher: the names in a query, and the phrases that ask about them, against the partial
triples of the passages found (§4 and §5).

Composes: names and phrases (`english`) → shortlist → cosines (`steps.match`) → what the query is
rewritten by. Partial triples and names have stored vectors; of the query a few short texts are
encoded. No reader is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from gear_app.events import Clause, Match, ShownTriple
from gear_app.language.answer_types import is_date, is_number
from gear_app.language.phrases import AskedRelation, asked_relation, asks_one_thing, text_of
from gear_app.language.query import Anchor, Query
from gear_app.language.relations import direction, related
from gear_app.retrievers import lookup
from gear_app.rows import EntityPassages
from gear_app.seams import Embedder, Index, Vectors, query_vectors
from gear_app.steps.match import (
    MENTIONED,
    TITLE,
    Evidence,
    NameMatch,
    best_disjoint,
    name_matches,
    shortlist,
)
from gear_app.steps.substitute import widen
from gear_app.text import normalise_entity, tokenise, told_of
from gear_app.types import Span, Triple

SAME_WORDS = 0.3  # ours: what a shared way of speaking adds to a cosine
# ours: names of a query that are looked at; reading a phrase costs the square of their number
MANY = 20
TURNED = (
    0.2  # ours: what leading to the kind of thing that is asked for adds to it, or else takes away
)


@dataclass(frozen=True, slots=True)
class QueryName:
    """A name in the query with its place, and the phrase that asks about it.

    `beside` are the places of the phrase's words on both sides of the name; none where nothing is
    asked about it but what its whole clause asks, which then is the phrase. A phrase does not reach
    back over the end of another clause.
    """

    text: str
    span: Span
    phrase: str
    beside: tuple[Span, ...]
    asks: AskedRelation

    @property
    def place(self) -> Span:
        """Where the phrase stands, or the name alone."""
        spans = (self.span, *self.beside)
        return Span(min(span.start for span in spans), max(span.end for span in spans))

    def agrees(self, predicate: str, *, forward: bool) -> float:
        """What the words of phrase and predicate add to their cosine; `forward`: read from subject
        to object.
        """
        asks = self.asks
        return round(
            SAME_WORDS * related(asks.relation, predicate)
            + TURNED * direction(asks.head, predicate, forward),
            6,
        )


def mentions(query: str, clauses: Sequence[Clause], names: Collection[str]) -> list[QueryName]:
    """The first MANY names in a query, in its order: those called so in `names`, or written with
    capitals.

    A single word without a capital ("county") is none, unless the whole query is written so.
    """
    read = Query(query, names)
    called = (
        anchor for anchor in read.anchors if anchor.first < anchor.last or read.proper(anchor)
    )
    return [_mention_of(read, anchor, clauses) for anchor in islice(called, MANY)]


def asks_once(query: str, names: Collection[str]) -> bool:
    """Whether the query asks one thing only about the names in it: whatever matches that is the
    answer.
    """
    read = Query(query, names)
    return len(read.anchors) <= MANY and asks_one_thing(read)


def _mention_of(query: Query, anchor: Anchor, clauses: Sequence[Clause]) -> QueryName:
    asks, span = asked_relation(query, anchor), Span(*query.place(anchor))
    text = query.text[span.start : span.end]
    around = next((clause for clause in clauses if span.start < clause.span.end), None)
    first, last = asks.phrase.first, asks.phrase.last
    resumed = (
        around is not None and not around.connector and query.words[first].start < around.span.start
    )
    if not asks.phrase.head or resumed:
        return QueryName(text, span, around.text if around else query.text, (), asks)
    left = Span(query.words[first].start, span.start)
    right = Span(span.end, query.words[last].end)
    beside = tuple(place for side in (left, right) if (place := _trimmed(query.text, side)))
    return QueryName(text, span, text_of(query, first, last), beside, asks)


def _trimmed(text: str, span: Span) -> Span | None:
    """The span without white space at its ends; None where nothing is left."""
    words = text[span.start : max(span.start, span.end)]
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, start + len(words.strip())) if words.strip() else None


SHORTLIST = 100  # ours: partial triples that are matched
SHOWN = 10  # matches in an event, besides those taken


class PartialTriple(NamedTuple):
    """A triple read from one side: `known` and the predicate are compared, `new` is what it leads
    to.
    """

    triple: Triple
    known: str
    new: str
    forward: bool
    text: str


class ScoredPartial(NamedTuple):
    """A partial triple, the words of the query it was matched to, and how well."""

    partial: PartialTriple
    mention: QueryName
    evidence: Evidence


class CandidateTriples:
    """What was found: passages and their triples, and the names in them."""

    def __init__(self, index: Index, passage_ids: Sequence[int]) -> None:
        self.passages, self.triples = lookup.material(index, passage_ids)
        self.titles = {
            passage.id: told_of(passage.title, passage.text) for passage in self.passages
        }
        self.called = frozenset(normalise_entity(title) for title in self.titles.values())
        self.names = {name for t in self.triples for name in (t.subject, t.object)} | set(
            self.titles.values()
        )


class MatchResult(NamedTuple):
    """The number of partial triples that were matched; the matches, those taken and the best
    others, in order; and for names that they lead to, the passages that name them.
    """

    shortlisted: int
    matches: tuple[Match, ...]
    joins: Mapping[str, EntityPassages]


@dataclass(frozen=True, slots=True)
class Matcher:
    """`threshold`: names as near as this are the same; None: none are. `whole`: whole triples are
    compared instead of partial ones; `everything`: nothing is shortlisted.
    """

    index: Index
    embedder: Embedder
    threshold: float | None
    whole: bool = False
    everything: bool = False

    def match(
        self,
        query: str,
        clauses: Sequence[Clause],
        page: CandidateTriples,
        seen: Collection[str],
        sure: float | None,
    ) -> MatchResult:
        """Match the page's triples; none leads to a name in `seen` (normalised), or where a search
        could not go on.

        Those with a score of at least `sure` are taken, no two for the same words. None: none are,
        and matches may lead anywhere, for they may be the answer. Ties go to the smaller triple id,
        then to the reading from its subject.
        """
        asked = mentions(query, clauses, page.names)
        shortlisted = self._shortlist(clauses, page)
        partials = [read for read in shortlisted if _is_new(read[0].new, query, seen)]
        joins: Mapping[str, EntityPassages] = {}
        if sure is not None:
            partials = [read for read in partials if _could_lead_on(read[0], page)]
            joins = self.index.joins({read[0].new for read in partials}, self.threshold)
            partials = [read for read in partials if _leads_on(read[0], joins)]
        found = self._scored(asked, partials, page) if asked and partials else []
        found.sort(
            key=lambda one: (-one.evidence.score, one.partial.triple.id, not one.partial.forward)
        )
        places = [_place(query, clauses, one) for one in found]
        scores = [one.evidence.score for one in found]
        chosen = best_disjoint(scores, places, sure) if sure is not None else ()
        kept = [
            position for position in range(len(found)) if position < SHOWN or position in chosen
        ]
        words = lookup.shown_triples(
            self.index, [found[position].partial.triple.id for position in kept]
        )
        matches = (
            _shown(query, found[n], words[found[n].partial.triple.id], places[n], n in chosen)
            for n in kept
        )
        return MatchResult(len(shortlisted), tuple(matches), joins)

    def _shortlist(
        self, clauses: Sequence[Clause], page: CandidateTriples
    ) -> list[tuple[PartialTriple, Vectors]]:
        """The partial triples nearest to a clause of the query, with their vectors."""
        partials = list(_partials(page.triples, self.whole))
        if not partials or not clauses:
            return []
        vectors = self.embedder.embed([partial.text for partial in partials])
        cosines = query_vectors(self.embedder, [clause.text for clause in clauses]) @ vectors.T
        positions = shortlist(cosines, None if self.everything else SHORTLIST)
        return [(partials[position], vectors[position]) for position in positions]

    def _scored(
        self,
        asked: Sequence[QueryName],
        partials: Sequence[tuple[PartialTriple, Vectors]],
        page: CandidateTriples,
    ) -> list[ScoredPartial]:
        """The partial triples whose known side the query names, and not their new side, with the
        evidence.
        """
        texts = self.embedder.embed(
            [text for mention in asked for text in (mention.text, mention.phrase)]
        )
        names, phrases = texts[0::2], texts[1::2]
        sides = self.embedder.embed([partial.known for partial, _ in partials])
        known = name_matches(sides @ names.T)
        new = self.embedder.embed([partials[one.row][0].new for one in known])
        known = [
            one
            for one, vector in zip(known, new, strict=True)
            if (names @ vector).max() < MENTIONED
        ]
        titles = self.embedder.embed(
            [page.titles[partials[one.row][0].triple.passage_id] for one in known]
        )
        return [
            _evident(
                one,
                partials[one.row],
                asked[one.column],
                phrases[one.column],
                float(title @ names[one.column]),
            )
            for one, title in zip(known, titles, strict=True)
        ]


def _is_new(name: str, query: str, seen: Collection[str]) -> bool:
    """Whether the name is one, was not met before, and has a word that the query has not."""
    words = tokenise(name)
    return bool(words) and " ".join(words) not in seen and not set(words) <= set(tokenise(query))


def _could_lead_on(partial: PartialTriple, page: CandidateTriples) -> bool:
    """Whether the new side is called by a name: a title, or words with a capital (ours)."""
    if is_date(partial.new) or is_number(partial.new):
        return False
    return normalise_entity(partial.new) in page.called or any(
        letter.isupper() for letter in partial.new
    )


def _leads_on(partial: PartialTriple, joins: Mapping[str, EntityPassages]) -> bool:
    """Whether another passage has the new side's name too (ours)."""
    return bool(joins[partial.new].passages - {partial.triple.passage_id})


def _partials(triples: Sequence[Triple], whole: bool) -> Iterator[PartialTriple]:
    for t in triples:
        yield PartialTriple(
            t, t.subject, t.object, True, t.text if whole else f"{t.subject} {t.predicate}"
        )
        yield PartialTriple(
            t, t.object, t.subject, False, t.text if whole else f"{t.predicate} {t.object}"
        )


def _evident(
    one: NameMatch,
    read: tuple[PartialTriple, Vectors],
    mention: QueryName,
    phrase: Vectors,
    title: float,
) -> ScoredPartial:
    partial, vector = read
    relation = round(float(vector @ phrase), 6)
    agreement = mention.agrees(partial.triple.predicate, forward=partial.forward)
    return ScoredPartial(
        partial, mention, Evidence(one.cosine, relation, agreement, round(title, 6))
    )


def _place(query: str, clauses: Sequence[Clause], one: ScoredPartial) -> Span:
    """The words that would give way: the mention, and the phrase around it where the relation was
    matched.
    """
    mention = one.mention
    return (
        widen(query, mention.place, mention.span, clauses) if one.evidence.related else mention.span
    )


def _shown(
    query: str, one: ScoredPartial, triple: ShownTriple, place: Span, is_taken: bool
) -> Match:
    mention, evidence = one.mention, one.evidence
    beside = mention.beside if evidence.related else ()
    return Match(
        triple=triple,
        mention=mention.text,
        mention_span=mention.span,
        mention_cosine=evidence.known,
        relation=" … ".join(query[span.start : span.end] for span in beside),
        relation_spans=beside,
        relation_cosine=evidence.relation,
        known=one.partial.known,
        new=one.partial.new,
        score=evidence.score,
        taken=is_taken,
        agreement=evidence.agreement,
        title_cosine=evidence.title,
        title_weight=TITLE,
        place=place,
    )
