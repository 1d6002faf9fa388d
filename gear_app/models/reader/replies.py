"""Replies to a reader's requests: a pydantic model for each role, which gives schema and parser.

`value` is what the reply means, as methods take it. Raises Unparsed where it means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gear_app.core.text import terms
from gear_app.core.types import (
    Action,
    Analysis,
    DualThoughts,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Summary,
    Thinking,
    Verdict,
    Verification,
)
from gear_app.models.messages import Parsed, Unparsed
from gear_app.models.reply_model import (
    Decision,
    Line,
    Names,
    Numbers,
    ReplyModel,
    Triples,
    TriplesReply,
    bare,
    says_none,
)
from gear_app.models.suggestions import Suggestion

if TYPE_CHECKING:
    from gear_app.models.reader.roles import ReaderRequest

MAX_NODES = 30
_FINAL = re.compile(
    r"(?:^|[.!?\n][\"')*\s]*)\W{0,3}(?:so,? the (?:final )?answer is\s*:?|the (?:final )?answer"
    r" is\s*:)",
    re.IGNORECASE,
)
# An action between the marks of Search-R1 or Search-o1.
_ACTION = re.compile(
    r"(?:<search>|<\|begin_search_query\|>)(?P<query>.*?)(?:</search>|<\|end_search_query\|>|\Z)"
    r"|(?:<answer>|\\boxed\{(?:\\text\{)?)(?P<answer>.*?)(?:</answer>|\}{1,2}|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_THOUGHT_MARKS = re.compile(r"</?(?:think|search|answer)>", re.IGNORECASE)


class ReadReply(TriplesReply):
    """Proximal triples in the order written (GEAR K.2), none of them a stored one."""

    def value(self, request: object) -> Reading:
        return Reading(tuple(ProximalTriple(*triple) for triple in self.triples))


class ReasonReply(ReplyModel):
    """Whether the facts answer the question (GEAR K.2); where they do not there is no answer."""

    answerable: Decision
    answer: Line = ""
    why: Line = ""

    def value(self, request: object) -> Verdict:
        return Verdict(self.answerable, self.why, self.answer if self.answerable else "")


class RewriteReply(ReplyModel):
    """The next query (GEAR K.2); empty where nothing is left to ask for."""

    question: Line

    def value(self, request: object) -> Rewriting:
        return Rewriting("" if says_none(self.question) else self.question)


class EntitiesReply(ReplyModel):
    """Named entities (HippoRAG App. I), in the order and spelling of the question; those that it
    spells otherwise come last.
    """

    named_entities: Names

    def value(self, request: ReaderRequest[tuple[str, ...]]) -> tuple[str, ...]:
        question = request.question
        matches = [re.search(re.escape(n), question, re.IGNORECASE) for n in self.named_entities]
        written = sorted((match.span(), match[0]) for match in matches if match)
        pairs = zip(self.named_entities, matches, strict=True)
        unwritten = [name for name, match in pairs if match is None]
        return tuple(dict.fromkeys([*(name for _, name in written), *unwritten]))


class FactsReply(ReplyModel):
    """Numbers from 1 of the chosen facts (HippoRAG 2); positions from 0 as a value."""

    facts: Numbers

    def value(self, request: ReaderRequest[tuple[int, ...]]) -> tuple[int, ...]:
        valid = [n for n in self.facts if 1 <= n <= len(request.facts)]
        if self.facts and not valid:
            raise Unparsed("holds no number of a fact that was given")
        return tuple(dict.fromkeys(n - 1 for n in valid))


class SummariseReply(ReplyModel):
    """A summary of several texts (RAPTOR App. D)."""

    summary: Line

    def value(self, request: object) -> Summary:
        return Summary(_present(self.summary))


class ReportReply(ReplyModel):
    """A report on a community of entities (GraphRAG)."""

    report: Line

    def value(self, request: object) -> str:
        return _present(self.report)


class ThinkReply(ReplyModel):
    """One thought (BDTR Fig. 10 to 12), final where a sentence begins "So the answer is:"."""

    thought: Line

    def value(self, request: object) -> Thinking:
        if says_none(self.thought):
            return Thinking("")
        final = _FINAL.search(self.thought)
        answer = _present(bare(self.thought[final.end() :])) if final else ""
        return Thinking(self.thought, final is not None, answer)


class IrgsReply(ReplyModel):
    """Reasoning and a final answer (BDTR Fig. 13); either may be missing."""

    reasoning: Line = ""
    final_answer: Line = ""

    def value(self, request: object) -> Thinking:
        text = _present(self.reasoning or self.final_answer)
        return Thinking(text, answer=self.final_answer)


class DualThoughtsReply(ReplyModel):
    """A fast and a slow thought (BDTR Fig. 8); one that is missing is empty."""

    fast_thought: Line = ""
    slow_thought: Line = ""

    def value(self, request: object) -> DualThoughts:
        _present(self.fast_thought + self.slow_thought)
        return DualThoughts(self.fast_thought, self.slow_thought)


class ActReply(ReplyModel):
    """An agent's thought, and a query or an answer (Search-R1, Search-o1): a call of the tool
    `search`, or the papers' marks. Without a query and an answer it is no action.
    """

    tools: ClassVar[tuple[Mapping[str, Any], ...]] = (
        {
            "type": "function",
            "function": {
                "name": "search",
                "description": "Search the documents with one query.",
                "parameters": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                },
            },
        },
    )
    thought: Line = ""
    query: Line = ""
    answer: Line = ""

    @classmethod
    def schema_of(cls) -> None:
        """The papers' marks are no JSON."""

    @classmethod
    def parse(cls, reply: str, prompt: str = "", material: str = "") -> Parsed[Self]:
        """Parse as other replies, but thinking is the thought, and holds no action."""
        plain = _THOUGHT.sub(lambda thought: _THOUGHT_MARKS.sub(" ", thought[0]), reply)
        parsed = super().parse(plain)
        if "{" in plain and not parsed.value.thought:  # a call, after what the model says of it
            parsed.value.thought = plain.partition("{")[0].strip()
        return parsed

    @classmethod
    def of_text(cls, text: str) -> Mapping[str, object]:
        """The first action, and the thought before it; what follows it is not read, as documents
        that nobody retrieved.
        """
        action = _ACTION.search(text)
        if action is None:
            return {"thought": text}
        return {"thought": text[: action.start()]} | action.groupdict("")

    def value(self, request: object) -> Action:
        return Action(self.thought, self.query, "" if self.query else self.answer)


class AnalyseReply(ReplyModel):
    """Facts of documents for a query (Search-o1)."""

    final_information: Line

    def value(self, request: object) -> Analysis:
        label = re.compile(r"^\W*final information\W*", re.IGNORECASE)
        return Analysis(_present(label.sub("", self.final_information)))


class ChainReply(ReplyModel):
    """A chain of reasoning (BDTR §3.2)."""

    nodes: Names

    def value(self, request: object) -> ReasoningChain:
        if len(self.nodes) == 1 or len(self.nodes) > MAX_NODES:
            raise Unparsed(f"is a chain of {len(self.nodes)} nodes")
        return ReasoningChain(self.nodes)


class VerifyReply(ReplyModel):
    """Numbers of the documents that support the chain (BDTR Fig. 9), also those of none."""

    covered_doc_indices: Numbers

    def value(self, request: object) -> Verification:
        return Verification(self.covered_doc_indices)


class AnswerReply(ReplyModel):
    """A short answer (GEAR K.3)."""

    answer: Line

    def value(self, request: object) -> str:
        return _present(self.answer)


class SuggestReply(ReplyModel):
    """Questions, each a row with its answer and the numbers from 1 of its two documents. One is of
    use whose answer has all its words in one of the two, and not all of them in the question.
    """

    questions: Triples

    def value(self, request: ReaderRequest[list[Suggestion]]) -> list[Suggestion]:
        suggestions = []
        for question, answer, numbers in self.questions:
            places = {int(number) - 1 for number in re.findall(r"\d{1,3}", numbers)}
            gold = tuple(p for place, p in enumerate(request.passages) if place in places)
            words, asked = set(terms(answer)), set(terms(question))
            is_stated = any(words <= set(terms(passage.indexed)) for passage in gold)
            if len(places) == len(gold) == 2 and is_stated and not words <= asked:
                suggestions.append(Suggestion(question, answer, gold))
        if self.questions and not suggestions:
            raise Unparsed("holds no question with an answer that stands in one of two documents")
        return suggestions


def _present(text: str) -> str:
    if not re.search(r"\w", text):
        raise Unparsed("holds no words")
    return text


REPLIES: dict[str, type[Any]] = {
    "read": ReadReply,
    "reason": ReasonReply,
    "rewrite": RewriteReply,
    "named_entities": EntitiesReply,
    "choose_facts": FactsReply,
    "summarise": SummariseReply,
    "report": ReportReply,
    "think": ThinkReply,
    "irgs": IrgsReply,
    "dual_thoughts": DualThoughtsReply,
    "act": ActReply,
    "analyse": AnalyseReply,
    "chain": ChainReply,
    "verify": VerifyReply,
    "answer": AnswerReply,
    "suggest": SuggestReply,
}
