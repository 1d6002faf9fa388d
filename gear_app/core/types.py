"""The words of the field as values: documents, passages, triples, rankings, questions, readings.

Nothing here knows where it is stored or who made it. Ids are integers given by the store and unique
in a workspace; `key` is a passage's outward name, unique in its collection (an imported file's own
id is kept).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, NamedTuple

PassageId = Annotated[int, "passage"]  # fields that hold ids and names are found by these types
TripleId = Annotated[int, "triple"]
EntityName = Annotated[str, "entity"]

PASTED = "pasted text"  # the source of what came from no file


@dataclass(frozen=True, slots=True)
class Document:
    """A text as it was handed in. `source` is where it came from (a file name, "pasted text").

    `pages` are the places in the text where its pages begin, in order; () where it has none.
    """

    title: str
    text: str
    source: str = ""
    pages: tuple[int, ...] = ()

    def pages_of(self, start: int, end: int) -> str:
        """The page that a stretch of the text is on, "3", or those it goes over, "3–4"; "" where
        there are none.
        """
        first, last = (bisect_right(self.pages, place) for place in (start, end - 1))
        return f"{first}–{last}" if first < last else str(first or "")


class NamedPassage:
    """Fields that all passages have in common."""

    __slots__ = ()
    key: str
    title: str

    @property
    def name(self) -> str:
        """Title, or the key where there is none."""
        return self.title or self.key


class TripleWords:
    """Fields that all triples have in common."""

    __slots__ = ()
    subject: str
    predicate: str
    object: str

    @property
    def words(self) -> tuple[str, str, str]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object

    @property
    def text(self) -> str:
        """The words that are searched: `subject predicate object`."""
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True, slots=True)
class Passage(NamedPassage):
    """Passage as it is retrieved.

    `text` is `document.text[start:end]`; without a document `start` and `end` are 0.
    """

    id: int
    key: str
    title: str
    text: str
    document_id: int | None = None
    start: int = 0
    end: int = 0

    @property
    def indexed(self) -> str:
        """The words that are searched: `title. text`."""
        return f"{self.title}. {self.text}" if self.title else self.text


class Span(NamedTuple):
    """Character offsets, end exclusive, into a passage's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Triple(TripleWords):
    """A fact in the index; it belongs to exactly one passage. `span` is the sentence it came from.

    `span` is None where unknown (imported triples). `closest` says that the span is only the
    closest match.
    """

    id: int
    passage_id: int
    subject: str
    predicate: str
    object: str
    span: Span | None = None
    closest: bool = False


@dataclass(frozen=True, slots=True)
class ExtractedTriple(TripleWords):
    """A triple found in a passage; `span` is its source sentence in the passage's text."""

    subject: str
    predicate: str
    object: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """One passage's entities (surface forms, as written) and triples, in the order of the text.

    `note` says why there are none where the extractor knows.
    """

    entities: tuple[str, ...]
    triples: tuple[ExtractedTriple, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ProximalTriple(TripleWords):
    """A fact a reader gave while reading (GEAR Eq. 1 and 4).

    A model writes it: `triple_id` is None. The local reader selects a stored one and gives its id,
    which makes tripleLink the identity. `score` and `why` say how a selection was made, in words
    for the screen.
    """

    subject: EntityName
    predicate: str
    object: EntityName
    triple_id: TripleId | None = None
    score: float | None = None
    why: str = ""


class ScoreTerm(NamedTuple):
    """Something that speaks for or against a selection: its name, value, and weight."""

    name: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class ScoreSum:
    """How the score of a selection came about.

    With s, the sum of value × weight over the terms, the score is 1 / (1 + e^((even − s) / slope)):
    a half where s is `even`.
    """

    terms: tuple[ScoreTerm, ...]
    even: float
    slope: float


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of `read`: the triples selected, and the best of the others; both best first.

    `sums` tell how their scores came about: one for each of `triples`, then for each of
    `passed_over`; none where a model wrote the triples.
    """

    triples: tuple[ProximalTriple, ...]
    passed_over: tuple[ProximalTriple, ...] = ()
    sums: tuple[ScoreSum, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of `reason` (GEAR Eq. 6): answerable or not, the answer if any, and why (r(n))."""

    answerable: bool
    reason: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Substitution:
    """A local rewrite: `inserted` replaces the words `removed`; `because` is the triple's text."""

    removed: str
    inserted: EntityName
    because: str


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The result of `rewrite` (GEAR Eq. 7); the query is empty where nothing could be rewritten."""

    query: str
    substitutions: tuple[Substitution, ...] = ()


Style = Literal["ircot", "gcot", "tog", "irgs"]
"""How a reader is asked to think: one thought a step, what is missing, whether it suffices,
reasoning and answer."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """The result of `think`: one thought in words (BDTR App. A.6, Fig. 10-13).

    `final`: it began with "So the answer is:", and `answer` is what followed. `because` are the
    facts it puts into words, where the reader selected them. `sure`: whether the reader would also
    remember what it rests on; a language model does not say otherwise.
    """

    text: str
    final: bool = False
    answer: str = ""
    because: tuple[ProximalTriple, ...] = ()
    sure: bool = True


@dataclass(frozen=True, slots=True)
class DualThoughts:
    """The result of `dual_thoughts`: two follow-up questions (BDTR §3.1, Fig. 8).

    `fast` is direct, `slow` seeks a bridge; an empty one is not searched. `sure` as of Thinking.
    """

    fast: str
    slow: str
    because: tuple[ProximalTriple, ...] = ()
    sure: bool = True


Form = Literal["search_r1", "search_o1"]
"""How an agent is told of what it searched: the documents, or what an analysis of them says."""


@dataclass(frozen=True, slots=True)
class Action:
    """The result of `act`: an agent's thought, and after it a query, an answer, or neither: then
    the reply was no action.
    """

    text: str
    query: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of `analyse`: what the documents say for an agent's query, in a model's words."""

    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of `summarise`: several texts in one, in a model's words or, `quoted`, theirs."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class ReasoningChain:
    """The result of `chain`: what leads from the question to its answer, node by node (BDTR §3.2).

    A language model is asked for at least four nodes. No nodes: no chain was found.
    """

    nodes: tuple[str, ...] = ()
    because: tuple[ProximalTriple, ...] = ()

    @property
    def text(self) -> str:
        """The nodes joined by arrows."""
        return " → ".join(self.nodes)


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of `verify`: which of the candidates support the chain, strongest first (BDTR Eq.
    5, Fig. 9).

    `indices` count from 1; `reasons`, where the reader gives them, are as many.
    """

    indices: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()


Source = Literal["retrieved", "gold", "nothing"]
"""What an answer is written from: the first retrieved passages, or as bounds the gold passages, or
none at all."""


class Hit(NamedTuple):
    """One line of a ranking: an id and its score, higher is better."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits, best first, ids unique. Make it with `Ranking.of` or from an ordered list you trust."""

    hits: tuple[Hit, ...] = ()

    @classmethod
    def of(cls, scored: Iterable[tuple[int, float]]) -> Ranking:
        """Order (id, score) pairs, unique ids, by score descending; equal scores: smaller id first.

        Scores are rounded to 1e-6 before ordering, so that a replay on another machine orders them
        alike.
        """
        rounded = [Hit(int(id_), round(float(score), 6)) for id_, score in scored]
        return cls(tuple(sorted(rounded, key=lambda hit: (-hit.score, hit.id))))

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids, best first."""
        return tuple(hit.id for hit in self.hits)

    def top(self, k: int) -> Ranking:
        """The first k hits."""
        return Ranking(self.hits[:k])

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a question's decomposition; the passage `supporting_key` answers it."""

    question: str
    answer: str
    supporting_key: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold passages by key; `type` is the data set's own word.

    `relevance` are the grades of the gold passages, all above 0, in their order; () where nobody
    graded them, and each counts 1.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    supporting_keys: tuple[str, ...] = ()
    type: str | None = None
    hops: int | None = None
    decomposition: tuple[Hop, ...] = ()
    relevance: tuple[int, ...] = ()

    @property
    def grades(self) -> dict[str, int]:
        """The grade of each gold passage, once, in order."""
        grades = self.relevance or (1,) * len(self.supporting_keys)
        return dict(zip(self.supporting_keys, grades, strict=True))

    def with_gold(self, grades: Mapping[str, int]) -> Question:
        """The question with the passages as gold whose grade is above 0."""
        gold = {key: grade for key, grade in grades.items() if grade > 0}
        graded = any(grade != 1 for grade in gold.values())
        relevance = tuple(gold.values()) if graded else ()
        return replace(self, supporting_keys=tuple(gold), relevance=relevance)
