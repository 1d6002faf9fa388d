"""What a reader is asked. Each role is one value: what is given, the prompt that a language model
gets, the parser of its reply, and the rule by which the local reader replies without one.

A new role is a class here, its prompt in gear_app/prompts, its parser in replies.py, and its rule.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.llm.reply_parser import Parsed
from gear_app.llm.request import Schema, object_schema
from gear_app.prompts import Prompt, data, documents, prompt, text
from gear_app.reader import query_entities, replies, rules, summaries, thoughts
from gear_app.reader.next_bridge import PassageTriples
from gear_app.seams import Embedder
from gear_app.types import (
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

Reply = TypeVar("Reply")
NONE = "(none)"


class ReaderRequest(ABC, Generic[Reply]):
    """What a reader is asked in one role.

    Attributes:
        role: its name in stored events
        reply: what the reply is
        parser: of a language model's reply, where nothing but its words is needed
        schema: the JSON schema of a language model's reply; None: it replies in lines
        whole: a reply that was cut off is of no use; else what came before the cut is
        question: what is asked
    """

    __slots__ = ()
    role: ClassVar[str]
    reply: ClassVar[type[Any]]
    parser: ClassVar[Callable[[str], Parsed[Any]]]
    schema: ClassVar[Schema | None] = None
    whole: ClassVar[bool] = True
    question: str

    @abstractmethod
    def prompt(self) -> Prompt:
        """What a language model is sent."""

    def parse(self, reply: str) -> Parsed[Reply]:
        """What a language model's reply means. Raises Unparsed."""
        return type(self).parser(reply)

    @abstractmethod
    def by_rules(self, embedder: Embedder) -> Reply:
        """The local reader's reply."""


class Reader(Protocol):
    """Everything a method asks of a language model. The local one is not one and never pretends to
    be.
    """

    @property
    def name(self) -> str:
        """What the screen calls it."""
        ...

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The reply. Raises ModelFailed where there is none that can be used."""
        ...


@dataclass(frozen=True, slots=True)
class PassagesRequest(ReaderRequest[Reply]):
    """A question about passages, in rank order, and all their stored triples: the local reader
    selects among these, a language model reads the passages' text.
    """

    passages: Sequence[Passage]
    triples: Sequence[Triple]
    question: str

    @property
    def documents(self) -> str:
        """The passages as a prompt has them."""
        return documents([(passage.title, passage.text) for passage in self.passages]) or NONE

    @property
    def given(self) -> PassageTriples:
        """The passages and triples as the rules take them."""
        return PassageTriples(self.passages, self.triples)

    def _prompt(self, name: str, **others: str) -> Prompt:
        return prompt(name, documents=self.documents, question=data(self.question), **others)


@dataclass(frozen=True, slots=True)
class ReadRequest(PassagesRequest[Reading]):
    """Proximal triples for a query (GEAR Eq. 1: `memory` is None), or for the question what the
    memory does not have yet (Eq. 4: `memory` is given, and left out of the prompt where it is
    empty, as in K.2).
    """

    memory: Sequence[ProximalTriple] | None
    role = "read"
    reply = Reading
    whole = False

    def prompt(self) -> Prompt:
        facts = {"facts": _facts(self.memory)} if self.memory else {}
        return self._prompt(self._name, **facts)

    def parse(self, reply: str) -> Parsed[Reading]:
        return replies.read(text(self._name), self.documents, reply)

    def by_rules(self, embedder: Embedder) -> Reading:
        return rules.read(self.given, self.question, self.memory, embedder)

    @property
    def _name(self) -> str:
        return "read_gist" if self.memory else "read"


@dataclass(frozen=True, slots=True)
class ReasonRequest(ReaderRequest[Verdict]):
    """Whether the gist memory answers the question, and why (GEAR Eq. 6, K.2).

    `passed_over` are the best facts that the last reading did not select, for a reader that has
    such.
    """

    memory: Sequence[ProximalTriple]
    question: str
    passed_over: Sequence[ProximalTriple] = ()
    role = "reason"
    reply = Verdict
    parser = replies.reason

    def prompt(self) -> Prompt:
        return prompt("reason", question=data(self.question), facts=_facts(self.memory))

    def by_rules(self, embedder: Embedder) -> Verdict:
        return rules.reason(self.memory, self.question, self.passed_over, embedder)


@dataclass(frozen=True, slots=True)
class RewriteRequest(ReaderRequest[Rewriting]):
    """The next query (GEAR Eq. 7, K.2); `asked` are those before, the question first."""

    memory: Sequence[ProximalTriple]
    question: str
    reason: str
    passed_over: Sequence[ProximalTriple] = ()
    asked: Sequence[str] = ()
    role = "rewrite"
    reply = Rewriting
    parser = replies.rewrite

    def prompt(self) -> Prompt:
        facts, reason = _facts(self.memory), _line(self.reason)
        return prompt("rewrite", question=data(self.question), facts=facts, reason=reason)

    def by_rules(self, embedder: Embedder) -> Rewriting:
        return rules.rewrite(self.memory, self.question, self.passed_over, self.asked, embedder)


@dataclass(frozen=True, slots=True)
class EntitiesRequest(ReaderRequest[tuple[str, ...]]):
    """The question's named entities, as written in it, in its order (HippoRAG §2.3, App. I).

    `known` are the normalised names of the graph's nodes, for a reader that looks them up.
    """

    question: str
    known: Collection[str]
    role = "named_entities"
    reply = tuple
    schema = object_schema(named_entities={"type": "array", "items": {"type": "string"}})
    whole = False

    def prompt(self) -> Prompt:
        return prompt("query_entities", question=data(self.question))

    def parse(self, reply: str) -> Parsed[tuple[str, ...]]:
        return replies.query_entities(text("query_entities"), self.question, reply)

    def by_rules(self, embedder: Embedder) -> tuple[str, ...]:
        return query_entities.named_entities(self.question, self.known)


@dataclass(frozen=True, slots=True)
class FactsRequest(ReaderRequest[tuple[int, ...]]):
    """Which facts help to answer the question, by their places from 0, in order (HippoRAG 2's
    recognition memory; there the reply repeats the facts, here their numbers).
    """

    question: str
    facts: Sequence[TripleWords]
    role = "choose_facts"
    reply = tuple
    schema = object_schema(facts={"type": "array", "items": {"type": "integer"}})
    whole = False

    def prompt(self) -> Prompt:
        facts = _lines(fact.text for fact in self.facts)
        return prompt("choose_facts", question=data(self.question), facts=facts)

    def parse(self, reply: str) -> Parsed[tuple[int, ...]]:
        return replies.choose_facts(len(self.facts), reply)

    def by_rules(self, embedder: Embedder) -> tuple[int, ...]:
        return query_entities.facts_that_touch(self.question, [fact.text for fact in self.facts])


@dataclass(frozen=True, slots=True)
class SummariseRequest(ReaderRequest[Summary]):
    """One short text for several that belong together, each with its title (RAPTOR App. D)."""

    texts: Sequence[tuple[str, str]]
    question: str = ""  # none is asked yet
    role = "summarise"
    reply = Summary
    parser = replies.summarise

    def prompt(self) -> Prompt:
        return prompt("summarise", documents=documents(self.texts))

    def by_rules(self, embedder: Embedder) -> Summary:
        return summaries.nearest_the_centre(self.texts, embedder)


@dataclass(frozen=True, slots=True)
class ReportRequest(ReaderRequest[str]):
    """A report on a community of entities, from its facts, those that matter most first (GraphRAG).
    It knows no question, so that the reply is kept for all.
    """

    facts: Sequence[TripleWords]
    question = ""
    role = "report"
    reply = str
    parser = replies.report
    whole = False

    def prompt(self) -> Prompt:
        return prompt("report", facts=_lines(fact.text for fact in self.facts))

    def by_rules(self, embedder: Embedder) -> str:
        return rules.report(self.facts)


@dataclass(frozen=True, slots=True)
class ThinkRequest(PassagesRequest[Thinking]):
    """The next thought after `thoughts` (IRCoT, GCoT, ToG, IRGS as in BDTR App. A.6, Fig. 10 to
    13); IRGS's prompt shows no earlier ones.
    """

    thoughts: Sequence[Thinking]
    style: Style
    role = "think"
    reply = Thinking

    def prompt(self) -> Prompt:
        if self.style == "irgs":
            return self._prompt("irgs")
        return self._prompt(self.style, thoughts=_lines(before.text for before in self.thoughts))

    def parse(self, reply: str) -> Parsed[Thinking]:
        return replies.irgs(reply) if self.style == "irgs" else replies.thought(reply)

    def by_rules(self, embedder: Embedder) -> Thinking:
        return thoughts.think(self.given, self.question, self.thoughts, self.style, embedder)


@dataclass(frozen=True, slots=True)
class DualThoughtsRequest(PassagesRequest[DualThoughts]):
    """A fast and a slow thought, each the next query of its own (BDTR §3.1, Fig. 8)."""

    thoughts: Sequence[DualThoughts]
    role = "dual_thoughts"
    reply = DualThoughts
    parser = replies.thoughts

    def prompt(self) -> Prompt:
        before = [words for both in self.thoughts for words in (both.fast, both.slow) if words]
        return self._prompt("thoughts", thoughts=_lines(before))

    def by_rules(self, embedder: Embedder) -> DualThoughts:
        return thoughts.dual_thoughts(self.given, self.question, self.thoughts, embedder)


NEEDS_MODEL = "An agent asks a language model what to search next: no rules stand in for one."


@dataclass(frozen=True, slots=True)
class ActRequest(ReaderRequest[Action]):
    """An agent's next thought and action; `turns`: each action before, and what it was shown of
    it.
    """

    question: str
    turns: Sequence[tuple[Action, str]]
    form: Form
    role = "act"
    reply = Action
    parser = replies.act
    whole = False

    def prompt(self) -> Prompt:
        return prompt(self.form, question=data(self.question), turns=_turns(self.turns, self.form))

    def by_rules(self, embedder: Embedder) -> Action:
        raise ModelFailed(NEEDS_MODEL)


@dataclass(frozen=True, slots=True)
class AnalyseRequest(PassagesRequest[Analysis]):
    """What the passages say for a query of an agent, who sees nothing else of them (Search-o1)."""

    query: str
    turns: Sequence[tuple[Action, str]]
    role = "analyse"
    reply = Analysis
    parser = replies.analyse

    def prompt(self) -> Prompt:
        turns = _turns(self.turns, "search_o1")
        return self._prompt("analyse", query=_line(self.query), turns=turns)

    def by_rules(self, embedder: Embedder) -> Analysis:
        raise ModelFailed(NEEDS_MODEL)


@dataclass(frozen=True, slots=True)
class ChainRequest(PassagesRequest[ReasoningChain]):
    """What leads from the question to its answer, from the final pool (BDTR §3.2); `because`: the
    facts thought of before.
    """

    because: Sequence[ProximalTriple]
    role = "chain"
    reply = ReasoningChain
    parser = replies.chain

    def prompt(self) -> Prompt:
        return self._prompt("chain", facts=_facts(self.because))

    def by_rules(self, embedder: Embedder) -> ReasoningChain:
        return thoughts.reasoning_chain(self.given, self.question, self.because, embedder)


@dataclass(frozen=True, slots=True)
class VerifyRequest(PassagesRequest[Verification]):
    """Which passages support the chain (BDTR Eq. 5, Fig. 9); the numbers are the reply's own."""

    chain: ReasoningChain
    role = "verify"
    reply = Verification
    parser = replies.verify
    schema = object_schema(covered_doc_indices={"type": "array", "items": {"type": "integer"}})
    whole = False

    def prompt(self) -> Prompt:
        return self._prompt("verify", chain=_line(self.chain.text))

    def by_rules(self, embedder: Embedder) -> Verification:
        return thoughts.verification(self.passages, self.triples, self.chain)


@dataclass(frozen=True, slots=True)
class AnswerRequest(PassagesRequest[str]):
    """A short answer from the passages, or without any from what the reader knows by itself (GEAR
    App. K.3); "" where the reader has none.
    """

    role = "answer"
    reply = str
    parser = replies.answer

    def prompt(self) -> Prompt:
        if not self.passages:
            return prompt("answer_alone", question=data(self.question))
        return self._prompt("answer")

    def by_rules(self, embedder: Embedder) -> str:
        return thoughts.answer(self.given, self.question, embedder)


SCHEMAS = {
    role.role: role.schema for role in (EntitiesRequest, FactsRequest, VerifyRequest)
}  # others: lines


def _facts(triples: Sequence[ProximalTriple]) -> str:
    """One triple a line, as the prompts ask for them."""
    rows = [(triple.subject, triple.predicate, triple.object) for triple in triples]
    quoted = [[json.dumps(data(part), ensure_ascii=False) for part in row] for row in rows]
    return "\n".join(f"({', '.join(row)})" for row in quoted) or NONE


def _turns(turns: Sequence[tuple[Action, str]], form: Form) -> str:
    """An agent's actions and what it was shown, between the marks of its form; what it was shown
    can end none, and is a sentence to it where there was no query.
    """
    lines = []
    for action, shown in turns:
        thought, query = _line(action.text), _line(action.query)
        if form == "search_r1":
            lines.append(f"<think> {thought} </think>")
            searched = f"<search> {query} </search>\n<information>\n{shown}\n</information>"
        else:
            lines.append(thought)
            searched = (
                f"<|begin_search_query|> {query} <|end_search_query|>\n"
                f"<|begin_search_result|>\n{data(shown)}\n<|end_search_result|>"
            )
        lines.append(searched if query else shown)
    return "\n".join(lines) or NONE


def _lines(texts: Iterable[str]) -> str:
    numbered = (f"{number}. {_line(words)}" for number, words in enumerate(texts, start=1))
    return "\n".join(numbered) or NONE


def _line(words: str) -> str:
    return data(" ".join(words.split()))
