"""What a reader is asked: one kind of request, and a table of roles.

A role has a prompt in models/prompts, the model of a language model's reply in
models/reader/replies.py, and the rule by which the local reader replies without one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from gear_app.core.errors import ModelFailed
from gear_app.core.protocols import Embedder
from gear_app.core.text import told_of
from gear_app.core.types import (
    Action,
    Analysis,
    Form,
    Passage,
    ProximalTriple,
    ReasoningChain,
    Style,
    Summary,
    Triple,
    TripleWords,
)
from gear_app.language.query import rarity
from gear_app.models import prompts
from gear_app.models.messages import Request
from gear_app.models.prompts import data, documents
from gear_app.models.reader import query_entities, rules, thoughts
from gear_app.models.suggestions import Suggestion, suggest
from gear_app.trace.events import Emit

Reply = TypeVar("Reply")
NONE = "(none)"
REPORTED = 5  # facts of a community that a report by rules has, which writes nothing else
NEEDS_MODEL = "An agent asks a language model what to search next: no rules stand in for one."


class Role(NamedTuple, Generic[Reply]):
    """A role of a reader; `template`: the prompt of a request, by default that of its own name."""

    name: str
    rule: Callable[[ReaderRequest[Any], Embedder], Reply] | None  # None: a language model's alone
    template: Callable[[ReaderRequest[Any]], str] | None = None


@dataclass(frozen=True)
class ReaderRequest(Request[Reply]):
    """A request to a reader in one role, with what the role needs.

    The local reader selects among the stored `triples` of `passages`, which are in rank order; a
    language model reads the passages' text.
    """

    asks: Role[Reply]
    question: str = ""
    passages: Sequence[Passage] = ()
    triples: Sequence[Triple] = ()
    memory: Sequence[ProximalTriple] = ()  # facts that are known
    passed_over: Sequence[ProximalTriple] = ()  # the best facts the last reading did not select
    reason: str = ""  # of the last verdict
    asked: Sequence[str] = ()  # queries before, the question first
    names: Collection[str] = ()  # normalised names of the graph's nodes
    facts: Sequence[TripleWords] = ()
    texts: Sequence[tuple[str, str]] = ()  # each with its title
    thoughts: Sequence[Any] = ()  # before: Thinking, or DualThoughts
    style: Style | Form = "ircot"
    turns: Sequence[tuple[Action, str]] = ()  # actions before, and what was shown of each
    query: str = ""  # an agent's
    chain: ReasoningChain = field(default_factory=ReasoningChain)

    @property
    def role(self) -> str:  # type: ignore[override]
        """The name of the role."""
        return self.asks.name

    @property
    def template(self) -> str:
        """The file of the prompt."""
        return self.asks.template(self) if self.asks.template else self.role

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
        if self.asks.rule is None:
            raise ModelFailed(NEEDS_MODEL)
        return self.asks.rule(self, embedder)

    @cached_property
    def entities(self) -> frozenset[str]:
        """The names of the passages and of what their triples join."""
        ends = {name for triple in self.triples for name in (triple.subject, triple.object)}
        return frozenset(ends | {told_of(passage.title, passage.text) for passage in self.passages})

    @cached_property
    def rarity(self) -> dict[str, float]:
        """How rare each word is among the passages."""
        return rarity(passage.indexed for passage in self.passages)

    @property
    def documents(self) -> str:
        """The texts, else the passages, as a prompt shows them."""
        texts = self.texts or [(passage.title, passage.text) for passage in self.passages]
        return documents(texts) or NONE


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


# Proximal triples for a query (GEAR Eq. 1); and for the question what the memory does not have yet
# (Eq. 4), which the prompt leaves out where it is empty, as in K.2.
READ = Role("read", rules.read)
READ_GIST = Role("read", rules.read_gist, lambda r: "read_gist" if r.memory else "read")
# Whether the gist memory answers the question, and why (GEAR Eq. 6, K.2).
REASON = Role("reason", rules.reason)
# The next query (GEAR Eq. 7, K.2).
REWRITE = Role("rewrite", rules.rewrite)
# The question's named entities, as written in it, in its order (HippoRAG §2.3, App. I).
ENTITIES = Role[tuple[str, ...]](
    "named_entities",
    lambda request, _: query_entities.named_entities(request.question, request.names),
    lambda _: "query_entities",
)
# Which facts help to answer the question, by their positions from 0, in order (HippoRAG 2's
# recognition memory; there the reply repeats the facts, here their numbers).
CHOOSE_FACTS = Role[tuple[int, ...]](
    "choose_facts",
    lambda request, _: query_entities.facts_that_touch(
        request.question, [fact.text for fact in request.facts]
    ),
)
# One short text for several that belong together (RAPTOR App. D).
SUMMARISE = Role[Summary](
    "summarise", lambda request, embedder: rules.nearest_the_centre(request.texts, embedder)
)
# A report on a community of entities, from its facts, those that matter most first (GraphRAG). It
# knows no question, so that the reply is stored for all.
REPORT = Role[str](
    "report",
    lambda request, _: " ".join(f"{fact.text}." for fact in request.facts[:REPORTED]),
)
# The next thought (IRCoT, GCoT, ToG, IRGS as in BDTR App. A.6, Fig. 10 to 13); IRGS's prompt shows
# no earlier ones.
THINK = Role("think", thoughts.think, lambda request: request.style)
# A fast and a slow thought, each the next query of its own (BDTR §3.1, Fig. 8).
DUAL_THOUGHTS = Role("dual_thoughts", thoughts.dual_thoughts, lambda _: "thoughts")
# An agent's next thought and action (Search-R1, Search-o1); and facts of passages for its query,
# as it sees nothing else of them (Search-o1).
ACT = Role[Action]("act", None, lambda request: request.style)
ANALYSE = Role[Analysis]("analyse", None)
# The chain from the question to its answer, from the final pool (BDTR §3.2); `memory`: the facts
# thought of before.
CHAIN = Role("chain", thoughts.reasoning_chain)
# Which passages support the chain (BDTR Eq. 5, Fig. 9); the numbers are the reply's own.
VERIFY = Role("verify", thoughts.verification)
# A short answer from the passages, or without any from what the reader knows by itself (GEAR
# App. K.3); "" where the reader has none.
ANSWER = Role(
    "answer", thoughts.answer, lambda request: "answer" if request.passages else "answer_alone"
)
# Questions about a collection, with answers and gold: by templates, or of two passages each.
SUGGEST = Role[list[Suggestion]](
    "suggest", lambda request, _: suggest(request.triples, request.passages)
)


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
