"""What a reader is asked: a table of roles.

A role is a class of requests, with a prompt in models/prompts, the model of a language model's
reply in models/reader/replies.py, and in RULES how the local reader replies without one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, cast

from gear_app.core.errors import ModelFailed
from gear_app.core.protocols import Embedder
from gear_app.core.types import (
    Action,
    Analysis,
    DualThoughts,
    Form,
    Passage,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Style,
    Summary,
    Thinking,
    Triple,
    TripleWords,
    Verdict,
    Verification,
)
from gear_app.models import prompts
from gear_app.models.messages import Request
from gear_app.models.prompts import data, documents
from gear_app.models.reader import query_entities, rules, thoughts
from gear_app.models.reader.next_bridge import PassageTriples
from gear_app.trace.events import Emit

Reply = TypeVar("Reply")
NONE = "(none)"
NEEDS_MODEL = "An agent asks a language model what to search next: no rules stand in for one."


class ReaderRequest(Request[Reply]):
    """A request to a reader in one role."""

    role: ClassVar[str]  # type: ignore[misc]
    question: str

    def __init_subclass__(cls, role: str = "") -> None:
        """The role is named in the class line."""
        cls.role = role

    @property
    def model(self) -> type[Any]:
        """The model of a language model's reply."""
        from gear_app.models.reader.replies import REPLIES  # loads pydantic

        return REPLIES.get(self.template) or REPLIES[self.role]

    def values(self) -> dict[str, str]:
        """The values of the places in the prompt."""
        return {place: PLACES[place](self) for place in sorted(prompts.places(self.template))}

    def by_rules(self, embedder: Embedder) -> Reply:
        """The local reader's reply. Raises ModelFailed where it has no rule."""
        if type(self) not in RULES:
            raise ModelFailed(NEEDS_MODEL)
        return cast(Reply, RULES[type(self)](self, embedder))


class Reader(Protocol):
    """Everything a method asks of a language model. The local one is not one and never pretends to
    be.
    """

    @property
    def name(self) -> str:
        """The name on screens."""
        ...

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The reply. Raises ModelFailed where there is none that can be used."""
        ...


@dataclass(frozen=True)
class PassagesRequest(ReaderRequest[Reply]):
    """A question about passages, in rank order, and all their stored triples: the local reader
    selects among these, a language model reads the passages' text.
    """

    passages: Sequence[Passage]
    triples: Sequence[Triple]
    question: str

    @property
    def documents(self) -> str:
        return documents([(passage.title, passage.text) for passage in self.passages]) or NONE

    @property
    def sources(self) -> PassageTriples:
        """The passages and triples as the rules take them."""
        return PassageTriples(self.passages, self.triples)


@dataclass(frozen=True)
class ReadRequest(PassagesRequest[Reading], role="read"):
    """Proximal triples for a query (GEAR Eq. 1: `memory` is None), or for the question what the
    memory does not have yet (Eq. 4: `memory` is given, and left out of the prompt where it is
    empty, as in K.2).
    """

    memory: Sequence[ProximalTriple] | None

    @property
    def template(self) -> str:
        return "read_gist" if self.memory else "read"


@dataclass(frozen=True)
class ReasonRequest(ReaderRequest[Verdict], role="reason"):
    """Whether the gist memory answers the question, and why (GEAR Eq. 6, K.2).

    `passed_over` are the best facts that the last reading did not select, for a reader that has
    such.
    """

    memory: Sequence[ProximalTriple]
    question: str
    passed_over: Sequence[ProximalTriple] = ()


@dataclass(frozen=True)
class RewriteRequest(ReaderRequest[Rewriting], role="rewrite"):
    """The next query (GEAR Eq. 7, K.2); `asked` are those before, the question first."""

    memory: Sequence[ProximalTriple]
    question: str
    reason: str
    passed_over: Sequence[ProximalTriple] = ()
    asked: Sequence[str] = ()


@dataclass(frozen=True)
class EntitiesRequest(ReaderRequest[tuple[str, ...]], role="named_entities"):
    """The question's named entities, as written in it, in its order (HippoRAG §2.3, App. I).

    `known_names` are the normalised names of the graph's nodes, for a reader that looks them up.
    """

    question: str
    known_names: Collection[str]

    template = "query_entities"


@dataclass(frozen=True)
class FactsRequest(ReaderRequest[tuple[int, ...]], role="choose_facts"):
    """Which facts help to answer the question, by their positions from 0, in order (HippoRAG 2's
    recognition memory; there the reply repeats the facts, here their numbers).
    """

    question: str
    facts: Sequence[TripleWords]


@dataclass(frozen=True)
class SummariseRequest(ReaderRequest[Summary], role="summarise"):
    """One short text for several that belong together, each with its title (RAPTOR App. D)."""

    texts: Sequence[tuple[str, str]]
    question: str = ""  # none is asked yet

    @property
    def documents(self) -> str:
        return documents(self.texts)


@dataclass(frozen=True)
class ReportRequest(ReaderRequest[str], role="report"):
    """A report on a community of entities, from its facts, those that matter most first (GraphRAG).
    It knows no question, so that the reply is stored for all.
    """

    facts: Sequence[TripleWords]
    question = ""


@dataclass(frozen=True)
class ThinkRequest(PassagesRequest[Thinking], role="think"):
    """The next thought after `thoughts` (IRCoT, GCoT, ToG, IRGS as in BDTR App. A.6, Fig. 10 to
    13); IRGS's prompt shows no earlier ones.
    """

    thoughts: Sequence[Thinking]
    style: Style

    @property
    def template(self) -> str:
        return self.style


@dataclass(frozen=True)
class DualThoughtsRequest(PassagesRequest[DualThoughts], role="dual_thoughts"):
    """A fast and a slow thought, each the next query of its own (BDTR §3.1, Fig. 8)."""

    thoughts: Sequence[DualThoughts]

    template = "thoughts"


@dataclass(frozen=True)
class ActRequest(ReaderRequest[Action], role="act"):
    """An agent's next thought and action; `turns`: each action before, and what it was shown of
    it.
    """

    question: str
    turns: Sequence[tuple[Action, str]]
    form: Form

    @property
    def template(self) -> str:
        return self.form


@dataclass(frozen=True)
class AnalyseRequest(PassagesRequest[Analysis], role="analyse"):
    """Facts of passages for a query of an agent, who sees nothing else of them (Search-o1)."""

    query: str
    turns: Sequence[tuple[Action, str]]


@dataclass(frozen=True)
class ChainRequest(PassagesRequest[ReasoningChain], role="chain"):
    """The chain from the question to its answer, from the final pool (BDTR §3.2); `memory`: the
    facts thought of before.
    """

    memory: Sequence[ProximalTriple]


@dataclass(frozen=True)
class VerifyRequest(PassagesRequest[Verification], role="verify"):
    """Which passages support the chain (BDTR Eq. 5, Fig. 9); the numbers are the reply's own."""

    chain: ReasoningChain


@dataclass(frozen=True)
class AnswerRequest(PassagesRequest[str], role="answer"):
    """A short answer from the passages, or without any from what the reader knows by itself (GEAR
    App. K.3); "" where the reader has none.
    """

    @property
    def template(self) -> str:
        return "answer" if self.passages else "answer_alone"


def _facts(triples: Sequence[ProximalTriple]) -> str:
    rows = [(triple.subject, triple.predicate, triple.object) for triple in triples]
    quoted = [[json.dumps(data(part), ensure_ascii=False) for part in row] for row in rows]
    return "\n".join(f"({', '.join(row)})" for row in quoted) or NONE


def _turns(turns: Sequence[tuple[Action, str]], is_r1: bool) -> str:
    """An agent's actions and what it was shown, between the marks of its form; what it was shown
    can end none, and is a sentence to it where there was no query.
    """
    lines = []
    for action, observation in turns:
        thought, query = _line(action.text), _line(action.query)
        lines.append(f"<think> {thought} </think>" if is_r1 else thought)
        if not query:
            lines.append(observation)
        elif is_r1:
            lines.append(
                f"<search> {query} </search>\n<information>\n{observation}\n</information>"
            )
        else:
            lines.append(f"<|begin_search_query|> {query} <|end_search_query|>")
            lines.append(f"<|begin_search_result|>\n{data(observation)}\n<|end_search_result|>")
    return "\n".join(lines) or NONE


def _lines(texts: Iterable[str]) -> str:
    numbered = (f"{number}. {_line(words)}" for number, words in enumerate(texts, start=1))
    return "\n".join(numbered) or NONE


def _line(words: str) -> str:
    return data(" ".join(words.split()))


# The places in prompts, and the values of a request that they take.
PLACES: dict[str, Callable[[Any], str]] = {
    "question": lambda request: data(request.question),
    "documents": lambda request: request.documents,
    "facts": lambda request: _facts(request.memory),
    "numbered_facts": lambda request: _lines(fact.text for fact in request.facts),
    "reason": lambda request: _line(request.reason),
    "thoughts": lambda request: _lines(thought.text for thought in request.thoughts),
    "asked": lambda request: _lines(
        words for both in request.thoughts for words in (both.fast, both.slow) if words
    ),
    "turns": lambda request: _turns(request.turns, request.template == "search_r1"),
    "query": lambda request: _line(request.query),
    "chain": lambda request: _line(request.chain.text),
}

# The local reader's reply to each request.
RULES: dict[type, Callable[[Any, Embedder], Any]] = {
    ReadRequest: lambda request, embedder: rules.read(
        request.sources, request.question, request.memory, embedder
    ),
    ReasonRequest: lambda request, embedder: rules.reason(
        request.memory, request.question, request.passed_over, embedder
    ),
    RewriteRequest: lambda request, embedder: rules.rewrite(
        request.memory, request.question, request.passed_over, request.asked, embedder
    ),
    EntitiesRequest: lambda request, _: query_entities.named_entities(
        request.question, request.known_names
    ),
    FactsRequest: lambda request, _: query_entities.facts_that_touch(
        request.question, [fact.text for fact in request.facts]
    ),
    SummariseRequest: lambda request, embedder: rules.nearest_the_centre(request.texts, embedder),
    ReportRequest: lambda request, _: rules.report(request.facts),
    ThinkRequest: lambda request, embedder: thoughts.think(
        request.sources, request.question, request.thoughts, request.style, embedder
    ),
    DualThoughtsRequest: lambda request, embedder: thoughts.dual_thoughts(
        request.sources, request.question, request.thoughts, embedder
    ),
    ChainRequest: lambda request, embedder: thoughts.reasoning_chain(
        request.sources, request.question, request.memory, embedder
    ),
    VerifyRequest: lambda request, _: thoughts.verification(
        request.passages, request.triples, request.chain
    ),
    AnswerRequest: lambda request, embedder: thoughts.answer(
        request.sources, request.question, embedder
    ),
}
