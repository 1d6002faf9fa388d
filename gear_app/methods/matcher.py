"""GRIEVER's matcher: the names in a query, and the phrases that ask about them, against the partial
triples of the passages found (GRIEVER §4 and §5).

Composes: names and phrases (`english`) → shortlist → cosines → what the query is rewritten by.
Partial triples and names have stored vectors; of the query a few short texts are encoded. No reader
is asked. Ours: score and thresholds, of which the paper says nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Embedder, Index, Vectors, query_vectors
from gear_app.core.rows import EntityPassages
from gear_app.core.text import normalise_entity, tokenise, told_of
from gear_app.core.types import Span, Triple
from gear_app.language.noun_phrases import AskedRelation, asked_relation
from gear_app.language.query import Anchor, Query, text_of
from gear_app.language.relations import direction, is_date, is_number, related
from gear_app.methods import lookup
from gear_app.methods.split import widen
from gear_app.models.reader.coverage import asks_one_fact
from gear_app.trace.events import Clause, Match, ShownTriple

MENTIONED = 0.7  # cosine from which words of the query name an entity
RELATED = 0.6  # cosine from which a phrase and a partial triple say the same
TITLE = 0.3  # weight of the passage's title
SAME_WORDS = 0.3  # what a shared way of speaking adds to a cosine
TURNED = 0.2  # what leading to the kind of thing that is asked for adds to it, or else takes away
MANY = 20  # names of a query: reading a phrase costs the square of their number
SHORTLIST = 100  # partial triples that are matched
MATCHES_SHOWN = 10  # matches in an event, besides those taken
Cosines = NDArray[np.floating]


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
        """Place of the phrase, or of the name alone."""
        spans = (self.span, *self.beside)
        return Span(min(span.start for span in spans), max(span.end for span in spans))

    def agrees(self, predicate: str, *, forward: bool) -> float:
        """The amount that words of phrase and predicate add to their cosine; `forward`: read from
        subject to object.
        """
        asked_relation = self.asks
        return round(
            SAME_WORDS * related(asked_relation.relation, predicate)
            + TURNED * direction(asked_relation.head, predicate, forward),
            6,
        )


def mentions(query: str, clauses: Sequence[Clause], names: Collection[str]) -> list[QueryName]:
    """The first MANY names in a query, in its order: those called so in `names`, or written with
    capitals.

    A single word without a capital ("county") is none, unless the whole query is written so.
    """
    read = Query(query, names)
    called = (
        anchor for anchor in read.anchors if anchor.first < anchor.last or anchor in read.proper
    )
    return [_mention_of(read, anchor, clauses) for anchor in islice(called, MANY)]


def asks_once(query: str, names: Collection[str]) -> bool:
    """Whether the query asks one thing only about the names in it: whatever matches that is the
    answer.
    """
    read = Query(query, names)
    return len(read.anchors) <= MANY and asks_one_fact(read)


def _mention_of(query: Query, anchor: Anchor, clauses: Sequence[Clause]) -> QueryName:
    relation, span = asked_relation(query, anchor), Span(*query.place(anchor))
    text = query.text[span.start : span.end]
    around = next((clause for clause in clauses if span.start < clause.span.end), None)
    first, last = relation.first, relation.last
    resumed = (
        around is not None and not around.connector and query.words[first].start < around.span.start
    )
    if not relation.inside or resumed:
        return QueryName(text, span, around.text if around else query.text, (), relation)
    left = Span(query.words[first].start, span.start)
    right = Span(span.end, query.words[last].end)
    around_name = tuple(place for side in (left, right) if (place := _trimmed(query.text, side)))
    return QueryName(text, span, text_of(query, first, last), around_name, relation)


def _trimmed(text: str, span: Span) -> Span | None:
    """The span without white space at its ends; None where nothing is left."""
    words = text[span.start : max(span.start, span.end)]
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, start + len(words.strip())) if words.strip() else None


class PartialTriple(NamedTuple):
    """A triple read from one side: `known` and the predicate are compared, `new` is what it leads
    to.
    """

    triple: Triple
    known: str
    new: str
    forward: bool
    text: str


class Evidence(NamedTuple):
    """A partial triple, the words of the query that name its known side, and what speaks for the
    match; cosines rounded to 1e-6.
    """

    partial: PartialTriple
    mention: QueryName
    known: float  # mention and known side
    relation: float  # the phrase around the mention and the partial triple
    agreement: float  # what the words of phrase and predicate add to that
    title: float  # mention and title of the triple's passage

    @property
    def score(self) -> float:
        """Equals known · (relation + agreement) + TITLE · title; a negative `title` counts as 0."""
        title = TITLE * max(0.0, self.title)
        return round(self.known * (self.relation + self.agreement) + title, 6)

    @property
    def beside(self) -> tuple[Span, ...]:
        """The words of the relation, where it was matched: by its words, or by its cosine."""
        matched = self.agreement > 0 or self.relation >= RELATED
        return self.mention.beside if matched else ()

    def place(self, query: str, clauses: Sequence[Clause]) -> Span:
        """The words that would give way: the mention, and the phrase around it where the relation
        was matched.
        """
        mention = self.mention
        if self.agreement > 0 or self.relation >= RELATED:
            return widen(query, mention.place, mention.span, clauses)
        return mention.span


class CandidateTriples:
    """Passages, their triples, and the names in them."""

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
        replaced: Collection[str],
        sure: float | None,
    ) -> MatchResult:
        """Match the page's triples; none leads to a name in `replaced` (normalised), or where a
        search could not go on.

        Those with a score of at least `sure` are taken, no two for the same words. None: none are,
        and matches may lead anywhere, for they may be the answer. Ties go to the smaller triple id,
        then to the reading from its subject.
        """
        query_names = mentions(query, clauses, page.names)
        listed = self._shortlist(clauses, page)
        partials = [read for read in listed if _is_new(read[0].new, query, replaced)]
        joins: Mapping[str, EntityPassages] = {}
        if sure is not None:
            partials = [read for read in partials if _could_lead_on(read[0], page)]
            joins = self.index.joins({read[0].new for read in partials}, self.threshold)
            partials = [
                (candidate, vector)
                for candidate, vector in partials
                if joins[candidate.new].passages
                - {candidate.triple.passage_id}  # elsewhere, too (ours)
            ]
        scored = self._scored(query_names, partials, page) if query_names and partials else []
        scored.sort(
            key=lambda candidate: (
                -candidate.score,
                candidate.partial.triple.id,
                not candidate.partial.forward,
            )
        )
        places = [candidate.place(query, clauses) for candidate in scored]
        chosen: tuple[int, ...] = ()
        if sure is not None:
            chosen = best_disjoint([candidate.score for candidate in scored], places, sure)
        positions = [n for n in range(len(scored)) if n < MATCHES_SHOWN or n in chosen]
        words = lookup.shown_triples(self.index, [scored[n].partial.triple.id for n in positions])
        matches = (
            _match(query, scored[n], words[scored[n].partial.triple.id], places[n], n in chosen)
            for n in positions
        )
        return MatchResult(len(listed), tuple(matches), joins)

    def _shortlist(
        self, clauses: Sequence[Clause], page: CandidateTriples
    ) -> list[tuple[PartialTriple, Vectors]]:
        """The partial triples nearest to a clause of the query, with their vectors."""
        partials: list[PartialTriple] = []
        for t in page.triples:
            left, right = f"{t.subject} {t.predicate}", f"{t.predicate} {t.object}"
            left, right = (t.text, t.text) if self.whole else (left, right)
            partials.append(PartialTriple(t, t.subject, t.object, True, left))
            partials.append(PartialTriple(t, t.object, t.subject, False, right))
        if not partials or not clauses:
            return []
        vectors = self.embedder.embed([partial.text for partial in partials])
        cosines = query_vectors(self.embedder, [clause.text for clause in clauses]) @ vectors.T
        positions = shortlist(cosines, None if self.everything else SHORTLIST)
        return [(partials[position], vectors[position]) for position in positions]

    def _scored(
        self,
        query_names: Sequence[QueryName],
        partials: Sequence[tuple[PartialTriple, Vectors]],
        page: CandidateTriples,
    ) -> list[Evidence]:
        """The partial triples whose known side the query names, and not their new side, with the
        evidence.
        """
        embed = self.embedder.embed
        texts = embed([text for mention in query_names for text in (mention.text, mention.phrase)])
        names, phrases = texts[0::2], texts[1::2]
        rows = name_matches(embed([partial.known for partial, _ in partials]) @ names.T)
        new = embed([partials[row][0].new for row, _, _ in rows])
        pairs = zip(rows, new, strict=True)
        rows = [row for row, vector in pairs if (names @ vector).max() < MENTIONED]
        titles = embed([page.titles[partials[row][0].triple.passage_id] for row, _, _ in rows])
        scored: list[Evidence] = []
        for (row, column, cosine), title in zip(rows, titles, strict=True):
            partial, vector = partials[row]
            mention, relation = query_names[column], round(float(vector @ phrases[column]), 6)
            agreement = mention.agrees(partial.triple.predicate, forward=partial.forward)
            near = round(float(title @ names[column]), 6)
            scored.append(Evidence(partial, mention, cosine, relation, agreement, near))
        return scored


def shortlist(cosines: Cosines, size: int | None) -> list[int]:
    """Positions of the `size` partial triples nearest to any clause, nearest first; None: of all.

    `cosines` is (clauses, n). Ties (after rounding to 1e-6) go to the earlier position. No clauses
    give none.
    """
    if not cosines.size:
        return []
    nearest = np.round(cosines.max(axis=0).astype(np.float64), 6)
    return [int(position) for position in np.argsort(-nearest, kind="stable")[:size]]


def name_matches(cosines: Cosines) -> list[tuple[int, int, float]]:
    """The rows that a column names, each with its nearest column and their cosine, where that is at
    least MENTIONED.

    `cosines` is (entities, mentions). Ties go to the earlier mention.
    """
    if not cosines.size:
        return []
    rounded = np.round(cosines.astype(np.float64), 6)
    nearest, best = rounded.argmax(axis=1), rounded.max(axis=1)
    return [
        (int(row), int(nearest[row]), float(best[row])) for row in np.flatnonzero(best >= MENTIONED)
    ]


def best_disjoint(scores: Sequence[float], places: Sequence[Span], sure: float) -> tuple[int, ...]:
    """Positions of the matches that score at least `sure` and do not overlap a better one.

    `scores` are best first; `places` are the words that would be replaced.
    """
    chosen: list[int] = []
    for position, (score, place) in enumerate(zip(scores, places, strict=True)):
        better = [places[other] for other in chosen]
        free = all(place.end <= other.start or other.end <= place.start for other in better)
        if score >= sure and free:
            chosen.append(position)
    return tuple(chosen)


def _is_new(name: str, query: str, earlier_names: Collection[str]) -> bool:
    """Whether the name is one, was not met before, and has a word that the query has not."""
    words = tokenise(name)
    return (
        bool(words)
        and " ".join(words) not in earlier_names
        and not set(words) <= set(tokenise(query))
    )


def _could_lead_on(partial: PartialTriple, page: CandidateTriples) -> bool:
    """Whether the new side is called by a name: a title, or words with a capital (ours)."""
    if is_date(partial.new) or is_number(partial.new):
        return False
    return normalise_entity(partial.new) in page.called or any(
        letter.isupper() for letter in partial.new
    )


def _match(
    query: str, evidence: Evidence, triple: ShownTriple, place: Span, is_taken: bool
) -> Match:
    return Match(
        triple=triple,
        mention=evidence.mention.text,
        mention_span=evidence.mention.span,
        mention_cosine=evidence.known,
        relation=" … ".join(query[span.start : span.end] for span in evidence.beside),
        relation_spans=evidence.beside,
        relation_cosine=evidence.relation,
        known=evidence.partial.known,
        new=evidence.partial.new,
        score=evidence.score,
        taken=is_taken,
        agreement=evidence.agreement,
        title_cosine=evidence.title,
        title_weight=TITLE,
        place=place,
    )
