"""Base retrieval, graph expansion, and the agent of GEAR."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from gear_app.events.base import (
    Countable,
    Event,
    PassageOfRun,
    RankedPassage,
    ScorePart,
    ShownTriple,
    Verb,
    Way,
    in_words,
)
from gear_app.text import count
from gear_app.types import ProximalTriple, ScoreSum, Substitution

__all__ = [
    "BeamCandidate",
    "BeamStep",
    "Expanded",
    "Fused",
    "Link",
    "Linked",
    "Ordered",
    "PassagesLinked",
    "Read",
    "ReadPassage",
    "Reasoned",
    "Remembered",
    "Retrieved",
    "Rewrote",
]

RETRIEVE = Verb(
    "retrieve",
    "Base retrieval ranks passages by the words and the meaning of the query.",
    search=True,
)
RETRIEVE_BY = {
    "bm25": replace(
        RETRIEVE,
        purpose="Base retrieval ranks passages by the words they share with the query, rare words"
        " more.",
    ),
    "dense": replace(
        RETRIEVE, purpose="Base retrieval ranks passages by nearness in meaning to the query."
    ),
    "weighted": replace(
        RETRIEVE,
        purpose="Base retrieval ranks passages by the weighted sum of two scores: of the words they"
        " share with the query, and of how near they are to it in meaning.",
    ),
    "sentences": replace(
        RETRIEVE,
        purpose="Base retrieval ranks passages by their sentence that is nearest in meaning to the"
        " query.",
    ),
    "colbert": replace(
        RETRIEVE,
        purpose="Each word of the query looks for the word of a passage that is nearest to it; a"
        " passage scores the sum.",
    ),
    "chain": replace(
        RETRIEVE,
        purpose="What chain finds for the query. The rounds of links that come to it are the next"
        " steps.",
    ),
    "composed": replace(
        RETRIEVE,
        purpose="The passages that share words with the query, ordered by nearness in meaning to"
        " it.",
    ),
}
READ = Verb(
    "read",
    "The reader takes proximal triples from the passages found: facts that touch the query.",
    reader=True,
    search=True,
)
LINK = Verb(
    "link",
    "Each proximal triple is linked to its nearest stored triple; these start the beam search.",
    search=True,
)
EXPAND = Verb(
    "expand",
    "The diverse beam search follows shared entities from triple to triple.",
    triples=True,
    search=True,
)
FUSE = Verb(
    "fuse",
    "The base ranking and the beams' passages become one ranking by reciprocal rank.",
    search=True,
)
FUSE_FOR = {
    "iteration": FUSE,
    "lists": replace(FUSE, purpose="Several lists of passages become one by reciprocal rank."),
    "final": replace(
        FUSE,
        purpose="The rankings of all iterations so far become one by reciprocal rank.",
        search=False,
    ),
}
ORDER_FOR = {
    "interleaved": replace(
        FUSE_FOR["final"],
        purpose="The ranking of the gist memory and those of all iterations so far take turns.",
    ),
    "gist_first": replace(
        FUSE_FOR["final"],
        purpose="The passages that the gist triples come from go first; the others follow by"
        " reciprocal rank.",
    ),
}
GIST_MEMORY = "gist memory"  # the list of all gist triples' lists, where lists take turns
GIST_PASSAGES = "gist passages"  # the list of those that an order puts first
REMEMBER = Verb(
    "remember", "The reader adds to the gist memory what the question needs.", reader=True
)
REASON = Verb(
    "reason", "The reader decides whether the gist memory answers the question.", reader=True
)
REWRITE = Verb("rewrite", "What was found is put into the next query.")


@dataclass(frozen=True, slots=True)
class Retrieved(Event):
    """Base retrieval, C′q(n) = h(q(n), C, k).

    Attributes:
        query: what was searched
        base: by which retriever
        ranking: the passages found
        lucene: whether words were weighed by Lucene's idf, since by rank-bm25's no passage scores
            above 0
    """

    VERB = RETRIEVE
    BEGINS_SEARCH = True

    query: str
    base: str
    ranking: tuple[RankedPassage, ...]
    lucene: bool = False

    @property
    def verb(self) -> Verb:
        return RETRIEVE_BY.get(self.base, RETRIEVE)

    @property
    def summary(self) -> str:
        by = " (words weighed as in Lucene)" if self.lucene else ""
        return f"{self.base} found {in_words(self.ranking)}{by} for: {self.query}"


@dataclass(frozen=True, slots=True)
class ReadPassage(PassageOfRun):
    """A passage that a reader was given."""


@dataclass(frozen=True, slots=True)
class Read(Event):
    """A reader gave proximal triples.

    Attributes:
        purpose: `sync`, places where the search starts (GEAR Eq. 1), or `gist`, what to remember
            (Eq. 4); then its step is `remember`
        query: what it was asked
        triples: those it gave, best first
        passed_over: the best of those it considered and left
        sums: how their scores came about, one for each of `triples`, then of `passed_over`: terms
            of value × weight that add up to s, and the score is 1 / (1 + e^((even − s) / slope));
            none where a model wrote the triples, or they are only the nearest to the query
        passages: those it was given, best first
        stored: the stored triples that it took or left, each with its passage and sentence
    """

    VERB = READ

    purpose: Literal["sync", "gist"]
    query: str
    triples: tuple[ProximalTriple, ...]
    passed_over: tuple[ProximalTriple, ...] = ()
    sums: tuple[ScoreSum, ...] = ()
    passages: tuple[ReadPassage, ...] = ()
    stored: tuple[ShownTriple, ...] = ()

    @property
    def verb(self) -> Verb:
        return READ if self.purpose == "sync" else REMEMBER

    @property
    def summary(self) -> str:
        return f"{self.purpose}: {count(len(self.triples), 'triple')} for: {self.query}"

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """Those taken and those left."""
        return (*self.triples, *self.passed_over)

    @property
    def facts_taken(self) -> tuple[ProximalTriple, ...]:
        return self.triples

    @property
    def facts_left(self) -> tuple[ProximalTriple, ...]:
        return self.passed_over

    @property
    def triples_stored(self) -> Iterable[ShownTriple]:
        return self.stored

    @property
    def countable(self) -> Mapping[str, Countable]:
        return {"proximal triples": Countable.of(one.text for one in self.triples)}

    @property
    def facts_handed_on(self) -> tuple[str, ...]:
        """Those that were taken."""
        return tuple(triple.text for triple in self.triples)


@dataclass(frozen=True, slots=True)
class Link:
    """A proximal triple and the stored one it was linked to.

    Attributes:
        proximal: what the reader gave
        triple: what it was linked to; none where nothing is near
        identity: it was a stored one already
        score: of the search that found it
        parts: the terms of that score
    """

    proximal: ProximalTriple
    triple: ShownTriple | None
    identity: bool = False
    score: float | None = None
    parts: tuple[ScorePart, ...] = ()


@dataclass(frozen=True, slots=True)
class Linked(Event):
    """Proximal triples were linked to stored ones (tripleLink, GEAR Eq. 2).

    Attributes:
        links: one each
    """

    VERB = LINK

    links: tuple[Link, ...]

    @property
    def summary(self) -> str:
        linked = sum(link.triple is not None for link in self.links)
        return f"{linked} of {count(len(self.links), 'triple')} linked"

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """What the reader gave, and what that was linked to."""
        return (*(link.proximal for link in self.links), *self.triples_stored)

    @property
    def triples_stored(self) -> Iterable[ShownTriple]:
        return [link.triple for link in self.links if link.triple]

    @property
    def countable(self) -> Mapping[str, Countable]:
        return {"linked triples": Countable.of(one.text for one in self.triples_stored)}

    @property
    def facts_handed_on(self) -> tuple[str, ...]:
        """The stored ones."""
        return tuple(link.triple.text if link.triple else "nothing" for link in self.links)


@dataclass(frozen=True, slots=True)
class BeamCandidate:
    """One extension of a beam, with its arithmetic in the order of Algorithm 1: total = previous +
    cosine, score = total × weight.

    Attributes:
        parent: which of the previous step's beams it extends, by its place among `kept`; none in
            step 1
        path: ids of its triples
        triple: the last of them
        previous: the beam's score before
        cosine: of the query and the sequence
        total: their sum
        position: among its beam's extensions, from 0
        weight: e^(−min(position, γ)/γ)
        score: total × weight
        kept: it goes on
        encoded: the cosine is exact; else it is the estimate it was dropped for, the mean of stored
            vectors
        carried: a beam without neighbours that goes on unchanged
    """

    parent: int | None
    path: tuple[int, ...]
    triple: ShownTriple
    previous: float
    cosine: float
    total: float
    position: int
    weight: float
    score: float
    kept: bool
    encoded: bool = True
    carried: bool = False


@dataclass(frozen=True, slots=True)
class BeamStep:
    """One step of the beam search.

    Attributes:
        kept: the beams that go on, in order
        pruned: the best of the others
        others: the rest, as pairs of triple and score
    """

    kept: tuple[BeamCandidate, ...]
    pruned: tuple[BeamCandidate, ...]
    others: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Expanded(Event):
    """The diverse triple beam search (GEAR Alg. 1).

    Attributes:
        query: what candidates were compared with
        starts: how many initial triples there were
        steps: one for each length, from 1
        passages: the beams' passages, flattened breadth-first
    """

    VERB = EXPAND

    query: str
    starts: int
    steps: tuple[BeamStep, ...]
    passages: tuple[RankedPassage, ...]

    @property
    def summary(self) -> str:
        return f"{self.starts} starts, {len(self.steps)} steps, {in_words(self.passages)}"

    @property
    def listed(self) -> tuple[RankedPassage, ...]:
        """The passages that the beams led to."""
        return self.passages

    @property
    def beams(self) -> tuple[BeamStep, ...]:
        return self.steps

    @property
    def countable(self) -> Mapping[str, Countable]:
        """The beams, and the candidates of the last step."""
        if not self.steps:
            return {}
        last = self.steps[-1]
        kept, pruned = ([one.triple.text for one in side] for side in (last.kept, last.pruned))
        candidates = Countable.of([*kept, *pruned], len(last.others))
        return {"kept beams": Countable.of(kept), "candidates": candidates}

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """Those of all candidates that are kept whole."""
        return (one.triple for step in self.steps for one in (*step.kept, *step.pruned))


@dataclass(frozen=True, slots=True)
class Fused(Event):
    """Lists were fused by reciprocal rank.

    Attributes:
        purpose: `iteration`, the ranking of this round (GEAR Eq. 3), or `final`, all rounds as of
            now (Eq. 9)
        lists: their names, which the parts of the scores refer to
        ranking: the result
    """

    VERB = FUSE

    purpose: Literal["iteration", "final"]
    lists: tuple[str, ...]
    ranking: tuple[RankedPassage, ...]

    @property
    def verb(self) -> Verb:
        of_beams = self.purpose == "final" or "beams" in self.lists
        return FUSE_FOR[self.purpose if of_beams else "lists"]

    @property
    def summary(self) -> str:
        return f"{self.purpose}: {in_words(self.ranking)} from {', '.join(self.lists)}"

    @property
    def reached(self) -> tuple[RankedPassage, ...]:
        """Without those that no fused list has."""
        return tuple(passage for passage in self.ranking if passage.parts or passage.score > 0)

    @property
    def so_far(self) -> bool:
        """The final fusion is of all iterations until then."""
        return self.purpose == "final"


@dataclass(frozen=True, slots=True)
class Ordered(Fused):
    """Lists became one in an order that is no sum of reciprocal ranks: another setting than GEAR's
    Eq. 9.

    Attributes:
        purpose: always `final`: all rounds as of now
        fusion: `interleaved`: the lists took turns, a passage scores 1 / its place, and the part
            of the list that brought it carries that; or `gist_first`: whole numbers are added to
            the scores of the passages that the gist triples come from, so that these go first
    """

    fusion: Literal["interleaved", "gist_first"]

    @property
    def verb(self) -> Verb:
        return ORDER_FOR[self.fusion]

    @property
    def summary(self) -> str:
        words = self.fusion.replace("_", " ")
        return f"{words}: {in_words(self.ranking)} from {', '.join(self.lists)}"

    @property
    def way(self) -> Way:
        """As its lists were put together."""
        return self.fusion


@dataclass(frozen=True, slots=True)
class Remembered(Event):
    """The gist memory grew (GEAR Eq. 5).

    Attributes:
        added: new facts
        repeated: facts it had already, which are not added again
        size: how many it holds now
    """

    VERB = REMEMBER

    added: tuple[ProximalTriple, ...]
    repeated: tuple[ProximalTriple, ...]
    size: int

    @property
    def summary(self) -> str:
        return (
            f"{len(self.added)} new, {len(self.repeated)} repeated, {self.size} in the gist memory"
        )

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """New facts and those it had."""
        return (*self.added, *self.repeated)

    @property
    def countable(self) -> Mapping[str, Countable]:
        return {"remembered": Countable(self.size)}

    @property
    def facts_handed_on(self) -> tuple[str, ...]:
        """The new ones."""
        return tuple(triple.text for triple in self.added)


@dataclass(frozen=True, slots=True)
class PassagesLinked(Event):
    """A gist triple was linked to passages (passageLink, GEAR Eq. 8 and 10).

    Attributes:
        name: of the list that comes of it, as the parts of later rankings' scores call it: `gist 1`
            for the first triple of the memory; or `gist memory`, the lists of all its triples
            fused, which is one list where lists take turns
        query: what was searched: the triple's words; empty for `gist memory`
        ranking: the list, fused by reciprocal rank: of the passages found for these words, and of
            the different passages of the triples found for them
        size: how many of it, the first ones, are the list that counts
    """

    VERB = REMEMBER

    name: str
    query: str
    ranking: tuple[RankedPassage, ...]
    size: int

    @property
    def summary(self) -> str:
        of = f" for: {self.query}" if self.query else ""
        return f"{self.name}: {in_words(self.ranking[: self.size])}{of}"


@dataclass(frozen=True, slots=True)
class Reasoned(Event):
    """The verdict on the gist memory (GEAR Eq. 6).

    Attributes:
        answerable: whether it answers the question
        reason: why, or why not
        answer: the answer, where there is one
    """

    VERB = REASON

    answerable: bool
    reason: str
    answer: str = ""

    @property
    def verdict(self) -> str:
        """The verdict in words, with the answer where there is one."""
        if not self.answerable:
            return "not answerable yet"
        return f"answerable: {self.answer}" if self.answer else "answerable"

    @property
    def summary(self) -> str:
        between = ", because " if self.answerable else ": "
        return self.verdict + (between + self.reason if self.reason else "")

    @property
    def answer_concluded(self) -> str:
        return self.answer

    @property
    def leaves_open(self) -> bool:
        return not self.answerable

    @property
    def word_handed_on(self) -> str:
        """The verdict."""
        return f"The verdict is {self.verdict}."


@dataclass(frozen=True, slots=True)
class Rewrote(Event):
    """The next query (GEAR Eq. 7; GRIEVER).

    Attributes:
        query: its words; empty where nothing could be rewritten
        substitutions: which words gave way to which, where a rule did it
    """

    VERB = REWRITE

    query: str
    substitutions: tuple[Substitution, ...] = ()

    @property
    def summary(self) -> str:
        return self.query

    @property
    def names_told(self) -> Iterable[str]:
        """What came into the query."""
        return (change.inserted for change in self.substitutions)

    @property
    def word_handed_on(self) -> str:
        """The next query."""
        return f"The next query is: {self.query or 'none'}"
